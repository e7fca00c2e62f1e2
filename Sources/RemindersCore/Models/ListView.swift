import GRDB

/// How a person has a list before them: its place among the lists, its order, and whether completed
/// reminders are shown.
///
/// It is synchronized among the devices of a person, and never shared: nobody who may write a list
/// moves it in somebody else's sidebar.
public struct ListView: Hashable, Sendable {
  /// The place in the manual order, where the person gave it one.
  public var position: Double?
  /// In which order its reminders are shown; nil for the usual one.
  public var sort: ReminderListQuery.Sort?
  /// Whether completed reminders are shown; nil for the usual way.
  public var showsCompleted: Bool?

  /// A list of which nothing is decided.
  public init() {}

  /// Reads it beside the columns of a list; an earlier schema has none.
  init(row: Row) throws {
    position = try row.read("viewPosition")
    // Another version may know other orders.
    sort = try (row.read("sort") as String?).flatMap(ReminderListQuery.Sort.init(rawValue:))
    showsCompleted = try (row.read("showsCompleted") as Int?).map { $0 != 0 }
  }
}

extension ListView: TableRecord {
  /// The table.
  public static var databaseTableName: String { "listViews" }
}

extension Migrations {
  /// Makes the table, and lets new lists come after those that have a place there.
  static func addListViews(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE listViews (
          listID TEXT PRIMARY KEY NOT NULL ON CONFLICT REPLACE DEFAULT ''
            REFERENCES remindersLists (id) ON DELETE CASCADE ON UPDATE CASCADE,
          position REAL,
          sort TEXT,
          showsCompleted INTEGER
        ) STRICT;
        """)
    try AppTriggers.createKeyRule(db, on: .listViews)
    try AppTriggers.createListViewRules(db)
  }
}

extension SQL {
  /// The lists, each with the place that the person gave it, else with that of the list itself,
  /// which apps of an earlier schema write: a subquery to be given the name `remindersLists`.
  static func lists(in schema: SchemaVersion) -> String {
    guard schema.hasListViews else { return "remindersLists" }
    return """
      (
        SELECT id, title, color, coalesce(listViews.position, remindersLists.position) AS position,
          listViews.position AS viewPosition, sort, showsCompleted
        FROM remindersLists LEFT JOIN listViews ON listID = id
      )
      """
  }
}
