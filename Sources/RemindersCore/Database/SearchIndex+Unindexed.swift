import GRDB

/// The newest texts wait for the index until there is a page of them: at the end of each statement
/// FTS5 writes what it has, which takes as long as all the rest of an INSERT. Searches read them.
///
/// `reminderIndexed` has the last row of `reminderTexts` that the index has; what comes behind it
/// waits. Each kind of change has one trigger, because SQLite fires several in no particular order.
extension SearchIndex {
  /// As many texts wait at most, and letters in each: a search looks through all of them.
  private static let (page, longest) = (64, 10_000)

  /// Makes the triggers that keep the index, and notes which texts it has: all.
  static func createIndexTriggers(_ db: Database, _ columns: [String]) throws {
    let (new, old) = (list(columns) { "NEW.\($0)" }, list(columns) { "OLD.\($0)" })
    let isLong =
      list(columns, separator: " + ") { "coalesce(length(NEW.\($0)), 0)" }
      + " > \(longest)"
    try db.execute(
      sql: """
        CREATE TABLE reminderIndexed (lastID INTEGER NOT NULL) STRICT;
        INSERT INTO reminderIndexed SELECT coalesce(max(id), 0) FROM reminderTexts;

        CREATE TRIGGER reminderTextsIndexInsert AFTER INSERT ON reminderTexts
        WHEN NEW.id >= \(lastID) + \(page) OR \(isLong)
        BEGIN
          \(addWaiting(columns));
        END;

        CREATE TRIGGER reminderTextsIndexDelete AFTER DELETE ON reminderTexts
        BEGIN
          INSERT INTO reminderIndex (reminderIndex, rowid, \(list(columns)))
          SELECT 'delete', OLD.id, \(old) WHERE OLD.id <= \(lastID);
          -- The number of the last row is given again.
          UPDATE reminderIndexed SET lastID = \(newestID) WHERE lastID > \(newestID);
        END;

        CREATE TRIGGER reminderTextsIndexUpdate AFTER UPDATE OF \(list(columns)) ON reminderTexts
        WHEN NEW.id <= \(lastID) OR \(isLong)
        BEGIN
          INSERT INTO reminderIndex (reminderIndex, rowid, \(list(columns)))
          SELECT 'delete', OLD.id, \(old) WHERE OLD.id <= \(lastID);
          INSERT INTO reminderIndex (rowid, \(list(columns)))
          SELECT NEW.id, \(new) WHERE NEW.id <= \(lastID);
          \(addWaiting(columns, where: "NEW.id > \(lastID)"));
        END;
        """)
  }

  /// Has the texts of a file wait whose index was made of each at once.
  static func letTextsWait(_ db: Database) throws {
    guard try !db.tableExists("reminderIndexed") else { return }
    try db.execute(
      sql: """
        DROP TRIGGER reminderTextsIndexInsert;
        DROP TRIGGER reminderTextsIndexDelete;
        DROP TRIGGER reminderTextsIndexUpdate;
        """)
    try createIndexTriggers(db, try indexedColumns(db))
  }

  /// Takes in all texts that wait.
  static func indexWaiting(_ db: Database) throws {
    try db.execute(sql: addWaiting(try indexedColumns(db)))
  }

  private static func indexedColumns(_ db: Database) throws -> [String] {
    try db.columns(in: "reminderIndex").map(\.name)
  }

  private static let lastID = "(SELECT lastID FROM reminderIndexed)"
  private static let newestID = "(SELECT coalesce(max(id), 0) FROM reminderTexts)"

  private static func addWaiting(
    _ columns: [String], where condition: String = "TRUE"
  ) -> String {
    """
    INSERT INTO reminderIndex (rowid, \(list(columns)))
    SELECT id, \(list(columns)) FROM reminderTexts WHERE id > \(lastID) AND \(condition);
    UPDATE reminderIndexed SET lastID = \(newestID) WHERE \(condition)
    """
  }
}
