import GRDB

/// How to take back a write: what each row it touched was before, and became.
///
/// Only what the write changed is put back: another edit to the same row, made since here or
/// elsewhere, stays. Taking back is a new edit of its own, with its own inverse: the redo.
public struct UndoStep: Equatable, Sendable {
  /// What the write did, for people: `Deleted “Take a walk”`.
  public var label: String
  /// The rows, parents before children.
  var changes: [RowChange]

  /// Whether the write changed nothing, so that there is nothing to take back.
  public var isEmpty: Bool { changes.isEmpty }
}

/// What a write made of one row.
struct RowChange: Equatable, Sendable {
  var row: RowID
  /// The columns before, or nil when there was no such row.
  var before: [String: DatabaseValue]?
  /// The columns after, or nil when there is no such row any more.
  var after: [String: DatabaseValue]?
}

/// Names a row of a synchronized table.
struct RowID: Hashable, Sendable {
  var table: AppTable
  var key: String
}

/// The synchronized tables, parents before children.
enum AppTable: Int, CaseIterable, Comparable, Sendable {
  case remindersLists
  case remindersListAssets
  case tags
  case reminders
  case reminderTags

  static func < (one: AppTable, other: AppTable) -> Bool { one.rawValue < other.rawValue }

  var name: String { "\(self)" }

  /// The primary key column.
  var key: String {
    switch self {
    case .remindersLists, .reminders, .reminderTags: "id"
    case .remindersListAssets: "remindersListID"
    case .tags: "title"
    }
  }
}
