import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// What may only be read is not written: refused by SQLite at the moment of writing, and taken back
/// where it was written before the permission was lowered.
struct PermissionTests {
  private let family: Family
  private var ann: Device { family.ann }
  private var ben: Device { family.ben }

  init() throws {
    family = try Family()
    try family.share([Family.benID: .read])
  }

  private func lower(_ permission: Share.Permission) throws {
    try ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: permission], publicPermission: nil)
    try ann.sync()
  }

  @Test(arguments: [
    "INSERT INTO reminders VALUES ('x', 'X', 'home')",
    "INSERT INTO subtasks VALUES ('x', 'X', 'milk')",
    "INSERT OR REPLACE INTO reminders VALUES ('milk', 'Mine', 'own')",
    "UPDATE reminders SET title = 'X' WHERE id = 'milk'",
    "UPDATE subtasks SET title = 'X' WHERE id = 'fat'",
    "UPDATE lists SET title = 'X' WHERE id = 'home'",
    "UPDATE covers SET image = NULL WHERE listID = 'home'",
    "DELETE FROM covers WHERE listID = 'home'",
    "DELETE FROM reminders WHERE id = 'milk'",
    "DELETE FROM subtasks WHERE id = 'fat'",
    "UPDATE reminders SET listID = 'home' WHERE id = 'run'",
    "UPDATE reminders SET listID = 'own' WHERE id = 'milk'",
    "UPDATE subtasks SET reminderID = 'run' WHERE id = 'fat'",
    "UPDATE subtasks SET reminderID = 'milk' WHERE id = 'shoes'",
  ])
  func whatMayOnlyBeReadIsNotWritten(sql: String) throws {
    let before = try ben.contents()
    let error = #expect(throws: DatabaseError.self) { try ben.execute(sql) }
    #expect(error?.message == SyncEngine.writePermissionError)
    #expect(try ben.contents() == before)
    #expect(try ben.outbox() == [])
  }

  @Test func onesOwnRowsAreWrittenAsEver() throws {
    try ben.execute("INSERT INTO reminders VALUES ('x', 'X', 'own')")
    try ben.execute("UPDATE lists SET title = 'Mine' WHERE id = 'own'")
    try ben.execute("DELETE FROM subtasks WHERE id = 'shoes'")
    try ben.execute("INSERT INTO notes VALUES ('b', 'Only his', 'home')")
    try family.settle()
    #expect(try family.benToo.tree().filter { $0.hasPrefix("Mine") }.count == 3)
    try family.fleet.expectExhausted()
  }

  @Test func aPermissionThatIsRaisedLetsOneWrite() throws {
    try lower(.write)
    try family.settle()
    try ben.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    #expect(try ben.rows("SELECT name FROM sqlite_schema WHERE name GLOB 'sync_perm*'") == [])
    try family.settle()
    #expect(try ann.tree().contains("Home > Oat milk"))
    try family.fleet.expectExhausted()
  }

  @Test func newsOfAShareThatNobodyHasHeardAreUnsent() throws {
    #expect(try ann.counts() == SyncCounts())
    try ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: .write], publicPermission: nil)
    #expect(try ann.counts().pending == 1)
    let error = #expect(throws: SyncError.self) {
      try ann.database.write { db in
        try SignOut(db: db, tables: ann.synchronizer.tables).removeData(discarding: 0)
      }
    }
    #expect(error?.reason == .unsentEdits)
    try family.settle()
    #expect(try ann.counts() == SyncCounts())
  }

  @Test func whoSharesNothingPaysNothing() throws {
    for device in [ann, family.cat] {
      #expect(try device.rows("SELECT name FROM sqlite_schema WHERE name GLOB 'sync_perm*'") == [])
    }
  }

  @Test(arguments: [true, false])
  func editsThatWereUnsentWhenThePermissionWasLoweredAreTakenBack(fetchesFirst: Bool) throws {
    try lower(.write)
    try family.settle()
    try ben.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try ben.execute("UPDATE lists SET title = 'Our own' WHERE id = 'own'")
    try ben.execute("DELETE FROM subtasks WHERE id = 'fat'")
    try ben.execute("INSERT INTO reminders VALUES ('eggs', 'Eggs', 'home')")
    try ben.execute("INSERT INTO subtasks VALUES ('ten', 'Ten', 'eggs')")
    try ben.execute("UPDATE reminders SET listID = 'home' WHERE id = 'run'")
    try lower(.read)
    if fetchesFirst { try ben.fetch() } else { try ben.send() }
    try family.settle()
    let expected = [
      "Home", "Home > Milk", "Home > Milk > 3.5 %", "Our own", "Our own > Run",
      "Our own > Run > Shoes",
    ]
    for device in [ben, family.benToo] { #expect(try device.tree() == expected) }
    #expect(try ann.tree().filter { $0.hasPrefix("Home") } == Array(expected[..<3]))
    #expect(
      try ben.rows("SELECT value FROM sync_history WHERE field = 'title' AND clock <> 0")
        == ["Oat milk"])
    #expect(
      try ben.rows(
        """
        SELECT v0 FROM sync_history
        WHERE field IS NULL AND primaryKey IN ('eggs', 'ten') ORDER BY 1
        """) == ["Eggs", "Ten"])
    try family.fleet.expectExhausted(after: fetchesFirst ? [] : [.refused(.permissionFailure)])
  }

  @Test func aRowThatWasMovedOutUnsentComesBack() throws {
    try lower(.write)
    try family.settle()
    try ben.execute("UPDATE reminders SET listID = 'own' WHERE id = 'milk'")
    try ben.synchronizer.write { db in
      try Placement(db: db, tables: ben.synchronizer.tables, now: 0).placePending()
    }
    try lower(.read)
    try family.settle()
    for device in [ben, family.benToo, ann] {
      #expect(try device.tree().contains("Home > Milk > 3.5 %"))
    }
    try family.fleet.expectExhausted()
  }

  @Test(arguments: [false, true])
  func whatWasMadeBelowARowThatComesBackGoesIntoTheHistory(isTakenBack: Bool) throws {
    try lower(.write)
    try family.settle()
    try ben.execute("INSERT INTO subtasks VALUES ('oats', 'Oats', 'milk')")
    try ben.execute("UPDATE reminders SET listID = 'own' WHERE id = 'milk'")
    try ben.synchronizer.write { db in
      try Placement(db: db, tables: ben.synchronizer.tables, now: 0).placePending()
    }
    try ben.synchronizer.sendOnce(to: ben.synchronizer.zones()[0])
    if isTakenBack {
      for list in ["work", "home"] {
        try ann.execute("UPDATE reminders SET listID = ? WHERE id = 'milk'", [list])
      }
    }
    try lower(.read)
    try family.settle()
    for device in [ben, family.benToo, ann] {
      #expect(try device.tree().contains("Home > Milk > 3.5 %"))
      #expect(try device.tree().contains { $0.hasSuffix("Oats") } == false)
    }
    let history =
      "SELECT v0 FROM sync_history WHERE primaryKey = 'oats'"
    #expect(try ben.rows(history) == ["Oats"])
    let living = try CloudImage.copies(in: ben.synchronizer.zone).filter { name, copy in
      if case .record = copy.content { !name.hasSuffix(":sync_shares") } else { false }
    }
    #expect(living.keys.sorted() == ["own:lists", "run:reminders", "shoes:subtasks"])
    try family.fleet.expectExhausted()
  }
}
