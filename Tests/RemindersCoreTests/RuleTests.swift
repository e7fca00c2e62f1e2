import Foundation
import GRDB
import SQLiteSync
import Testing

@testable import RemindersCore

/// What the schema lets nobody write, and what is there all the same.
@Suite struct RuleTests {
  private let fixture: Fixture

  init() throws { fixture = try Fixture() }

  @Test(
    arguments: [
      ("_later", false), ("later_", true), ("__", false),
      (String(repeating: "x", count: 250), true),
      (String(repeating: "x", count: 251), false), (String(repeating: "漢", count: 27), true),
      (String(repeating: "漢", count: 28), false), (String(repeating: "é", count: 41), true),
      (String(repeating: "é", count: 42), false), (String(repeating: "%", count: 83), true),
      (String(repeating: "%", count: 84), false), ("a" + String(repeating: "é", count: 41), true),
    ] as [(String, Bool)])
  func aTagIsWhatCanBeTheNameOfARecord(tag: String, isAllowed: Bool) async throws {
    var refusal: AppError?
    do {
      try await fixture.add("Walk", tags: [tag])
    } catch let error as AppError {
      refusal = error
    }
    #expect(refusal?.kind == (isAllowed ? nil : .invalidInput))
    #expect(try fixture.titles(.all) == (isAllowed ? ["Walk"] : []))
    // And whoever else writes the file.
    var message: String?
    do {
      try fixture.execute("INSERT OR IGNORE INTO tags (title) VALUES ('\(tag)')")
    } catch let error as DatabaseError {
      message = error.message
    }
    #expect(message == (isAllowed ? nil : SyncEngine.invalidRecordNameError))
  }

