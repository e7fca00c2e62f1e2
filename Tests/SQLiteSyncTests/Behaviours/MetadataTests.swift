import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// The metadata as an app sees it in SQL.
struct MetadataTests {
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
    try ann.write { db in
      try db.execute(
        sql: """
          INSERT INTO lists (id) VALUES ('l'), ('m');
          INSERT INTO reminders (id, title, listID) VALUES ('r', 'Haircut', 'l');
          INSERT INTO tags VALUES ('Car');
          INSERT INTO reminderTags VALUES ('rt', 'r', 'Car');
          """)
    }
    try fleet.settle()
  }

  @Test func everyRecordIsThereWithItsNamesZoneAndTime() throws {
    #expect(
      try ben.rows(
        """
        SELECT recordType, recordPrimaryKey, recordName, zoneName, ownerName,
          parentRecordType, parentRecordPrimaryKey, parentRecordName,
          userModificationTime = \(fleet.clock.now - 6), isPending, error, attempts
        FROM sync_metadata ORDER BY recordName
        """) == [
          "tags|car|car:tags|default|u1000|NULL|NULL|NULL|1|0|NULL|NULL",
          "lists|l|l:lists|default|u1000|NULL|NULL|NULL|1|0|NULL|NULL",
          "lists|m|m:lists|default|u1000|NULL|NULL|NULL|1|0|NULL|NULL",
          "reminders|r|r:reminders|default|u1000|lists|l|l:lists|1|0|NULL|NULL",
          "reminderTags|rt|rt:reminderTags|default|u1000|NULL|NULL|NULL|1|0|NULL|NULL",
        ])
    try fleet.expectExhausted()
  }

  @Test func aTableCanBeJoinedWithIt() throws {
    let sql = """
      SELECT reminders.title, sync_metadata.isPending FROM reminders
      LEFT JOIN sync_metadata
        ON recordType = 'reminders' AND recordPrimaryKey = reminders.id
      """
    #expect(try ann.rows(sql) == ["Haircut|0"])
    try ann.execute("UPDATE reminders SET title = 'Hair'")
    #expect(try ann.outbox().count == 1)
    #expect(try ann.rows(sql) == ["Hair|1"])
    try fleet.settle()
    try fleet.expectExhausted()
  }

  @Test func aMoveChangesTheParentInTheCloudAndInTheMetadata() throws {
    try ann.execute("UPDATE reminders SET listID = 'm'")
    try fleet.settle()
    for device in [ann, ben] {
      #expect(
        try device.rows(
          "SELECT parentRecordName FROM sync_metadata WHERE recordType = 'reminders'")
          == ["m:lists"])
    }
    #expect(try Stranger(fleet).record("r:reminders")?.parent == "m:lists")
    try fleet.expectExhausted()
  }

  @Test func aDeletedRecordIsNotThereAnyMore() throws {
    try ann.execute("DELETE FROM lists WHERE id = 'l'")
    try fleet.settle()
    for device in [ann, ben] {
      #expect(
        try device.rows("SELECT recordName FROM sync_metadata ORDER BY 1")
          == ["car:tags", "m:lists"])
    }
    try fleet.expectExhausted()
  }

  @Test func theErrorOfAChangeAndItsNextTryAreThere() throws {
    try ann.execute(
      "INSERT INTO lists (id, title) VALUES ('x', ?)", [String(repeating: "x", count: 2 << 20)])
    try ann.sync()
    #expect(
      try ann.rows(
        """
        SELECT isPending, attempts, error LIKE 'limitExceeded (27)%', nextAttempt > 0
        FROM sync_metadata WHERE recordName = 'x:lists'
        """) == ["1|1|1|1"])
    try ann.execute("DELETE FROM lists WHERE id = 'x'")
    try fleet.settle()
    try fleet.expectExhausted(after: [.refused(.limitExceeded)])
  }

  @Test func countsAreThereBeforeAnEngineIs() throws {
    #expect(try DatabaseQueue().read(SyncCounts.init) == SyncCounts())
  }

  @Test func everyColumnOfTheViewHasItsName() throws {
    let ann = try Fleet().device()
    let columns = try ann.database.read { try $0.columns(in: "sync_metadata").map(\.name) }
    typealias Names = SyncMetadata.Columns
    let named = [
      Names.recordType, Names.recordPrimaryKey, Names.recordName, Names.zoneName, Names.ownerName,
      Names.share, Names.permission, Names.parentRecordPrimaryKey, Names.parentRecordType,
      Names.parentRecordName, Names.changeTag, Names.userModificationTime, Names.isPending,
      Names.error, Names.attempts, Names.nextAttempt,
    ]
    #expect(["id"] + named.map(\.name) == columns)
  }
}
