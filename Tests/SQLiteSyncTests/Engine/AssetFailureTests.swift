import Foundation
import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// Bytes that cannot be sent or fetched hold up nothing, are told of, and are tried at once when
/// somebody asks.
@Suite(.timeLimit(.minutes(2)))
struct AssetFailureTests {
  private let cloud: TemporaryDirectory
  private let ann: Station
  private let ben: Station
  private let store: FaultyStore

  init() throws {
    cloud = try TemporaryDirectory()
    (ann, ben) = try (Station(cloud: cloud), Station(cloud: cloud))
    store = FaultyStore(DirectoryStore(directory: cloud.url))
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Home')")
    try ann.execute("INSERT INTO covers VALUES ('l', zeroblob(10000))")
  }

  private func fail(_ kind: FaultyStore.Call.Kind, _ error: CloudError) {
    store.plan { $0.kind == kind && $0.path.contains("/assets/") ? .failure(error) : nil }
  }

  @Test func whatHasNoRoomIsInTheStatusAndGoesWhenThereIsSome() async throws {
    let engine = try ann.engine(store: store)
    fail(.create, CloudError(.quotaExceeded, "The disk is full.", hint: "Make room."))
    for _ in 0..<2 {
      // Something else is to be sent: else it would be the reason why nothing can be.
      try ann.execute("UPDATE lists SET title = title || '!'")
      let result = try await engine.syncChanges()
      #expect(result.refused == 1)
      #expect(engine.status.lastError == "The disk is full.")
      #expect(engine.status.hint == "Make room.")
      #expect(engine.status.pending == 1)
    }
    store.plan { _ in nil }
    #expect(try await engine.syncChanges().sent == 1)
    #expect(engine.status.lastError == nil)
    #expect(engine.status.pending == 0)
  }

  @Test func whatCannotBeReadIsInTheStatusAndComesWhenItCan() async throws {
    try await ann.engine().syncChanges()
    let engine = try ben.engine(store: store)
    fail(.read, CloudError(.assetNotAvailable, "The disk has a bad block."))
    for _ in 0..<2 {
      try await engine.fetchChanges()
      #expect(engine.status.lastError == "The disk has a bad block.")
      #expect(try ben.titles() == ["Home"])
    }
    store.plan { _ in nil }
    try await engine.fetchChanges()
    #expect(engine.status.lastError == nil)
    #expect(try ben.texts("SELECT length(image) FROM covers") == ["10000"])
  }

  @Test func whatNobodyWantsAnyMoreIsNoFailure() async throws {
    let engine = try ann.engine(store: store)
    fail(.create, CloudError(.quotaExceeded, "The disk is full."))
    try await engine.syncChanges()
    #expect(engine.status.lastError == "The disk is full.")
    try ann.execute("DELETE FROM covers")
    try await engine.syncChanges()
    #expect(engine.status.lastError == nil)
  }
}
