import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Rows that are restored while they live on where one cannot see them: no two rows share a key.
struct OutOfReachRestoreTests {
  private let family: Family
  private var ann: Device { family.ann }
  private var ben: Device { family.ben }

  init() throws {
    family = try Family()
    try family.share([Family.benID: .write])
  }

  @discardableResult
  private func restore(
    _ table: String, _ key: String, on device: Device
  ) throws -> SyncHistory.Restored {
    let restored = try device.write { db in
      let entry = try #require(try SyncHistory.deletedRows(db, of: table).first { $0.key == key })
      return try SyncHistory.restore(entry.id, in: db)
    }
    try family.settle()
    return restored
  }

  @Test func reminderThatWasMovedAwayComesBackBesideTheOneThatLivesOn() throws {
    try ben.execute("UPDATE reminders SET listID = 'own' WHERE id = 'milk'")
    try family.settle()
    #expect(try ann.tree() == ["Home", "Work", "Work > Memo", "Work > Memo > Page 1"])
    let restored = try restore("reminders", "milk", on: ann)
    let milk = SyncHistory.RowReference(table: "reminders", key: "milk")
    let key = try #require(restored.newKeys[milk])
    #expect(restored.rows.contains(.init(table: "reminders", key: key)))
    for device in [ann, family.annToo] { #expect(try device.tree() == Family.home + Family.work) }
    for device in [ben, family.benToo] {
      #expect(
        try device.tree() == Family.home + ["Own", "Own > Milk", "Own > Milk > 3.5 %"]
          + Family.own.dropFirst())
    }
    // Her tag went with it, and is on the one that she sees.
    #expect(
      try ann.rows("SELECT tagID FROM reminderTags WHERE reminderID = '\(key)'") == ["weekly"])
    try family.fleet.expectExhausted(after: [.waited])
  }

  @Test func itComesBackOnce() throws {
    try ben.execute("UPDATE reminders SET listID = 'own' WHERE id = 'milk'")
    try family.settle()
    try restore("reminders", "milk", on: ann)
    #expect(try restore("reminders", "milk", on: ann).rows == [])
    #expect(try ann.tree() == Family.home + Family.work)
    try family.fleet.expectExhausted(after: [.waited])
  }

  @Test func listThatWasLeftComesBackAsOnesOwnAndCanBeAcceptedAgain() throws {
    try ben.synchronizer.leave(table: "lists", key: "home")
    try family.settle()
    try restore("subtasks", "fat", on: ben)
    try restore("covers", "home", on: ben)
    for device in [ben, family.benToo] {
      #expect(try device.tree() == Family.home + Family.own)
      #expect(
        try device.rows("SELECT title FROM covers JOIN lists ON lists.id = listID") == ["Home"])
    }
    try family.share([Family.benID: .write])
    #expect(try ben.rows("SELECT count(*) FROM lists WHERE title = 'Home'") == ["2"])
    #expect(try ann.tree() == Family.home + Family.work)
    try family.fleet.expectExhausted()
  }

  @Test func listThatWasDeletedToLeaveItComesBackAsOnesOwnAndCanBeAcceptedAgain() throws {
    try ben.execute("DELETE FROM reminders WHERE id = 'milk'")
    try family.settle()
    try ben.execute("DELETE FROM lists WHERE id = 'home'")
    try family.settle()
    try restore("lists", "home", on: ben)
    try restore("reminders", "milk", on: ben)
    for device in [ben, family.benToo] { #expect(try device.tree() == Family.home + Family.own) }
    try family.share([Family.benID: .write])
    #expect(try ben.rows("SELECT count(*) FROM lists WHERE title = 'Home'") == ["2"])
    #expect(try ann.tree() == ["Home"] + Family.work)
    try family.fleet.expectExhausted()
  }

  /// Whoever deletes it leaves, whenever the owner is told, and whether it may be written or not.
  @Test(arguments: [Share.Permission.read, .write], [true, false])
  func listThatComesBackBeforeItsDeletionIsSentIsOnesOwnToo(
    permission: Share.Permission, isFolded: Bool
  ) throws {
    try ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: permission], publicPermission: nil)
    try family.settle()
    try ben.execute("DELETE FROM lists WHERE id = 'home'")
    if isFolded { try ben.synchronizer.foldEdits() }
    let home = SyncHistory.RowReference(table: "lists", key: "home")
    #expect(try restore("lists", "home", on: ben).newKeys[home] != nil)
    #expect(try restore("lists", "home", on: ben).rows == [])
    for device in [ben, family.benToo] { #expect(try device.tree() == Family.home + Family.own) }
    try family.share([Family.benID: .write])
    #expect(try ben.rows("SELECT count(*) FROM lists WHERE title = 'Home'") == ["2"])
    #expect(try ann.tree() == Family.home + Family.work)
    try family.fleet.expectExhausted()
  }

  /// Ben makes things in ann's list, and moves things of his own there; before he sends them he may
  /// only read it.
  @Test func whatWasTakenBackFromAListThatMayOnlyBeReadComesBackBelowACopyOfIt() throws {
    try ben.execute("INSERT INTO reminders VALUES ('tea', 'Tea', 'own')")
    try ben.execute("UPDATE reminders SET listID = 'home' WHERE id = 'tea'")
    try ben.execute("INSERT INTO subtasks VALUES ('leaf', 'Leaves', 'tea')")
    try ben.execute("INSERT INTO subtasks VALUES ('oat', 'Oat', 'milk')")
    try ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: .read], publicPermission: nil)
    try ann.sync()
    try family.settle()
    #expect(try ben.tree() == Family.home + Family.own)

    let list = SyncHistory.RowReference(table: "lists", key: "home")
    let copy = try restore("reminders", "tea", on: ben).newKeys[list]
    #expect(try restore("subtasks", "oat", on: ben).newKeys[list] == copy)
    let copied = ["Home", "Home > Milk", "Home > Milk > Oat", "Home > Tea", "Home > Tea > Leaves"]
    for device in [ben, family.benToo] {
      #expect(try device.tree().sorted() == (Family.home + copied + Family.own).sorted())
    }
    #expect(try restore("reminders", "tea", on: ben).rows == [])
    #expect(try ann.tree() == Family.home + Family.work)
    try family.fleet.expectExhausted()
  }

  /// What others deleted lives nowhere.
  @Test func whatWasDeletedKeepsItsKey() throws {
    try ben.execute("DELETE FROM reminders WHERE id = 'milk'")
    try family.settle()
    #expect(try restore("reminders", "milk", on: ann).newKeys == [:])
    for device in [ann, ben] { #expect(try device.tree().contains("Home > Milk > 3.5 %")) }
    try family.fleet.expectExhausted(after: [.waited])
  }
}
