import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// Renamings that do not fit the tables are refused before anything is sent by a wrong name.
struct RenamingRefusalTests {
  private static let schema = Schema(
    sql: """
      CREATE TABLE lists (id TEXT PRIMARY KEY NOT NULL, p TEXT, q TEXT);
      CREATE TABLE places (id TEXT PRIMARY KEY NOT NULL, p TEXT);
      """, tables: ["lists", "places"])

  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet(schema: Self.schema)
    (ann, ben) = try fleet.pair()
    try ann.execute(
      "INSERT INTO lists VALUES ('l', 'P', 'Q'); INSERT INTO places VALUES ('x', 'X')")
    try fleet.settle()
  }

  private static func rename(_ db: Database, _ column: String, _ name: String) throws {
    try SyncEngine.rename(db, column: column, to: name, of: "lists")
  }

  /// What the next engine says; the migration stays.
  private func refusal(
    tables: [String]? = nil, _ migrate: (Database) throws -> Void
  ) throws -> SyncError? {
    let error = #expect(throws: SyncError.self) {
      try ben.relaunch(tables: tables, migrate: migrate)
    }
    #expect(error?.reason == .wrongRenaming)
    #expect(error?.hint?.isEmpty == false)
    return error
  }

  @Test func columnsThatAreNotRenamedInTheTableAreRefusedAndCanBeTakenBack() throws {
    let error = try refusal { try Self.rename($0, "p", "q") }
    #expect(error?.table == "lists" && error?.column == "p")
    #expect(error?.others.map(\.column) == ["q"])
    let found = try ben.database.read { try SyncEngine.validate($0, tableNames: ben.tables) }
    #expect(found.map(\.reason) == [.wrongRenaming, .wrongRenaming])
    try ben.relaunch { try Self.rename($0, "q", "p") }
    try ben.execute("UPDATE lists SET p = 'new'")
    try fleet.settle()
    #expect(try ann.rows("SELECT p, q FROM lists") == ["new|Q"])
  }

  /// Pairs of renamings by table, and with nil of tables, by which two names become one.
  static let collisions: [(table: String?, [(String, String)])] = [
    ("lists", [("p", "r"), ("q", "r")]), ("lists", [("p", "R"), ("q", "r")]),
    ("lists", [("p", "id")]), ("nothing", [("a", "c"), ("b", "c")]),
    (nil, [("lists", "things"), ("places", "things")]), (nil, [("a", "c"), ("b", "c")]),
    (nil, [("a", "lists"), ("b", "lists")]), (nil, [("lists", "sync_tables")]),
    (nil, [("sync_records", "lists")]), (nil, [("lists", "")]),
  ]

  @Test(arguments: collisions)
  func whatTwoNamesBecomeOneByIsRefusedInWords(table: String?, pairs: [(String, String)]) throws {
    let error = #expect(throws: SyncError.self) {
      try ben.relaunch { db in
        for (name, next) in pairs {
          if let table {
            try SyncEngine.rename(db, column: name, to: next, of: table)
          } else {
            try SyncEngine.rename(db, table: name, to: next)
          }
        }
      }
    }
    #expect(error?.hint?.isEmpty == false)
  }

  /// By one call, where it takes three statements.
  @Test(arguments: [true, false])
  func columnsThatExchangeTheirNamesAreAccepted(isCalledFirst: Bool) throws {
    try ben.relaunch { db in
      if isCalledFirst { try Self.rename(db, "p", "q") }
      for (from, to) in [("p", "meanwhile"), ("q", "p"), ("meanwhile", "q")] {
        try db.execute(sql: "ALTER TABLE lists RENAME COLUMN \(from) TO \(to)")
      }
      if !isCalledFirst { try Self.rename(db, "p", "q") }
    }
    try ben.execute("UPDATE lists SET q = 'new'")
    try fleet.settle()
    #expect(try ann.rows("SELECT p, q FROM lists") == ["new|Q"])
    try ben.relaunch()
  }

  @Test func aFormerNameCanBeANewColumnsAtOnce() throws {
    try ben.relaunch { db in
      try Self.rename(db, "p", "r")
      try db.execute(
        sql: "ALTER TABLE lists RENAME COLUMN p TO r; ALTER TABLE lists ADD COLUMN p TEXT")
    }
    try ben.execute("UPDATE lists SET r = 'new', p = 'other'")
    try fleet.settle()
    #expect(try ann.rows("SELECT p, q FROM lists") == ["new|Q"])
  }

  @Test func tablesThatAreNotRenamedAreRefused() throws {
    let error = try refusal { try SyncEngine.rename($0, table: "lists", to: "places") }
    #expect(Set([error?.table, error?.others.first?.table]) == ["lists", "places"])
    try ben.relaunch { try SyncEngine.rename($0, table: "places", to: "lists") }
    try ben.execute("UPDATE lists SET p = 'new'")
    try fleet.settle()
    #expect(try ann.rows("SELECT p, q FROM lists") == ["new|Q"])
  }

  @Test func whatIsSynchronizedDoesNotGetTheNameOfWhatNeverWas() throws {
    try ben.write { db in
      let column = #expect(throws: SyncError.self) { try Self.rename(db, "typo", "q") }
      #expect(column?.reason == .wrongRenaming && column?.column == "typo")
      let table = #expect(throws: SyncError.self) {
        try SyncEngine.rename(db, table: "typo", to: "lists")
      }
      #expect(table?.reason == .wrongRenaming && table?.table == "typo")
    }
    #expect(try ben.rows("SELECT * FROM sync_names") == [])
    try ben.relaunch()
  }

  @Test func namesThatNothingHasAreRefused() throws {
    let column = try refusal { try Self.rename($0, "typo", "other") }
    #expect(column?.table == "lists" && column?.column == "other")
    try ben.relaunch { try Self.rename($0, "other", "typo") }
    let table = try refusal { try SyncEngine.rename($0, table: "typo", to: "other") }
    #expect(table?.table == "other" && table?.others == [])
    try ben.relaunch { try SyncEngine.rename($0, table: "other", to: "typo") }
    let both = try refusal { try SyncEngine.rename($0, column: "p", to: "q", of: "typo") }
    #expect(both?.table == "typo")
  }

  // MARK: - Databases that no engine has seen

  private func newDevice(_ prepare: @escaping (Database) throws -> Void) throws -> Device {
    try fleet.device(
      schema: Schema(
        sql: """
          CREATE TABLE projects (id TEXT PRIMARY KEY NOT NULL, r TEXT, q TEXT);
          CREATE TABLE places (id TEXT PRIMARY KEY NOT NULL, p TEXT);
          """, tables: ["projects", "places"]), prepare: prepare)
  }

  @Test func aTypoInANewDatabaseIsFoundWhenTheEngineIsCreated() throws {
    for isTable in [true, false] {
      let error = #expect(throws: SyncError.self) {
        try newDevice { db in
          try SyncEngine.rename(db, table: "lists", to: isTable ? "projcts" : "projects")
          try SyncEngine.rename(db, column: "p", to: isTable ? "r" : "rr", of: "projects")
        }
      }
      #expect(error?.reason == .wrongRenaming && error?.others == [])
    }
  }

  @Test func aColumnThatWasRenamedAndForgottenIsNoTypo() throws {
    let eve = try newDevice { db in
      try SyncEngine.rename(db, table: "lists", to: "projects")
      try SyncEngine.rename(db, column: "p", to: "r", of: "projects")
      try SyncEngine.forget(db, tableName: "projects", columns: ["r"])
      try db.execute(sql: "ALTER TABLE projects DROP COLUMN r")
    }
    try fleet.settle()
    #expect(try eve.rows("SELECT q FROM projects") == ["Q"])
    // Nor is it one for who signs in after another.
    try eve.relaunch { db in
      try SchemaRegistry.forgetTables(in: db)
    }
  }
}
