import GRDB
import Testing

@testable import RemindersCore

/// The counts of tags are those of the tables, whoever writes them.
@Suite struct OpenTagsTests {
  @Test(arguments: [
    "UPDATE reminders SET status = 2", "UPDATE reminders SET status = 1",
    "UPDATE reminders SET status = 2; UPDATE reminders SET status = 0 WHERE title < 'F'",
    "DELETE FROM reminders WHERE title < 'F'", "DELETE FROM reminderTags WHERE tagTitle = 'health'",
    "DELETE FROM tags WHERE title = 'health'",
    "UPDATE tags SET title = 'HEALTH' WHERE title = 'health'",
    "UPDATE tags SET title = 'kid' WHERE title = 'kids'",
    "INSERT INTO reminderTags (reminderID, tagTitle) SELECT reminderID, tagTitle FROM reminderTags",
    """
    INSERT INTO reminderTags (reminderID, tagTitle) SELECT reminderID, tagTitle FROM reminderTags;
    DELETE FROM reminderTags WHERE rowid % 2
    """,
    """
    INSERT OR REPLACE INTO reminderTags (id, reminderID, tagTitle)
    SELECT id, reminderID, 'kids' FROM reminderTags
    """,
    "UPDATE reminderTags SET tagTitle = 'kids'", "UPDATE reminders SET id = id || 'x'",
    "INSERT OR REPLACE INTO reminders SELECT * FROM reminders",
    "DELETE FROM remindersLists WHERE title = 'Personal'",
    "UPDATE OR REPLACE reminders SET id = 'same'",
    "UPDATE OR REPLACE tags SET title = 'kids' WHERE title = 'health'",
    "UPDATE OR REPLACE reminderTags SET id = 'same'",
    "UPDATE OR IGNORE reminderTags SET id = (SELECT min(id) FROM reminderTags)",
    "INSERT OR IGNORE INTO reminderTags SELECT id, reminderID, 'kids' FROM reminderTags",
    """
    INSERT INTO reminderTags (id, reminderID, tagTitle)
    SELECT id, reminderID, 'kids' FROM reminderTags WHERE TRUE ON CONFLICT DO NOTHING;
    UPDATE reminderTags SET id = id || 'x';
    INSERT INTO reminderTags SELECT substr(id, 1, length(id) - 1), reminderID, 'health'
    FROM reminderTags
    """,
    """
    PRAGMA recursive_triggers = ON; UPDATE OR REPLACE reminderTags SET id = 'same';
    PRAGMA recursive_triggers = OFF
    """,
  ])
  func `they follow every way to write`(sql: String) async throws {
    let fixture = try Fixture()
    try await fixture.database.addSampleData(in: berlin(), withCovers: false)
    try fixture.execute(sql)
    #expect(try counts(fixture) == expected(fixture))
    #expect(try fixture.database.check().isEmpty)
  }

  @Test func `a reminder that gets another key without its tags has none`() async throws {
    let fixture = try Fixture()
    try await fixture.database.addSampleData(in: berlin(), withCovers: false)
    try await fixture.database.writer.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF;
          UPDATE OR REPLACE reminders SET id = (SELECT min(reminderID) FROM reminderTags)
          WHERE id = (SELECT max(reminderID) FROM reminderTags);
          UPDATE reminders SET id = id || 'x';
          """)
    }
    #expect(try !fixture.database.check().contains { $0.place == "openTags" })
  }

  @Test func `tags that come before their reminder are counted`() throws {
    let fixture = try Fixture()
    try fixture.execute(
      """
      PRAGMA defer_foreign_keys = ON;
      INSERT INTO tags (title) VALUES ('early');
      INSERT INTO reminderTags (reminderID, tagTitle) VALUES ('one', 'early');
      INSERT INTO remindersLists (id, title) VALUES ('list', 'List');
      INSERT INTO reminders (id, title, remindersListID) VALUES ('one', 'One', 'list');
      """)
    #expect(try counts(fixture) == ["early": 1])
  }

  @Test(arguments: [
    "DELETE FROM openTags WHERE tagTitle = 'health'",
    "UPDATE openTagCounts SET total = 7 WHERE tagTitle = 'health'",
  ])
  func `what was counted wrong is found and counted anew`(sql: String) async throws {
    let fixture = try Fixture()
    try await fixture.database.addSampleData(in: berlin(), withCovers: false)
    try fixture.execute(sql)
    let finding = try #require(try fixture.database.check().first)
    #expect(finding.isRepairable && finding.place == "openTags")
    try fixture.database.repair()
    #expect(try counts(fixture) == expected(fixture))
  }

  private func counts(_ fixture: Fixture) throws -> [String: Int] {
    let tags = try fixture.database.fetch(SidebarQuery(time: berlin())).tags
    return Dictionary(uniqueKeysWithValues: tags.map { ($0.title, $0.openCount) })
  }

  private func expected(_ fixture: Fixture) throws -> [String: Int] {
    try fixture.database.writer.read { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT tags.title, (
            SELECT count(DISTINCT reminders.id) FROM reminderTags JOIN reminders
              ON reminders.id = reminderID
            WHERE tagTitle = tags.title AND status <> 2
          ) AS n FROM tags
          """)
      return Dictionary(uniqueKeysWithValues: rows.map { ($0["title"], $0["n"]) })
    }
  }
}
