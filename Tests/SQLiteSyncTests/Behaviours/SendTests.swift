import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Batches: what is in them, in which order, all or nothing, and what happens meanwhile.
struct SendTests {
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
  }

  private func batches(_ device: Device) -> [[String]] {
    device.events.compactMap { event in
      guard case .nextRecordZoneChangeBatch(let changes, _) = event else { return nil }
      return changes.map { ($0.isDeletion ? "-" : "+") + $0.record.name }
    }
  }

  /// Runs `edit` the first time that a batch of the device is on its way.
  private func during(_ device: Device, _ edit: @escaping () -> Void) {
    let listener = device.synchronizer.emit
    var isDone = false
    device.synchronizer.emit = { event in
      listener(event)
      guard case .nextRecordZoneChangeBatch = event, !isDone else { return }
      isDone = true
      edit()
    }
  }

  /// What an app made because it did not know of the cloud's is settled before anybody sees it.
  @Test func theAppMayChangeWhatIsToBeSentOnceItKnowsWhatTheCloudHas() throws {
    let fleet = try Fleet { configuration in
      configuration.willSend = { db in
        guard try Int.fetchOne(db, sql: "SELECT count(*) FROM lists") == 2 else { return }
        try db.execute(sql: "UPDATE reminders SET listID = 'a'; DELETE FROM lists WHERE id = 'b'")
      }
    }
    let (ann, ben) = try fleet.pair()
    for (device, list) in [(ann, "a"), (ben, "b")] {
      try device.write { db in
        try db.execute(
          sql: """
            INSERT INTO lists (id) VALUES ('\(list)');
            INSERT INTO reminders (id, listID) VALUES ('of \(list)', '\(list)');
            """)
      }
    }
    try fleet.settle()
    #expect(!batches(ben).joined().contains("+b:lists"))
    for device in [ann, ben] {
      #expect(try device.rows("SELECT id FROM lists") == ["a"])
      #expect(try device.rows("SELECT id FROM reminders ORDER BY id") == ["of a", "of b"])
    }
  }

  // MARK: - What is in a batch

  @Test func parentsComeBeforeChildrenAndDeletionsLastChildrenFirst() throws {
    try ann.write { db in
      try db.execute(
        sql: """
          INSERT INTO lists (id) VALUES ('old');
          INSERT INTO reminders (id, listID) VALUES ('o', 'old');
          """)
    }
    try fleet.settle()
    try ann.write { db in
      try db.execute(
        sql: """
          DELETE FROM lists;
          INSERT INTO lists (id) VALUES ('l');
          INSERT INTO reminders (id, listID) VALUES ('r', 'l');
          INSERT INTO tags VALUES ('t');
          INSERT INTO reminderTags VALUES ('rt', 'r', 't');
          """)
    }
    try fleet.settle()
    let batch = try #require(batches(ann).last)
    let order = ["+l:lists", "+r:reminders", "+rt:reminderTags", "-o:reminders", "-old:lists"]
    #expect(batch.filter(order.contains) == order)
    try fleet.expectExhausted()
  }

  @Test func aRecordNamesItsParentOnlyIfItHasASingleOne() throws {
    try ann.write { db in
      try db.execute(
        sql: """
          INSERT INTO lists (id) VALUES ('l');
          INSERT INTO covers VALUES ('l', x'01');
          INSERT INTO reminders (id, listID) VALUES ('r', 'l');
          INSERT INTO tags VALUES ('t');
          INSERT INTO reminderTags VALUES ('rt', 'r', 't');
          """)
    }
    try fleet.settle()
    let stranger = try Stranger(fleet)
    #expect(try stranger.record("r:reminders")?.parent == "l:lists")
    #expect(try stranger.record("l:covers")?.parent == "l:lists")
    #expect(try stranger.record("rt:reminderTags")?.parent == nil)
    #expect(try stranger.record("l:lists")?.parent == nil)
    try fleet.expectExhausted()
  }

  @Test func aRecordOfAPrivateTableHasNoParent() throws {
    let schema = Schema(
      sql: """
        CREATE TABLE lists (id TEXT PRIMARY KEY NOT NULL);
        CREATE TABLE marks (
          id TEXT PRIMARY KEY NOT NULL, listID TEXT REFERENCES lists (id) ON DELETE CASCADE);
        """, tables: ["lists", "marks"], privateTables: ["marks"])
    let fleet = try Fleet(schema: schema)
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO lists VALUES ('l')")
    try ann.execute("INSERT INTO marks VALUES ('m', 'l')")
    try fleet.settle()
    #expect(try Stranger(fleet).record("m:marks")?.parent == nil)
    #expect(try ben.rows("SELECT listID FROM marks") == ["l"])
    try ben.execute("DELETE FROM lists")
    try fleet.settle()
    #expect(try ann.rows("SELECT * FROM marks") == [])
    try fleet.expectExhausted()
  }

  @Test func aChangeWhoseRowIsGoneIsDropped() throws {
    try ann.execute("INSERT INTO lists (id) VALUES ('l')")
    #expect(try ann.outbox() == ["save l:lists: all"])
    try ann.write { db in
      try DeviceState(db: db).muted { try db.execute(sql: "DELETE FROM lists") }
    }
    try ann.sync()
    #expect(batches(ann) == [])
    #expect(try ann.counts().pending == 0)
    #expect(try Stranger(fleet).names() == [])
  }

  @Test func moreChangesThanACommitTakesAreSeveralBatches() throws {
    try ann.write { db in
      for number in 0..<1_001 {
        try db.execute(
          sql: "INSERT INTO tags VALUES (?)", arguments: ["t\(number)"])
      }
    }
    try fleet.settle()
    #expect(batches(ann).map(\.count) == [400, 400, 201])
    #expect(try ben.rows("SELECT count(*) FROM tags") == ["1001"])
    try fleet.expectExhausted()
  }

  @Test func longTextsAreSplitByTheirBytes() throws {
    let text = String(repeating: "x", count: 300_000)
    for number in 0..<6 {
      try ann.execute("INSERT INTO lists (id, title) VALUES (?, ?)", ["l\(number)", text])
    }
    try fleet.settle()
    #expect(batches(ann).count > 1)
    #expect(try ben.rows("SELECT count(*), min(length(title)) FROM lists") == ["6|300000"])
    try fleet.expectExhausted()
  }

  @Test func textsThatGrowInTheCommitAreSplitToo() throws {
    let text = String(repeating: "\u{1}", count: 120_000)
    for number in 0..<3 {
      try ann.execute("INSERT INTO lists (id, title) VALUES (?, ?)", ["l\(number)", text])
    }
    try fleet.settle()
    #expect(try ben.rows("SELECT count(*), min(length(title)) FROM lists") == ["3|120000"])
    try fleet.expectExhausted()
  }

  @Test func aTextThatIsTooLongIsHeldWithItsErrorAndHoldsUpNothingElse() throws {
    for number in 0..<5 {
      try ann.execute("INSERT INTO lists (id) VALUES (?)", ["l\(number)"])
    }
    try ann.execute(
      "UPDATE lists SET title = ? WHERE id = 'l2'", [String(repeating: "x", count: 2 << 20)])
    try ann.sync()
    try ben.sync()
    #expect(try ben.rows("SELECT count(*) FROM lists") == ["4"])
    #expect(try ann.rows("SELECT error LIKE 'limitExceeded%' FROM sync_pending") == ["1"])
    try ann.execute("UPDATE lists SET title = 'short'")
    try fleet.settle()
    try fleet.expectExhausted(
      after: [.refused(.limitExceeded)])
  }

  // MARK: - All or nothing

  @Test func aBatchWithAConflictChangesNothingAndThenLandsWhole() throws {
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'A')")
    try fleet.settle()
    try ben.execute("UPDATE lists SET title = 'B'")
    try ben.send()
    try ann.execute("UPDATE lists SET color = 1")
    try ann.execute("INSERT INTO lists (id, title) VALUES ('n', 'New')")
    try ann.send()
    #expect(try Stranger(fleet).record("l:lists")?.fields["title"]?.value == .text("B"))
    try fleet.settle()
    #expect(
      try ben.rows("SELECT id, title, color FROM lists ORDER BY id") == ["l|B|1", "n|New|255"])
    try fleet.expectExhausted(
      after: [.refused(.serverRecordChanged), .refused(.batchRequestFailed)])
  }

  @Test func aDeletionInABatchWithAConflictIsSentAgain() throws {
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'A'), ('m', 'B')")
    try fleet.settle()
    try ben.execute("UPDATE lists SET title = 'C' WHERE id = 'l'")
    try ben.send()
    try ann.execute("UPDATE lists SET color = 1 WHERE id = 'l'")
    try ann.execute("DELETE FROM lists WHERE id = 'm'")
    try ann.send()
    try fleet.settle()
    #expect(try ben.rows("SELECT id, title, color FROM lists") == ["l|C|1"])
    try fleet.expectExhausted(
      after: [.refused(.serverRecordChanged), .refused(.batchRequestFailed)])
  }

  // MARK: - Meanwhile

  @Test func anEditWhileABatchIsOnItsWayIsSentNextWithItsOwnTime() throws {
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'A')")
    try fleet.settle()
    try ann.execute("UPDATE lists SET title = 'B'")
    let ann = ann
    during(ann) {
      #expect(throws: Never.self) { try ann.execute("UPDATE lists SET title = 'C', color = 1") }
    }
    try ann.send()
    #expect(batches(ann).suffix(2) == [["+l:lists"], ["+l:lists"]])
    #expect(try ann.times("lists", "l")["title"] == fleet.clock.now)
    try fleet.settle()
    #expect(try ben.rows("SELECT title, color FROM lists") == ["C|1"])
    try fleet.expectExhausted()
  }

  @Test func aDeletionWhileASaveIsOnItsWayIsSentNext() throws {
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'A')")
    let ann = ann
    during(ann) { #expect(throws: Never.self) { try ann.execute("DELETE FROM lists") } }
    try ann.send()
    try fleet.settle()
    #expect(try ben.rows("SELECT * FROM lists") == [])
    #expect(try Stranger(fleet).names() == [])
    try fleet.expectExhausted()
  }

  @Test func aNewLifeWhileADeletionIsOnItsWayIsSentNext() throws {
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'A')")
    try fleet.settle()
    try ann.execute("DELETE FROM lists")
    let ann = ann
    during(ann) {
      #expect(throws: Never.self) { try ann.execute("INSERT INTO lists (id) VALUES ('l')") }
    }
    try ann.send()
    try fleet.settle()
    #expect(try ben.rows("SELECT id, title FROM lists") == ["l|"])
    try fleet.expectExhausted()
  }

  @Test func deletingAndMakingAgainAHundredTimesEndsAsTheLastTime() throws {
    try ann.execute("INSERT INTO tags VALUES ('t')")
    for round in 0..<20 {
      try ann.write { db in
        try db.execute(
          sql: """
            INSERT INTO lists (id, title) VALUES ('l', '\(round)');
            INSERT INTO reminders (id, listID) VALUES ('r', 'l'), ('s', 'l');
            INSERT INTO reminderTags VALUES ('rt', 'r', 't');
            """)
      }
      if round.isMultiple(of: 3) { try ann.send() }
      try ann.execute("DELETE FROM lists")
      if round.isMultiple(of: 4) { try fleet.settle() }
    }
    try fleet.settle()
    #expect(try Stranger(fleet).names() == ["t:tags"])
    try fleet.expectExhausted()
  }
}
