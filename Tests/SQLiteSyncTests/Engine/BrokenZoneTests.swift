import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// A shared list whose log cannot be read holds up nothing else, neither now nor later.
@Suite(.timeLimit(.minutes(2)))
struct BrokenZoneTests {
  private let cloud: TemporaryDirectory
  private let ann: Station
  private let ben: Station
  private let benEngine: SyncEngine

  init() async throws {
    cloud = try TemporaryDirectory()
    ann = try Station(cloud: cloud)
    ben = try Station(cloud: cloud)
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Family')")
    let annEngine = try ann.engine(starts: true)
    benEngine = try ben.engine(account: "ben")
    await annEngine.waitUntilIdle()
    try await benEngine.syncChanges()
    let link = try await annEngine.share(
      table: "lists", key: "l", title: "Family",
      participants: [#require(AccountID(name: "ben")): .write])
    try await annEngine.syncChanges()
    benEngine.start()
    await benEngine.waitUntilIdle()
    try await benEngine.acceptShare(link)
    try await benEngine.syncChanges()
    benEngine.stopAndWait()
    for title in ["Families", "Kin"] {
      try ann.execute("UPDATE lists SET title = '\(title)'")
      try await annEngine.syncChanges()
    }
    annEngine.stopAndWait()
    // The commit before the last is gone: nobody can read on, and no time mends it.
    let container = ann.container("ann")
    _ = try container.open(expecting: nil)
    let zone = try #require(try container.zones().first { $0.name != "default" })
    let log = cloud.url.appending(path: ZoneLayout(zone).log(epoch: 1).description)
    let commits = try FileManager.default.contentsOfDirectory(atPath: log.path).sorted()
    try FileManager.default.removeItem(at: log.appending(path: commits[commits.count - 2]))
  }

  @Test func editsOfOtherZonesAreSentAtOnceWhileItIsBroken() async throws {
    benEngine.start()
    for title in ["Work", "Garden", "Books"] {
      try ben.execute("INSERT INTO lists (id, title) VALUES ('\(title)', '\(title)')")
      await benEngine.wait { $0.phase == .idle && $0.pending == 0 && $0.lastError != nil }
    }
    #expect(try Set(ben.titles()).isSuperset(of: ["Work", "Garden", "Books"]))
    // By hand it is tried again, and what is wrong is thrown.
    await #expect(throws: CloudError.self) { try await benEngine.syncChanges() }
    #expect(benEngine.status.lastError != nil)
  }
}
