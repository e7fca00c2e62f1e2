import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Which keys can be part of a record's name, and what happens to the others.
struct KeyRefusalTests {
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
  }

  static let refused = [
    "_", "_x", String(repeating: "x", count: 250), String(repeating: "é", count: 42),
    String(repeating: "%", count: 84),
  ]

  @Test(arguments: refused)
  func aKeyThatCannotBeANameIsRefusedInItsTransaction(_ key: String) throws {
    try ann.execute("INSERT INTO lists (id) VALUES ('l')")
    for statement in [
      "INSERT INTO lists (id) VALUES (?)", "INSERT OR IGNORE INTO lists (id) VALUES (?)",
      "REPLACE INTO lists (id) VALUES (?)", "UPDATE lists SET id = ?",
      "UPDATE OR REPLACE lists SET id = ?",
    ] {
      let error = #expect(throws: DatabaseError.self) { try ann.execute(statement, [key]) }
      #expect(error?.message == SyncEngine.invalidRecordNameError)
    }
    try fleet.settle()
    #expect(try ben.rows("SELECT id FROM lists") == ["l"])
    try fleet.expectExhausted()
  }

  @Test(arguments: [
    String(repeating: "x", count: 249), String(repeating: "é", count: 41), "x_", "-", "a:b", "100%",
    "買い物", "é", "e\u{301}", "\u{FFFE}", "\u{FFFD}", "\u{10FFFF}", "%C3%A9", " ", "a/../b",
  ])
  func everyOtherKeyTravelsUnderANameInASCII(_ key: String) throws {
    try ann.execute("INSERT INTO lists (id, title) VALUES (?, 'Odd')", [key])
    try ann.execute("INSERT INTO reminders (id, listID) VALUES ('r', ?)", [key])
    try fleet.settle()
    #expect(try ben.rows("SELECT listID FROM reminders") == [key])
    let names = try Stranger(fleet).names()
    #expect(names.allSatisfy { $0.isPrintableASCII && $0.utf8.count <= 255 })
    #expect(try Set(ben.rows("SELECT recordName FROM sync_metadata")) == names)
    let parent = RecordName(key: key, table: "lists").description
    #expect(
      try ben.rows("SELECT parentRecordName FROM sync_metadata WHERE recordType = 'reminders'")
        == [parent])
    try ben.execute("DELETE FROM lists")
    try fleet.settle()
    #expect(try ann.rows("SELECT id FROM lists") == [])
    try fleet.expectExhausted()
  }

  @Test func aKeyWithNULIsRefused() throws {
    let error = #expect(throws: DatabaseError.self) {
      try ann.execute("INSERT INTO lists (id) VALUES ('a' || char(0) || 'é')")
    }
    #expect(error?.message == SyncEngine.invalidRecordNameError)
  }

  @Test(arguments: ["id TEXT PRIMARY KEY NOT NULL", "id TEXT COLLATE NOCASE PRIMARY KEY NOT NULL"])
  func keyOfBytesFailsInSQLAndSaysWhatToDo(column: String) throws {
    let fleet = try Fleet(
      schema: Schema(sql: "CREATE TABLE items (\(column), title TEXT)", tables: ["items"]))
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO items VALUES ('i', 'Plain')")
    for statement in [
      "INSERT INTO items VALUES (?, 'Odd')", "INSERT OR IGNORE INTO items VALUES (?, 'Odd')",
      "REPLACE INTO items VALUES (?, 'Odd')", "UPDATE items SET id = ?",
    ] {
      for key in [UUID().databaseValue, Data("text".utf8).databaseValue] {
        let error = #expect(throws: DatabaseError.self) { try ann.execute(statement, [key]) }
        #expect(error?.message == SyncEngine.keyIsNotTextError)
      }
    }
    try fleet.settle()
    #expect(try ben.rows("SELECT * FROM items") == ["i|Plain"])
    try fleet.expectExhausted()
  }

  /// Elsewhere it would be another key: what is no UTF-8 is read as U+FFFD.
  @Test(arguments: [
    "FF", "61FF62", "80", "C3", "61C3", "E282", "C080", "EDA080", "F4908080", "C3A980",
  ])
  func keyThatIsNotUTF8IsRefused(_ bytes: String) throws {
    for statement in [
      "INSERT INTO lists (id) VALUES (CAST(x'\(bytes)' AS TEXT))",
      "INSERT INTO lists (id) VALUES (CAST(x'6C\(bytes)' AS TEXT))",
    ] {
      let error = #expect(throws: DatabaseError.self) { try ann.execute(statement) }
      #expect(error?.message == SyncEngine.invalidRecordNameError)
    }
  }

  @Test func aNameThatIsSpelledOtherwiseIsNoRow() throws {
    for name in ["é:lists", "%c3%a9:lists", "%41:lists", "%FF:lists", "%4:lists", "%zz:lists"] {
      #expect(RecordName(name) == nil)
    }
    #expect(RecordName("%C3%A9:lists")?.key == "é")
  }

  // MARK: - In SQL

  private static let encodings = ["UTF-8", "UTF-16le", "UTF-16be"]

  private func queue(_ encoding: String, _ sql: String = "") throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA encoding = '\(encoding)'")
    }
    let database = try DatabaseQueue(configuration: configuration)
    try database.write { try $0.execute(sql: "CREATE TABLE keys (key TEXT);" + sql) }
    #expect(
      try database.read { try String.fetchOne($0, sql: "PRAGMA encoding") } == encoding)
    return database
  }

  @Test(arguments: encodings)
  func aNameIsSpelledAlikeInSQLWhateverTheEncodingOfTheDatabase(_ encoding: String) throws {
    let keys = [
      "", "l", " ~", "%", "a%b", "é", "e\u{301}", "買い物", "🙂", "\u{7F}", "\u{80}", "\u{7FF}",
      "\u{800}", "\u{FFFD}", "\u{10000}", "\u{10FFFF}", "a\nb\tc",
    ]
    let database = try queue(encoding)
    for key in keys {
      let name = try database.write { db in
        try db.execute(sql: "DELETE FROM keys; INSERT INTO keys VALUES (?)", arguments: [key])
        let sql = RecordName.sql(key: "key", table: "'lists'")
        return try String.fetchOne(db, sql: "SELECT \(sql) FROM keys")
      }
      #expect(name == RecordName(key: key, table: "lists").description)
    }
  }

  @Test(arguments: encodings)
  func aParentWhoseKeyIsNotASCIIIsDeletedWhateverTheEncodingOfTheDatabase(
    _ encoding: String
  ) async throws {
    let store = MemoryStore()
    let devices = try [encoding, "UTF-8"].map { encoding in
      let database = try queue(encoding, Schema.reminders.sql)
      return (
        database,
        try SyncEngine(
          for: database, tableNames: Schema.reminders.tables,
          cloud: CloudContainer(store: store, account: "ann", device: UUID(), app: "test"),
          startImmediately: false)
      )
    }
    let lists = { try devices.map { try $0.0.read { try String.fetchAll($0, sql: Self.lists) } } }
    let (database, _) = devices[0]
    try await database.write { db in
      try db.execute(sql: "INSERT INTO lists (id) VALUES ('é')")
      try db.execute(sql: "INSERT INTO reminders (id, listID) VALUES ('r', 'é')")
    }
    for (_, engine) in devices { try await engine.syncChanges() }
    #expect(try lists() == [["é"], ["é"]])
    try await database.write { try $0.execute(sql: "DELETE FROM lists") }
    for (_, engine) in devices { try await engine.syncChanges() }
    #expect(try lists() == [[], []])
    for (database, _) in devices {
      #expect(try await database.read { try SyncCounts($0) } == SyncCounts())
    }
  }

  private static let lists = "SELECT lists.id FROM lists JOIN reminders ON listID = lists.id"
}
