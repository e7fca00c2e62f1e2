import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// Capture happens in the transaction of the edit: what does not happen is not captured.
struct CaptureTransactionTests {
  private struct Refusal: Error {}

  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO reminders (id, title, notes) VALUES ('r', 'Haircut', 'short')")
    try fleet.settle()
  }

  @Test func aTransactionThatIsRolledBackLeavesNothing() throws {
    #expect(throws: Refusal.self) {
      try ann.write { db in
        try db.execute(sql: "DELETE FROM reminders")
        try db.execute(sql: "INSERT INTO reminders (id) VALUES ('n')")
        throw Refusal()
      }
    }
    #expect(try ann.outbox() == [])
    try fleet.expectExhausted()
  }

  @Test func aSavepointThatIsRolledBackLeavesWhatWasBefore() throws {
    try ann.write { db in
      try db.execute(sql: "UPDATE reminders SET title = 'Hair'")
      try db.inSavepoint {
        try db.execute(sql: "UPDATE reminders SET notes = 'long'")
        try db.execute(sql: "DELETE FROM reminders")
        return .rollback
      }
    }
    #expect(try ann.outbox() == ["save r:reminders: title"])
    try fleet.settle()
    #expect(try ben.rows("SELECT title, notes FROM reminders") == ["Hair|short"])
    try fleet.expectExhausted()
  }

  @Test func aStatementThatIsRefusedLeavesNothing() throws {
    #expect(throws: DatabaseError.self) {
      try ann.execute("INSERT INTO reminders (id, listID) VALUES ('n', 'nowhere')")
    }
    #expect(throws: DatabaseError.self) {
      try ann.execute("INSERT INTO reminders (id) VALUES ('m'), ('r')")
    }
    #expect(try ann.outbox() == [])
    try fleet.expectExhausted()
  }

  // MARK: - One key, several lives

  @Test func aRowMadeAndDeletedBeforeAnybodySawItIsNothing() throws {
    try ann.execute("INSERT INTO reminders (id) VALUES ('n')")
    try ann.execute("DELETE FROM reminders WHERE id = 'n'")
    #expect(try ann.outbox() == [])
    try fleet.expectExhausted()
  }

  @Test func aRowMadeAndDeletedBetweenTwoFoldsIsNothingInTheEnd() throws {
    try ann.execute("INSERT INTO reminders (id) VALUES ('n')")
    #expect(try ann.outbox() == ["save n:reminders: all"])
    try ann.execute("DELETE FROM reminders WHERE id = 'n'")
    try fleet.settle()
    #expect(try ben.rows("SELECT id FROM reminders") == ["r"])
    try fleet.expectExhausted()
  }

  @Test func deletedAndInsertedInOneTransactionIsANewLife() throws {
    try ann.write { db in
      try db.execute(sql: "DELETE FROM reminders")
      try db.execute(sql: "INSERT INTO reminders (id, title) VALUES ('r', 'Again')")
    }
    #expect(try ann.outbox() == ["save r:reminders: all"])
    let times = try ann.times("reminders", "r")
    #expect(times["death"] == fleet.clock.now)
    #expect(times["life"] == fleet.clock.now + 1)
    try fleet.settle()
    #expect(try ben.rows("SELECT id, title, notes FROM reminders") == ["r|Again|"])
    try fleet.expectExhausted()
  }

  @Test func deletedAndInsertedInTwoTransactionsIsANewLife() throws {
    try ann.execute("DELETE FROM reminders")
    #expect(try ann.outbox() == ["delete r:reminders"])
    try ann.execute("INSERT INTO reminders (id, title) VALUES ('r', 'Again')")
    #expect(try ann.outbox() == ["save r:reminders: all"])
    try fleet.settle()
    #expect(try ben.rows("SELECT id, title, notes FROM reminders") == ["r|Again|"])
    try fleet.expectExhausted()
  }

  @Test func insertedAgainAfterTheDeletionWasSentIsANewLife() throws {
    try ann.execute("DELETE FROM reminders")
    try fleet.settle()
    #expect(try ben.rows("SELECT id FROM reminders") == [])
    try ann.execute("INSERT INTO reminders (id, title) VALUES ('r', 'Again')")
    try fleet.settle()
    #expect(try ben.rows("SELECT id, title, notes FROM reminders") == ["r|Again|"])
    try fleet.expectExhausted()
  }

  @Test(arguments: [true, false])
  func aNewLifeBeatsAnEarlierEditOfTheOldOne(annSyncsFirst: Bool) throws {
    try ben.execute("UPDATE reminders SET notes = 'long'")
    try ann.execute("DELETE FROM reminders")
    try ann.execute("INSERT INTO reminders (id, title) VALUES ('r', 'Again')")
    try annSyncsFirst ? fleet.settle(ann, ben) : fleet.settle(ben, ann)
    #expect(try ben.rows("SELECT id, title, notes FROM reminders") == ["r|Again|"])
    try fleet.expectExhausted()
  }

  @Test func anEditMadeAndTheRowDeletedIsADeletion() throws {
    try ann.execute("UPDATE reminders SET title = 'Hair'")
    try ann.execute("DELETE FROM reminders")
    #expect(try ann.outbox() == ["delete r:reminders"])
    try fleet.settle()
    #expect(try ben.rows("SELECT id FROM reminders") == [])
    try fleet.expectExhausted()
  }

  // MARK: - Wall clocks

  @Test func anEditAfterASeenOneWinsHoweverSlowTheWallClock() throws {
    ben.skew = -86_400_000
    try ann.execute("UPDATE reminders SET title = 'first'")
    try fleet.settle()
    try ben.execute("UPDATE reminders SET title = 'second'")
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM reminders") == ["second"])
    try fleet.expectExhausted()
  }

  @Test func aDeletionAfterASeenEditWinsHoweverSlowTheWallClock() throws {
    ben.skew = -86_400_000
    try ann.execute("UPDATE reminders SET title = 'first'")
    try fleet.settle()
    try ben.execute("DELETE FROM reminders")
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM reminders") == [])
    try fleet.expectExhausted()
  }

  @Test func aClockFromTheFarFutureHarmsNoOtherField() throws {
    ann.skew = 1_000_000_000_000_000
    try ann.execute("UPDATE reminders SET title = 'from 2100 and later'")
    ann.skew = 0
    try fleet.settle()
    try ben.execute("UPDATE reminders SET notes = 'now'")
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT title, notes FROM reminders") == ["from 2100 and later|now"])
    }
    try ben.execute("UPDATE reminders SET title = 'even then'")
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM reminders") == ["even then"])
    try fleet.expectExhausted()
  }
}
