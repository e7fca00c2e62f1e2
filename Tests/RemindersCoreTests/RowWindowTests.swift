import Foundation
import GRDB
import Testing

@testable import RemindersCore

/// A list read in pieces is the list read whole.
@Suite struct RowWindowTests {
  @Test func `a window cuts the rows, not the counts`() async throws {
    let fixture = try Fixture()
    try await fixture.database.addSampleData(in: berlin(), withCovers: false)
    let detail = try fixture.detail(.all, window: RowWindow(start: 1, count: 2))
    #expect(detail.rows.map(\.title) == ["Haircut", "Call the plumber"])
    #expect((detail.start, detail.openCount, detail.completedCount) == (1, 11, 3))
  }

  @Test func `a window beyond the end shows the last rows`() async throws {
    let fixture = try Fixture()
    try await fixture.database.addSampleData(in: berlin(), withCovers: false)
    let detail = try fixture.detail(.all, window: RowWindow(start: 1000, count: 2))
    #expect(detail.start == 9 && detail.rows.count == 2)
  }

  @Test(arguments: ["Pacific/Auckland", "Europe/Berlin", "UTC", "America/Los_Angeles"])
  func `every stretch of a list is that of the whole list`(identifier: String) async throws {
    let fixture = try Fixture()
    let time = LocalTime(now: saturday, timeZone: try zone(identifier))
    try fill(fixture, count: 300)
    for sort in ReminderListQuery.Sort.allCases {
      for kind in [ReminderListQuery.Kind.all, .scheduled, .flagged, .completed] {
        var query = ReminderListQuery(kind, sort: sort, showsCompleted: true, time: time)
        let whole = try fixture.database.fetch(query).rows
        for start in stride(from: 0, to: whole.count, by: 7) {
          query.window = RowWindow(start: start, count: 10)
          let part = try fixture.database.fetch(query)
          let place: Comment = "\(identifier) \(kind) \(sort) \(start)"
          #expect(part.rows == Array(whole[part.start..<part.start + part.rows.count]), place)
          #expect(
            part.start <= start && part.start + part.rows.count >= min(start + 10, whole.count))
        }
      }
    }
  }

  @Test func `a window goes with its anchor`() async throws {
    let fixture = try Fixture()
    try fill(fixture, count: 300)
    var query = ReminderListQuery(.all, time: berlin())
    let whole = try fixture.database.fetch(query).rows
    query.window = RowWindow(start: 0, count: 20, anchor: whole[200].id)
    let part = try fixture.database.fetch(query)
    #expect(part.rows == Array(whole[part.start..<part.start + part.rows.count]))
    #expect(part.rows.contains { $0.id == whole[200].id })
    query.window?.anchor = "gone"
    #expect(try fixture.database.fetch(query).start == 0)
  }

  /// No page of a list costs the work of the whole list.
  @Test(arguments: ReminderListQuery.Sort.allCases, [true, false])
  func `every order is read along an index`(sort: ReminderListQuery.Sort, completed: Bool) throws {
    let fixture = try Fixture()
    // Only what is completed is ever shown in the order of its completion.
    let kinds: [ReminderListQuery.Kind] =
      sort == .completion ? [.completed] : [.all, .list("list"), .completed]
    for kind in kinds {
      let query = ReminderListQuery(kind, sort: sort, showsCompleted: completed, time: berlin())
      let plan = try fixture.database.writer.read { db in
        // Of a few thousand rows titles are looked up, and sorted.
        let order = try query.sort.order(in: query.time, db)
        var request = RowRequest(condition: try query.shown(db), order: order)
        return try [false, true].flatMap { isReversed in
          request.isReversed = isReversed
          return try Row.fetchAll(
            db, sql: "EXPLAIN QUERY PLAN " + request.sql(selecting: "*"),
            arguments: request.arguments(RowWindow(start: 9, count: 9))
          ).map { $0["detail"] as String }
        }
      }
      #expect(plan.count == 2 && plan.allSatisfy { $0.contains("INDEX") }, "\(kind): \(plan)")
    }
  }

  @Test(arguments: ["Pacific/Auckland", "UTC", "America/Los_Angeles"])
  func `hits come list after list, in every stretch of them`(identifier: String) async throws {
    let fixture = try Fixture()
    let time = LocalTime(now: saturday, timeZone: try zone(identifier))
    try fill(fixture, count: 300)
    try fixture.execute(
      """
      UPDATE remindersLists SET position = 2;
      INSERT INTO remindersLists (id, title, position) VALUES ('a', 'A', 3), ('b', 'B', 1);
      UPDATE remindersLists SET position = NULL WHERE id = 'b';
      UPDATE reminders SET remindersListID = CASE rowid % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'b'
        ELSE 'list' END;
      """)
    for sort in ReminderListQuery.Sort.allCases {
      func query(_ window: RowWindow) -> SearchQuery {
        SearchQuery("thing", sort: sort, showsCompleted: true, time: time, window: window)
      }
      let whole = try fixture.database.fetch(query(RowWindow(count: .max)))
      #expect(whole.isByList && whole.hits.count == 300)
      var lists: [String] = []
      for hit in whole.hits where lists.last != hit.row.list.id { lists.append(hit.row.list.id) }
      #expect(lists == ["b", "list", "a"])
      for id in lists {
        let inList = ReminderListQuery(.list(id), sort: sort, showsCompleted: true, time: time)
        #expect(
          try fixture.database.fetch(inList).rows.map(\.id)
            == whole.hits.filter { $0.row.list.id == id }.map(\.id))
      }
      for start in stride(from: 0, to: 300, by: 7) {
        let part = try fixture.database.fetch(query(RowWindow(start: start, count: 10)))
        #expect(part.hits == Array(whole.hits[part.start..<part.start + part.hits.count]))
        #expect(part.start <= start && part.start + part.hits.count >= min(start + 10, 300))
      }
    }
  }

  @Test func `very many hits are met along the index, whatever their list`() async throws {
    let fixture = try Fixture()
    try fill(fixture, count: 2001)
    let result = try fixture.database.fetch(SearchQuery("thing", time: berlin()))
    let all = ReminderListQuery(.all, time: berlin(), window: RowWindow(count: 200))
    #expect(!result.isByList)
    #expect(result.hits.map(\.row) == (try fixture.database.fetch(all).rows))
  }

  @Test func `a search is read in pieces too`() async throws {
    let fixture = try Fixture()
    try fill(fixture, count: 300)
    let query = SearchQuery("thing", time: berlin(), window: RowWindow(count: .max))
    let whole = try fixture.database.fetch(query)
    let part = try fixture.database.fetch(
      SearchQuery("thing", time: berlin(), window: RowWindow(start: 100, count: 10)))
    #expect(part.hits == Array(whole.hits[part.start..<part.start + part.hits.count]))
    #expect(part.hits.count >= 10 && part.openCount == whole.hits.count)
  }

  // MARK: - Selection

  @Test func `what selected reminders have in common is found`() async throws {
    let fixture = try Fixture()
    try await fixture.database.addSampleData(in: berlin(), withCovers: false)
    let query = ReminderListQuery(.all, time: berlin(), window: RowWindow(count: 1))
    let ids = try fixture.database.fetch(IDsQuery(.list(query)))
    #expect(ids.count == 11)
    let selected = try fixture.database.fetch(SelectionQuery(ids.union(["gone"]), in: .list(query)))
    #expect(selected.titles.first == "Dentist" && selected.ids.count == 11)
    #expect(!selected.areAllFlagged && selected.listIDs.count == 3)
    #expect(selected.tagCounts["sometime"] == 4)
    let dentist = try #require(selected.ids.first)
    let one = try fixture.database.fetch(SelectionQuery([dentist], in: .list(query)))
    #expect(one.areAllFlagged && one.priorities == [.high] && one.tagCounts == ["health": 1])
  }

  // MARK: - Rows

  /// Many reminders on few days, so that days and moments around midnight lie close together.
  private func fill(_ fixture: Fixture, count: Int) throws {
    try fixture.execute(
      """
      INSERT INTO remindersLists (id, title) VALUES ('list', 'List');
      WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(count - 1))
      INSERT INTO reminders (id, title, remindersListID, dueDate, isFlagged, priority, status)
      SELECT printf('r%04d', i), 'thing ' || (i % 17), 'list', CASE
          WHEN i % 5 = 0 THEN NULL
          WHEN i % 5 < 3 THEN date('2026-11-21', '+' || (i % 3) || ' days')
          ELSE strftime('%Y-%m-%dT%H:%M:%SZ', '2026-11-20', '+' || (i * 37 % 96) || ' hours')
        END, i % 3 = 0, nullif(i % 4, 0), CASE WHEN i % 7 = 0 THEN 2 ELSE 0 END
      FROM n;
      UPDATE reminders SET position = (position / 3) * 3 WHERE id > 'r0100';
      """)
  }
}
