import Foundation
import GRDB
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// Large assets that come when they are asked for, and go when there are too many.
struct AssetPolicyTests {
  private let store: FaultyStore
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  private static let schema = Schema(
    sql: """
      CREATE TABLE items (
        id TEXT PRIMARY KEY NOT NULL,
        title TEXT,
        image BLOB,
        needed BLOB NOT NULL ON CONFLICT REPLACE DEFAULT x''
      )
      """, tables: ["items"])

  init() throws {
    store = FaultyStore(MemoryStore())
    fleet = try Fleet(store: store, schema: Self.schema) {
      $0.assetPolicy = .onDemand(above: 8_000, keeping: 25_000)
    }
    (ann, ben) = try fleet.pair()
  }

  private func bytes(_ byte: UInt8, count: Int = 10_000) -> Data {
    Data(repeating: byte, count: count)
  }

  private func add(_ ids: String..., count: Int = 10_000) throws {
    for (number, id) in ids.enumerated() {
      try ann.execute(
        "INSERT INTO items (id, image) VALUES (?, ?)",
        [id, bytes(UInt8(number + 1), count: count)])
    }
    try fleet.settle()
  }

  private func images(_ device: Device) throws -> [String] {
    try device.rows("SELECT id, image FROM items ORDER BY id")
  }

  @discardableResult
  private func ask(_ device: Device, for id: String) throws -> Data? {
    try device.synchronizer.asset("image", of: .init(of: id, in: "items"))
  }

  private func knowledge(_ device: Device, of id: String) throws -> SyncAsset? {
    try device.database.read {
      try SyncAsset.fetchOne($0, column: "image", of: .init(of: id, in: "items"))
    }
  }

  @Test func largeOnesComeWhenTheyAreAskedForAndOthersAtOnce() throws {
    let reads = Mutex(0)
    store.plan { call in
      if call.kind == .read, call.path.contains("assets") { reads.withLock { $0 += 1 } }
      return nil
    }
    try add("large")
    try add("small", count: 5_000)
    try ben.relaunch()
    fleet.clock.advance(milliseconds: 86_400_000)
    try fleet.settle()
    #expect(try images(ben) == ["large|NULL", "small|5000 bytes"])
    #expect(try knowledge(ben, of: "large") == SyncAsset(byteCount: 10_000, isHere: false))
    let before = reads.withLock { $0 }
    #expect(try ask(ben, for: "large") == bytes(1))
    #expect(try ask(ben, for: "large") == bytes(1))
    #expect(reads.withLock { $0 } == before + 1)
    #expect(try images(ben) == ["large|10000 bytes", "small|5000 bytes"])
    #expect(try knowledge(ben, of: "large") == SyncAsset(byteCount: 10_000, isHere: true))
    #expect(try ben.counts() == SyncCounts())
    try fleet.settle()
    #expect(try ann.contents() == ben.contents())
  }

  @Test func whatMayNotBeNullComesAtOnce() throws {
    try ann.execute("INSERT INTO items (id, needed) VALUES ('i', ?)", [bytes(1)])
    try fleet.settle()
    #expect(try ben.rows("SELECT needed FROM items") == ["10000 bytes"])
  }

  @Test func editsAroundItLeaveItAlone() throws {
    try add("i")
    try ben.execute("UPDATE items SET title = 'Ben''s'")
    try fleet.settle()
    #expect(try ann.rows("SELECT title, image FROM items") == ["Ben's|10000 bytes"])
    #expect(try ask(ben, for: "i") == bytes(1))
    let third = try fleet.device()
    try fleet.settle()
    #expect(try ask(third, for: "i") == bytes(1))
  }

  @Test func newerBytesAreThoseThatAreAnswered() throws {
    try add("i")
    try ask(ben, for: "i")
    try ann.execute("UPDATE items SET image = ?", [bytes(7, count: 12_000)])
    try fleet.settle()
    #expect(try images(ben) == ["i|10000 bytes"])
    #expect(try knowledge(ben, of: "i") == SyncAsset(byteCount: 12_000, isHere: false))
    #expect(try ask(ben, for: "i") == bytes(7, count: 12_000))
    try ann.execute("UPDATE items SET image = NULL")
    try fleet.settle()
    #expect(try ask(ben, for: "i") == nil)
    #expect(try images(ben) == ["i|NULL"])
  }

