import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Tables and columns that a migration renames are the same to versions of before and after.
struct RenamingTests {
  private static let schema = Schema(
    sql: """
      CREATE TABLE lists (
        id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL DEFAULT '', color INTEGER, image BLOB
      ) STRICT;
      CREATE TABLE reminders (
        id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL DEFAULT '',
        listID TEXT REFERENCES lists (id) ON DELETE CASCADE
      ) STRICT;
      """, tables: ["lists", "reminders"])

  private let fleet: Fleet
  /// Goes on with the version of before.
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet(schema: Self.schema)
    (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO lists VALUES ('l', 'Home', 1, NULL)")
    try ann.execute("INSERT INTO reminders VALUES ('r', 'Milk', 'l')")
    try fleet.settle()
  }

  /// What the new version's migration does.
  private static func migrate(_ db: Database) throws {
    try db.rename(table: "lists", to: "projects")
    try SyncEngine.rename(db, table: "lists", to: "projects")
    try SyncEngine.rename(db, column: "title", to: "name", of: "projects")
    try db.execute(sql: "ALTER TABLE projects RENAME COLUMN title TO name")
    try SyncEngine.rename(db, column: "listID", to: "projectID", of: "reminders")
    try db.execute(sql: "ALTER TABLE reminders RENAME COLUMN listID TO projectID")
  }

  private static let tables = ["projects", "reminders"]

  private func upgrade(_ device: Device) throws {
    try device.relaunch(tables: Self.tables, migrate: Self.migrate)
  }

  @Test func editsGoBetweenVersionsOfBeforeAndAfter() throws {
    try upgrade(ben)
    #expect(try ben.outbox() == [])
    try ann.execute("UPDATE lists SET title = 'House'")
    try ben.execute("UPDATE projects SET color = 2")
    try ben.execute("INSERT INTO reminders VALUES ('s', 'Tea', 'l')")
    try fleet.settle()
    #expect(try ann.rows("SELECT * FROM lists") == ["l|House|2|NULL"])
    #expect(try ann.rows("SELECT * FROM reminders ORDER BY id") == ["r|Milk|l", "s|Tea|l"])
    #expect(try ben.rows("SELECT * FROM projects") == ["l|House|2|NULL"])
    try ben.execute("UPDATE projects SET name = 'Home'")
    try ann.execute("INSERT INTO lists VALUES ('m', 'Work', 3, NULL)")
    try ben.execute("DELETE FROM reminders WHERE id = 'r'")
    try fleet.settle()
    #expect(try ann.rows("SELECT id, title FROM lists ORDER BY id") == ["l|Home", "m|Work"])
    #expect(try ben.rows("SELECT id, name FROM projects ORDER BY id") == ["l|Home", "m|Work"])
    #expect(try ann.rows("SELECT id FROM reminders") == ["s"])
    try upgrade(ann)
    try fleet.settle()
    try fleet.expectExhausted()
    #expect(try Stranger(fleet).names() == ["l:lists", "m:lists", "s:reminders"])
  }

  /// As `ALTER TABLE` takes them.
  @Test func namesOfBeforeAreTakenInAnyCase() throws {
    try ben.relaunch(tables: Self.tables) { db in
      try db.rename(table: "lists", to: "projects")
      try SyncEngine.rename(db, table: "Lists", to: "projects")
      try SyncEngine.rename(db, column: "TITLE", to: "name", of: "Projects")
      try db.execute(sql: "ALTER TABLE projects RENAME COLUMN Title TO name")
      try SyncEngine.rename(db, column: "ListID", to: "projectID", of: "Reminders")
      try db.execute(sql: "ALTER TABLE reminders RENAME COLUMN listID TO projectID")
    }
    try ben.execute("UPDATE projects SET name = 'House'")
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM lists") == ["House"])
    try upgrade(ann)
    try fleet.settle()
    try fleet.expectExhausted()
  }

