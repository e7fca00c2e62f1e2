import GRDB
import Testing

@testable import RemindersCore

/// The counts of lists and smart lists are those of the reminders, whoever writes them.
@Suite struct ReminderCountsTests {
  @Test(arguments: [
    "UPDATE reminders SET status = 2", "UPDATE reminders SET status = 1",
    "UPDATE reminders SET status = 2; UPDATE reminders SET status = 0 WHERE title < 'F'",
    "UPDATE reminders SET dueDate = NULL WHERE title < 'F'",
    "UPDATE reminders SET dueDate = '2026-11-30'",
    "UPDATE reminders SET isFlagged = NOT isFlagged", "UPDATE reminders SET isFlagged = 7",
    "UPDATE reminders SET remindersListID = (SELECT min(id) FROM remindersLists)",
    "UPDATE reminders SET id = id || 'x', status = 2", "UPDATE remindersLists SET id = id || 'x'",
    "DELETE FROM reminders WHERE title < 'F'", "DELETE FROM reminders",
    "DELETE FROM remindersLists WHERE title = 'Personal'",
    "INSERT OR REPLACE INTO reminders SELECT * FROM reminders",
    """
    INSERT OR REPLACE INTO reminders (id, title, status, remindersListID)
    SELECT id, title, 2, (SELECT max(id) FROM remindersLists) FROM reminders
    """,
    "INSERT OR IGNORE INTO reminders SELECT * FROM reminders",
    """
    INSERT OR IGNORE INTO reminders SELECT * FROM reminders;
    UPDATE reminders SET id = id || 'x' WHERE title < 'F';
    INSERT INTO reminders (id, title, remindersListID)
    SELECT substr(id, 1, length(id) - 1), 'Again', remindersListID FROM reminders WHERE title < 'F'
    """,
    """
    INSERT INTO reminders (id, remindersListID, status) SELECT id, remindersListID, 2 FROM reminders
    WHERE TRUE ON CONFLICT (id) DO UPDATE SET status = excluded.status
    """,
    "INSERT INTO reminders (remindersListID) SELECT remindersListID FROM reminders",
    "UPDATE OR REPLACE reminders SET id = 'same', title = title || 'x'",
    """
    UPDATE OR REPLACE reminders SET id = (SELECT min(id) FROM reminders WHERE status = 2),
      dueDate = NULL WHERE id = (SELECT max(id) FROM reminders WHERE status <> 2)
    """,
    """
    UPDATE OR IGNORE reminders SET id = (SELECT min(id) FROM reminders);
    UPDATE reminders SET id = id || 'x'
    """,
    """
    PRAGMA recursive_triggers = ON; UPDATE OR REPLACE reminders SET id = 'same', status = 2;
    PRAGMA recursive_triggers = OFF
    """,
    """
    PRAGMA recursive_triggers = ON; INSERT OR REPLACE INTO reminders SELECT * FROM reminders;
    PRAGMA recursive_triggers = OFF
    """,
    """
    UPDATE OR REPLACE remindersLists SET id = (SELECT min(id) FROM remindersLists)
    WHERE id = (SELECT max(id) FROM remindersLists)
    """,
  ])
  func `they follow every way to write`(sql: String) async throws {
    let fixture = try Fixture()
    try await fixture.database.addSampleData(in: berlin())
    try fixture.execute(sql)
    try expectCounts(fixture)
    #expect(try fixture.database.check().isEmpty)
  }

  @Test func `what is taken back is not counted`() async throws {
    let fixture = try Fixture()
    try await fixture.database.addSampleData(in: berlin())
    try fixture.execute("SAVEPOINT here; DELETE FROM reminders; ROLLBACK TO here; RELEASE here")
    try expectCounts(fixture)
  }

  @Test func `what was counted wrong is found and counted anew`() async throws {
    let fixture = try Fixture()
    try await fixture.database.addSampleData(in: berlin())
    try fixture.execute("UPDATE reminderCounts SET flagged = flagged + 1 WHERE NOT isCompleted")
    let finding = try #require(try fixture.database.check().first)
    #expect(finding.isRepairable && finding.place == "reminderCounts")
    try fixture.database.repair()
    try expectCounts(fixture)
  }

  private func expectCounts(_ fixture: Fixture) throws {
    let sidebar = try fixture.database.fetch(SidebarQuery(time: berlin()))
    for row in sidebar.lists {
      #expect(try row.openCount == count(fixture, "status <> 2 AND remindersListID = '\(row.id)'"))
    }
    #expect(try sidebar.counts.all == count(fixture, "status <> 2"))
    #expect(try sidebar.counts.completed == count(fixture, "status = 2"))
    #expect(try sidebar.counts.flagged == count(fixture, "status <> 2 AND isFlagged = 1"))
    #expect(
      try sidebar.counts.scheduled == count(fixture, "status <> 2 AND dueDate IS NOT NULL"))
    for kind in [ReminderListQuery.Kind.all, .scheduled, .flagged, .completed] {
      let detail = try fixture.detail(kind, completed: true)
      #expect(detail.rows.count == detail.openCount + detail.completedCount, "\(kind)")
      let open = detail.rows.count { $0.status != .completed }
      #expect(detail.openCount == open, "\(kind)")
    }
  }

  private func count(_ fixture: Fixture, _ condition: String) throws -> Int? {
    try fixture.database.writer.read { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM reminders WHERE \(condition)")
    }
  }
}
