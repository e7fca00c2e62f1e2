import Foundation
import GRDB
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

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

  @Test func anAssetForWhichThereIsNoRoomHoldsUpNothingElse() throws {
    try ann.execute("INSERT INTO covers VALUES ('l', ?)", [bytes(1)])
    try ann.execute("UPDATE lists SET title = 'Home'")
    store.plan { call in
      call.kind == .create && call.path.contains("/assets/")
        ? .failure(CloudError(.quotaExceeded, "The disk is full.")) : nil
    }
    try ann.sync()
    try ben.sync()
    #expect(try ben.rows("SELECT title FROM lists") == ["Home"])
    let waiting = try ann.database.read { try SyncPendingChange.all($0) }
    #expect(waiting.map(\.key) == ["l"] && waiting.first?.error?.contains("full") == true)
    // Alone, it is the reason why nothing is sent.
    fleet.clock.advance(milliseconds: 600_000)
    let error = #expect(throws: CloudError.self) { try ann.sync() }
    #expect(error?.code == .quotaExceeded)
    store.plan { _ in nil }
    try fleet.settle()
    #expect(try image(ben) == bytes(1))
    try fleet.expectExhausted(after: fleet.troubles)
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

  @Test(arguments: [true, false])
  func aMissingAssetIsLookedForAgainAlsoAfterARelaunch(relaunches: Bool) throws {
    try ann.execute("INSERT INTO covers VALUES ('l', ?)", [bytes(1)])
    try fleet.settle()
    try ann.execute("UPDATE covers SET image = ?", [bytes(2)])
    try ann.sync()
    store.plan { $0.kind == .read && $0.path.contains("assets") ? .stale : nil }
    try ben.sync()
    let calls = Mutex(0)
    store.plan { call in
      if call.path.contains("assets") { calls.withLock { $0 += 1 } }
      return nil
    }
    if relaunches { try ben.relaunch() }
    try ben.sync()
    // Not before its time.
    #expect(calls.withLock { $0 } == 0)
    #expect(try image(ben) == bytes(1))
    fleet.clock.advance(milliseconds: 2_000)
    try ben.sync()
    #expect(try image(ben) == bytes(2))
    #expect(try ben.rows("SELECT length(value) FROM sync_history") == ["10000"])
    try fleet.settle()
    try fleet.expectExhausted(after: [.missedAsset])
  }

  @Test func theWaitForAMissingAssetGrows() throws {
    try ann.execute("INSERT INTO covers VALUES ('l', ?)", [bytes(1)])
    try ann.sync()
    store.plan { $0.kind == .read && $0.path.contains("assets") ? .stale : nil }
    for seconds in [0, 2, 3, 6, 11] as [Int64] {
      fleet.clock.advance(milliseconds: seconds * 1_000)
      let before = ben.events.count
      try ben.sync()
      try ben.sync()
      #expect(
        ben.events[before...].filter { if case .assetMissing = $0 { true } else { false } }.count
          == 1)
    }
    #expect(try ben.rows("SELECT listID, image FROM covers") == ["l|NULL"])
    store.plan { _ in nil }
    fleet.clock.advance(milliseconds: 60_000)
    try fleet.settle()
    try fleet.expectExhausted(after: [.missedAsset])
  }

  @Test func anEditHereOfTheFieldEndsTheSearch() throws {
    try ann.execute("INSERT INTO covers VALUES ('l', ?)", [bytes(1)])
    try ann.sync()
    store.plan { $0.kind == .read && $0.path.contains("assets") ? .stale : nil }
    try ben.sync()
    store.plan { _ in nil }
    try ben.execute("UPDATE covers SET image = ?", [bytes(3)])
    fleet.clock.advance(milliseconds: 60_000)
    try fleet.settle()
    #expect(try image(ann) == bytes(3))
    #expect(try image(ben) == bytes(3))
    try fleet.expectExhausted(after: [.missedAsset])
  }

  private func waiting(_ device: Device) throws -> [String] {
    let waiting = try device.database.read { try SyncWaitingRecord.all($0) }
    #expect(try device.counts().waiting == waiting.count)
    return waiting.map { "\($0.table) \($0.key) \($0.reason)" }
  }

  @Test(arguments: ["found", "written anew", "set to nothing", "deleted"])
  func bytesThatAreNowhereAreInTheStatusUntilTheyAre(_ end: String) throws {
    try ann.execute("INSERT INTO covers VALUES ('l', ?)", [bytes(1)])
    try ann.sync()
    store.plan { $0.kind == .read && $0.path.contains("assets") ? .stale : nil }
    try ben.sync()
    #expect(try waiting(ben) == ["covers l asset(column: \"image\")"])
    #expect(try waiting(ann) == [])
    if end == "found" {
      store.plan { _ in nil }
      fleet.clock.advance(milliseconds: 60_000)
    }
    if end == "written anew" { try ben.execute("UPDATE covers SET image = ?", [bytes(3)]) }
    if end == "set to nothing" {
      try ben.execute("UPDATE covers SET image = x''")
      try ben.execute("UPDATE covers SET image = NULL")
    }
    if end == "deleted" { try ann.execute("DELETE FROM covers") }
    try ann.sync()
    try ben.sync()
    #expect(try waiting(ben) == [])
  }

  @Test func theImageOfARowThatComesBackComesBackWithIt() throws {
    let fleet = try Fleet(schema: Self.items)
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO items VALUES ('i', 'A', ?)", [bytes(1)])
    try fleet.settle()
    // Deleted here, and edited later elsewhere: it lives.
    try ann.execute("DELETE FROM items")
    try ben.execute("UPDATE items SET title = 'B'")
    try ben.sync()
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT title, length(image) FROM items") == ["B|\(bytes(1).count)"])
    }
  }

  // MARK: - Lost in the cloud

  private static let items = Schema(
    sql: "CREATE TABLE items (id TEXT PRIMARY KEY NOT NULL, title TEXT, image BLOB)",
    tables: ["items"])

  private func loseAssets(of fleet: Fleet, in store: MemoryStore) throws {
    let layout = ZoneLayout(ZoneID(name: "default", owner: fleet.account))
    for entry in try store.list(layout.assets(epoch: 1), after: nil, limit: .max) {
      store.delete(StoreKey(layout.assets(epoch: 1), listed: entry))
    }
  }

  @Test func whoHasTheBytesOfALostAssetPublishesThemAgain() throws {
    let store = MemoryStore()
    let fleet = try Fleet(store: store, schema: Self.items)
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO items VALUES ('i', 'A', ?)", [bytes(1)])
    try fleet.settle()
    try loseAssets(of: fleet, in: store)
    try ann.execute("UPDATE items SET title = 'B'")
    try fleet.settle()
    let carl = try fleet.device()
    try fleet.settle()
    for device in [ben, carl] {
      #expect(try device.rows("SELECT title, image FROM items") == ["B|10000 bytes"])
    }
    try fleet.expectExhausted(after: [.refused(.assetFileNotFound)])
  }

  @Test func theBytesOfAnAssetAreFoundInTheRowThatHasThem() throws {
    let fleet = try Fleet(schema: Self.items)
    let (ann, ben) = try fleet.pair()
    let picture = Data(repeating: 1, count: 10_000)
    try ann.execute("INSERT INTO items VALUES ('i', 'A', ?)", [picture])
    try fleet.settle()
    let hash = "\(ContentHash(of: picture))"
    for device in [ann, ben] {
      #expect(try device.database.read { try SyncEngine.bytes(ofAsset: hash, in: $0) } == picture)
    }
    try ben.execute("UPDATE items SET image = NULL")
    try ben.sync()
    #expect(try ben.database.read { try SyncEngine.bytes(ofAsset: hash, in: $0) } == nil)
  }

  @Test func aLostAssetHoldsUpNoOtherEditAndComesFromWhoHasIt() throws {
    let store = MemoryStore()
    let fleet = try Fleet(store: store, schema: Self.items)
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO items VALUES ('i', 'A', ?)", [bytes(1)])
    try ann.sync()
    try loseAssets(of: fleet, in: store)
    try ben.sync()
    try ben.execute("UPDATE items SET title = 'B'")
    try ben.sync()
    #expect(try ben.counts().pending == 0)
    fleet.clock.advance(milliseconds: 60_000)
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT title, image FROM items") == ["B|10000 bytes"])
    }
    try fleet.expectExhausted(after: [.missedAsset, .refused(.assetFileNotFound)])
  }

  @Test func bytesThatAreTooManyAreHeldWithTheirErrorAndHoldUpNothingElse() throws {
    try ann.execute("INSERT INTO lists (id) VALUES ('m')")
    try ann.execute("INSERT INTO covers VALUES ('m', zeroblob(?))", [CloudLimits.assetBytes + 1])
    try ann.execute("INSERT INTO covers VALUES ('l', ?)", [bytes(1)])
    try ann.sync()
    try ben.sync()
    #expect(try ben.rows("SELECT listID FROM covers") == ["l"])
    #expect(try ann.rows("SELECT error LIKE 'limitExceeded%' FROM sync_pending") == ["1"])
    try ann.execute("UPDATE covers SET image = x'01' WHERE listID = 'm'")
    try fleet.settle()
    try fleet.expectExhausted(after: [.refused(.limitExceeded)])
  }
}