  @Test func whatIsUnsentIsSentByItsNameInTheCloud() throws {
    try ben.execute("UPDATE lists SET title = 'House', image = randomblob(9000)")
    try ben.execute("INSERT INTO lists VALUES ('m', 'Work', 3, NULL)")
    try ben.execute("UPDATE reminders SET listID = 'm'")
    try upgrade(ben)
    #expect(
      try ben.outbox() == [
        "save l:projects: image, name", "save m:projects: all", "save r:reminders: projectID",
      ])
    let image = try ben.rows("SELECT hex(image) FROM projects WHERE id = 'l'")
    try ann.execute("UPDATE lists SET color = 7")
    try ann.sync()
    try fleet.settle()
    #expect(try ann.rows("SELECT hex(image) FROM lists WHERE id = 'l'") == image)
    #expect(try ann.rows("SELECT title, color FROM lists") == ["House|7", "Work|3"])
    #expect(try ann.rows("SELECT listID FROM reminders") == ["m"])
    try upgrade(ann)
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test func laterEditWinsUnderBothNames() throws {
    try ann.execute("UPDATE lists SET title = 'earlier'")
    try ben.execute("UPDATE lists SET title = 'later'")
    try upgrade(ben)
    try fleet.settle(ann, ben)
    #expect(try ann.rows("SELECT title FROM lists") == ["later"])
    try ben.execute("UPDATE projects SET name = 'earlier'")
    try ann.execute("UPDATE lists SET title = 'later still'")
    try fleet.settle(ben, ann)
    #expect(try ben.rows("SELECT name FROM projects") == ["later still"])
    let history = try ben.rows("SELECT DISTINCT field FROM sync_history WHERE field NOTNULL")
    #expect(history == ["name"])
  }

  @Test func newDeviceSaysItInItsMigrationToo() throws {
    try upgrade(ben)
    try fleet.settle()
    let eve = try fleet.device(
      schema: Schema(
        sql: """
          CREATE TABLE projects (
            id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL DEFAULT '', color INTEGER, image BLOB
          ) STRICT;
          CREATE TABLE reminders (
            id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL DEFAULT '',
            projectID TEXT REFERENCES projects (id) ON DELETE CASCADE
          ) STRICT;
          """, tables: Self.tables)
    ) { db in
      try SyncEngine.rename(db, table: "lists", to: "projects")
      try SyncEngine.rename(db, column: "title", to: "name", of: "projects")
      try SyncEngine.rename(db, column: "listID", to: "projectID", of: "reminders")
    }
    try fleet.settle()
    #expect(try eve.contents() == ben.contents())
    try eve.execute("UPDATE projects SET name = 'House'")
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM lists") == ["House"])
  }

  @Test func columnsCanExchangeTheirNames() throws {
    try ben.relaunch { db in
      for (from, to) in [("title", "old"), ("color", "title"), ("old", "color")] {
        try db.execute(sql: "ALTER TABLE lists RENAME COLUMN \(from) TO \(to)")
        try SyncEngine.rename(db, column: from, to: to, of: "lists")
      }
    }
    try ann.execute("UPDATE lists SET title = 'House'")
    try ben.execute("UPDATE lists SET title = 5")
    try fleet.settle()
    #expect(try ann.rows("SELECT title, color FROM lists") == ["House|5"])
    #expect(try ben.rows("SELECT color, title FROM lists") == ["House|5"])
  }

  @Test func nameThatHasBecomeFreeIsAnotherColumns() throws {
    try upgrade(ben)
    try ben.relaunch(tables: Self.tables) { db in
      try db.execute(sql: "ALTER TABLE projects ADD COLUMN title TEXT")
    }
    try ben.execute("UPDATE projects SET title = 'Dr.', name = 'House'")
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM lists") == ["House"])
    try ann.execute("UPDATE lists SET title = 'Home'")
    try fleet.settle()
    #expect(try ben.rows("SELECT title, name FROM projects") == ["Dr.|Home"])
  }

  @Test func renamingBackIsAsIfNothingHadBeen() throws {
    try upgrade(ben)
    try fleet.settle()
    try ben.relaunch(tables: ["lists", "reminders"]) { db in
      try SyncEngine.rename(db, column: "name", to: "title", of: "projects")
      try db.execute(sql: "ALTER TABLE projects RENAME COLUMN name TO title")
      try SyncEngine.rename(db, table: "projects", to: "lists")
      try db.rename(table: "projects", to: "lists")
      try SyncEngine.rename(db, column: "projectID", to: "listID", of: "reminders")
      try db.execute(sql: "ALTER TABLE reminders RENAME COLUMN projectID TO listID")
    }
    #expect(try ben.rows("SELECT * FROM sync_names") == [])
    try ben.execute("UPDATE lists SET title = 'House'")
    try fleet.settle()
    try fleet.expectExhausted()
  }

