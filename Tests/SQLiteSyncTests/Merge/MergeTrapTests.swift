import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Increments on their way through everything that can happen to a record.
struct MergeTrapTests {
  private static let policies: [String: [String: MergePolicy]] = ["items": ["value": .counter]]

  /// Items of lists that can be shared, with a name that only one item may have.
  private static let schema = Schema(
    sql: """
      CREATE TABLE lists (id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL DEFAULT '') STRICT;
      CREATE TABLE items (
        id TEXT PRIMARY KEY NOT NULL,
        value INTEGER NOT NULL DEFAULT 0,
        name TEXT UNIQUE,
        size INTEGER CHECK (size < 100),
        listID TEXT REFERENCES lists (id) ON DELETE CASCADE
      ) STRICT
      """, tables: ["lists", "items"])

  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet(schema: Self.schema) { $0.mergePolicies = Self.policies }
    (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO lists VALUES ('l', 'Home'), ('m', 'Work')")
    try ann.execute("INSERT INTO items (id, value, listID) VALUES ('c', 5, 'l')")
    try fleet.settle()
  }

  private func count(_ amount: Int64, on device: Device) throws {
    try device.execute("UPDATE items SET value = value + ? WHERE id = 'c'", [amount])
  }

  private func expect(_ value: String, after troubles: Set<Trouble> = []) throws {
    for _ in 0..<2 { try fleet.settle() }
    for device in fleet.devices {
      #expect(try device.rows("SELECT value FROM items WHERE id = 'c'") == [value])
      #expect(try device.rows("SELECT * FROM sync_bases") == [])
    }
    try fleet.expectExhausted(after: troubles)
  }

  // MARK: - Zones

  @Test(arguments: [true, false])
  func incrementsMeetInTheZoneThatAListMovesTo(hasSeenTheMove: Bool) throws {
    try count(1, on: ben)
    _ = try ann.synchronizer.share(
      table: "lists", key: "l", title: "Home", participants: [:], publicPermission: .read)
    try count(10, on: ann)
    try ann.sync()
    if hasSeenTheMove { try ben.fetch() }
    try count(100, on: ben)
    try expect("116")
    try count(1, on: ben)
    try ann.execute("UPDATE items SET listID = 'm'")
    try count(10, on: ann)
    try ann.sync()
    try expect("127")
  }

  @Test func incrementsMeetWhenBothMoveTheRecord() throws {
    _ = try ann.synchronizer.share(
      table: "lists", key: "l", title: "Home", participants: [:], publicPermission: .read)
    try fleet.settle()
    for (device, amount) in [(ann, Int64(10)), (ben, 1)] {
      try device.execute("UPDATE items SET listID = 'm'")
      try count(amount, on: device)
    }
    try ann.sync()
    try expect("16")
  }

  // MARK: - What is kept aside

