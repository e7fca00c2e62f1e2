import Foundation
import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// What another program, or a failing disk, can leave in the engine's own tables: the engine says
/// so or makes do, and never ends the process.
struct HostileMetadataTests {
  /// By what a column is declared to hold: what is not of that kind, and the ends of what is.
  ///
  /// Each costs the start of an engine for each column: all of them only when THOROUGH is set.
  private static let values: [String: [DatabaseValue]] = [
    "INTEGER": [
      1e300.databaseValue, Int64.max.databaseValue, "abc".databaseValue, Int64.min.databaseValue,
      .null,
    ],
    "TEXT": [Data([0, 255]).databaseValue, "abc".databaseValue, .null],
    "BLOB": ["abc".databaseValue, Data([0, 255]).databaseValue],
  ]

  /// Columns that once ended the process, and what else is counted with.
  private static let usual: Set = [
    "sync_zones.pass", "sync_zones.shareEdit", "sync_history.clock", "sync_tables.keyCollation",
    "sync_columns.number", "sync_edits.kind", "sync_assets.byteCount", "sync_pending.attempts",
    "sync_records.clocks", "sync_leftovers.tag",
  ]

  private let family: Family

  /// Every table has rows, some edits are not sent yet, and others are not even folded.
  init() throws {
    family = try Family()
    try family.share([Family.benID: .write])
    // Kept aside: nobody here has such a table.
    let stranger = try Stranger(family.fleet, account: Family.annID)
    try stranger.save("gadgets", "lamp", ["watts": .integer(40)])
    try family.settle()
    try family.ann.execute("UPDATE reminders SET title = 'Tea' WHERE id = 'milk'")
    try family.ann.execute("UPDATE reminders SET listID = 'home' WHERE id = 'memo'")
    try family.ann.synchronizer.foldEdits()
    try family.ann.write { db in
      try db.execute(
        sql: """
          UPDATE lists SET title = 'Office' WHERE id = 'work';
          DELETE FROM tags;
          INSERT INTO sync_assets (recordID, field, clock, name, byteCount)
          SELECT id, 'title', latest, 'none', 5000 FROM sync_records WHERE primaryKey = 'home';
          INSERT INTO sync_leftovers (recordID, zoneID, tag, pass)
          SELECT id, 1, tag, 0 FROM sync_records WHERE primaryKey = 'home';
          INSERT INTO sync_device_names VALUES ('00000000-0000-4000-8000-000000000000', 'desk');
          INSERT INTO sync_bases SELECT id, 'milk', 'title', 0, 0, 'Milk' FROM sync_tables
          WHERE name = 'reminders';
          INSERT INTO sync_history_days (at, lastEntry) VALUES (0, 0);
          INSERT INTO sync_log_days (at, zoneID, token)
          SELECT 0, id, token FROM sync_zones WHERE token NOTNULL;
          INSERT INTO sync_refusals SELECT id, x'00', 'keyIsNotText', 0 FROM sync_tables
          WHERE name = 'tags';
          """)
    }
  }