  @Test func whatIsWrittenOverItIsSent() throws {
    try add("i", "j")
    try ben.execute("UPDATE items SET image = x'00' WHERE id = 'i'")
    // As it is NULL already, only another value tells that it is to be.
    try ben.execute("UPDATE items SET image = x'' WHERE id = 'j'")
    try ben.execute("UPDATE items SET image = NULL WHERE id = 'j'")
    try fleet.settle()
    #expect(try images(ann) == ["i|1 bytes", "j|NULL"])
    #expect(try ask(ben, for: "i") == Data([0]))
  }

  @Test func thoseThatWereUsedLastStay() throws {
    try add("a", "b", "c")
    for id in ["a", "b", "a", "c"] { try ask(ben, for: id) }
    #expect(try images(ben) == ["a|10000 bytes", "b|NULL", "c|10000 bytes"])
    try fleet.settle()
    #expect(try images(ann) == ["a|10000 bytes", "b|10000 bytes", "c|10000 bytes"])
    #expect(try ask(ben, for: "b") == bytes(2))
    #expect(try images(ben) == ["a|NULL", "b|10000 bytes", "c|10000 bytes"])
  }

  @Test func oneThatIsLargerThanAllThatMayStayStays() throws {
    try add("a", "b", count: 30_000)
    try ask(ben, for: "a")
    #expect(try images(ben) == ["a|30000 bytes", "b|NULL"])
    try ask(ben, for: "b")
    #expect(try images(ben) == ["a|NULL", "b|30000 bytes"])
  }

  @Test func whatTheCloudDoesNotHaveStays() throws {
    try add("a", "b", "c")
    for key in try assets() { try store.delete(key) }
    try ann.synchronizer.letGoOfAssets()
    #expect(try images(ann) == ["a|10000 bytes", "b|10000 bytes", "c|10000 bytes"])
  }

