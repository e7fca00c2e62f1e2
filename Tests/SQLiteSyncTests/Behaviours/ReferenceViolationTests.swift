import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// One device deletes a parent while another gives it a child.
struct ReferenceViolationTests {
  typealias First = MergeConflictTests.First

  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
    try ann.write { db in
      try db.execute(
        sql: """
          INSERT INTO lists (id, title) VALUES ('l', 'Old'), ('m', 'New'), ('inbox', 'Inbox');
          INSERT INTO reminders (id, title, listID) VALUES ('r', 'Haircut', 'l');
          INSERT INTO orphans VALUES ('o', 'Orphan', 'l');
          INSERT INTO fosters VALUES ('f', 'Foster', 'l');
          """)
    }
    try fleet.settle()
  }

  private func exchange(_ first: First) throws {
    try ben.send()
    switch first {
    case .fetch: try ann.fetch()
    case .send: try ann.send()
    }
    try fleet.settle()
  }

  private func troubles(_ first: First, _ code: CloudError.Code) -> Set<Trouble> {
    first == .send ? [.refused(code)] : []
  }

  @Test(arguments: First.allCases)
  func aRowMovedBeforeItsNewParentWasDeletedElsewhereGoesWithIt(first: First) throws {
    try ann.execute("UPDATE reminders SET listID = 'm'")
    try ben.execute("DELETE FROM lists WHERE id = 'm'")
    try exchange(first)
    for device in [ann, ben] {
      #expect(try device.rows("SELECT id FROM reminders") == [])
      #expect(try device.rows("SELECT id FROM lists ORDER BY id") == ["inbox", "l"])
    }
    try fleet.expectExhausted(after: troubles(first, .referenceViolation))
  }

  @Test(arguments: First.allCases)
  func aRowMovedAfterItsNewParentWasDeletedElsewhereBringsItBack(first: First) throws {
    try ben.execute("DELETE FROM lists WHERE id = 'm'")
    try ann.execute("UPDATE reminders SET listID = 'm'")
    try exchange(first)
    for device in [ann, ben] {
      #expect(try device.rows("SELECT listID FROM reminders") == ["m"])
      #expect(try device.rows("SELECT title FROM lists WHERE id = 'm'") == ["New"])
    }
    try fleet.expectExhausted(after: troubles(first, .referenceViolation))
  }

  @Test(arguments: First.allCases)
  func aListDeletedBeforeAnotherDeviceAddedToItComesBackWithThatRowOnly(first: First) throws {
    try ann.execute("DELETE FROM lists WHERE id = 'l'")
    try ben.execute("INSERT INTO reminders (id, title, listID) VALUES ('n', 'New', 'l')")
    try exchange(first)
    for device in [ann, ben] {
      #expect(try device.rows("SELECT id, listID FROM reminders") == ["n|l"])
      #expect(try device.rows("SELECT title FROM lists WHERE id = 'l'") == ["Old"])
    }
    try fleet.expectExhausted(
      after: first == .send ? [.refused(.referenceViolation), .refused(.batchRequestFailed)] : [])
  }

  @Test(arguments: First.allCases)
  func aListDeletedAfterAnotherDeviceAddedToItTakesThatRowAlong(first: First) throws {
    try ben.execute("INSERT INTO reminders (id, title, listID) VALUES ('n', 'New', 'l')")
    try ann.execute("DELETE FROM lists WHERE id = 'l'")
    try exchange(first)
    for device in [ann, ben] {
      #expect(try device.rows("SELECT id FROM reminders") == [])
      #expect(try device.rows("SELECT id FROM lists WHERE id = 'l'") == [])
    }
    try fleet.expectExhausted(
      after: first == .send ? [.refused(.referenceViolation), .refused(.batchRequestFailed)] : [])
  }

  @Test(arguments: First.allCases)
  func aReferenceThatMayBeNullBecomesNullHereAndInTheCloud(first: First) throws {
    try ann.execute("UPDATE orphans SET listID = 'm'")
    try ben.execute("DELETE FROM lists WHERE id = 'm'")
    try exchange(first)
    for device in [ann, ben] {
      #expect(try device.rows("SELECT listID FROM orphans") == ["NULL"])
    }
    #expect(try Stranger(fleet).record("o:orphans")?.fields["listID"]?.value == .null)
    try fleet.expectExhausted(after: troubles(first, .referenceViolation))
  }

  @Test(arguments: First.allCases)
  func aReferenceWithADefaultBecomesTheDefaultHereAndInTheCloud(first: First) throws {
    try ann.execute("UPDATE fosters SET listID = 'm'")
    try ben.execute("DELETE FROM lists WHERE id = 'm'")
    try exchange(first)
    for device in [ann, ben] {
      #expect(try device.rows("SELECT listID FROM fosters") == ["inbox"])
    }
    #expect(try Stranger(fleet).record("f:fosters")?.fields["listID"]?.value == .text("inbox"))
    try fleet.expectExhausted(after: troubles(first, .referenceViolation))
  }

  @Test(arguments: First.allCases)
  func aTagDeletedHereAndUsedLaterThereComesBack(first: First) throws {
    try ann.execute("INSERT INTO tags VALUES ('car')")
    try fleet.settle()
    try ann.execute("DELETE FROM tags")
    try ben.execute("INSERT INTO reminderTags VALUES ('rt', 'r', 'car')")
    try exchange(first)
    for device in [ann, ben] {
      #expect(try device.rows("SELECT tagID FROM reminderTags") == ["car"])
      #expect(try device.rows("SELECT title FROM tags") == ["car"])
    }
    try fleet.expectExhausted()
  }

  @Test func aTagMadeAgainHereLetsInWhatWaitedForIt() throws {
    try ann.execute("INSERT INTO tags VALUES ('car')")
    try fleet.settle()
    try ann.execute("DELETE FROM tags")
    try fleet.settle()
    try Stranger(fleet).save("reminderTags", "rt", ["reminderID": .null, "tagID": .text("car")])
    try fleet.settle()
    #expect(try ann.counts().waiting == 1)
    try ann.execute("INSERT INTO tags VALUES ('Car')")
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT tagID FROM reminderTags") == ["car"])
      #expect(try device.rows("SELECT title FROM tags") == ["Car"])
    }
    try fleet.expectExhausted(after: [.waited])
  }
}
