import Foundation
import GRDB
import GRDBSQLite
import Testing

@testable import RemindersCore

@Suite struct OrderTests {
  @Test func `a reminder moves before or after another by one edit`() async throws {
    let fixture = try Fixture()
    var ids: [Reminder.ID] = []
    for title in ["A", "B", "C", "D"] { ids.append(try await fixture.add(title)) }
    let step = try await fixture.database.moveReminder(ids[3], .before, ids[1])
    #expect(try fixture.titles(.all, sort: .manual) == ["A", "D", "B", "C"])
    #expect(step.changes.count == 1)
    _ = try await fixture.database.moveReminder(ids[0], .after, ids[2])
    #expect(try fixture.titles(.all, sort: .manual) == ["D", "B", "C", "A"])
    _ = try await fixture.database.moveReminder(ids[2], .before, ids[3])
    #expect(try fixture.titles(.all, sort: .manual) == ["C", "D", "B", "A"])
    _ = try await fixture.database.moveReminder(ids[2], .before, ids[2])
    #expect(try fixture.titles(.all, sort: .manual) == ["C", "D", "B", "A"])
    _ = try await fixture.database.undo(step)
    #expect(try fixture.titles(.all, sort: .manual) == ["C", "B", "A", "D"])
  }

  @Test func `a row that has no place yet is one at the beginning`() async throws {
    let fixture = try Fixture()
    var ids: [Reminder.ID] = []
    for title in ["A", "B", "C"] { ids.append(try await fixture.add(title)) }
    try fixture.execute("UPDATE reminders SET position = NULL WHERE title = 'A'")
    _ = try await fixture.database.moveReminder(ids[2], .after, ids[0])
    #expect(try fixture.titles(.all, sort: .manual) == ["A", "C", "B"])
    _ = try await fixture.database.moveReminder(ids[0], .after, ids[1])
    #expect(try fixture.titles(.all, sort: .manual) == ["C", "B", "A"])
  }

  @Test func `rows with one position can be told apart by a move`() async throws {
    let fixture = try Fixture()
    var ids: [Reminder.ID] = []
    for title in ["A", "B", "C", "D", "E", "F", "G"] { ids.append(try await fixture.add(title)) }
    try fixture.execute("UPDATE reminders SET position = 1 WHERE title <> 'G'")
    _ = try await fixture.database.moveReminder(ids[5], .after, ids[0])
    #expect(
      try fixture.titles(.all, sort: .manual) == ["A", "F", "B", "C", "D", "E", "G"])
  }

  @Test func `moving to one place again and again never runs out of room`() async throws {
    let fixture = try Fixture()
    var ids: [Reminder.ID] = []
    for number in 0..<6 { ids.append(try await fixture.add("\(number)")) }
    var expected = ["0", "1", "2", "3", "4", "5"]
    for round in 0..<120 {
      let moved = 2 + round % 4
      _ = try await fixture.database.moveReminder(ids[moved], .after, ids[0])
      expected.removeAll { $0 == "\(moved)" }
      expected.insert("\(moved)", at: 1)
      #expect(try fixture.titles(.all, sort: .manual) == expected)
    }
  }

  @Test func `a new place costs the same among many as among few`() async throws {
    let (few, many) = (try Fixture(), try Fixture())
    for (fixture, count) in [(few, 20), (many, 400)] {
      let id = try await fixture.add("x")
      let list = try fixture.details(id).list.id
      try fixture.execute(
        """
        WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT \(count))
        INSERT INTO reminders (title, remindersListID, status, position)
        SELECT n, '\(list)', 2 * (n % 2), n FROM numbers
        """)
    }
    func steps(_ fixture: Fixture) async throws -> Int {
      let ids = try await fixture.database.writer.read { db in
        try String.fetchAll(db, sql: "SELECT id FROM reminders ORDER BY position LIMIT 3")
      }
      return try await fixture.steps {
        _ = try await fixture.database.moveReminder(ids[0], .after, ids[2])
        try fixture.execute(
          "INSERT INTO reminders (remindersListID) SELECT max(id) FROM remindersLists")
      }
    }
    let (one, other) = (try await steps(few), try await steps(many))
    #expect(one > 100 && other < one * 3 / 2, "\(one), \(other)")
  }

  @Test func `lists move too`() async throws {
    let fixture = try Fixture()
    var ids: [RemindersList.ID] = []
    for title in ["A", "B", "C"] { ids.append(try await fixture.database.addList(title: title).id) }
    _ = try await fixture.database.moveList(ids[2], .before, ids[0])
    #expect(try fixture.database.fetch(ListsQuery()).map(\.title) == ["C", "A", "B"])
  }
}

extension Fixture {
  /// How many instructions SQLite executes for what is written meanwhile.
  fileprivate func steps(_ body: () async throws -> Void) async throws -> Int {
    nonisolated(unsafe) let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    count.initialize(to: 0)
    defer { count.deallocate() }
    try await database.writer.write { db in
      sqlite3_progress_handler(
        db.sqliteConnection, 1,
        { count in
          count?.assumingMemoryBound(to: Int.self).pointee += 1
          return 0
        }, count)
    }
    try await body()
    try await database.writer.write { db in
      sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil)
    }
    return count.pointee
  }
}