  /// Nor does any bring about a sync without end.
  @Test func noValueEndsTheProcess() throws {
    for place in try Self.places(in: family.ann)
    where isThorough || Self.usual.contains("\(place.table).\(place.column)") {
      for value in (Self.values[place.type] ?? []).prefix(isThorough ? .max : 1) {
        let victim = try Victim(family)
        guard try victim.put(value, at: place) else { continue }
        do {
          try victim.read()
          try victim.work()
        } catch {
          #expect(
            error is SyncError || error is RowDecodingError || error is DatabaseError
              || error is CloudError, "\(place) \(value): \(error)")
        }
      }
    }
  }

  /// Two names that are one would be two fields of a record, or go round for ever.
  @Test func namesOfTheCloudThatAreNoExchangeAreAnError() throws {
    for names in ["('', 'tags', 'labels')", "('', 'tags', 'labels'), ('', 'lists', 'labels')"] {
      let victim = try Victim(family)
      try victim.device.execute("INSERT INTO sync_names VALUES \(names)")
      let error = #expect(throws: SyncError.self) { try victim.work() }
      #expect(error?.reason == .damagedDatabase)
    }
  }

  /// Tables of the engine's that somebody has dropped or emptied: what is left is not used as if it
  /// were all.
  @Test func whatIsGoneIsSaidOrComesBack() throws {
    for table in MetadataSchema.tableNames {
      let isView = table == "sync_metadata"
      for isDropped in isView ? [true] : [true, false] {
        let victim = try Victim(family)
        try victim.lose(table, isDropped: isDropped)
        let isRefused = isDropped ? table != "sync_version" : Self.mustNotBeEmpty.contains(table)
        guard isRefused else {
          try victim.read()
          try victim.work()
          if !Self.unsent.contains(table) { try victim.expectEqual(after: table) }
          continue
        }
        let error = #expect(throws: SyncError.self, "\(table)") { try victim.work() }
        #expect(error?.reason == .damagedDatabase)
        #expect(error?.message.contains(table) == true, "\(error?.message ?? "")")
        #expect(error?.hint == SyncError.damageHint)
      }
    }
  }

  /// Without them the others would be about something else.
  private static let mustNotBeEmpty: Set = [
    "sync_records", "sync_state", "sync_tables", "sync_zones",
  ]

  /// They hold what the cloud does not have, and mostly nothing.
  private static let unsent: Set = ["sync_edits", "sync_pending"]

  /// Of an earlier version's tables nobody can say which they are.
  @Test func tablesOfNoVersionAreSaidToBeDamaged() throws {
    let victim = try Victim(family)
    try victim.device.execute("UPDATE sync_version SET version = 3")
    let error = #expect(throws: SyncError.self) { try victim.work() }
    #expect(error?.reason == .damagedDatabase)
    #expect(error?.hint == SyncError.damageHint)
  }

  /// The error says what is wrong, and a check where.
  @Test func whatIsDamagedIsSaid() throws {
    let victim = try Victim(family)
    let place = Place(table: "sync_zones", column: "pass", type: "INTEGER")
    try victim.put("abc".databaseValue, at: place)
    let error = try #require(throws: RowDecodingError.self) { try victim.work() }
    let (message, hint) = SyncEvent.explanation(of: error)
    #expect(message == "The database is damaged: the column pass holds \"abc\".")
    #expect(hint == SyncError.damageHint)
    try victim.device.execute("UPDATE sync_columns SET number = 99999 WHERE rowid = 1")
    let findings = try victim.device.database.read(SyncEngine.check)
    #expect(
      findings.map { "\($0.place): \($0.problem)" } == [
        "sync_columns: The column number holds 99999, which does not belong there.",
        "sync_zones: The column pass holds text, which does not belong there.",
      ])
  }

  /// It is this device's database that is damaged, and not the cloud.
  @Test(arguments: ["sync_zones.share", "sync_zones.shareEdit", "sync_records.unknown"])
  func whatShouldBeARecordAndIsNoneIsSaid(column: String) throws {
    let names = column.split(separator: ".").map(String.init)
    let victim = try Victim(family)
    try victim.put(
      Data([0, 255]).databaseValue, at: Place(table: names[0], column: names[1], type: "BLOB"))
    let error = #expect(throws: SyncError.self) { try victim.work() }
    #expect(error?.reason == .damagedDatabase)
    #expect(error?.message == "The database is damaged: the column \(column) holds no record.")
    let findings = try victim.device.database.read(SyncEngine.check)
    #expect(
      findings.map { "\($0.place): \($0.problem)" } == [
        "\(names[0]): The column \(names[1]) holds no record, which does not belong there."
      ])
  }

  /// Every column of every table of the engine's that can hold a wrong value.
  private static func places(in device: Device) throws -> [Place] {
    try device.database.read { db in
      let tables = try String.fetchAll(
        db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'sync_*'")
      // Names of the cloud have a test of their own: with any, each start looks into every trigger.
      for table in tables where table != "sync_names" {
        #expect(try Bool.fetchOne(db, sql: "SELECT count(*) > 0 FROM \(table)") == true, "\(table)")
      }
      return try tables.flatMap { table in
        try Row.fetchAll(
          db, sql: "SELECT name, type FROM pragma_table_info(?)", arguments: [table]
        ).map { Place(table: table, column: $0[0], type: $0[1]) }
      }
    }
  }
}

