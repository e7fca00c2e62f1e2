import Foundation
import GRDB
import GRDBSQLite
import Synchronization
import Testing

@testable import RemindersCore

/// What a screen shows costs by what it shows: no query of one reads a table from end to end, or
/// looks for unsent edits more than once.
@Suite struct QueryWorkTests {
  private let time = berlin()

  private func filled() async throws -> Fixture {
    let fixture = try Fixture()
    for offset in -3...3 {
      try await fixture.add("x", due: .day(time.today.adding(days: offset)), tags: ["home"])
    }
    return fixture
  }

  private var screens: [any Query] {
    let window = RowWindow(count: 50)
    return [
      AgendaQuery(time.today...time.today.adding(days: 41), time: time),
      StatsQuery(time: time), SidebarQuery(time: time),
      SearchQuery("plumber", time: time, window: window), ReminderQuery("none"),
    ]
      + [
        ReminderListQuery.Kind.today, .scheduled, .all, .flagged, .completed, .tags(["home"]),
      ].map { ReminderListQuery($0, time: time, window: window) }
  }

  @Test func `an agenda of six weeks looks for unsent edits once`() async throws {
    let fixture = try await filled()
    let query = AgendaQuery(time.today...time.today.adding(days: 41), time: time)
    let statements = try fixture.statements(of: query)
    #expect(statements.count { $0.contains("sync_edits") } == 1)
    let plan = try fixture.planOfToday(time)
    #expect(plan.count == 1)
    #expect(plan.first?.contains("SEARCH reminders USING INDEX remindersByDue") == true)
    #expect(plan.first?.contains("dueDate>? AND dueDate<?") == true)
  }

  @Test func `unsent edits are put together of the rows that are shown alone`() async throws {
    let fixture = try await filled()
    for query in screens {
      let plans = try fixture.plans(of: query).filter { $0.statement.contains("sync_edits") }
      for (statement, plan) in plans {
        // Where the rows are not known before, SQLite groups all edits and makes an index of them.
        #expect(!plan.contains { $0.hasPrefix("SEARCH edits USING AUTOMATIC") }, "\(statement)")
        let rows = plan.firstIndex(of: "MATERIALIZE found")
        let edits = try #require(plan.firstIndex(of: "SCAN sync_edits"), "\(statement)")
        #expect(rows.map { $0 < edits } == true, "\(statement): \(plan)")
      }
    }
  }

  @Test func `of texts that are too long no more is read than a screen can show`() async throws {
    let fixture = try await filled()
    let parent = try #require(try fixture.detail(.all).rows.first).id
    for _ in 1...5 {
      _ = try await fixture.database.addReminder(
        ReminderDraft(title: "part", due: .day(time.today), parentID: parent))
    }
    try await fixture.database.writer.write { db in
      let text = String(repeating: "plumber ", count: 1 << 12)
      try db.execute(
        sql: """
          UPDATE reminders SET title = ?, notes = ?, url = ?;
          UPDATE remindersLists SET title = ?
          """, arguments: [text, text, text, text])
    }
    let window = RowWindow(count: 50)
    let agenda = try fixture.database.fetch(
      AgendaQuery(time.today...time.today.adding(days: 6), time: time))
    let rows =
      try fixture.detail(.all).rows
      + fixture.database.fetch(ReminderListQuery(.today, time: time, window: window)).rows
      + fixture.database.fetch(SearchQuery("plumber", time: time, window: window)).hits.map(\.row)
      + agenda.days.flatMap(\.entries).map(\.row)
    #expect(rows.count > 20)
    for row in rows {
      let texts = [row.title, row.reminder.notes, row.url, row.parentTitle, row.list.title]
      #expect(texts.compactMap { $0?.utf8.count }.allSatisfy { $0 <= 10_001 })
      #expect(row.title.isLongerThanAnyTitle)
    }
    var sidebar = SidebarQuery(time: time)
    #expect(try fixture.database.fetch(sidebar).lists.map(\.list.title.utf8.count) == [10_001])
    sidebar.readsWholeTexts = true
    #expect(try fixture.database.fetch(sidebar).lists.map(\.list.title.utf8.count) == [1 << 15])
  }

  @Test func `a title of a megabyte is read once, however many rows name it`() async throws {
    let fixture = try Fixture()
    let today = DueDate.day(time.today)
    let parent = try await fixture.add("parent", due: today)
    for _ in 1...40 {
      _ = try await fixture.database.addReminder(
        ReminderDraft(title: "part", due: today, parentID: parent))
    }
    let title = String(repeating: "x", count: 1 << 20)
    try await fixture.database.writer.write { db in
      try db.execute(
        sql: "UPDATE reminders SET title = ? WHERE id = ?; UPDATE remindersLists SET title = ?",
        arguments: [title, parent, title])
    }
    let pages = title.utf8.count / 4096
    let rows = ReminderListQuery(.today, time: time, window: RowWindow(count: 50))
    #expect(try fixture.database.fetch(rows).rows.count { $0.parentTitle != nil } == 40)
    #expect(try fixture.pages(of: rows) < 8 * pages)
    let announced = AnnouncementQuery(rules: .standard, time: time)
    #expect(try fixture.pages(of: announced) < 8 * pages)
  }

