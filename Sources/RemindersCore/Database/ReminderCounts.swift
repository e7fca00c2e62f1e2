import GRDB
import SQLiteSync

/// How many reminders each list has, open and completed: local, never synchronized, kept by stored
/// triggers for every way a row can change, the sync engine's writes included.
///
/// Reading a few numbers takes the same time in lists of any length. Counting the reminders
/// themselves reads a whole index, and is wanted again after every change.
enum ReminderCounts {
  /// What is counted.
  enum Column: String {
    /// Reminders.
    case total
    /// Those with a due date.
    case scheduled
    /// Those that are flagged.
    case flagged
  }

  /// How many reminders there are, in one list or in all.
  static func sum(
    _ column: Column, isCompleted: Bool, of list: RemindersList.ID? = nil, _ db: Database
  ) throws -> Int {
    try Int.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT sum(\(column.rawValue)) FROM reminderCounts
          WHERE isCompleted = ?\(list == nil ? "" : " AND remindersListID = ?")
          """),
      arguments: [isCompleted] + StatementArguments([list].compactMap { $0 })) ?? 0
  }

  static func create(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE reminderCounts (
          remindersListID TEXT NOT NULL,
          isCompleted INTEGER NOT NULL,
          total INTEGER NOT NULL,
          scheduled INTEGER NOT NULL,
          flagged INTEGER NOT NULL,
          PRIMARY KEY (remindersListID, isCompleted)
        ) STRICT;
        CREATE TABLE replacedReminders (
          id TEXT PRIMARY KEY NOT NULL,
          remindersListID TEXT NOT NULL,
          status INTEGER NOT NULL,
          dueDate TEXT,
          isFlagged INTEGER NOT NULL
        ) STRICT;
        """)
    try fill(db)
    try createTriggers(db)
  }

  /// What the table is made of.
  private static let counted = """
    SELECT remindersListID, \(SQL.isCompleted) AS isCompleted, count(*) AS total,
      count(dueDate) AS scheduled, sum(isFlagged = 1) AS flagged
    FROM reminders GROUP BY 1, 2
    """

  private static func fill(_ db: Database) throws {
    try db.execute(sql: "INSERT INTO reminderCounts \(counted)")
  }

  // INSERT OR REPLACE deletes the old row without a trigger. What it was is noted before every
  // insert, and counts if the insert follows: an upsert and INSERT OR IGNORE begin like it.
  private static func createTriggers(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TRIGGER remindersCountReplace BEFORE INSERT ON reminders
        BEGIN
          \(noteReplaced)
        END;
        CREATE TRIGGER remindersCountInsert AFTER INSERT ON reminders
        BEGIN
          \(removeReplaced)
          \(add("NEW"))
        END;
        CREATE TRIGGER remindersCountDelete AFTER DELETE ON reminders
        BEGIN
          \(remove("OLD"))
        END;
        CREATE TRIGGER remindersCountUpdate
        AFTER UPDATE OF remindersListID, status, dueDate, isFlagged ON reminders
        WHEN (\(countedValues("NEW"))) IS NOT (\(countedValues("OLD")))
        BEGIN
          \(remove("OLD"))
          \(add("NEW"))
        END;
        """)
  }

  /// Counts what UPDATE OR REPLACE takes away for a changed key, too; and what REPLACE takes away
  /// once, where the delete triggers fire for that (`recursive_triggers`).
  static func countChangedKeys(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TRIGGER remindersCountKeyReplace BEFORE UPDATE OF id ON reminders
        WHEN NEW.id IS NOT OLD.id
        BEGIN
          \(noteReplaced)
        END;
        CREATE TRIGGER remindersCountKey AFTER UPDATE OF id ON reminders
        WHEN NEW.id IS NOT OLD.id
        BEGIN
          \(removeReplaced)
        END;
        DROP TRIGGER remindersCountDelete;
        CREATE TRIGGER remindersCountDelete AFTER DELETE ON reminders
        BEGIN
          DELETE FROM replacedReminders WHERE id = OLD.id;
          \(remove("OLD"))
        END;
        """)
  }

  private static let noteReplaced = """
    DELETE FROM replacedReminders WHERE id = NEW.id;
    INSERT INTO replacedReminders
    SELECT id, remindersListID, status, dueDate, isFlagged FROM reminders WHERE id = NEW.id;
    """

  private static let removeReplaced = """
    \(change("-", "replaced", from: "replacedReminders AS replaced", "replaced.id = NEW.id"))
    DELETE FROM replacedReminders WHERE id = NEW.id;
    """

  private static func countedValues(_ row: String) -> String {
    """
    \(row).remindersListID, \(SQL.isCompleted(row)), \(row).dueDate IS NULL, \(row).isFlagged
    """
  }

  // Not INSERT OR IGNORE: in a trigger, the outer statement's own OR takes its place.
  private static func add(_ row: String) -> String {
    """
    INSERT INTO reminderCounts
    SELECT \(row).remindersListID, \(SQL.isCompleted(row)), 0, 0, 0
    WHERE NOT EXISTS (SELECT 1 FROM reminderCounts WHERE \(isOf(row)));
    \(change("+", row))
    """
  }

  private static func remove(_ row: String) -> String {
    """
    \(change("-", row))
    DELETE FROM reminderCounts WHERE \(isOf(row)) AND total = 0;
    """
  }

  private static func change(
    _ sign: String, _ row: String, from source: String? = nil, _ condition: String = "TRUE"
  ) -> String {
    """
    UPDATE reminderCounts SET
      total = total \(sign) 1,
      scheduled = scheduled \(sign) (\(row).dueDate IS NOT NULL),
      flagged = flagged \(sign) (\(row).isFlagged = 1)
    \(source.map { "FROM \($0)" } ?? "")
    WHERE \(isOf(row)) AND \(condition);
    """
  }

  private static func isOf(_ row: String) -> String {
    """
    reminderCounts.remindersListID = \(row).remindersListID
      AND reminderCounts.isCompleted = \(SQL.isCompleted(row))
    """
  }
}

extension ReminderCounts {
  /// Compares the table with what it is made of.
  static func findings(_ db: Database) throws -> [DatabaseFinding] {
    let kept = "SELECT * FROM reminderCounts WHERE total <> 0"
    let count =
      try Int.fetchOne(
        db,
        sql: """
          SELECT count(DISTINCT remindersListID) FROM (
            SELECT * FROM (\(counted) EXCEPT \(kept))
            UNION ALL SELECT * FROM (\(kept) EXCEPT \(counted))
          )
          """) ?? 0
    guard count > 0 else { return [] }
    return [
      DatabaseFinding(
        .warning, "reminderCounts", "Lists whose reminders are not counted as they are: \(count).",
        advice: "`--repair` counts them again.", isRepairable: true)
    ]
  }

  /// Makes the table anew.
  static func rebuild(_ db: Database) throws {
    try db.execute(sql: "DELETE FROM reminderCounts")
    try fill(db)
  }
}