private struct Place {
  let table: String
  let column: String
  let type: String
}

/// A copy of a device, and of the cloud.
private struct Victim {
  let device: Device
  private let fleet: Fleet

  init(_ family: Family) throws {
    let clock = TestClock(copying: family.fleet.clock)
    let cloud = MemoryStore(now: { clock.now })
    _ = try CloudCopy(from: family.fleet.store, to: cloud).run()
    fleet = try Fleet(store: cloud, schema: .family, clock: clock)
    device = try fleet.device(copying: family.ann, opens: false)
  }

  /// Puts a value into a column, in all rows or in one; returns whether SQLite takes it.
  @discardableResult
  func put(_ value: DatabaseValue, at place: Place) throws -> Bool {
    try device.database.write { db in
      for condition in ["true", "rowid = (SELECT max(rowid) FROM \(place.table))"] {
        do {
          try update(place, to: value, where: condition, in: db)
          return true
        } catch let error as DatabaseError
          where [.SQLITE_CONSTRAINT, .SQLITE_MISMATCH].contains(error.resultCode)
        {
          continue
        }
      }
      return false
    }
  }

  /// Writes without being noted.
  private func update(
    _ place: Place, to value: DatabaseValue, where condition: String, in db: Database
  ) throws {
    let sql = "UPDATE \(place.table) SET \(place.column) = ? WHERE \(condition)"
    if place.table == "sync_state" { return try db.execute(sql: sql, arguments: [value]) }
    try db.inSavepoint {
      try DeviceState(db: db).muted { try db.execute(sql: sql, arguments: [value]) }
      return .commit
    }
  }

  /// Drops a table of the engine's, or empties it.
  func lose(_ table: String, isDropped: Bool) throws {
    try device.database.write { db in
      if !isDropped && table != "sync_state" {
        try db.execute(sql: "UPDATE sync_state SET isApplying = 1")
      }
      let kind = table == "sync_metadata" ? "VIEW" : "TABLE"
      try db.execute(sql: isDropped ? "DROP \(kind) \(table)" : "DELETE FROM \(table)")
      if !isDropped && table != "sync_state" {
        try db.execute(sql: "UPDATE sync_state SET isApplying = 0")
      }
    }
  }

  /// Expects that a new device of the account comes to have what this one has.
  func expectEqual(after loss: String) throws {
    let new = try fleet.device(account: device.container.account)
    for _ in 0..<3 { for device in [device, new] { try device.sync() } }
    #expect(try device.contents() == new.contents(), "\(loss)")
  }

  /// What a process does that writes: it starts, edits and synchronizes.
  func work() throws {
    try device.relaunch()
    try device.execute("UPDATE subtasks SET title = 'Fat' WHERE id = 'fat'")
    try device.sync()
  }

  /// What a process does that looks: it starts, fetches and shows.
  func read() throws {
    try device.relaunch()
    try device.synchronizer.fetchChanges()
    try device.database.read { db in
      _ = try SyncCounts(db)
      _ = try SyncEngine.check(db)
      _ = try (SyncPendingChange.all(db), SyncWaitingRecord.all(db), SyncRefusal.all(db))
      _ = try (SyncDevice.all(db), SyncShare.all(db), SyncHistory.entries(db))
      _ = try SyncRowEdits(db, of: "reminders", key: "milk")
      _ = try Row.fetchAll(db, sql: "SELECT * FROM sync_metadata").map(SyncMetadata.init)
    }
  }
}
