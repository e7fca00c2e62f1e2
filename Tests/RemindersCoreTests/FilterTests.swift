import Foundation
import Testing

@testable import RemindersCore

/// What a filter finds among a few reminders, on Saturday 21 November 2026 at 14:32.
@Suite struct FilterTests {
  private let fixture: Fixture

  init() async throws {
    fixture = try Fixture()
    _ = try await fixture.database.addList(title: "Personal")
    let work = try await fixture.database.addList(title: "Work").id
    let time = berlin()
    let drafts = [
      ReminderDraft(title: "Milk", due: try DueDate.parse("yesterday", in: time), tags: ["shop"]),
      ReminderDraft(title: "Bread", due: try DueDate.parse("today 9:00", in: time)),
      ReminderDraft(
        title: "Report", notes: "with milk", due: try DueDate.parse("fri 9am", in: time),
        isFlagged: true, priority: .high, listID: work),
      ReminderDraft(title: "Call", due: try DueDate.parse("+7d", in: time), priority: .medium),
      ReminderDraft(title: "Zoo", url: "https://example.org"),
      ReminderDraft(title: "Ärzte", priority: .low, tags: ["shop", "night"]),
    ]
    var ids: [Reminder.ID] = []
    for draft in drafts { ids.append(try await fixture.database.addReminder(draft).id) }
    let done = try await fixture.add("Done", due: try DueDate.parse("-3d", in: time))
    _ = try await fixture.database.setDone(true, [done])
  }

  @Test(
    arguments: [
      ("milk", ["Milk", "Report"]),
      ("milk -list:Work", ["Milk"]),
      ("-milk", ["Bread", "Call", "Zoo", "Ärzte"]),
      ("zoo or call", ["Call", "Zoo"]), ("zoo OR call", ["Call", "Zoo"]), ("zoo \"or\" call", []),
      ("\"has:nonsense\"", []),
      ("milk overdue or zoo", ["Milk", "Zoo"]),
      ("\"with milk\"", ["Report"]),
      ("\"flagged\"", []),
      ("flagged", ["Report"]),
      ("overdue", ["Milk"]),
      ("list:work", ["Report"]),
      ("tag:shop", ["Milk", "Ärzte"]),
      ("tag:#shop tag:night", ["Ärzte"]),
      ("has:notes", ["Report"]), ("has:url", ["Zoo"]), ("-has:due", ["Zoo", "Ärzte"]),
      ("due:none", ["Zoo", "Ärzte"]), ("due=none", ["Zoo", "Ärzte"]),
      ("-due:none zoo", []), ("is:open milk", ["Milk", "Report"]), ("-is:open", ["Done"]),
      ("completed:none zoo", ["Zoo"]),
      ("due<today", ["Milk"]),
      ("due:today", ["Bread"]),
      ("due<=today", ["Milk", "Bread"]),
      ("due>today", ["Report", "Call"]),
      ("due<+7d", ["Milk", "Bread", "Report"]),
      ("due<=+7d", ["Milk", "Bread", "Report", "Call"]),
      ("due=+7d", ["Call"]),
      ("due<\"fri 10am\"", ["Milk", "Bread", "Report"]),
      ("due>=\"fri 9am\" due<=\"fri 9am\"", ["Report"]),
      ("priority>=medium", ["Report", "Call"]),
      ("priority=none", ["Milk", "Bread", "Zoo"]),
      ("-priority:high priority>none", ["Call", "Ärzte"]),
      ("completed>-7d", ["Done"]), ("is:completed", ["Done"]),
      ("created<-1d", []),
      ("or", ["Report"]), ("or or", ["Report"]), ("milk or", ["Milk", "Report"]),
      ("due < today", ["Milk"]), ("due< today", ["Milk"]), ("due <today", ["Milk"]),
      ("due < +7d milk", ["Milk", "Report"]), ("-due < +7d", ["Call", "Zoo", "Ärzte"]),
      ("created < -1d", []), ("priority >= medium", ["Report", "Call"]),
      ("due < \"fri 10am\"", ["Milk", "Bread", "Report"]), ("due \"<\" today", []),
      ("due <\"fri 10am\"", ["Milk", "Bread", "Report"]),
      ("due milk", []),
      ("list:work (zoo or milk)", ["Report"]), ("(zoo or milk) list:work", ["Report"]),
      ("list:work zoo or milk", ["Milk", "Report"]), ("((zoo) or (call))", ["Call", "Zoo"]),
      ("-(zoo or milk) -has:due", ["Ärzte"]),
      ("-( zoo or -( milk or call ) )", ["Milk", "Report", "Call"]),
      ("(zoo OR (milk tag:shop", ["Zoo", "Milk"]), ("milk (due<today)", ["Milk"]),
      ("(due < today or zoo)", ["Milk", "Zoo"]), ("(tag:\"shop\") milk", ["Milk"]),
      ("(zoo or milk))", []), ("() zoo", []), ("zoo (", []), (")", []), ("z(o)o", []),
      ("(z)oo", []), ("\"(zoo or milk)\"", []),
      ("--\"*(", []), ("list:", []), ("due<", []), ("a:b", []),
    ] as [(String, [String])])
  func aFilterFinds(typed: String, titles: [String]) throws {
    #expect(Set(try fixture.titles(typed)) == Set(titles))
  }

