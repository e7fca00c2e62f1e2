import GRDB
import TestSupport
import Testing

@testable import SQLiteSync

/// Databases that another version of the engine has made.
struct MetadataVersionTests {
  /// Takes back what later versions added to the metadata of the first one.
  private static let firstVersion = """
    DROP VIEW sync_metadata;
    CREATE VIEW sync_metadata AS SELECT id, tag AS changeTag FROM sync_records;
    DROP TABLE sync_version;
    DROP TABLE sync_shares;
    DELETE FROM sync_columns WHERE tableID = (
      SELECT id FROM sync_tables WHERE name = 'sync_shares');
    DELETE FROM sync_tables WHERE name = 'sync_shares';
    DROP TABLE sync_leftovers;
    DROP INDEX sync_records_zone;
    ALTER TABLE sync_zones DROP COLUMN access;
    ALTER TABLE sync_zones DROP COLUMN share;
    ALTER TABLE sync_zones DROP COLUMN shareTag;
    ALTER TABLE sync_zones DROP COLUMN shareEdit;
    ALTER TABLE sync_zones DROP COLUMN mail;
    ALTER TABLE sync_assets DROP COLUMN bytes;
    ALTER TABLE sync_state DROP COLUMN isSignedOut;
    """

  @Test func aDatabaseOfTheFirstVersionGoesOnWhereItWas() throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try fleet.settle()
    let token = try ben.rows("SELECT token FROM sync_zones")
    try ben.relaunch { try $0.execute(sql: Self.firstVersion) }
    #expect(try ben.rows("SELECT token, access FROM sync_zones") == token.map { $0 + "|owner" })
    #expect(try ben.rows("SELECT version FROM sync_version") == ["5"])
    #expect(
      try ben.rows("SELECT recordName, permission FROM sync_metadata") == ["l:lists|owner"])
    try ben.execute("UPDATE lists SET title = 'Home'")
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM lists") == ["Home"])
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