  @Test func whatWaitsForARenamedRowComes() throws {
    let eve = try fleet.device(
      schema: Schema(
        sql: "CREATE TABLE reminders (id TEXT PRIMARY KEY NOT NULL, title TEXT, listID TEXT)",
        tables: ["reminders"]))
    try fleet.settle()
    try eve.execute("INSERT INTO reminders VALUES ('x', 'Salt', 'm')")
    try fleet.settle()
    #expect(try ben.counts().waiting == 1)
    try upgrade(ben)
    #expect(try ben.counts().waiting == 1)
    try ann.execute("INSERT INTO lists VALUES ('m', 'Work', 3, NULL)")
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM reminders WHERE projectID = 'm'") == ["Salt"])
    #expect(try ben.counts() == SyncCounts())
  }

  @Test func sharedRowsAreSharedStill() throws {
    let family = try Family()
    try family.share([Family.benID: .write])
    try family.ann.relaunch(tables: family.ann.tables.map { $0 == "lists" ? "projects" : $0 }) {
      db in
      try db.rename(table: "lists", to: "projects")
      try SyncEngine.rename(db, table: "lists", to: "projects")
    }
    try family.settle()
    let shares = try family.ann.database.read { try SyncShare.all($0) }
    #expect(shares.map(\.table) == ["projects"] && shares.map(\.key) == ["home"])
    try family.ann.execute("UPDATE projects SET title = 'House' WHERE id = 'home'")
    try family.ben.execute("INSERT INTO reminders VALUES ('tea', 'Tea', 'home')")
    try family.settle()
    #expect(try family.ben.rows("SELECT title FROM lists WHERE id = 'home'") == ["House"])
    #expect(try family.ann.rows("SELECT title FROM reminders WHERE id = 'tea'") == ["Tea"])
    try family.ann.synchronizer.unshare(table: "projects", key: "home")
    try family.settle()
    #expect(try family.ben.rows("SELECT title FROM lists WHERE id = 'home'") == [])
    #expect(try family.annToo.rows("SELECT title FROM lists WHERE id = 'home'") == ["House"])
  }

  /// The triggers of a table that is renamed keep its former name, which another one gets.
  @Test(arguments: [["reminders", "lists", "projects"], ["projects", "reminders", "lists"]])
  func aNameThatHasBecomeFreeIsGivenToAnotherTable(tables: [String]) throws {
    try ben.relaunch(tables: tables) { db in
      try db.rename(table: "lists", to: "projects")
      try SyncEngine.rename(db, table: "lists", to: "projects")
      try db.execute(sql: "CREATE TABLE lists (id TEXT PRIMARY KEY NOT NULL, name TEXT)")
    }
    try ben.execute("UPDATE projects SET color = 2")
    try ben.execute("INSERT INTO lists VALUES ('n', 'New')")
    try fleet.settle()
    #expect(try ann.rows("SELECT * FROM lists") == ["l|Home|2|NULL"])
    #expect(try ben.counts() == SyncCounts())
  }

  @Test(arguments: [["lists", "reminders", "places"], ["places", "lists", "reminders"]])
  func tablesExchangeTheirNames(tables: [String]) throws {
    let more = "CREATE TABLE places (id TEXT PRIMARY KEY NOT NULL, name TEXT)"
    try ben.relaunch(tables: ["lists", "reminders", "places"]) { try $0.execute(sql: more) }
    try ben.relaunch(tables: tables) { db in
      for (name, new) in [("lists", "between"), ("places", "lists"), ("between", "places")] {
        try db.rename(table: name, to: new)
      }
      try SyncEngine.rename(db, table: "lists", to: "places")
    }
    try ben.execute("UPDATE places SET color = 2")
    try ben.execute("INSERT INTO lists VALUES ('p', 'Park')")
    try fleet.settle()
    #expect(try ann.rows("SELECT * FROM lists") == ["l|Home|2|NULL"])
    try ann.relaunch(tables: ["lists", "reminders", "places"]) { try $0.execute(sql: more) }
    #expect(try ann.rows("SELECT * FROM places") == ["p|Park"])
  }
}