  /// The record is refused because of another column: it is decided by the later edit, once.
  @Test func aVersionThatIsKeptAsideIsNotMergedTwice() throws {
    let old = try fleet.device(
      schema: Schema(
        sql: Self.schema.sql.replacing(" CHECK (size < 100)", with: ""), tables: Self.schema.tables)
    )
    try old.sync()
    try count(1, on: ann)
    try old.execute("UPDATE items SET size = 1000")
    try count(10, on: old)
    try old.sync()
    for _ in 0..<3 { try ann.sync() }
    #expect(try ann.rows("SELECT value FROM items WHERE id = 'c'").count == 1)
    try old.execute("UPDATE items SET size = 10")
    try fleet.settle()
    let values = try Set(
      fleet.devices.map { try $0.rows("SELECT value FROM items WHERE id = 'c'") })
    #expect(values == [["15"]] || values == [["6"]] || values == [["16"]])
    try count(1, on: ann)
    try count(1, on: ben)
    try fleet.settle()
    let later = try Set(fleet.devices.map { try $0.rows("SELECT value FROM items WHERE id = 'c'") })
    #expect(later.count == 1)
    #expect(
      later.first?.first.flatMap { Int($0) }
        == values.first?.first.flatMap { Int($0) }.map { $0 + 2 })
  }

  @Test func aRowThatWasSetAsideComesBackWithItsIncrements() throws {
    try ann.execute("UPDATE items SET name = 'x'")
    try ben.execute("INSERT INTO items (id, value, name, listID) VALUES ('d', 1, 'x', 'l')")
    try ben.synchronizer.foldEdits()
    try ben.execute("UPDATE items SET value = value + 2 WHERE id = 'd'")
    try count(1, on: ben)
    try ann.sync()
    try ben.sync()
    #expect(try ben.rows("SELECT id, value FROM items") == ["c|6"])
    try ann.execute("UPDATE items SET name = 'y' WHERE id = 'c'")
    for _ in 0..<2 { try fleet.settle() }
    try ann.execute("UPDATE items SET value = value + 10")
    try ben.execute("UPDATE items SET value = value + 100")
    for _ in 0..<2 { try fleet.settle() }
    for device in [ann, ben] {
      #expect(try device.rows("SELECT id, value FROM items ORDER BY 1") == ["c|116", "d|113"])
      #expect(try device.rows("SELECT * FROM sync_bases") == [])
    }
  }

  // MARK: - Other versions

  /// A program without policies keeps the note, and its edit is an edit of the value.
  @Test func aVersionWithoutPoliciesKeepsThem() throws {
    let plain = try Fleet(store: fleet.store, schema: Self.schema, clock: fleet.clock)
    let old = try plain.device()
    try count(1, on: ann)
    try fleet.settle()
    try old.sync()
    try old.execute("UPDATE items SET value = 50, name = 'by the old one'")
    try count(2, on: ann)
    try old.sync()
    try expect("52")
    try old.sync()
    #expect(try old.rows("SELECT value, name FROM items") == ["52|by the old one"])
    #expect(try old.rows("SELECT * FROM sync_bases") == [])
    try count(10, on: ben)
    try count(100, on: ann)
    try old.execute("UPDATE items SET name = 'again'")
    for device in [old, ann, ben, old, ann] { try device.sync() }
    #expect(try old.rows("SELECT value, name FROM items") == ["162|again"])
    try expect("162")
  }

  @Test func thePolicyThatStandsInTheCloudCounts() throws {
    let other = try Fleet(store: fleet.store, schema: Self.schema, clock: fleet.clock) {
      $0.mergePolicies = ["items": ["value": .max]]
    }
    let eve = try other.device()
    try count(1, on: ann)
    try fleet.settle()
    try eve.sync()
    try count(10, on: eve)
    try count(2, on: ann)
    try ann.sync()
    try eve.sync()
    #expect(try eve.rows("SELECT value FROM items") == ["18"])
    try expect("18")
  }

  @Test func ofAPolicyThatIsNotKnownTheLaterEditWins() throws {
    let store = MemoryStore()
    func device(_ name: String) throws -> Device {
      let fleet = try Fleet(store: store, schema: Self.schema, clock: self.fleet.clock) {
        $0.mergePolicies = ["items": ["value": .custom(name) { _, mine, _ in mine }]]
      }
      return try fleet.device()
    }
    let (old, new) = (try device("first"), try device("second"))
    try old.execute("INSERT INTO items (id, value) VALUES ('c', 5)")
    for device in [old, new] { try device.sync() }
    try count(2, on: old)
    try count(10, on: new)
    for device in [old, new, old] { try device.sync() }
    try count(1, on: new)
    try count(2, on: old)
    for device in [old, new, old] { try device.sync() }
    for device in [old, new] {
      #expect(try device.rows("SELECT value FROM items") == ["17"])
      #expect(try device.counts() == SyncCounts())
    }
    guard case .record(let record)? = try CloudImage.copies(in: old.zone)["c:items"]?.content
    else { return }
    #expect(record.fields["merge:value"]?.value.text?.hasPrefix("first ") == true)
  }

  @Test func aColumnKeepsItsPolicyUnderANewName() throws {
    let renamed = try Fleet(store: fleet.store, schema: Self.schema, clock: fleet.clock) {
      $0.mergePolicies = ["items": ["total": .counter]]
    }
    try count(1, on: ben)
    try count(2, on: ann)
    try ann.synchronizer.foldEdits()
    try ann.database.write { db in
      try db.execute(sql: "ALTER TABLE items RENAME COLUMN value TO total")
      try SyncEngine.rename(db, column: "value", to: "total", of: "items")
    }
    let new = try renamed.device(copying: ann)
    try new.execute("UPDATE items SET total = total + 10")
    try ben.sync()
    for device in [new, ben] { try device.sync() }
    #expect(try new.rows("SELECT total FROM items") == ["18"])
    #expect(try ben.rows("SELECT value FROM items") == ["18"])
    try new.execute("UPDATE items SET total = total + 1")
    try count(1, on: ben)
    for device in [ben, new, ben] { try device.sync() }
    #expect(try new.rows("SELECT total FROM items") == ["20"])
    #expect(try ben.rows("SELECT value FROM items") == ["20"])
  }

  // MARK: - Databases and logs that are not what they were

  /// A database that was restored from a copy has an edit that was sent since.
  @Test func anEditThatACopyHasTooCountsOnce() throws {
    try count(1, on: ann)
    let copy = try fleet.device(copying: ann, opens: false)
    try ann.sync()
    try count(10, on: ben)
    try ben.sync()
    try copy.synchronizer.open()
    try copy.sync()
    #expect(try copy.rows("SELECT value FROM items") == ["16"])
  }

  @Test func aLogThatWasBegunAnewGetsEveryIncrementOnce() throws {
    try count(1, on: ann)
    try count(10, on: ben)
    try ben.sync()
    try ann.fetch()
    try ben.zone.reset(reason: "test")
    for _ in 0..<2 { try fleet.settle() }
    #expect(try ann.rows("SELECT value FROM items") == ["16"])
    #expect(try ben.rows("SELECT value FROM items") == ["16"])
  }

  @Test func aHostileNoteIsNoDanger() throws {
    for text in [
      "", "counter", "nobody's", "counter -1", "counter " + String(repeating: "9", count: 400),
    ] {
      let record = try #require(try CloudImage.copies(in: ann.zone)["c:items"])
      guard case .record(var image) = record.content else { return }
      let clock = image.latestClock.edited(atMilliseconds: fleet.clock.now, device: 9)
      image.fields["merge:value"] = CloudField(.text(text), clock)
      image.fields["value"] = CloudField(.integer(7), clock)
      try count(1, on: ann)
      let position = try ann.synchronizer.position(
        in: SyncZone(id: SyncZone.defaultID, log: ben.zone, access: .owner))
      _ = try ben.zone.modify(
        [.save(image, base: record.tag)], after: position.token,
        view: ben.synchronizer.view(at: position), atomically: true)
      for _ in 0..<2 { try fleet.settle() }
      #expect(try ann.rows("SELECT value FROM items") == ben.rows("SELECT value FROM items"))
    }
    try fleet.expectExhausted(after: fleet.troubles)
  }

  // MARK: - Validation

  @Test(
    arguments: [
      (["nothing": ["value": MergePolicy.counter]], "nothing", nil),
      (["items": ["nothing": .counter]], "items", "nothing"),
      (["items": ["id": .text]], "items", "id"),
      (["items": ["listID": .text]], "items", "listID"),
      (["items": ["value": .custom("max") { _, _, _ in nil }]], "items", "value"),
      (["items": ["value": .custom("") { _, _, _ in nil }]], "items", "value"),
    ] as [([String: [String: MergePolicy]], String, String?)])
  func aPolicyThatAColumnCannotHaveIsRefused(
    policies: [String: [String: MergePolicy]], table: String, column: String?
  ) throws {
    let found = try ann.database.read {
      try SyncEngine.validate($0, tableNames: Self.schema.tables, mergePolicies: policies)
    }
    #expect(found.map(\.reason) == [.invalidMergePolicy])
    #expect(found.first?.table == table && found.first?.column == column)
    let fleet = try Fleet(schema: Self.schema) { $0.mergePolicies = policies }
    #expect(throws: SyncError.self) { try fleet.device() }
  }

  @Test func aColumnWithTheNameOfANoteIsRefused() throws {
    let database = try DatabaseQueue()
    try database.write { db in
      let columns = (1...150).map { ", c\($0)" }.joined()
      try db.execute(
        sql: """
          CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, a, "merge:a");
          CREATE TABLE u (id TEXT PRIMARY KEY NOT NULL\(columns))
          """)
      let many = Dictionary(uniqueKeysWithValues: (1...60).map { ("c\($0)", MergePolicy.counter) })
      let found = try SyncEngine.validate(
        db, tableNames: ["t", "u"], mergePolicies: ["t": ["a": .max], "u": many])
      #expect(found.map(\.reason) == [.invalidMergePolicy, .invalidMergePolicy])
      #expect(found.map(\.table) == ["t", "u"])
    }
  }

  /// What is in the cloud and in the metadata of a table without policies is what it was.
  @Test func aTableWithoutPoliciesHasNothingOfThem() throws {
    let copies = try CloudImage.copies(in: ann.zone)
    for case .record(let record) in copies.values.map(\.content) where record.type == "lists" {
      #expect(record.fields.keys.sorted() == ["title"])
    }
    #expect(
      try ann.rows(
        "SELECT name FROM sqlite_schema WHERE name GLOB 'sync_capture_*ase_*' ORDER BY 1")
        == [
          "sync_capture_base_items", "sync_capture_insertedBase_items",
          "sync_capture_replacedBase_items",
        ])
    try ann.relaunch()
  }
}
