import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// Databases that another version of the engine has made.
struct MetadataVersionTests {
  /// Takes back what later versions added to the metadata of the first one.
  private static let firstVersion = """
    DROP VIEW sync_metadata;
    CREATE VIEW sync_metadata AS SELECT id, tag AS changeTag FROM sync_records;
    DROP TABLE sync_version;
    ALTER TABLE sync_tables DROP COLUMN isRebuilt;
    ALTER TABLE sync_tables DROP COLUMN keyColumn;
    ALTER TABLE sync_tables DROP COLUMN keyCollation;
    DROP TABLE sync_shares;
    DROP TABLE sync_device_names;
    DELETE FROM sync_columns WHERE tableID IN (
      SELECT id FROM sync_tables WHERE name IN ('sync_shares', 'sync_device_names'));
    DELETE FROM sync_tables WHERE name IN ('sync_shares', 'sync_device_names');
    DROP TABLE sync_leftovers;
    DROP INDEX sync_records_zone;
    ALTER TABLE sync_zones DROP COLUMN access;
    ALTER TABLE sync_zones DROP COLUMN share;
    ALTER TABLE sync_zones DROP COLUMN shareTag;
    ALTER TABLE sync_zones DROP COLUMN shareEdit;
    ALTER TABLE sync_zones DROP COLUMN mail;
    ALTER TABLE sync_zones DROP COLUMN isShareForged;
    ALTER TABLE sync_zones DROP COLUMN trustedShare;
    ALTER TABLE sync_assets DROP COLUMN bytes;
    ALTER TABLE sync_state DROP COLUMN isSignedOut;
    DROP TABLE sync_refusals;
    DROP TABLE sync_names;
    DROP TABLE sync_bases;
    DROP INDEX sync_pending_held;
    ALTER TABLE sync_pending DROP COLUMN isHeld;
    ALTER TABLE sync_state DROP COLUMN file;
    ALTER TABLE sync_parked DROP COLUMN hadRow;
    DROP TABLE sync_history;
    DROP TABLE sync_history_days;
    DROP TABLE sync_log_days;
    """

  @Test func aDatabaseOfTheFirstVersionGoesOnWhereItWas() throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try fleet.settle()
    let token = try ben.rows("SELECT token FROM sync_zones")
    try ben.relaunch { try $0.execute(sql: Self.firstVersion) }
    #expect(try ben.rows("SELECT token, access FROM sync_zones") == token.map { $0 + "|owner" })
    #expect(try ben.rows("SELECT version FROM sync_version") == ["24"])
    #expect(
      try ben.rows("SELECT recordName, permission FROM sync_metadata") == ["l:lists|owner"])
    try ben.execute("UPDATE lists SET title = 'Home'")
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM lists") == ["Home"])
    try fleet.expectExhausted()
  }

  /// What a new database gets at once is what the others got step by step.
  @Test func aNewDatabaseHasTheMetadataThatAllVersionsHaveMade() throws {
    let fleet = try Fleet()
    let (old, new) = try fleet.pair()
    try old.relaunch { try $0.execute(sql: Self.firstVersion) }
    let columns = """
      SELECT t.name, c.name, c.type, c."notnull", c.dflt_value, c.pk
      FROM pragma_table_list t JOIN pragma_table_info(t.name) c
      WHERE t.name GLOB 'sync_*' ORDER BY 1, 2
      """
    #expect(try old.rows(columns) == new.rows(columns))
    let others = """
      SELECT type, name, tbl_name, CASE WHEN type <> 'table' THEN sql END FROM sqlite_schema
      WHERE name GLOB 'sync_*' OR tbl_name GLOB 'sync_*' ORDER BY 1, 2
      """
    #expect(try old.rows(others) == new.rows(others))
    #expect(try old.rows("SELECT * FROM sync_refusals") == new.rows("SELECT * FROM sync_refusals"))
  }

  @Test func theEnginesTablesAreThoseThatAreMissed() throws {
    let device = try Fleet().device()
    let names = try device.rows(
      """
      SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name GLOB 'sync_*'
      ORDER BY name
      """)
    #expect(names == MetadataSchema.tableNames)
  }

  /// Before the sixth version triggers kept deleted rows as JSON.
  @Test func aRowThatAnEarlierVersionSawDeletedComesBack() throws {
    let things = Schema(
      sql: "CREATE TABLE things (id TEXT PRIMARY KEY NOT NULL, a, b, c, d DEFAULT 7)",
      tables: ["things"])
    let fleet = try Fleet()
    let (ann, ben) = (try fleet.device(schema: things), try fleet.device(schema: things))
    let image = #"{"a":"Bread","b":{"hex":"00FF"},"c":["0.1"]}"#
    try ben.relaunch {
      try $0.execute(
        sql: """
          DROP TRIGGER sync_capture_delete_things;
          UPDATE sync_version SET version = 5;
          ALTER TABLE sync_tables DROP COLUMN isRebuilt;
          ALTER TABLE sync_tables DROP COLUMN keyColumn;
          ALTER TABLE sync_tables DROP COLUMN keyCollation;
          DROP VIEW sync_metadata;
          ALTER TABLE sync_zones DROP COLUMN isShareForged;
          ALTER TABLE sync_zones DROP COLUMN trustedShare;
          DROP TABLE sync_refusals;
          DROP TABLE sync_names;
          DROP TABLE sync_bases;
          DROP TABLE sync_device_names;
          DROP INDEX sync_leftovers_needed;
          DROP INDEX sync_history_image;
          DROP INDEX sync_history_conflict;
          DROP INDEX sync_history_later;
          DROP INDEX sync_pending_held;
          DROP TABLE sync_history_days;
          DROP TABLE sync_log_days;
          ALTER TABLE sync_leftovers DROP COLUMN needsID;
          ALTER TABLE sync_leftovers DROP COLUMN since;
          ALTER TABLE sync_pending DROP COLUMN isHeld;
          ALTER TABLE sync_state DROP COLUMN file;
          ALTER TABLE sync_parked DROP COLUMN hadRow;
          INSERT INTO sync_history (tableID, primaryKey, value, clock, winnerClock, at)
          SELECT id, 't', '\(image)', 0, 65536, 1 FROM sync_tables WHERE name = 'things'
          """)
      for column in ["v0", "v1", "v2", "v3"] {
        try $0.execute(sql: "ALTER TABLE sync_history DROP COLUMN \(column)")
      }
    }
    try ben.write { db in
      let entry = try #require(try SyncHistory.deletedRows(db, of: "things").first)
      try SyncHistory.restore(entry.id, in: db)
    }
    try fleet.settle()
    #expect(
      try ann.rows("SELECT a, hex(b), typeof(b), c, typeof(c), d FROM things")
        == ["Bread|00FF|blob|0.1|real|7"])
    try fleet.expectExhausted()
  }

  @Test func aDatabaseOfALaterVersionIsLeftAlone() throws {
    let device = try Fleet().device()
    let error = #expect(throws: SyncError.self) {
      try device.relaunch { try $0.execute(sql: "UPDATE sync_version SET version = version + 1") }
    }
    #expect(error?.reason == .newerMetadata)
  }
}
