import GRDB

/// The newest texts wait for the index until there is a page of them: at the end of each statement
/// FTS5 writes what it has, which takes as long as all the rest of an INSERT. Searches look through
/// those that wait (`SearchedTexts`), so only short ones do, of letters that FTS5 compares as they
/// are: its rules for those of other alphabets are its own.
///
/// `reminderIndexed` has the last row of `reminderTexts` that the index has; what comes behind it
/// waits. Each kind of change has one trigger, because SQLite fires several in no particular order.
extension SearchIndex {
  /// So many texts go to the index together.
  private static let page = 64
  /// In bytes, all fields of a reminder together.
  private static let longestThatWaits = 1_000

  /// The last row that the index has, in SQL.
  static let lastID = "(SELECT lastID FROM reminderIndexed)"

  /// Makes the triggers that keep the index, and notes which texts it has: all.
  static func createIndexTriggers(_ db: Database, _ columns: [String]) throws {
    let (new, old) = (list(columns) { "NEW.\($0)" }, list(columns) { "OLD.\($0)" })
    try db.execute(
      sql: """
        CREATE TABLE reminderIndexed (
          id INTEGER PRIMARY KEY CHECK (id = 1), lastID INTEGER NOT NULL
        ) STRICT;
        INSERT INTO reminderIndexed SELECT 1, \(newestID);

        CREATE TRIGGER reminderTextsIndexInsert AFTER INSERT ON reminderTexts
        WHEN NEW.id >= \(lastID) + \(page) OR \(cannotWait(columns))
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
        WHEN NEW.id <= \(lastID) OR \(cannotWait(columns))
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
        DROP TRIGGER IF EXISTS reminderTextsIndexInsert;
        DROP TRIGGER IF EXISTS reminderTextsIndexDelete;
        DROP TRIGGER IF EXISTS reminderTextsIndexUpdate;
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

  private static let newestID = "(SELECT coalesce(max(id), 0) FROM reminderTexts)"

  /// Whether a text is long, or has letters besides those of ASCII: SQL about `NEW`.
  private static func cannotWait(_ columns: [String]) -> String {
    let bytes = list(columns, separator: " + ") { "coalesce(length(CAST(NEW.\($0) AS BLOB)), 0)" }
    let hasOthers = list(columns, separator: " OR ") { "NEW.\($0) GLOB '*[^\t\n\r -~]*'" }
    return "\(bytes) > \(longestThatWaits) OR \(hasOthers)"
  }

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
