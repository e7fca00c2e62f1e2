import GRDB

/// A list of reminders.
public struct RemindersList: Identifiable, Hashable, Sendable {
  /// A lower-case UUID.
  public typealias ID = String

  /// The primary key.
  public var id: ID
  /// What the person calls it.
  public var title: String
  /// `0xRRGGBB`.
  public var color: Int
  /// The place in the manual order, the person's own where they gave it one; smaller is higher.
  public var position: Double

  /// The colour of a list that nobody chose one for.
  public static let defaultColor = 0x4A99EF
  /// The title of the list that is made when a reminder needs one and there is none.
  public static let defaultTitle = "Personal"

  /// A list as it stands in its row.
  public init(id: ID, title: String, color: Int = defaultColor, position: Double) {
    self.id = id
    self.title = title
    self.color = color
    self.position = position
  }
}

extension RemindersList: TableRecord, FetchableRecord {
  /// The table.
  public static var databaseTableName: String { "remindersLists" }

  /// Reads a row of the table.
  public init(row: Row) throws {
    try self.init(
      id: row.read("id"), title: row.read("title"), color: row.read("color"),
      position: row.read("position") ?? 0)
  }
}
