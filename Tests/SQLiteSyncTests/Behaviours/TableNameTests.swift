import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Tables may have any name, also one that a statement of the engine gives to something else.
struct TableNameTests {
  /// Every name that a statement of the engine gives to a table, and some of its columns'.
  private static let names = [
    "old", "new", "r", "e", "p", "t", "z", "s", "h", "d", "c", "f", "a", "o", "pt", "dt", "other",
    "data", "image", "sent", "staged", "edits", "named", "key", "rowid", "excluded", "parent",
    "primaryKey", "tableID", "recordID", "kind", "mask", "at",
  ]

  /// What a table hangs on: the one before it, so that every name is a parent's and a child's.
  ///
  /// But SQLite itself takes "old" and "new" for rows where it does what the foreign key of a child
  /// says.
  private static func parent(_ index: Int) -> String? {
    index < 2 ? nil : names[index < 4 ? index - 2 : index - 1]
  }

  private static let schema = Schema(
    sql: names.enumerated().map { index, name in
      """
      CREATE TABLE "\(name)" (
        id TEXT PRIMARY KEY NOT NULL, "r" TEXT, "primaryKey" TEXT, "at" TEXT UNIQUE, "key" BLOB,
        count INTEGER NOT NULL DEFAULT 0,
        "parent" TEXT \(parent(index).map { "REFERENCES \"\($0)\" ON DELETE CASCADE" } ?? ""));
      """
    }.joined(separator: "\n"), tables: names)

  private static func all(_ sql: (_ table: String, _ index: Int) -> String) -> String {
    names.enumerated().map { sql("\"\($1)\"", $0) + ";" }.joined(separator: "\n")
  }

  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet(schema: Self.schema) { configuration in
      configuration.mergePolicies = Dictionary(
        uniqueKeysWithValues: Self.names.map { ($0, ["count": MergePolicy.counter]) })
    }
    (ann, ben) = try fleet.pair()
    try ann.execute(
      Self.all { table, index in
        """
        INSERT INTO \(table) (id, "r", "at", "parent") VALUES
          ('x', 'x', 'x', \(Self.parent(index) == nil ? "NULL" : "'x'")), ('y', 'y', 'y', NULL)
        """
      })
    try fleet.settle()
  }

  private func expectInStep(_ location: SourceLocation = #_sourceLocation) throws {
    for device in fleet.devices {
      #expect(
        try device.database.read { try SyncEngine.check($0) } == [], sourceLocation: location)
    }
    try fleet.expectExhausted(sourceLocation: location)
  }

  @Test func aCheckFindsNothing() throws {
    try expectInStep()
    try ann.database.write { try SyncEngine.adoptUnknownRows($0, now: fleet.clock.now) }
    #expect(try ann.counts().pending == 0)
  }

  @Test func rowsAreEditedReplacedRenamedAndDeleted() throws {
    try ann.execute(Self.all { table, _ in "UPDATE \(table) SET \"r\" = 'ann', count = count + 1" })
    try ben.execute(
      Self.all { table, _ in
        """
        UPDATE \(table) SET "primaryKey" = 'ben', count = count + 2;
        INSERT INTO \(table) (id, "at") VALUES ('z', 'z');
        INSERT OR REPLACE INTO \(table) (id, "at") VALUES ('y2', 'y');
        UPDATE \(table) SET id = 'w' WHERE id = 'z'
        """
      })
    #expect(
      try ben.counts().pending == Self.names.count * 4, "x, y and y2, and w; z was never known")
    try fleet.settle()
    for name in Self.names {
      let rows = try ann.rows(
        "SELECT id, \"r\", \"primaryKey\", count FROM \"\(name)\" ORDER BY id")
      #expect(rows == ["w|NULL|NULL|0", "x|ann|ben|3", "y2|NULL|NULL|0"], "\(name)")
    }
    try expectInStep()
    try ben.execute("DELETE FROM \"old\" WHERE id = 'x'; DELETE FROM \"new\" WHERE id = 'x'")
    try fleet.settle()
    for name in Self.names {
      let rows = try ann.rows("SELECT id FROM \"\(name)\" ORDER BY id")
      #expect(rows == ["w", "y2"], "\(name)")
    }
    try expectInStep()
    try ann.write { db in
      for name in ["old", "new"] {
        let entry = try #require(
          try SyncHistory.deletedRows(db, of: name, where: ("at", "x")).first)
        try SyncHistory.restore(entry.id, in: db)
      }
    }
    try fleet.settle()
    for name in Self.names {
      let rows = try ben.rows("SELECT id FROM \"\(name)\" ORDER BY id")
      #expect(rows == ["w", "x", "y2"], "\(name)")
    }
    try expectInStep()
  }

  /// A row that is new here is not taken for one that is replaced.
  @Test func whatIsNewIsSentWhole() throws {
    try ann.execute(
      Self.all { table, _ in "INSERT INTO \(table) (id, \"r\") VALUES ('n', 'new')" })
    try fleet.settle()
    for name in Self.names {
      let rows = try ben.rows("SELECT \"r\" FROM \"\(name)\" WHERE id = 'n'")
      #expect(rows == ["new"], "\(name)")
    }
    try expectInStep()
  }

  @Test func whatLostItsTriggersIsCompared() throws {
    try ann.relaunch { db in
      for name in Self.names {
        try CaptureTriggers().remove(from: name, in: db)
        try db.execute(
          sql: """
            DELETE FROM "\(name)" WHERE id = 'y';
            UPDATE "\(name)" SET "r" = 'migrated' WHERE id = 'x'
            """)
      }
    }
    try fleet.settle()
    for name in Self.names {
      let rows = try ben.rows("SELECT id, \"r\" FROM \"\(name)\" ORDER BY id")
      #expect(rows == ["x|migrated", "y|y"], "\(name)")
    }
    try expectInStep()
  }
}
