/// The synchronized tables, parents before children.
enum AppTable: Int, CaseIterable, Comparable, Sendable {
  case remindersLists
  case remindersListAssets
  case tags
  case reminders
  case reminderTags
  case reminderAlarms
  case reminderNotices
  case savedSearches
  case listViews

  static func < (one: AppTable, other: AppTable) -> Bool { one.rawValue < other.rawValue }

  var name: String { "\(self)" }

  /// The first version of the schema that has it.
  var since: SchemaVersion {
    switch self {
    case .remindersLists, .tags, .reminders, .reminderTags: .lists
    case .remindersListAssets: .linksAndCovers
    case .reminderAlarms, .reminderNotices, .savedSearches, .listViews: .everyDay
    }
  }

  /// Those whose rows belong to a reminder each, which their column `reminderID` names.
  static let partsOfReminders: [AppTable] = [.reminderTags, .reminderAlarms, .reminderNotices]

  /// The primary key column.
  var key: String {
    switch self {
    case .remindersLists, .reminders, .reminderTags, .reminderAlarms, .reminderNotices,
      .savedSearches:
      "id"
    case .remindersListAssets: "remindersListID"
    case .listViews: "listID"
    case .tags: "title"
    }
  }
}

/// Names a row of a synchronized table.
struct RowID: Hashable, Sendable {
  let table: AppTable
  let key: String

  init(_ table: AppTable, _ key: String) {
    self.table = table
    // The key of tags does not distinguish the case of ASCII letters (NOCASE), so neither do we.
    self.key = table == .tags ? key.lowercasedASCII : key
  }
}

extension String {
  /// The text as SQLite's NOCASE sees it.
  var lowercasedASCII: String {
    String(decoding: utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
  }
}