  @Test func whatIsNotSentYetStays() throws {
    try add("a", "b", "c")
    try ann.execute("UPDATE items SET image = ?", [bytes(9)])
    try ann.synchronizer.letGoOfAssets()
    #expect(try images(ann) == ["a|10000 bytes", "b|10000 bytes", "c|10000 bytes"])
    try fleet.settle()
    try ann.synchronizer.letGoOfAssets()
    #expect(try images(ann).filter { $0.hasSuffix("NULL") }.count == 1)
    for id in ["a", "b", "c"] { #expect(try ask(ben, for: id) == bytes(9)) }
  }

  /// Letting go is no edit.
  @Test func whatWasLetGoOfIsTheSameEverywhere() throws {
    try add("a", "b", "c")
    try ann.synchronizer.letGoOfAssets()
    #expect(try images(ann) == ["a|NULL", "b|10000 bytes", "c|10000 bytes"])
    #expect(try ann.counts() == SyncCounts())
    try fleet.settle()
    let third = try fleet.device()
    try fleet.settle()
    for device in [ann, ben, third] { #expect(try ask(device, for: "a") == bytes(1)) }
  }

  @Test func allOfThemComeToADeviceThatWantsAllNow() throws {
    try add("a", "b", "c")
    let wantsAll = try Fleet(store: store, schema: Self.schema, clock: fleet.clock)
    let device = try wantsAll.device(copying: ben)
    try device.sync()
    #expect(try images(device) == ["a|10000 bytes", "b|10000 bytes", "c|10000 bytes"])
  }

  @Test func aCloudThatIsOutOfReachIsSaid() throws {
    try add("i")
    store.plan { _ in .failure(FaultyStore.lost) }
    let error = #expect(throws: CloudError.self) { try ask(ben, for: "i") }
    #expect(error?.code == .networkUnavailable)
    store.plan { _ in nil }
    for key in try assets() { try store.delete(key) }
    let gone = #expect(throws: CloudError.self) { try ask(ben, for: "i") }
    #expect(gone?.code == .assetFileNotFound)
    #expect(try ben.counts() == SyncCounts())
  }

  @Test func aColumnOrRowThatIsNotThereIsRefused() throws {
    try add("i")
    for (column, id) in [("image", "x"), ("picture", "i"), ("id", "i")] {
      let error = #expect(throws: SyncError.self) {
        try ben.synchronizer.asset(column, of: .init(of: id, in: "items"))
      }
      #expect(error?.reason == .unknownRow)
    }
    #expect(try ben.synchronizer.asset("title", of: .init(of: "i", in: "items")) == nil)
  }

  /// The same bytes have another name in the cloud then.
  @Test func whatIsPublishedAgainIsNotHereForThat() throws {
    try add("i")
    for key in try assets() { try store.delete(key) }
    try ann.execute("UPDATE items SET title = 'Sent with its bytes'")
    try fleet.settle()
    #expect(try ben.rows("SELECT title, image FROM items") == ["Sent with its bytes|NULL"])
    #expect(try ask(ben, for: "i") == bytes(1))
  }

  /// Nobody has the bytes but the log that is over.
  @Test func whatNoDeviceHasSurvivesANewLog() throws {
    try add("a", "b", "c")
    try ann.synchronizer.letGoOfAssets()
    try ann.synchronizer.zone.reset(reason: "a test")
    for _ in 0..<3 { try fleet.settle() }
    let third = try fleet.device()
    try fleet.settle()
    #expect(try images(ben).allSatisfy { $0.hasSuffix("NULL") })
    for device in [third, ann, ben] {
      for (number, id) in ["a", "b", "c"].enumerated() {
        #expect(try ask(device, for: id) == bytes(UInt8(number + 1)))
      }
    }
  }

  private func assets() throws -> [StoreKey] {
    let prefix = ann.synchronizer.zone.layout.assets(epoch: 1)
    return try store.list(prefix, after: nil, limit: .max).map { StoreKey(prefix, listed: $0) }
  }
}

/// The same over zones: what a device does not have moves along.
struct SharedAssetPolicyTests {
  private let family: Family

  init() throws {
    family = try Family { $0.assetPolicy = .onDemand(above: 4_500, keeping: 0) }
    // Nobody has it but the cloud; the other one is what a device keeps at least.
    try family.ann.execute("INSERT INTO covers VALUES ('work', zeroblob(6000))")
    try family.settle()
    try family.ann.synchronizer.letGoOfAssets()
  }

  private func cover(_ device: Device) throws -> Data? {
    try device.synchronizer.asset("image", of: .init(of: "home", in: "covers"))
  }

  @Test func whatNoDeviceHasMovesIntoASharedZoneAndBack() throws {
    #expect(try family.ann.rows("SELECT image FROM covers WHERE listID = 'home'") == ["NULL"])
    #expect(try family.annToo.rows("SELECT image FROM covers WHERE listID = 'home'") == ["NULL"])
    let link = try family.annToo.share([Family.benID: .write])
    try family.settle()
    try family.ben.synchronizer.accept(link)
    try family.settle()
    #expect(try cover(family.ben) == Data(count: 5_000))
    try family.annToo.synchronizer.unshare(table: "lists", key: "home")
    for _ in 0..<3 { try family.settle() }
    #expect(try family.annToo.rows("SELECT image FROM covers WHERE listID = 'home'") == ["NULL"])
    #expect(try family.ben.rows("SELECT * FROM covers") == [])
    for device in [family.ann, family.annToo] { #expect(try cover(device) == Data(count: 5_000)) }
  }

  /// It gets another name there, for bytes that others do not have.
  @Test func whatOneDeviceHasMovesWithoutTheOthers() throws {
    #expect(try cover(family.ann) == Data(count: 5_000))
    try family.share([Family.benID: .write])
    #expect(try family.annToo.rows("SELECT image FROM covers WHERE listID = 'home'") == ["NULL"])
    for device in [family.annToo, family.ben] {
      #expect(try cover(device) == Data(count: 5_000))
    }
  }
}
