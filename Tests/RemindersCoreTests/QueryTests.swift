import Foundation
import GRDB
import Testing

@testable import RemindersCore

@Suite struct QueryTests {
  @Test func `the sidebar counts what each list shows`() async throws {
    let fixture = try Fixture()
    #expect(try await fixture.database.addSampleData(in: berlin()) != nil)
    let sidebar = try fixture.database.fetch(SidebarQuery(time: berlin()))
    #expect(
      sidebar.counts
        == counts(today: 5, overdue: 2, scheduled: 9, all: 11, flagged: 2, completed: 3))
    #expect(sidebar.lists.map(\.list.title) == ["Personal", "Family", "Business"])
    #expect(sidebar.lists.map(\.openCount) == [6, 3, 2])
    #expect(
      sidebar.tags.map { "\($0.title) \($0.openCount)" }
        == ["evening 1", "friends 1", "health 2", "kids 1", "optional 1", "sometime 4"])
    let kinds: [(ReminderListQuery.Kind, Int)] = [
      (.today, 5), (.scheduled, 9), (.all, 11), (.flagged, 2), (.completed, 3),
      (.tags(["kids"]), 1), (.tags(["KIDS", "health"]), 3), (.tags([]), 0),
    ]
    for (kind, count) in kinds { #expect(try fixture.titles(kind).count == count, "\(kind)") }
  }

  @Test func `sample data is offered to an empty database only`() async throws {
    let fixture = try Fixture()
    #expect(try fixture.database.fetch(SidebarQuery(time: berlin())).isEmpty)
    try await fixture.database.addSampleData(in: berlin())
    let before = try fixture.contents()
    #expect(try await fixture.database.addSampleData(in: berlin()) == nil)
    #expect(try fixture.contents() == before)
  }

  @Test func `a list is shown in the order asked for`() async throws {
    let fixture = try Fixture()
    try await fixture.database.addSampleData(in: berlin())
    let personal = ReminderListQuery.Kind.list(try fixture.database.list(named: "Personal").id)
    #expect(
      try fixture.titles(personal, sort: .due) == [
        "Dentist", "Haircut", "Call the plumber", "Concert tickets", "Groceries",
        "Mend the bike light",
      ])
    #expect(
      try fixture.titles(personal, sort: .manual, completed: true) == [
        "Dentist", "Haircut", "Concert tickets", "Call the plumber", "Groceries",
        "Mend the bike light", "Long walk",
      ])
    #expect(
      try fixture.titles(personal, sort: .priority) == [
        "Dentist", "Call the plumber", "Haircut", "Concert tickets", "Groceries",
        "Mend the bike light",
      ])
    #expect(
      try fixture.titles(personal, sort: .title) == [
        "Call the plumber", "Concert tickets", "Dentist", "Groceries", "Haircut",
        "Mend the bike light",
      ])
  }

  @Test func `a row has what its line shows`() async throws {
    let fixture = try Fixture()
    try await fixture.database.addSampleData(in: berlin())
    let row = try #require(try fixture.detail(.flagged).rows.first)
    #expect(row.title == "Dentist")
    #expect(row.notesPreview == "Ask about the night guard. Bring the X-ray from last year.")
    #expect(row.list.title == "Personal")
    #expect(row.list.color == 0x4A99EF)
    #expect(row.tags == ["health"])
    #expect(row.priority == .high)
    #expect(row.isFlagged)
    #expect(row.due?.relativeText(in: berlin()) == "Thu 19 Nov 09:30")
  }

  @Test func `rows group by urgency`() async throws {
    let fixture = try Fixture()
    try await fixture.database.addSampleData(in: berlin())
    let groups = try fixture.detail(.all, completed: true).groups(in: berlin())
    #expect(
      groups.map { "\($0.urgency) \($0.rows.count)" } == [
        "overdue 2", "today 3", "tomorrow 1", "later 3", "noDate 2", "completed 3",
      ])
    #expect(groups[1].rows.map(\.title).last == "Concert tickets")
  }

  @Test(arguments: ["Pacific/Auckland", "Asia/Kathmandu", "UTC", "America/Los_Angeles"])
  func `today is the day of whoever looks`(identifier: String) async throws {
    let fixture = try Fixture()
    let time = LocalTime(now: saturday, timeZone: try zone(identifier))
    let today = time.today
    for (title, due) in [
      ("last night", DueDate.at(today.adding(days: -1), minutes: 1439, in: time)),
      ("all day", .day(today)),
      ("midnight", .at(today, minutes: 0, in: time)),
      ("evening", .at(today, minutes: 1439, in: time)),
      ("next midnight", .at(today.adding(days: 1), minutes: 0, in: time)),
      ("yesterday", .day(today.adding(days: -1))), ("tomorrow", .day(today.adding(days: 1))),
    ] {
      try await fixture.add(title, due: due)
    }
    let shown = try fixture.database.fetch(ReminderListQuery(.today, time: time))
    #expect(
      shown.rows.map(\.title) == ["yesterday", "last night", "all day", "midnight", "evening"])
    let sidebar = try fixture.database.fetch(SidebarQuery(time: time))
    #expect((sidebar.counts.today, sidebar.counts.overdue) == (5, 2))
    // One rule for counts, searches and the rows themselves.
    let late = FilterQuery([], filter: try Filter("overdue", in: time), time: time)
    var found: [String] = []
    try fixture.database.forEach(late) { found.append($0.title) }
    let marked = shown.rows.filter { $0.due?.isOverdue(in: time) == true }.map(\.title)
    #expect(found == marked && marked == ["yesterday", "last night"])
    let all = try fixture.database.fetch(ReminderListQuery(.all, time: time))
    #expect(
      all.rows.map(\.title) == [
        "yesterday", "last night", "all day", "midnight", "evening", "tomorrow", "next midnight",
      ])
  }

  @Test func `an id is known by its beginning`() async throws {
    let fixture = try Fixture()
    try await fixture.add("Haircut")
    try fixture.execute(
      """
      INSERT INTO reminders (id, title, remindersListID)
      SELECT column1, column1, id FROM remindersLists, (
        VALUES ('abcd1111'), ('abcd2222'), ('abce'), ('abce0000')
      )
      """)
    #expect(try fixture.database.reminderID(matching: "abcd1") == "abcd1111")
    #expect(try fixture.database.reminderID(matching: "ABCD22") == "abcd2222")
    for (prefix, kind) in [
      ("abcd", AppError.Kind.noSuchItem), ("zzzz", .noSuchItem), ("abc", .invalidInput),
      ("%%%%", .noSuchItem), ("", .invalidInput),
    ] {
      let error = #expect(throws: AppError.self) {
        try fixture.database.reminderID(matching: prefix)
      }
      #expect(error?.kind == kind, "\(prefix)")
    }
    #expect(try fixture.database.reminderID(matching: "abce") == "abce")
  }

  @Test func `a list is known by its title or the beginning of its id`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.database.addList(title: "Café").id
    _ = try await fixture.database.addList(title: "Twice")
    _ = try await fixture.database.addList(title: "Twice")
    #expect(try fixture.database.list(named: "cafe").id == id)
    #expect(try fixture.database.list(named: id).id == id)
    #expect(throws: AppError.self) { try fixture.database.list(named: "Twice") }
    #expect(throws: AppError.self) { try fixture.database.list(named: "Nothing") }
  }

  @Test func `a reminder in JSON has every key`() async throws {
    let fixture = try Fixture()
    let id = try await fixture.add("Haircut", due: try DueDate.parse("fri 9am", in: berlin()))
    let json = try text { try ReminderJSON().write(fixture.details(id), in: berlin(), to: &$0) }
    #expect(
      json == """
        {
          "alarms" : [

          ],
          "completedAt" : null,
          "createdAt" : "2026-11-21T14:32:00+01:00",
          "dueDate" : "2026-11-27T09:00:00+01:00",
          "id" : "00000000-0000-4000-8000-000000000001",
          "isFlagged" : false,
          "list" : {
            "id" : "\(RemindersList.defaultID(from: "00000000-0000-4000-8000-000000000002"))",
            "title" : "Personal"
          },
          "notes" : "",
          "parentID" : null,
          "position" : 1,
          "priority" : null,
          "recurrence" : null,
          "snoozedUntil" : null,
          "status" : "incomplete",
          "tags" : [

          ],
          "title" : "Haircut",
          "updatedAt" : "2026-11-21T14:32:00+01:00",
          "url" : null
        }

        """)
  }

  /// Foundation's encoder is the oracle for a document that is written piece by piece.
  @Test func aDocumentWrittenInPiecesIsTheOneThatAnEncoderMakes() throws {
    struct Oracle: Encodable {
      let empty: [String]
      let number: Double
      let texts: [String]
      let whole: Int
      let yes: Bool
    }
    let hostile = (0..<0x2100).compactMap(Unicode.Scalar.init).map { "a\($0)b" } + ["/\\\"é🙂"]
    for number in [0, 1.5, -2, 1e300, .leastNonzeroMagnitude, 1e16, 123_456_789.125] {
      let oracle = Oracle(empty: [], number: number, texts: hostile, whole: -3, yes: true)
      let json = try text { document in
        document.object { document in
          document.key("empty")
          document.value([])
          document.key("number")
          document.value(number)
          document.key("texts")
          document.value(hostile)
          document.key("whole")
          document.value(-3)
          document.key("yes")
          document.value(true)
        }
      }
      #expect(json == (try JSONText.text(oracle)) + "\n")
    }
  }

  private func counts(
    today: Int, overdue: Int, scheduled: Int, all: Int, flagged: Int, completed: Int
  ) -> Sidebar.Counts {
    var counts = Sidebar.Counts()
    counts.today = today
    counts.overdue = overdue
    counts.scheduled = scheduled
    counts.all = all
    counts.flagged = flagged
    counts.completed = completed
    return counts
  }
}