  @Test(
    arguments: [
      ("list:Nowhere", AppError.Kind.noSuchItem), ("tag:nothing", .noSuchItem),
      ("due<blurb", .invalidInput), ("due < blurb", .invalidInput),
      ("priority>urgent", .invalidInput), ("due<none", .invalidInput),
      ("created:none", .invalidInput),
      ("has:nonsense", .invalidInput), ("is:nonsense", .invalidInput),
      (String(repeating: "a or ", count: 500), .invalidInput),
      (String(repeating: "(", count: 9) + "a", .invalidInput),
      ("(zoo or list:Nowhere)", .noSuchItem), ("(due<blurb", .invalidInput),
      (String(repeating: "a", count: 1_000_000), .invalidInput),
    ])
  func whatDoesNotExistIsNamed(typed: String, kind: AppError.Kind) throws {
    let error = #expect(throws: AppError.self) { _ = try fixture.titles(typed) }
    #expect(error?.kind == kind)
  }

  @Test(arguments: [
    "notes", "url", "link", "due", "tags", "priority", "flag", "alarms", "alarm", "repeat",
    "subtasks",
  ])
  func `what can be had has a name`(part: String) throws {
    #expect(throws: Never.self) { try fixture.titles("has:\(part)") }
    #expect(FieldTest.Part.names.contains(part) == !["url", "alarm"].contains(part))
  }

