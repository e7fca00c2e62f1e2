import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// A copy of a database is a device of its own as soon as it can be noticed, and loses nothing.
struct TwinTests {
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device
  private let directory: TemporaryDirectory

  init() throws {
    fleet = try Fleet()
    directory = try TemporaryDirectory()
    ann = try fleet.device(path: directory.url.appending(path: "app.sqlite").path)
    ben = try fleet.device()
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal'), ('m', 'Work')")
    try fleet.settle()
    // Unsent in both.
    try ann.execute("INSERT INTO lists (id, title) VALUES ('n', 'Unsent')")
  }

  private func synchronizer(over database: DatabaseQueue) throws -> Synchronizer {
    var configuration = SyncConfiguration()
    configuration.now = { [clock = fleet.clock] in clock.now }
    configuration.editTimeSQL = "(SELECT now FROM test_clock)"
    let container = CloudContainer(
      store: fleet.store, account: fleet.account, device: ann.container.device, app: "twin",
      environment: fleet.clock.environment)
    let synchronizer = try Synchronizer(
      database: database, tables: ann.tables, privateTables: [], container: container,
      configuration: configuration)
    try synchronizer.open()
    return synchronizer
  }

  private func device(of database: DatabaseQueue) throws -> UUID {
    try database.read { try SyncEngine.device(of: $0) }
  }

  /// In memory there is no file by which a copy could be told.
  @Test(arguments: [true, false])
  func copyBecomesADeviceOfItsOwn(_ isInFile: Bool) throws {
    let path = isInFile ? directory.url.appending(path: "copy.sqlite").path : ":memory:"
    let copy = try DatabaseQueue(path: path)
    try ann.database.backup(to: copy)
    let twin = try synchronizer(over: copy)
    #expect(try (device(of: copy) == device(of: ann.database)) == !isInFile)
    #expect(try twin.container.device == device(of: copy))
    // At the same moment, so that only the device tells the edits apart.
    let now = fleet.clock.now + 1
    for (database, title) in [(ann.database, "Here"), (copy, "There")] {
      try database.write { db in
        try db.execute(sql: "UPDATE test_clock SET now = ?", arguments: [now])
        try db.execute(sql: "UPDATE lists SET title = ? WHERE id = 'l'", arguments: [title])
        try db.execute(
          sql: "INSERT INTO lists (id, title) VALUES (?, ?)", arguments: [title, title])
      }
    }
    for _ in 0..<3 {
      try ann.sync()
      try twin.syncChanges()
      try ben.sync()
    }
    #expect(try device(of: copy) != device(of: ann.database))
    let titles = try ben.rows("SELECT id, title FROM lists ORDER BY id")
    #expect(titles.count == 5)
    #expect(try ann.rows("SELECT id, title FROM lists ORDER BY id") == titles)
    let there = try copy.read { db in
      try Row.fetchAll(db, sql: "SELECT id, title FROM lists ORDER BY id")
        .map { "\($0[0] as String)|\($0[1] as String)" }
    }
    #expect(there == titles)
    #expect(try copy.read(SyncCounts.init) == SyncCounts())
  }

  /// Without a file to tell it by: only what they wrote tells the two apart.
  @Test(arguments: [true, false])
  func editsOfOneFieldAtTheSameMomentConverge(fetchesFirst: Bool) throws {
    let copy = try DatabaseQueue()
    try ann.database.backup(to: copy)
    let twin = try synchronizer(over: copy)
    try fleet.settle()
    try twin.syncChanges()
    let now = fleet.clock.now + 1
    for (database, title) in [(ann.database, "Here"), (copy, "There")] {
      try database.write { db in
        try db.execute(sql: "UPDATE test_clock SET now = ?", arguments: [now])
        try db.execute(sql: "UPDATE lists SET title = ? WHERE id = 'l'", arguments: [title])
      }
    }
    try ann.sync()
    if fetchesFirst { try twin.fetchChanges() }
    try twin.sendChanges()
    for _ in 0..<3 {
      try twin.syncChanges()
      try fleet.settle()
    }
    let title = "SELECT title FROM lists WHERE id = 'l'"
    let titles = try [
      ann.rows(title), ben.rows(title), copy.read { try String.fetchAll($0, sql: title) },
    ]
    #expect(Set(titles).count == 1, "\(titles)")
    #expect(try device(of: copy) != device(of: ann.database))
    #expect(try copy.read(SyncCounts.init) == SyncCounts())
  }

  @Test func databaseThatStaysWhereItIsKeepsItsIdentity() throws {
    let device = try device(of: ann.database)
    try ann.relaunch()
    try fleet.settle()
    #expect(try self.device(of: ann.database) == device)
    try fleet.expectExhausted()
  }

  @Test(arguments: [FieldClock.limit, FieldClock(rawValue: .max)])
  func editOutlivesDeletionAtTheEndOfTime(_ clock: FieldClock) throws {
    try Stranger(fleet).delete("lists", "l", at: clock)
    try fleet.settle()
    #expect(try ben.rows("SELECT id FROM lists ORDER BY id") == ["m", "n"])
    try ben.execute("INSERT INTO lists (id, title) VALUES ('l', 'Back')")
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM lists WHERE id = 'l'") == ["Back"])
    try ann.execute("UPDATE lists SET title = 'Edited' WHERE id = 'l'")
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM lists WHERE id = 'l'") == ["Edited"])
    let late = try fleet.device()
    try fleet.settle()
    #expect(try late.rows("SELECT title FROM lists WHERE id = 'l'") == ["Edited"])
    try ben.execute("DELETE FROM lists WHERE id = 'l'")
    try fleet.settle()
    #expect(try ann.rows("SELECT id FROM lists ORDER BY id") == ["m", "n"])
    try fleet.expectExhausted()
  }

  @Test(arguments: [
    "TABLE lists (id TEXT PRIMARY KEY, title, color)", "VIEW Lists AS SELECT 1",
    "TABLE sync_pending (a)", "TABLE sync_edits (a)",
  ])
  func temporaryTableTakesNothing(_ declaration: String) throws {
    try fleet.settle()
    try ben.execute("INSERT INTO lists (id, title) VALUES ('x', 'Fetched')")
    try ben.sync()
    try ann.database.write { try $0.execute(sql: "CREATE TEMP \(declaration)") }
    let error = #expect(throws: SyncError.self) { try ann.sync() }
    #expect(error?.reason == .hiddenTable)
    let name = declaration.split(separator: " ")[1]
    try ann.database.write { db in
      let kind = declaration.hasPrefix("VIEW") ? "VIEW" : "TABLE"
      try db.execute(sql: "DROP \(kind) temp.\(name)")
    }
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM lists WHERE id = 'x'") == ["Fetched"])
    try fleet.expectExhausted()
  }

  @Test func attachedDatabaseIsInNobodysWay() throws {
    let other = directory.url.appending(path: "other.sqlite").path
    try DatabaseQueue(path: other).write {
      try $0.execute(sql: "CREATE TABLE lists (id TEXT); CREATE TABLE sync_edits (a)")
    }
    try ann.database.writeWithoutTransaction {
      try $0.execute(sql: "ATTACH ? AS other", arguments: [other])
    }
    try ben.execute("INSERT INTO lists (id, title) VALUES ('x', 'Fetched')")
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM lists WHERE id = 'x'") == ["Fetched"])
    try fleet.expectExhausted()
  }
}
