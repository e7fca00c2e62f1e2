import Cloud
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import SQLiteSync

/// Bytes that are too many for a commit.
struct AssetsTests {
  private let fleet: Fleet
  private let store: FaultyStore
  private let ann: Device
  private let ben: Device

  init() throws {
    store = FaultyStore(MemoryStore())
    fleet = try Fleet(store: store)
    (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO lists (id) VALUES ('l')")
    try fleet.settle()
  }

  private func bytes(_ byte: UInt8, count: Int = 10_000) -> Data {
    Data(repeating: byte, count: count)
  }

  private func image(_ device: Device) throws -> Data? {
    try device.database.read { try Data.fetchOne($0, sql: "SELECT image FROM covers") }
  }

  @Test(arguments: [0, 1, 4096, 4097, 1 << 20])
  func bytesOfAnySizeArrive(count: Int) throws {
    try ann.execute("INSERT INTO covers VALUES ('l', ?)", [bytes(1, count: count)])
    try fleet.settle()
    #expect(try image(ben) == bytes(1, count: count))
    try fleet.expectExhausted()
  }

  @Test func newerBytesReplaceOlderOnes() throws {
    try ann.execute("INSERT INTO covers VALUES ('l', ?)", [bytes(1)])
    try fleet.settle()
    try ben.execute("UPDATE covers SET image = ?", [bytes(2)])
    try fleet.settle()
    #expect(try image(ann) == bytes(2))
    try ann.execute("UPDATE covers SET image = ?", [bytes(3, count: 10)])
    try fleet.settle()
    #expect(try image(ben) == bytes(3, count: 10))
    try fleet.expectExhausted()
  }

  @Test func ofTwoVersionsThatArriveTogetherTheLastIsStored() throws {
    try ann.execute("INSERT INTO covers VALUES ('l', ?)", [bytes(1)])
    try ann.sync()
    try ann.execute("UPDATE covers SET image = ?", [bytes(2)])
    try ann.sync()
    try fleet.settle()
    #expect(try image(ben) == bytes(2))
    try fleet.expectExhausted()
  }

  @Test func bytesThatArriveBeforeTheParentAreStoredWithIt() throws {
    let asset = try ann.container.zone(ZoneID(name: "default", owner: fleet.account))
      .publishAsset(bytes(1))
    let stranger = try Stranger(fleet)
    try stranger.save("covers", "m", ["image": .asset(asset)])
    try fleet.settle()
    #expect(try ann.counts().waiting == 1)
    try stranger.save("lists", "m", ["title": .text("Late")])
    try fleet.settle()
    #expect(try image(ann) == bytes(1))
    try fleet.expectExhausted(after: [.waited])
  }

  @Test func anUnchangedAssetIsNotUploadedAgain() throws {
    let schema = Schema(
      sql: "CREATE TABLE items (id TEXT PRIMARY KEY NOT NULL, title TEXT, image BLOB)",
      tables: ["items"])
    let uploads = Mutex(0)
    let store = FaultyStore(MemoryStore()) { call in
      if call.kind == .create, call.path.contains("assets") { uploads.withLock { $0 += 1 } }
      return nil
    }
    let fleet = try Fleet(store: store, schema: schema)
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO items VALUES ('i', 'A', ?)", [bytes(1)])
    try fleet.settle()
    try ann.execute("UPDATE items SET title = 'B'")
    try fleet.settle()
    try ben.execute("UPDATE items SET title = 'C'")
    try fleet.settle()
    #expect(uploads.withLock { $0 } == 1)
    #expect(try ann.rows("SELECT title, image FROM items") == ["C|10000 bytes"])
    try fleet.expectExhausted()
  }

  @Test func aMissingAssetDoesNotReplaceGoodBytes() throws {
    try ann.execute("INSERT INTO covers VALUES ('l', ?)", [bytes(1)])
    try fleet.settle()
    try ann.execute("UPDATE covers SET image = ?", [bytes(2)])
    try ann.sync()
    store.plan { $0.kind == .read && $0.path.contains("assets") ? .stale : nil }
    try ben.sync()
    store.plan { _ in nil }
    #expect(try image(ben) == bytes(1))
    #expect(ben.troubles == [.missedAsset])
    #expect(try ben.counts().pending == 0)
  }
}
