import GRDB
import SQLiteSync

/// Which tags the reminders carry that are not completed: local, never synchronized, kept by stored
/// triggers for every way a row can change, the sync engine's writes included.
///
/// `openTags` has them, `openTagCounts` how many they are. In the tables themselves, each reminder
/// of a tag would have to be looked up.
enum OpenTags {
  static func create(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE openTags (
          tagTitle TEXT NOT NULL COLLATE NOCASE, reminderID TEXT NOT NULL,
          PRIMARY KEY (tagTitle, reminderID)
        ) STRICT;
        """)
    try fill(db)
    try createTagTriggers(db)
    try createReminderTriggers(db)
  }

  /// What the table is made of: each tag of a reminder once, however often the reminder carries it.
  private static let uses = """
    SELECT DISTINCT tagTitle, reminderID FROM reminderTags
    WHERE reminderID IN (SELECT id FROM reminders WHERE \(SQL.isCompleted) = 0)
    """

  private static func fill(_ db: Database) throws {
    try db.execute(sql: "INSERT INTO openTags (tagTitle, reminderID) \(uses) ORDER BY 1, 2")
  }

  // INSERT OR REPLACE deletes the old row without a trigger, so inserting always removes first.
  private static func createTagTriggers(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TRIGGER reminderTagsOpenReplace BEFORE INSERT ON reminderTags
        BEGIN
          DELETE FROM openTags WHERE (tagTitle, reminderID) IN (
            SELECT tagTitle, reminderID FROM reminderTags WHERE id = NEW.id
          );
        END;
        CREATE TRIGGER reminderTagsOpenInsert AFTER INSERT ON reminderTags
        BEGIN \(add("NEW")) END;
        CREATE TRIGGER reminderTagsOpenDelete AFTER DELETE ON reminderTags
        BEGIN \(remove("OLD")) END;
        CREATE TRIGGER reminderTagsOpenUpdate
        AFTER UPDATE OF id, reminderID, tagTitle ON reminderTags
        BEGIN \(remove("OLD")) \(add("NEW")) END;
        """)
  }

  // The tags of a reminder may be there before it, in a transaction that defers foreign keys.
  private static func createReminderTriggers(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TRIGGER remindersOpenInsert AFTER INSERT ON reminders
        BEGIN \(replaceAll) END;
        CREATE TRIGGER remindersOpenUpdate AFTER UPDATE OF id, status ON reminders
        WHEN NEW.id IS NOT OLD.id OR \(SQL.isCompleted("NEW")) <> \(SQL.isCompleted("OLD"))
        BEGIN \(replaceAll) END;
        CREATE TRIGGER remindersOpenDelete AFTER DELETE ON reminders
        BEGIN
          DELETE FROM openTags WHERE reminderID = OLD.id AND tagTitle IN (
            SELECT tagTitle FROM reminderTags WHERE reminderID = OLD.id
          );
        END;
        """)
  }

  /// Counts what REPLACE takes away for a changed key, too, and what IGNORE leaves; and forgets a
  /// reminder that gets another key, whose tags do not where foreign keys are off.
  ///
  /// What an insert or a new key may replace is noted before, and looked at if that follows: what
  /// is left of a note says nothing, because nothing goes that a row still says.
  static func countChangedKeys(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE replacedReminderTags (
          id TEXT PRIMARY KEY NOT NULL, tagTitle TEXT NOT NULL, reminderID TEXT NOT NULL
        ) STRICT;
        DROP TRIGGER reminderTagsOpenReplace;
        CREATE TRIGGER reminderTagsOpenReplace BEFORE INSERT ON reminderTags
        WHEN EXISTS (SELECT 1 FROM reminderTags WHERE id = NEW.id)
        BEGIN \(noteReplaced) END;
        CREATE TRIGGER reminderTagsOpenKeyReplace BEFORE UPDATE OF id ON reminderTags
        WHEN NEW.id IS NOT OLD.id
        BEGIN \(noteReplaced) END;
        CREATE TRIGGER reminderTagsOpenReplaced AFTER INSERT ON reminderTags
        WHEN EXISTS (SELECT 1 FROM replacedReminderTags WHERE id = NEW.id)
        BEGIN \(removeReplaced) END;
        CREATE TRIGGER reminderTagsOpenKeyReplaced AFTER UPDATE OF id ON reminderTags
        WHEN NEW.id IS NOT OLD.id
        BEGIN \(removeReplaced) END;
        CREATE TRIGGER remindersOpenKey AFTER UPDATE OF id ON reminders WHEN NEW.id IS NOT OLD.id
        BEGIN
          DELETE FROM openTags WHERE reminderID = OLD.id AND tagTitle IN (
            SELECT tagTitle FROM reminderTags WHERE reminderID = OLD.id
          );
        END;
        """)
  }

  private static let noteReplaced = """
    DELETE FROM replacedReminderTags WHERE id = NEW.id;
    INSERT INTO replacedReminderTags
    SELECT id, tagTitle, reminderID FROM reminderTags WHERE id = NEW.id;
    """

  private static let removeReplaced = """
    DELETE FROM openTags
    WHERE (tagTitle, reminderID) IN (
      SELECT tagTitle, reminderID FROM replacedReminderTags WHERE id = NEW.id
    ) AND NOT EXISTS (
      SELECT 1 FROM reminderTags
      WHERE tagTitle = openTags.tagTitle AND reminderID = openTags.reminderID
    );
    DELETE FROM replacedReminderTags WHERE id = NEW.id;
    """

  private static func add(_ row: String) -> String {
    """
    INSERT OR IGNORE INTO openTags (tagTitle, reminderID)
    SELECT \(row).tagTitle, id FROM reminders
    WHERE id = \(row).reminderID AND \(SQL.isCompleted) = 0;
    """
  }

  private static func remove(_ row: String) -> String {
    """
    DELETE FROM openTags
    WHERE tagTitle = \(row).tagTitle AND reminderID = \(row).reminderID AND NOT EXISTS (
      SELECT 1 FROM reminderTags
      WHERE tagTitle = \(row).tagTitle AND reminderID = \(row).reminderID
    );
    """
  }

  private static let replaceAll = """
    DELETE FROM openTags WHERE reminderID = NEW.id AND tagTitle IN (
      SELECT tagTitle FROM reminderTags WHERE reminderID = NEW.id
    );
    INSERT OR IGNORE INTO openTags (tagTitle, reminderID)
    SELECT tagTitle, reminderID FROM reminderTags
    WHERE reminderID = NEW.id AND \(SQL.isCompleted("NEW")) = 0;
    """
}

