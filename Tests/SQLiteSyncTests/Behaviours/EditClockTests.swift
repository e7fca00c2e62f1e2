import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSync

/// An edit is later than whatever its device knew of the record, also than what is not there any
/// more: else it has the clock of an edit that others still have, or an earlier one, and loses.
struct EditClockTests {
  private let fleet: Fleet
  private let store: FaultyStore
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet()
    store = FaultyStore(fleet.store)
    ann = try fleet.device(store: store, commitsPerTransaction: 1)
    ben = try fleet.device()
  }

  /// Ann's wall clock shows this time at her next write.
  private func annsClock(shows time: Int64) {
    ann.skew = time - fleet.clock.now - 1
  }

  // The simulation's seed 20416.
  @Test func aClockThatStandsStillDoesNotGiveATimeTwiceToAFieldOfARowThatDiedAndCameBack() throws {
    let carl = try fleet.device()
    let time = fleet.clock.now
    try carl.execute("INSERT INTO reminders (id, title) VALUES ('r', 'Carl''s')")
    annsClock(shows: time + 10)
    try ann.execute("INSERT INTO reminders (id, title) VALUES ('r', 'Ann''s first')")
    try fleet.settle(ann, ben)
    fleet.clock.advance(milliseconds: 1_000)
    try carl.execute("UPDATE reminders SET notes = 'Later than the deletion'")
    annsClock(shows: time + 10)
    try ann.execute("DELETE FROM reminders")
    try ann.sync()
    // Carl's row, with his old title, overrules the deletion.
    try carl.sync()
    try ann.fetch()
    #expect(try ann.rows("SELECT title FROM reminders") == ["Ann's first"])
    // Ben still has Ann's first title, and finds it lacking in the cloud.
    try ben.fetch()
    annsClock(shows: time + 10)
    try ann.execute("UPDATE reminders SET title = 'Ann''s second'")
    try ann.sync()
    try fleet.settle()
    for device in fleet.devices {
      #expect(
        try device.rows("SELECT title, notes FROM reminders") == [
          "Ann's second|Later than the deletion"
        ])
    }
    try fleet.expectExhausted()
  }

  // The simulation's seeds 32907 and 37257.
  @Test func whatIsEditedAfterADeletionWasTakenBackIsLaterThanWhatTheDeletionTook() throws {
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'First')")
    try fleet.settle()
    ben.skew = 1_000
    try ben.execute("INSERT INTO reminders (id, listID) VALUES ('r', 'l')")
    try ben.sync()
    // Ann's edit gets into the cloud, and she does not hear of it.
    try ann.execute("UPDATE lists SET title = 'Second'")
    store.plan { call in
      call.kind == .create && call.path.contains("/log/") ? .crashAfter : nil
    }
    #expect(throws: (any Error).self) { try ann.send() }
    store.restart()
    try ann.relaunch()
    try ann.execute("DELETE FROM lists")
    try fetchOnePage(of: ann)
    #expect(try ann.rows("SELECT title FROM lists") == ["Second"])
    ann.skew = -1_000
    try ann.execute("UPDATE lists SET title = 'Third'")
    try fleet.settle()
    for device in fleet.devices {
      #expect(try device.rows("SELECT title FROM lists") == ["Third"])
      #expect(try device.rows("SELECT id FROM reminders") == ["r"])
    }
    try fleet.expectExhausted()
  }

  /// A list of an app that makes one of several: it is deleted as of when it was made, so that what
  /// comes into it meanwhile stays.
  @Test func aRowThatCameBackAndIsDeletedAsOfItsLifeTakesNothingWithItThatCameSince() throws {
    let carl = try fleet.device()
    try ann.execute("INSERT INTO lists (id, title) VALUES ('kept', 'Ours'), ('l', 'Ours')")
    try fleet.settle()
    try joinLists(ann)
    try ann.sync()
    fleet.clock.advance(milliseconds: 1_000)
    try carl.execute("INSERT INTO reminders (id, listID) VALUES ('carl', 'l')")
    try carl.execute("UPDATE lists SET title = 'Of carl' WHERE id = 'l'")
    fleet.clock.advance(milliseconds: 1_000)
    try ben.execute("INSERT INTO reminders (id, listID) VALUES ('ben', 'l')")
    try ben.sync()
    try ann.fetch()
    try joinLists(ann)
    try ann.sync()
    try fleet.settle()
    for device in fleet.devices {
      #expect(
        try device.rows("SELECT id, listID FROM reminders ORDER BY id") == ["ben|kept", "carl|l"])
      #expect(try device.rows("SELECT title FROM lists WHERE id = 'l'") == ["Of carl"])
    }
    try fleet.expectExhausted()
  }

  private func joinLists(_ device: Device) throws {
    try device.write { db in
      let made = try #require(try SyncRowEdits(db, of: "lists", key: "l").made)
      try db.execute(sql: "UPDATE reminders SET listID = 'kept' WHERE listID = 'l'")
      try SyncEngine.edit(asOf: made.milliseconds, in: db) {
        try db.execute(sql: "DELETE FROM lists WHERE id = 'l'")
      }
    }
  }

  private func fetchOnePage(of device: Device) throws {
    let pages = Mutex(0)
    device.synchronizer.shouldStop = {
      pages.withLock {
        $0 += 1
        return $0 > 1
      }
    }
    try device.fetch()
    device.synchronizer.shouldStop = { false }
  }
}
