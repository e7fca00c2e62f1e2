import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// What two people see who have one cloud between them.
struct TwoDeviceTests {
  @Test func aRowOfOneDeviceAppearsOnTheOther() throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try ann.execute("INSERT INTO reminders (id, title, listID) VALUES ('r', 'Haircut', 'l')")
    try fleet.settle(ann, ben)
    #expect(try ben.rows("SELECT title, listID FROM reminders") == ["Haircut|l"])
    #expect(try ann.counts() == SyncCounts())
    #expect(try ben.counts() == SyncCounts())
  }

  @Test func editsOfDifferentFieldsBothSurvive() throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO reminders (id, title) VALUES ('r', 'Haircut')")
    try fleet.settle(ann, ben)
    try ann.execute("UPDATE reminders SET title = 'Hair'")
    try ben.execute("UPDATE reminders SET dueDate = 7")
    try fleet.settle(ann, ben)
    for device in [ann, ben] {
      #expect(try device.rows("SELECT title, dueDate FROM reminders") == ["Hair|7"])
    }
  }

  @Test(arguments: [true, false])
  func ofTwoEditsOfOneFieldTheLaterWins(annSyncsFirst: Bool) throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO reminders (id, title) VALUES ('r', 'Haircut')")
    try fleet.settle(ann, ben)
    try ann.execute("UPDATE reminders SET title = 'earlier'")
    try ben.execute("UPDATE reminders SET title = 'later'")
    try annSyncsFirst ? fleet.settle(ann, ben) : fleet.settle(ben, ann)
    for device in [ann, ben] {
      #expect(try device.rows("SELECT title FROM reminders") == ["later"])
    }
  }

  @Test(arguments: [true, false])
  func anEditLaterThanADeletionBringsTheRowBack(deleterSyncsFirst: Bool) throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try ann.execute("INSERT INTO reminders (id, title, listID) VALUES ('r', 'Haircut', 'l')")
    try fleet.settle(ann, ben)
    try ann.execute("DELETE FROM reminders")
    try ben.execute("UPDATE reminders SET title = 'Hair'")
    try deleterSyncsFirst ? fleet.settle(ann, ben) : fleet.settle(ben, ann)
    for device in [ann, ben] {
      #expect(try device.rows("SELECT title, listID FROM reminders") == ["Hair|l"])
      #expect(try device.counts() == SyncCounts())
    }
  }

  @Test(arguments: [true, false])
  func aDeletionLaterThanAnEditWins(deleterSyncsFirst: Bool) throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO reminders (id, title) VALUES ('r', 'Haircut')")
    try fleet.settle(ann, ben)
    try ben.execute("UPDATE reminders SET title = 'Hair'")
    try ann.execute("DELETE FROM reminders")
    try deleterSyncsFirst ? fleet.settle(ann, ben) : fleet.settle(ben, ann)
    for device in [ann, ben] {
      #expect(try device.rows("SELECT * FROM reminders") == [])
      #expect(try device.counts() == SyncCounts())
    }
  }

  @Test(arguments: [true, false])
  func aListThatWasDeletedComesBackWithAReminderEditedLater(deleterSyncsFirst: Bool) throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try ann.execute(
      "INSERT INTO reminders (id, title, listID) VALUES ('r', 'Haircut', 'l'), ('s', 'Milk', 'l')")
    try fleet.settle(ann, ben)
    try ann.execute("DELETE FROM lists")
    try ben.execute("UPDATE reminders SET title = 'Hair' WHERE id = 'r'")
    try deleterSyncsFirst ? fleet.settle(ann, ben) : fleet.settle(ben, ann)
    for device in [ann, ben] {
      #expect(try device.rows("SELECT id, title FROM lists") == ["l|Personal"])
      #expect(try device.rows("SELECT id, title, listID FROM reminders") == ["r|Hair|l"])
      #expect(try device.counts() == SyncCounts())
    }
  }

  @Test func tagsOfOneNameMadeOnTwoDevicesAreOneRecord() throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO tags (title) VALUES ('car')")
    try ben.execute("INSERT INTO tags (title) VALUES ('Car')")
    try fleet.settle(ann, ben)
    #expect(try ann.rows("SELECT title FROM tags") == ["Car"])
    #expect(try ben.rows("SELECT title FROM tags") == ["Car"])
    #expect(try ann.counts() == SyncCounts())
    #expect(try ben.counts() == SyncCounts())
  }

  @Test func aSecondSyncChangesNothing() throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO reminders (id, title) VALUES ('r', 'Haircut')")
    try fleet.settle(ann, ben)
    let sent = ann.synchronizer.sentCount + ben.synchronizer.sentCount
    let changes = try ann.database.read { $0.totalChangesCount }
    try fleet.settle(ann, ben)
    #expect(ann.synchronizer.sentCount + ben.synchronizer.sentCount == sent)
    #expect(try ann.database.read { $0.totalChangesCount } == changes)
  }
}