extension OpenTags {
  /// Adds how many reminders there are of each tag, so that nobody needs to count them.
  static func createCounts(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE openTagCounts (
          tagTitle TEXT PRIMARY KEY NOT NULL COLLATE NOCASE, total INTEGER NOT NULL
        ) STRICT;
        INSERT INTO openTagCounts \(counted);
        """)
    try createCountTriggers(db)
  }

  /// What the counts are made of.
  private static let counted = "SELECT tagTitle, count(*) AS total FROM openTags GROUP BY 1"

  // In the triggers above, the outer statement's own OR may take the place of OR IGNORE.
  private static func createCountTriggers(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TRIGGER openTagsOnce BEFORE INSERT ON openTags
        WHEN EXISTS (
          SELECT 1 FROM openTags WHERE tagTitle = NEW.tagTitle AND reminderID = NEW.reminderID)
        BEGIN
          SELECT RAISE(IGNORE);
        END;
        CREATE TRIGGER openTagsCountInsert AFTER INSERT ON openTags
        BEGIN
          INSERT INTO openTagCounts SELECT NEW.tagTitle, 0
          WHERE NOT EXISTS (SELECT 1 FROM openTagCounts WHERE tagTitle = NEW.tagTitle);
          UPDATE openTagCounts SET total = total + 1 WHERE tagTitle = NEW.tagTitle;
        END;
        CREATE TRIGGER openTagsCountDelete AFTER DELETE ON openTags
        BEGIN
          UPDATE openTagCounts SET total = total - 1 WHERE tagTitle = OLD.tagTitle;
          DELETE FROM openTagCounts WHERE tagTitle = OLD.tagTitle AND total = 0;
        END;
        """)
  }

  /// Compares the tables with what they are made of.
  static func findings(_ db: Database) throws -> [DatabaseFinding] {
    let count =
      try differences(between: uses, and: "SELECT tagTitle, reminderID FROM openTags", db)
      + differences(between: counted, and: "SELECT tagTitle, total FROM openTagCounts", db)
    guard count > 0 else { return [] }
    return [
      DatabaseFinding(
        .warning, "openTags", "\(count) uses of tags are not counted as they are.",
        advice: "`--repair` counts them again.", isRepairable: true)
    ]
  }

  private static func differences(
    between one: String, and other: String, _ db: Database
  ) throws -> Int {
    try Int.fetchOne(
      db,
      sql: """
        SELECT (SELECT count(*) FROM (\(one) EXCEPT \(other)))
          + (SELECT count(*) FROM (\(other) EXCEPT \(one)))
        """) ?? 0
  }

  /// Makes the tables anew.
  static func rebuild(_ db: Database) throws {
    try db.execute(sql: "DELETE FROM openTags; DELETE FROM openTagCounts")
    try fill(db)
  }
}
