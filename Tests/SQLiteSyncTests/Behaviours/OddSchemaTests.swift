import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// Tables that are declared as SQLite allows, and as few people do.
struct OddSchemaTests {
  private static let schema = Schema(
    sql: """
      CREATE TABLE "order" (
        "select" TEXT PRIMARY KEY NOT NULL COLLATE NOCASE, "from" TEXT, "a b" INTEGER,
        "quo""te" TEXT, "group" TEXT GENERATED ALWAYS AS ("from" || '!') STORED,
        "where" TEXT AS (upper("from")) VIRTUAL, "index" ANY
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE nodes (
        id TEXT PRIMARY KEY NOT NULL, name TEXT, isDone INTEGER NOT NULL DEFAULT 0,
        low INTEGER, high INTEGER, above TEXT
          REFERENCES nodes (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
        "order" TEXT REFERENCES "order" ("select") ON DELETE SET NULL,
        CHECK (low IS NULL OR low <= high)
      ) WITHOUT ROWID;
      CREATE UNIQUE INDEX "only one" ON nodes (name) WHERE isDone = 0;
      CREATE VIEW "open" (id, name, "group") AS
        SELECT id, name, "order" FROM nodes WHERE isDone = 0;
      CREATE TRIGGER "open insert" INSTEAD OF INSERT ON "open" BEGIN
        INSERT INTO nodes (id, name, "order") VALUES (NEW.id, NEW.name, NEW."group");
      END;
      CREATE TRIGGER "open delete" INSTEAD OF DELETE ON "open" BEGIN
        UPDATE nodes SET isDone = 1 WHERE id = OLD.id;
      END;
      """, tables: ["order", "nodes"])

  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet(schema: Self.schema)
    (ann, ben) = try fleet.pair()
    try ann.execute(
      """
      INSERT INTO "order" ("select", "from", "a b", "quo""te", "index")
      VALUES ('One', 'here', 1, 'x', 1.0)
      """)
    try ann.execute("INSERT INTO open (id, name, \"group\") VALUES ('n', 'Milk', 'ONE')")
    try fleet.settle()
  }

  private func expectSame(_ sql: String, _ rows: [String]) throws {
    for device in [ann, ben] { #expect(try device.rows(sql) == rows) }
  }

  @Test func rowsGoToAndFro() throws {
    try expectSame("SELECT * FROM \"order\"", ["One|here|1|x|here!|HERE|1.0"])
    try expectSame("SELECT id, name, \"group\" FROM open", ["n|Milk|ONE"])
    try ben.execute("UPDATE \"order\" SET \"from\" = 'there', \"index\" = 1")
    try ann.execute("UPDATE \"order\" SET \"quo\"\"te\" = 'y', \"select\" = 'ONE'")
    try ben.execute("DELETE FROM open WHERE id = 'n'")
    try fleet.settle()
    try expectSame("SELECT * FROM \"order\"", ["ONE|there|1|y|there!|THERE|1"])
    try expectSame("SELECT isDone FROM nodes", ["1"])
    try ann.execute("DELETE FROM \"order\"")
    try fleet.settle()
    try expectSame("SELECT id, \"order\" FROM nodes", ["n|NULL"])
    try fleet.expectExhausted()
  }

  @Test func aPartialIndexHoldsForTheRowsThatItIsOver() throws {
    try ann.execute("INSERT INTO nodes (id, name) VALUES ('a', 'Tea')")
    try ben.execute("INSERT INTO nodes (id, name) VALUES ('b', 'Tea')")
    try fleet.settle()
    try expectSame("SELECT id FROM nodes WHERE name = 'Tea'", ["a"])
    try ben.execute("DELETE FROM open WHERE id = 'a'")
    try fleet.settle()
    try expectSame("SELECT id, isDone FROM nodes WHERE name = 'Tea' ORDER BY id", ["a|1", "b|0"])
    for device in [ann, ben] { #expect(try device.counts() == SyncCounts()) }
  }

  @Test func rowsThatReferToThemselvesAndEachOtherComeTogether() throws {
    try ann.write { db in
      try db.execute(
        sql: "INSERT INTO nodes (id, above) VALUES ('self', 'self'), ('x', 'y'), ('y', 'x')")
    }
    try fleet.settle()
    try expectSame("SELECT id, above FROM nodes WHERE id <> 'n'", ["self|self", "x|y", "y|x"])
    try ben.execute("DELETE FROM nodes WHERE id = 'x'")
    try ben.execute("DELETE FROM nodes WHERE id = 'self'")
    try fleet.settle()
    try expectSame("SELECT id FROM nodes", ["n"])
    try fleet.expectExhausted()
  }

  @Test func aCheckThatBothBreakTogetherKeepsTheRowAndWaits() throws {
    try ann.execute("UPDATE nodes SET low = 1, high = 5")
    try fleet.settle()
    try ann.execute("UPDATE nodes SET low = 4")
    try ben.execute("UPDATE nodes SET high = 2")
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT low <= high FROM nodes") == ["1"])
    }
    #expect(try ann.counts().quarantined + ben.counts().quarantined > 0)
    try ann.execute("UPDATE nodes SET low = 0")
    try fleet.settle()
    try expectSame("SELECT low, high FROM nodes", ["0|2"])
    for device in [ann, ben] { #expect(try device.counts() == SyncCounts()) }
  }

  /// One migration renames the table, a column and what the index is over, and drops another.
  @Test func aRenamingAndAForgettingInOneMigration() throws {
    try ben.execute("UPDATE \"order\" SET \"from\" = 'unsent', \"quo\"\"te\" = 'unsent, too'")
    try ben.relaunch(tables: ["values", "nodes"]) { db in
      try SyncEngine.forget(db, tableName: "ORDER", columns: ["QUO\"TE"])
      try SyncEngine.rename(db, column: "a b", to: "b a", of: "order")
      try SyncEngine.rename(db, table: "order", to: "values")
      try db.execute(
        sql: """
          ALTER TABLE "order" DROP COLUMN "quo""te";
          ALTER TABLE "order" RENAME TO "values";
          ALTER TABLE "values" RENAME COLUMN "a b" TO "b a";
          """)
      try SyncEngine.rename(db, column: "name", to: "unique", of: "nodes")
      try db.execute(sql: "ALTER TABLE nodes RENAME COLUMN name TO \"unique\"")
    }
    try ann.execute("UPDATE \"order\" SET \"a b\" = 7")
    try ann.execute("UPDATE nodes SET name = 'Oat milk'")
    try fleet.settle()
    #expect(
      try ann.rows("SELECT \"select\", \"from\", \"a b\", \"quo\"\"te\" FROM \"order\"")
        == ["One|unsent|7|unsent, too"])
    #expect(
      try ben.rows("SELECT \"select\", \"from\", \"b a\", \"group\" FROM \"values\"")
        == ["One|unsent|7|unsent!"])
    #expect(try ben.rows("SELECT \"unique\" FROM nodes") == ["Oat milk"])
    try ben.execute("UPDATE nodes SET \"unique\" = 'Soy milk'")
    try fleet.settle()
    #expect(try ann.rows("SELECT name FROM nodes") == ["Soy milk"])
  }
}
