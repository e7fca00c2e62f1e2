import Foundation
import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// A zone that somebody deletes, resets, restores from a backup or loses.
struct ZoneTests {
  private let store: MemoryStore
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    store = MemoryStore()
    fleet = try Fleet(store: store)
    ann = try fleet.device()
    ben = try fleet.device { db in
      try db.execute(sql: "CREATE TABLE drafts (text); INSERT INTO drafts VALUES ('mine')")
    }
    try ann.write { db in
      try db.execute(
        sql: """
          INSERT INTO lists (id, title) VALUES ('l', 'Personal'), ('m', 'Work');
          INSERT INTO reminders (id, title, listID) VALUES ('r', 'Milk', 'l'), ('s', 'Eggs', 'l');
          """)
    }
    try ann.execute("INSERT INTO covers VALUES ('l', ?)", [Data(repeating: 1, count: 10_000)])
    try fleet.settle()
  }

  private var zone: ZoneLog { ann.container.zone(ZoneID(name: "default", owner: fleet.account)) }

  // MARK: - Deleted

  @Test func rowsOfADeletedZoneGoIntoTheHistoryAndOtherTablesStay() throws {
    try zone.delete(reason: "ann deleted it")
    try fleet.settle()
    #expect(ann.zoneChanges == [.deleted])
    #expect(ben.zoneChanges == [.expired])
    for device in [ann, ben] {
      for table in ["lists", "reminders", "covers"] {
        #expect(try device.rows("SELECT * FROM \(table)") == [])
      }
      #expect(
        try device.rows("SELECT primaryKey FROM sync_history ORDER BY primaryKey, tableID")
          == ["l", "l", "m", "r", "s"])
    }
    #expect(try ben.rows("SELECT text FROM drafts") == ["mine"])
    #expect(try zone.exists())
    try ben.execute("INSERT INTO lists (id, title) VALUES ('n', 'New')")
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM lists") == ["New"])
    try fleet.expectExhausted()
  }

  @Test func unsentEditsSurviveTheDeletionOfTheirZone() throws {
    try ben.execute("UPDATE reminders SET title = 'Milk!' WHERE id = 'r'")
    try zone.delete(reason: "")
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT id, title FROM lists") == ["l|Personal"])
      #expect(try device.rows("SELECT id, title FROM reminders") == ["r|Milk!"])
    }
    try fleet.expectExhausted()
  }

  @Test func aZoneDeletedWhileNoEngineRanIsMadeAgainAtTheLaunch() throws {
    try zone.delete(reason: "")
    try ben.relaunch()
    try fleet.settle()
    #expect(ben.events.contains { if case .sentDatabaseChanges = $0 { true } else { false } })
    #expect(try ann.rows("SELECT * FROM lists") == [])
    try fleet.expectExhausted()
  }

  // MARK: - Begun anew

  @Test(arguments: [true, false])
  func rowsOfAResetZoneStayAndAreSentAgain(sendsFirst: Bool) throws {
    let carl = try fleet.device()
    try fleet.settle()
    try ben.execute("UPDATE reminders SET notes = 'Oat' WHERE id = 'r'")
    try carl.execute("DELETE FROM reminders WHERE id = 's'")
    try zone.reset(reason: "damaged")
    if sendsFirst { try ben.send() }
    try fleet.settle()
    for device in fleet.devices {
      #expect(device.zoneChanges == [.rebuilt])
      #expect(try device.rows("SELECT id FROM lists ORDER BY id") == ["l", "m"])
      #expect(try device.rows("SELECT id, title, notes FROM reminders") == ["r|Milk|Oat"])
      #expect(try device.rows("SELECT image FROM covers") == ["10000 bytes"])
    }
    let newcomer = try fleet.device()
    try fleet.settle()
    #expect(try newcomer.contents() == ann.contents())
    try fleet.expectExhausted(after: fleet.troubles)
    #expect(fleet.troubles.isSubset(of: Self.troublesOfAReset))
  }

  /// A device that sends its rows meets those of others, and assets that lie in the old epoch.
  private static let troublesOfAReset: Set<Trouble> = [
    .refused(.assetFileNotFound), .refused(.batchRequestFailed), .refused(.serverRecordChanged),
  ]

  @Test func aDeletionThatTheResetForgotIsNotUndoneByADeviceThatMissedIt() throws {
    try ann.execute("DELETE FROM reminders WHERE id = 's'")
    try ann.sync()
    try zone.reset(reason: "")
    try ben.sync()
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT id FROM reminders") == ["r"])
    }
    try fleet.expectExhausted(after: fleet.troubles)
    #expect(fleet.troubles.isSubset(of: Self.troublesOfAReset))
  }

  @Test func aLogThatIsGoneIsMadeAgainFromTheRows() throws {
    for prefix in zone.layout.all(epoch: 1) {
      for entry in try store.list(prefix, after: nil, limit: .max) where entry.isRegular {
        store.delete(StoreKey(prefix, listed: entry))
      }
    }
    try fleet.settle()
    for device in [ann, ben] {
      #expect(device.zoneChanges == [.rebuilt])
      #expect(try device.rows("SELECT id FROM reminders ORDER BY id") == ["r", "s"])
      #expect(try device.rows("SELECT image FROM covers") == ["10000 bytes"])
    }
    #expect(try Stranger(fleet).names().count == 5)
    try fleet.expectExhausted(after: fleet.troubles)
    #expect(fleet.troubles.isSubset(of: Self.troublesOfAReset))
  }

  @Test func whatARestoredBackupDoesNotHaveIsSentAgain() throws {
    let backup = Set(try store.list(zone.layout.log(epoch: 1), after: nil, limit: .max).map(\.name))
    try ann.execute("INSERT INTO lists (id, title) VALUES ('n', 'New')")
    try ann.execute("UPDATE reminders SET title = 'Milk!' WHERE id = 'r'")
    try ann.execute("DELETE FROM reminders WHERE id = 's'")
    try fleet.settle()
    for entry in try store.list(zone.layout.log(epoch: 1), after: nil, limit: .max)
    where !backup.contains(entry.name) {
      store.delete(StoreKey(zone.layout.log(epoch: 1), listed: entry))
    }
    let carl = try fleet.device()
    try carl.sync()
    #expect(try carl.rows("SELECT id FROM lists ORDER BY id") == ["l", "m"])
    try fleet.settle()
    for device in fleet.devices {
      #expect(try device.rows("SELECT id FROM lists ORDER BY id") == ["l", "m", "n"])
      #expect(try device.rows("SELECT id, title FROM reminders") == ["r|Milk!"])
    }
    #expect(carl.zoneChanges == [])
    try fleet.expectExhausted(after: fleet.troubles)
    #expect(fleet.troubles.isSubset(of: Self.troublesOfAReset))
  }

  // MARK: - Another cloud

  @Test func anotherCloudIsRefusedAndTheRowsStay() throws {
    let key = CloudLayout.cloudFile
    store.delete(key)
    #expect(throws: CloudError.self) { try ben.sync() }
    _ = store.createIfAbsent(key, CloudFile(id: "another").encoded)
    // Another log, too: where only the file is another, the cloud is the same.
    let layout = zone.layout
    for entry in try store.list(layout.meta, after: nil, limit: .max) {
      store.delete(StoreKey(layout.meta, listed: entry))
    }
    let error = #expect(throws: SyncError.self) { try ben.synchronizer.open() }
    #expect(error?.reason == .cloudChanged)
    #expect(try ben.rows("SELECT id FROM reminders ORDER BY id") == ["r", "s"])
  }
}
