import GRDB

/// The full-text index of the reminders: local, never synchronized, made by stored triggers for
/// every way a row can change, the sync engine's writes included.
///
/// `reminderTexts` holds the texts with accents folded; `reminderIndex` is FTS5 over it. They are
/// two because the index needs integer row ids that survive VACUUM, which those of `reminders`
/// do not, and because folded words under three characters are looked up in the texts.
enum SearchIndex {
  static func create(_ db: Database) throws {
    try createFolds(db)
    try db.execute(
      sql: """
        CREATE TABLE reminderTexts (
          id INTEGER PRIMARY KEY,
          reminderID TEXT NOT NULL UNIQUE,
          title TEXT NOT NULL,
          notes TEXT NOT NULL,
          tags TEXT NOT NULL
        ) STRICT;
        CREATE VIRTUAL TABLE reminderIndex USING fts5 (
          title, notes, tags, content='reminderTexts', content_rowid='id', tokenize='trigram'
        );
        """)
    try createIndexTriggers(db)
    try createReminderTriggers(db)
    try createTagTriggers(db)
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

  // The texts are the content of the index, which must hear of every change with the old values.
  private static func createIndexTriggers(_ db: Database) throws {
    let remove = """
      INSERT INTO reminderIndex (reminderIndex, rowid, title, notes, tags)
      VALUES ('delete', OLD.id, OLD.title, OLD.notes, OLD.tags);
      """
    let add = """
      INSERT INTO reminderIndex (rowid, title, notes, tags)
      VALUES (NEW.id, NEW.title, NEW.notes, NEW.tags);
      """
    try db.execute(
      sql: """
        CREATE TRIGGER reminderTextsIndexInsert AFTER INSERT ON reminderTexts
        BEGIN \(add) END;
        CREATE TRIGGER reminderTextsIndexDelete AFTER DELETE ON reminderTexts
        BEGIN \(remove) END;
        CREATE TRIGGER reminderTextsIndexUpdate AFTER UPDATE ON reminderTexts
        BEGIN \(remove) \(add) END;
        """)
  }

  // INSERT OR REPLACE deletes the old row without a trigger, so inserting always removes first.
  private static func createReminderTriggers(_ db: Database) throws {
    let add = """
      INSERT INTO reminderTexts (reminderID, title, notes, tags)
      VALUES (NEW.id, \(folded("NEW.title")), \(folded("NEW.notes")), \(tags(of: "NEW.id")));
      """
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
        CREATE TRIGGER remindersTextUpdate AFTER UPDATE OF title, notes ON reminders
        WHEN NEW.id IS OLD.id AND (NEW.title IS NOT OLD.title OR NEW.notes IS NOT OLD.notes)
        BEGIN
          UPDATE reminderTexts
          SET title = \(folded("NEW.title")), notes = \(folded("NEW.notes"))
          WHERE reminderID = NEW.id;
        END;
        """)
  }

  // Renaming a tag cascades into its joins, so their triggers are all that is needed.
  private static func createTagTriggers(_ db: Database) throws {
    func refresh(_ reminder: String, except join: String = "NULL") -> String {
      """
      UPDATE reminderTexts SET tags = \(tags(of: "reminderTexts.reminderID", except: join))
      WHERE reminderID = \(reminder);
      """
    }
    try db.execute(
      sql: """
        CREATE TRIGGER reminderTagsTextReplace BEFORE INSERT ON reminderTags
        BEGIN
          \(refresh("(SELECT reminderID FROM reminderTags WHERE id = NEW.id)", except: "NEW.id"))
        END;
        CREATE TRIGGER reminderTagsTextInsert AFTER INSERT ON reminderTags
        BEGIN \(refresh("NEW.reminderID")) END;
        CREATE TRIGGER reminderTagsTextDelete AFTER DELETE ON reminderTags
        BEGIN \(refresh("OLD.reminderID")) END;
        CREATE TRIGGER reminderTagsTextUpdate AFTER UPDATE ON reminderTags
        BEGIN
          \(refresh("OLD.reminderID"))
          \(refresh("NEW.reminderID"))
        END;
        """)
  }

  /// The tags of a reminder as `#car #kids`, folded.
  private static func tags(of reminder: String, except join: String = "NULL") -> String {
    folded(
      """
      coalesce((
        SELECT group_concat('#' || tagTitle, ' ') FROM reminderTags
        WHERE reminderID = \(reminder) AND id IS NOT \(join)
      ), '')
      """)
  }

  /// A text with accents folded: one replacement for each accented letter that occurs in it.
  ///
  /// Text in plain ASCII, which is most, is not looked at twice.
  private static func folded(_ text: String) -> String {
    """
    CASE WHEN length(\(text)) = length(CAST(\(text) AS BLOB)) THEN \(text) ELSE (
      WITH RECURSIVE step (text, fold) AS (
        SELECT \(text), 0
        UNION ALL
        SELECT replace(step.text, searchFolds.letter, searchFolds.folded), searchFolds.id
        FROM step JOIN searchFolds ON searchFolds.id = (
          SELECT min(id) FROM searchFolds WHERE id > step.fold AND instr(step.text, letter)
        )
      )
      SELECT text FROM step ORDER BY fold DESC LIMIT 1
    ) END
    """
  }
}