  /// East of Greenwich the index has what is due on a day on the wrong side of moments before dawn.
  @Test func `a day with notes of a megabyte is read once, also where it is put in order`()
    async throws
  {
    let fixture = try Fixture()
    let night = time.start(of: time.today).addingTimeInterval(60)
    for due in [DueDate.day(time.today), .moment(night)] {
      try await fixture.add("x", due: due)
    }
    let query = ReminderListQuery(.today, time: time, window: RowWindow(count: 50))
    #expect(try fixture.database.fetch(query).rows.count == 2)
    let few = try fixture.pages(of: query)
    let notes = String(repeating: "x", count: 1 << 20)
    try await fixture.database.writer.write { db in
      try db.execute(
        sql: "UPDATE reminders SET notes = ? WHERE length(dueDate) = 10", arguments: [notes])
    }
    // SQLite passes them once to find the columns behind them, and once to read them.
    let passes = Double(try fixture.pages(of: query) - few) / Double(notes.utf8.count / 4096)
    #expect(passes < 2.5)
  }

  @Test func `looking back reads what is late once, not once a day`() async throws {
    let fixture = try await filled()
    let statements = try fixture.statements(of: StatsQuery(time: time))
    #expect(statements.count { $0.contains("createdAt <=") } == 2)
  }

  @Test func `what devices disagreed about is found without the rest of the history`() async throws
  {
    let fixture = try await filled()
    let plans = try fixture.plans(of: OverdueRolloversQuery(time: time))
      .filter { $0.statement.contains("FROM sync_history") }
    #expect(!plans.isEmpty)
    for (statement, plan) in plans {
      #expect(plan.contains { $0.contains("sync_history_conflict (tableID=? AND") }, "\(statement)")
    }
  }

  @Test func `no screen reads a table of reminders from end to end`() async throws {
    let fixture = try await filled()
    for query in screens {
      #expect(try fixture.scans(of: query) == [], "\(query)")
    }
  }
}

extension Fixture {
  /// How SQLite finds what is due on a day.
  fileprivate func planOfToday(_ time: LocalTime) throws -> [String] {
    try database.writer.read { db in
      let request = RowRequest(
        condition: .due(on: time.today, in: time).open,
        order: try ReminderListQuery.Sort.due.order(in: time, db))
      return try Row.fetchAll(
        db, sql: "EXPLAIN QUERY PLAN " + request.sql(selecting: "id"),
        arguments: request.arguments(RowWindow(count: 9))
      ).map { $0["detail"] as String }
    }
  }

  /// How many pages of the file SQLite looks at for a query.
  fileprivate func pages(of query: some Query) throws -> Int {
    try database.writer.read { db in
      func count() -> Int {
        [SQLITE_DBSTATUS_CACHE_HIT, SQLITE_DBSTATUS_CACHE_MISS].reduce(0) { sum, counter in
          var (current, highest): (Int32, Int32) = (0, 0)
          sqlite3_db_status(db.sqliteConnection, counter, &current, &highest, 0)
          return sum + Int(current)
        }
      }
      let before = count()
      _ = try query.fetch(db)
      return count() - before
    }
  }

  /// The statements that a query runs, with their values.
  fileprivate func statements(of query: some Query) throws -> [String] {
    try database.writer.read { db in
      let statements = Mutex<[String]>([])
      db.trace { event in
        if case .statement(let statement) = event {
          statements.withLock { $0.append(statement.expandedSQL) }
        }
      }
      defer { db.trace(options: []) }
      _ = try query.fetch(db)
      return statements.withLock { $0 }
    }
  }

  /// The tables of reminders and their tags that SQLite plans to read whole, each with the
  /// statement.
  fileprivate func scans(of query: some Query) throws -> [String] {
    try plans(of: query).flatMap { statement, plan in
      // Partial indexes have what is looked for, and nothing else.
      plan.filter { step in
        ["SCAN reminders ", "SCAN reminderTags"].contains(where: step.hasPrefix)
          && !step.contains("remindersOfSeries")
      }
      .map { "\($0): \(statement)" }
    }
  }

  /// The queries that a query runs, each with how SQLite plans to find what it asks for.
  fileprivate func plans(
    of query: some Query
  ) throws -> [(statement: String, plan: [String])] {
    let statements = try statements(of: query).filter { sql in
      ["SELECT", "WITH"].contains(where: sql.hasPrefix)
    }
    return try database.writer.read { db in
      try statements.map { sql in
        (sql, try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] as String })
      }
    }
  }
}
