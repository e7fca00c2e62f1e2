import GRDB

/// The full-text index of the reminders: local, never synchronized, made by stored triggers for
/// every way a row can change, the sync engine's writes included.
///
/// `reminderTexts` holds the texts with accents folded; `reminderIndex` is FTS5 over it. They are
/// two because the index needs integer row ids that survive VACUUM, which those of `reminders`
/// do not, and because words under three characters are looked up in the texts. Whether a reminder
/// is completed stands beside them, so that hits are counted without looking each up elsewhere.
/// The newest texts wait for the index. Tags are few, and are looked up where they are.
enum SearchIndex {
  /// Makes the index of some columns of `reminders`.
  static func create(_ db: Database, of columns: [String]) throws {
    try createFolds(db)
    let required = Set(try db.columns(in: "reminders").filter(\.isNotNull).map(\.name))
    let definitions = columns.map { $0 + (required.contains($0) ? " TEXT NOT NULL" : " TEXT") }
    try db.execute(
      sql: """
        CREATE TABLE reminderTexts (
          id INTEGER PRIMARY KEY,
          reminderID TEXT NOT NULL UNIQUE,
          \(definitions.joined(separator: ",\n  ")),
          isCompleted INTEGER NOT NULL
        ) STRICT;
        CREATE VIRTUAL TABLE reminderIndex USING fts5 (
          \(list(columns)), content='reminderTexts', content_rowid='id', tokenize='trigram'
        );
        """)
    try createIndexTriggers(db, columns)
    try createReminderTriggers(db, columns)
  }

  /// Makes the index anew from the reminders, of some of their columns.
  static func remake(_ db: Database, of columns: [String]) throws {
    try db.execute(
      sql: """
        DROP TRIGGER IF EXISTS remindersTextInsert;
        DROP TRIGGER IF EXISTS remindersTextDelete;
        DROP TRIGGER IF EXISTS remindersTextKey;
        DROP TRIGGER IF EXISTS remindersTextUpdate;
        DROP TRIGGER IF EXISTS remindersTextStatus;
        DROP TABLE IF EXISTS reminderIndex;
        DROP TABLE IF EXISTS reminderIndexed;
        DROP TABLE IF EXISTS reminderTexts;
        DROP TABLE IF EXISTS searchFolds;
        """)
    try create(db, of: columns)
    try db.execute(
      sql: """
        INSERT INTO reminderTexts (reminderID, \(list(columns)), isCompleted)
        SELECT id, \(list(columns, folded)), \(SQL.isCompleted("reminders")) FROM reminders
        """)
  }

  static func list(
    _ columns: [String], separator: String = ", ", _ sql: (String) -> String = { $0 }
  ) -> String {
    columns.map(sql).joined(separator: separator)
  }

  /// The letters that are written with accents, and what they are looked up as.
  private static func createFolds(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE searchFolds (
          id INTEGER PRIMARY KEY, letter TEXT NOT NULL, folded TEXT NOT NULL
        ) STRICT
        """)
    let insert = try db.makeStatement(
      sql: "INSERT INTO searchFolds (letter, folded) VALUES (?, ?)")
    for (letter, folded) in SearchFold.letters {
      try insert.execute(arguments: [String(letter), folded])
    }
  }

  // INSERT OR REPLACE deletes the old row without a trigger, so inserting always removes first.
  private static func createReminderTriggers(_ db: Database, _ columns: [String]) throws {
    let add = """
      INSERT INTO reminderTexts (reminderID, \(list(columns)), isCompleted)
      VALUES (
        NEW.id, \(list(columns) { folded("NEW.\($0)") }), \(SQL.isCompleted("NEW"))
      );
      """
    let isChanged = list(columns, separator: " OR ") { "NEW.\($0) IS NOT OLD.\($0)" }
    try db.execute(
      sql: """
        CREATE TRIGGER remindersTextInsert AFTER INSERT ON reminders
        BEGIN
          DELETE FROM reminderTexts WHERE reminderID = NEW.id;
          \(add)
        END;
        CREATE TRIGGER remindersTextDelete AFTER DELETE ON reminders
        BEGIN
          DELETE FROM reminderTexts WHERE reminderID = OLD.id;
        END;
        CREATE TRIGGER remindersTextKey AFTER UPDATE OF id ON reminders WHEN NEW.id IS NOT OLD.id
        BEGIN
          DELETE FROM reminderTexts WHERE reminderID IN (OLD.id, NEW.id);
          \(add)
        END;
        CREATE TRIGGER remindersTextUpdate AFTER UPDATE OF \(list(columns)) ON reminders
        WHEN NEW.id IS OLD.id AND (\(isChanged))
        BEGIN
          UPDATE reminderTexts
          SET \(list(columns) { "\($0) = " + folded("NEW.\($0)") })
          WHERE reminderID = NEW.id;
        END;
        CREATE TRIGGER remindersTextStatus AFTER UPDATE OF status ON reminders
        WHEN \(SQL.isCompleted("NEW")) <> \(SQL.isCompleted("OLD"))
        BEGIN
          UPDATE reminderTexts SET isCompleted = \(SQL.isCompleted("NEW"))
          WHERE reminderID = NEW.id;
        END;
        """)
  }

  /// A text folded: in lower case, and one replacement for each other letter that occurs in it.
  ///
  /// Most texts have none of those letters, or soon have none left, and are done with.
  static func folded(_ text: String) -> String {
    """
    CASE WHEN \(text) GLOB '\(SearchFold.pattern)' THEN (
      WITH RECURSIVE step (text, fold) AS (
        SELECT lower(\(text)), 0
        UNION ALL
        SELECT replace(step.text, searchFolds.letter, searchFolds.folded), searchFolds.id
        FROM step JOIN searchFolds ON searchFolds.id = (
          SELECT min(id) FROM searchFolds WHERE id > step.fold AND instr(step.text, letter)
        )
        WHERE step.text GLOB '\(SearchFold.pattern)'
      )
      SELECT text FROM step ORDER BY fold DESC LIMIT 1
    ) ELSE lower(\(text)) END
    """
  }
}
