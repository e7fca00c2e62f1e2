import GRDB
import SQLiteSync

/// The app's stored triggers that write synchronized columns.
///
/// They are pure SQL, so they hold for every program that writes the file, and silent while the
/// sync engine writes, so that devices do not answer each other's changes.
enum AppTriggers {
  static func create(_ db: Database) throws {
    for table in [RemindersList.databaseTableName, Reminder.databaseTableName] {
      try db.execute(
        sql: """
          CREATE TRIGGER \(table)AtTheEnd AFTER INSERT ON \(table)
          WHEN NEW.position IS NULL AND NOT \(SyncEngine.isSynchronizingChanges)
          BEGIN
            UPDATE \(table) SET position = 1 + coalesce((SELECT max(position) FROM \(table)), 0)
            WHERE id = NEW.id;
          END;
          """)
    }
  }
  // MARK: - Rules

  /// Numbers of more than this are not places: adding to them changes nothing, or ends in infinity.
  static let greatestPosition = 1e300

  /// Lets nobody write here what cannot reach other devices, or what no order has a place for.
  ///
  /// What other devices wrote is taken as it is.
  static func createRules(_ db: Database) throws {
    for table in AppTable.allCases where try db.hasTable(table.name) {
      try createKeyRule(db, on: table)
    }
    for table in ordered {
      let isNoPlace = "abs(NEW.position) > \(greatestPosition)"
      try refuse(db, "INSERT", on: table, "Place", when: isNoPlace, invalidPositionError)
      try refuse(
        db, "UPDATE OF position", on: table, "Place", when: isNoPlace, invalidPositionError)
      try createAtTheEnd(db, on: table, among: [(table, [])])
    }
  }

  /// Refuses a key that cannot be part of a record's name.
  static func createKeyRule(_ db: Database, on table: AppTable) throws {
    let isInvalid = SyncEngine.isInvalidKey("NEW.\(table.key)", of: table.name)
    for event in ["INSERT", "UPDATE OF \(table.key)"] {
      try refuse(
        db, event, on: table.name, "Key", when: isInvalid, SyncEngine.invalidRecordNameError)
    }
  }

  /// Lets nobody write here what no order of lists has a place for.
  static func createListViewRules(_ db: Database) throws {
    let isNoPlace = "abs(NEW.position) > \(greatestPosition)"
    for event in ["INSERT", "UPDATE OF position"] {
      try refuse(
        db, event, on: AppTable.listViews.name, "Place", when: isNoPlace, invalidPositionError)
    }
    let lists = AppTable.remindersLists.name
    try createAtTheEnd(db, on: lists, among: [(lists, []), (AppTable.listViews.name, [])])
  }

  /// Looks for the last place among the open and the completed ones apart, which have an index.
  static func createPlaceByStretches(_ db: Database) throws {
    let table = Reminder.databaseTableName
    try createAtTheEnd(
      db, on: table, among: [0, 1].map { (table, ["\(SQL.isCompleted) = \($0)"]) })
  }

  /// What SQLite says of a place that is not a number of ours.
  static let invalidPositionError = "A position is a number up to 1e300."

  private static let ordered = [RemindersList.databaseTableName, Reminder.databaseTableName]

  private static func refuse(
    _ db: Database, _ event: String, on table: String, _ what: String, when condition: String,
    _ message: String
  ) throws {
    let verb = event.prefix { $0 != " " }
    try db.execute(
      sql: """
        CREATE TRIGGER \(table)\(what)On\(verb) AFTER \(event) ON \(table)
        WHEN NOT \(SyncEngine.isSynchronizingChanges) AND (\(condition))
        BEGIN
          SELECT RAISE(ABORT, '\(message.replacing("'", with: "''"))');
        END;
        """)
  }

  /// A row that another device put at infinity is not the one to come after.
  private static func createAtTheEnd(
    _ db: Database, on table: String, among rows: [(table: String, conditions: [String])]
  ) throws {
    let places = rows.map { table, conditions in
      let conditions = conditions + ["position < \(greatestPosition)"]
      return "SELECT max(position) AS position FROM \(table) "
        + "WHERE \(conditions.joined(separator: " AND "))"
    }
    try db.execute(
      sql: """
        DROP TRIGGER IF EXISTS \(table)AtTheEnd;
        CREATE TRIGGER \(table)AtTheEnd AFTER INSERT ON \(table)
        WHEN NEW.position IS NULL AND NOT \(SyncEngine.isSynchronizingChanges)
        BEGIN
          UPDATE \(table) SET position = 1 + coalesce(
            (SELECT max(position) FROM (\(places.joined(separator: " UNION ALL ")))), 0)
          WHERE id = NEW.id;
        END;
        """)
  }
}