  @Test(arguments: ["remindersLists", "reminders", "reminderTags", "remindersListAssets"])
  func aKeyThatIsNoNameOfARecordIsRefused(table: String) async throws {
    try await fixture.add("Walk", tags: ["out"])
    let key = table == "remindersListAssets" ? "remindersListID" : "id"
    if key != "id" {
      try fixture.execute("INSERT INTO remindersListAssets SELECT id, NULL FROM remindersLists")
    }
    let error = #expect(throws: DatabaseError.self) {
      try fixture.database.writer.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA foreign_keys = OFF")
        defer { try? db.execute(sql: "PRAGMA foreign_keys = ON") }  // It cannot fail.
        try db.execute(sql: "UPDATE \(table) SET \(key) = '_' || \(key)")
      }
    }
    #expect(error?.message == SyncEngine.invalidRecordNameError)
  }

  @Test func rowsFromBeforeTheRulesStay() throws {
    let directory = fixture.directory
    try fixture.database.writer.writeWithoutTransaction { db in
      let triggers = try String.fetchAll(
        db,
        sql: """
          SELECT name FROM sqlite_master WHERE type = 'trigger'
          AND (name GLOB '*KeyOn*' OR name GLOB '*PlaceOn*' OR name GLOB 'sync_*')
          """)
      #expect(triggers.count { !$0.hasPrefix("sync_") } == 24)
      for trigger in triggers { try db.execute(sql: "DROP TRIGGER \(trigger)") }
      try db.execute(
        sql: """
          DELETE FROM grdb_migrations WHERE identifier = 'rules for keys and places';
          INSERT INTO tags VALUES ('_later');
          INSERT INTO remindersLists (id, position) VALUES ('far', 9e999);
          """)
    }
    let again = try AppDatabase(directory: directory)
    #expect(try again.fetch(SidebarQuery(time: berlin())).tags.map(\.title) == ["_later"])
    #expect(throws: DatabaseError.self) {
      try again.writer.write { try $0.execute(sql: "INSERT INTO tags VALUES ('_more')") }
    }
    #expect(throws: DatabaseError.self) {
      try again.writer.write { try $0.execute(sql: "UPDATE reminderTags SET id = '_x'") }
      try again.writer.write { try $0.execute(sql: "UPDATE remindersLists SET position = -9e999") }
    }
  }

  @Test func aTagFromBeforeCanStillBeRenamedAndDeleted() async throws {
    try fixture.applying("INSERT INTO tags VALUES ('_one'), ('_two')")
    _ = try await fixture.database.renameTag("_one", to: "one")
    _ = try await fixture.database.deleteTag("_two")
    #expect(try fixture.database.fetch(SidebarQuery(time: berlin())).tags.map(\.title) == ["one"])
  }

  @Test(arguments: ["9e999", "-9e999", "1e300", "-1e300", "1e15", "-1e15"])
  func aRowThatIsFarAwayCanBeMovedAndMovedTo(position: String) async throws {
    var ids: [Reminder.ID] = []
    for title in ["A", "B", "C"] { ids.append(try await fixture.add(title)) }
    try fixture.applying("UPDATE reminders SET position = \(position) WHERE title <> 'C'")
    _ = try await fixture.database.moveReminder(ids[2], .after, ids[0])
    #expect(try fixture.titles(.all, sort: .manual) == ["A", "C", "B"])
    _ = try await fixture.database.moveReminder(ids[1], .before, ids[0])
    #expect(try fixture.titles(.all, sort: .manual) == ["B", "A", "C"])
    try await fixture.add("D")
    #expect(try fixture.titles(.all, sort: .manual).count == 4)
  }

  @Test func whatWasAtInfinityComesBackWhenItsDeletionIsUndone() async throws {
    let id = try await fixture.add("A")
    try fixture.applying("UPDATE reminders SET position = 9e999")
    let step = try await fixture.database.deleteReminders([id])
    _ = try await fixture.database.undo(step)
    #expect(try fixture.titles(.all) == ["A"])
  }

  @Test(arguments: [Int64.max, Int64.min, 0, 285_781_132_800_000, -99_999_999_999_999])
  func everyMomentHasAText(milliseconds: Int64) throws {
    let moment = Date(milliseconds: milliseconds)
    for zone in ["Europe/Berlin", "Pacific/Apia"] {
      let time = LocalTime(now: moment, timeZone: try #require(TimeZone(identifier: zone)))
      #expect(!moment.iso8601(offset: time.offset(at: moment)).isEmpty)
      #expect(!time.secondText(of: moment).isEmpty)
      #expect(!DueDate.moment(moment).fullText(in: time).isEmpty)
      #expect(!DueDate.moment(moment).relativeText(in: berlin()).isEmpty)
    }
    #expect(abs(Double(moment.milliseconds) - Double(milliseconds)) < 4096)
  }

  @Test(arguments: ["+9000y", "+99999mo", "in 99999 months 9am", "9999-12-31T23:59:59-01:00"])
  func aDateBeyondTheCalendarIsRefusedAndNotForgotten(text: String) throws {
    let error = #expect(throws: AppError.self) { try DueDate.parse(text, in: berlin()) }
    #expect(error?.kind == .invalidInput)
  }

  /// As text it is before every date of ours.
  @Test(arguments: ["11026-01-01", "10000-01-01T04:59:00Z", "20", ""])
  func `what another program wrote of a year beyond the calendar is not overdue`(
    text: String
  ) async throws {
    let id = try await fixture.add("Pay", due: .day(try day("2026-11-20")))
    try fixture.execute("UPDATE reminders SET dueDate = '\(text)'")
    #expect(try fixture.details(id).due == nil)
    #expect(try fixture.titles("overdue") == [] && fixture.titles(.today) == [])
    #expect(try fixture.database.fetch(SidebarQuery(time: berlin())).counts.overdue == 0)
  }

  /// Late on its last evening in New York UTC has the year 10000.
  @Test func `a moment beyond the calendar is refused wherever it comes from`() async throws {
    let late = try #require(Date(iso8601: "9999-12-31T23:59:00-05:00"))
    let id = try await fixture.add("Pay")
    await #expect(throws: AppError.self) { try await fixture.add("Late", due: .moment(late)) }
    await #expect(throws: AppError.self) {
      try await fixture.database.editReminders([id], [.set(\.due, .moment(late))])
    }
    #expect(DueDate(stored: "9999-12-31T23:59:00-05:00") == nil)
    let lines = [
      "BEGIN:VCALENDAR", "BEGIN:VTODO", "UID:1", "SUMMARY:Late",
      "DUE;TZID=America/New_York:99991231T235900", "END:VTODO", "END:VCALENDAR",
    ]
    let batch = try ImportFormat.read(
      Data(lines.joined(separator: "\r\n").utf8), as: .ics, name: "file", in: berlin())
    let result = try await fixture.database.addImported(batch, into: nil).result
    #expect(result.reminders == 1 && result.problems.contains { $0.contains("DUE: 99991231") })
  }

  @Test(arguments: ["9e999", "-9e999", "1e300", "9223372036854775807", "-99999999999999"])
  func numbersOfAnotherAppNeverTrap(number: String) async throws {
    let file = fixture.directory.appending(path: "legacy.sqlite")
    let legacy = try DatabaseQueue(path: file.path)
    try await legacy.write { db in
      try db.execute(
        sql: """
          CREATE TABLE remindersLists (id INTEGER PRIMARY KEY, title TEXT, position REAL);
          CREATE TABLE reminders (id INTEGER PRIMARY KEY, title TEXT,
            remindersListID INTEGER REFERENCES remindersLists (id),
            dueDate ANY, createdAt ANY, updatedAt ANY, position REAL);
          CREATE TABLE tags (id INTEGER PRIMARY KEY, title TEXT);
          CREATE TABLE reminderTags (
            reminderID INTEGER REFERENCES reminders (id), tagID INTEGER REFERENCES tags (id));
          INSERT INTO remindersLists VALUES (1, 'Family', \(number));
          INSERT INTO reminders VALUES (1, 'Walk', 1, \(number), \(number), \(number), \(number));
          INSERT INTO tags VALUES (1, '_later'), (2, 'out');
          INSERT INTO reminderTags VALUES (1, 1), (1, 2);
          """)
    }
    let result = try await fixture.database.importLegacy(file)
    #expect(result.reminders == 1)
    #expect(result.unknown == ["the tag #_later"], "it is told, and the rest arrives")
    let row = try #require(try fixture.detail(.all).rows.first)
    let walk = try fixture.details(row.id)
    #expect(walk.reminder.due == nil && walk.reminder.notes.hasPrefix("Due: "))
    #expect(walk.tags == ["out"] && walk.reminder.position.isFinite)
  }

  @Test(
    arguments: [
      "\u{7F}", "\u{85}", "\u{9B}31m", "\u{202A}", "\u{202E}", "\u{2066}", "\u{2069}", "\u{200E}",
      "\u{200F}", "\u{061C}", "\u{1B}[",
    ])
  func jsonEscapesWhatCommandsATerminal(text: String) throws {
    let json = try JSONText.text(["title": text])
    #expect(json.unicodeScalars.allSatisfy { $0 == "\n" || !$0.commandsTerminal })
    #expect(try JSONDecoder().decode([String: String].self, from: Data(json.utf8))["title"] == text)
    #expect(text.printable.hasPrefix("\u{FFFD}"))
  }
}

extension Fixture {
  /// Writes as the engine does what another device sent.
  fileprivate func applying(_ sql: String) throws {
    try execute("UPDATE sync_state SET isApplying = 1")
    try execute(sql)
    try execute("UPDATE sync_state SET isApplying = 0")
  }
}