  @Test func manyAlternativesAreFound() throws {
    #expect(
      try fixture.titles(String(repeating: "zoo or ", count: 200) + "call") == ["Call", "Zoo"])
  }

  /// SQLite reads a hundred things that are not finished, and no more.
  @Test func eightBracketsCanStandInEachOther() throws {
    let typed =
      String(repeating: "-(due<+7d milk or tag:shop -list:work -(", count: 4) + "zoo"
      + String(repeating: "))", count: 4)
    #expect(try fixture.titles(typed + " zoo") == ["Zoo"])
    let result = try fixture.database.fetch(SearchQuery(typed + " zoo", time: berlin()))
    #expect(result.hits.map(\.row.title) == ["Zoo"])
  }

  @Test(arguments: ["(call) of (zoo)", "zoo :)", "f(zoo)", "(zoo)ology", "zoo ) call", "zoo ()"])
  func bracketsOfATextAreFound(title: String) async throws {
    let note = try await fixture.add(title)
    let found = try fixture.database.fetch(SearchQuery(title, time: berlin())).hits.map(\.id)
    #expect(found == [note])
  }

  @Test func wordsOfAlternativesAreMarked() throws {
    let result = try fixture.database.fetch(SearchQuery("(zoo or call) -milk", time: berlin()))
    #expect(result.hits.map(\.title.hasMatch) == [true, true])
  }

  @Test func theSearchOfTheAppHasTheSameLanguage() throws {
    func titles(_ typed: String) throws -> Set<String> {
      Set(try fixture.database.fetch(SearchQuery(typed, time: berlin())).hits.map(\.row.title))
    }
    #expect(try titles("milk") == ["Milk", "Report"])
    #expect(try titles("milk list:Work") == ["Report"])
    #expect(try titles("zoo or overdue") == ["Zoo", "Milk"])
    #expect(try titles("tag:sho").isEmpty, "typed half")
    #expect(try titles("due<bl").isEmpty, "typed half")
  }

  @Test func listsTagsAndSmartListsCombine() throws {
    #expect(try fixture.titles("", in: [.tags(["shop"]), .scheduled]) == ["Milk"])
  }

  @Test func titlesAreInTheOrderOfPeople() throws {
    #expect(
      try fixture.titles("", sort: .title, completed: true)
        == ["Ärzte", "Bread", "Call", "Milk", "Report", "Zoo", "Done"])
  }

  @Test func theTimeOfCompletionIsNotThatOfTheLastChange() async throws {
    fixture.clock.advance(by: 10 * 86_400)
    let done = try #require(
      try fixture.detail(.completed).rows.first { $0.reminder.title == "Done" })
    _ = try await fixture.database.editReminders([done.id], [.set(\.notes, "edited later")])
    #expect(try fixture.titles("completed>-7d") == [])
    #expect(try fixture.titles("completed<-7d") == ["Done"])
    #expect(try fixture.titles("changed>-7d", completed: true) == ["Done"])
  }

  @Test func partsOfAReminderComeBelowIt() async throws {
    let list = try fixture.database.list(named: "Work").id
    let trip = try await fixture.database.addReminder(
      ReminderDraft(title: "Trip", listID: list)
    ).id
    for title in ["Bag", "Ticket"] {
      _ = try await fixture.database.addReminder(
        ReminderDraft(
          title: title, due: .day(berlin().today), listID: list, parentID: trip))
    }
    #expect(try fixture.titles("", in: [.list(list)]) == ["Report", "Trip", "Bag", "Ticket"])
    #expect(try fixture.titles("list:Work") == ["Bag", "Ticket", "Report", "Trip"])
    var found: [ReminderRow] = []
    try fixture.database.forEach(FilterQuery([.list(list)], time: berlin())) { found.append($0) }
    #expect(found.map(\.isUnderParent) == [false, false, true, true])
    #expect(found[1].subtasks == Subtasks(total: 2, done: 0) && found[2].parentTitle == "Trip")
  }

  @Test func todayAloneShowsTheMorningOfTomorrowOnRequest() async throws {
    let fixture = try Fixture()
    try await fixture.add("breakfast", due: .day(berlin().today.adding(days: 1)))
    func titles(_ kinds: [ReminderListQuery.Kind], _ isAsked: Bool) throws -> [String] {
      var query = FilterQuery(kinds, time: berlin())
      query.previewsTomorrow = isAsked
      var titles: [String] = []
      try fixture.database.forEach(query) { row in
        #expect(query.isPreview(row))
        titles.append(row.reminder.title)
      }
      return titles
    }
    #expect(try titles([.today], true) == ["breakfast"])
    #expect(try titles([.today], false) == [])
    #expect(try titles([.today, .all], true) == [])
  }

  @Test(arguments: ["Pacific/Auckland", "America/Los_Angeles", "Europe/Berlin"])
  func rowsThatComeOneByOneAreInTheExactOrder(zone: String) async throws {
    let fixture = try Fixture()
    let time = LocalTime(now: fixture.clock.now, timeZone: try #require(TimeZone(identifier: zone)))
    _ = try await fixture.database.addList(title: "Personal")
    try fixture.execute(
      """
      -- As the engine writes: nothing fills a position in.
      UPDATE sync_state SET isApplying = 1;
      WITH RECURSIVE series (value) AS (
        VALUES (1) UNION ALL SELECT value + 1 FROM series WHERE value < 400
      )
      INSERT INTO reminders (title, position, dueDate, status, remindersListID)
      SELECT 'n' || value, iif(value % 7 = 0, NULL, value * 31 % 50 - 25), CASE value % 5
          WHEN 0 THEN date('2026-11-20', (value % 9) || ' days')
          WHEN 1 THEN
            strftime('%Y-%m-%dT%H:%M:%SZ', '2026-11-20', (value * 37 % 9000) || ' minutes')
          WHEN 2 THEN
            strftime('%Y-%m-%dT%H:%M:%S-11:00', '2026-11-20', (value * 41 % 9000) || ' minutes')
          WHEN 3 THEN '2026-11-2x' END,
        value % 3, (SELECT id FROM remindersLists)
      FROM series;
      UPDATE sync_state SET isApplying = 0;
      """)
    let nowhere = try await fixture.database.writer.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM reminders WHERE position IS NULL")
    }
    #expect(nowhere == 57)
    var streamed: [String] = []
    let query = FilterQuery([.all], showsCompleted: true, time: time)
    try fixture.database.forEach(query) { streamed.append($0.id) }
    let all = ReminderListQuery(.all, showsCompleted: true, time: time)
    #expect(streamed == (try fixture.database.fetch(all).rows.map(\.id)))
  }
}
