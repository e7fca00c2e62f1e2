/// A column as people call it.
public enum FieldName {
  /// The word for a column of any of the app's tables.
  public static func word(for column: String) -> String {
    switch column {
    case "coverImage": "cover"
    case "tagTitle": "tag"
    case "announcedAt": "announcement"
    case "snoozedUntil": "snooze"
    case "color": "colour"
    default: ReminderField.named(column)?.word ?? column
    }
  }

  /// The word for what a row of a table is.
  public static func word(forRowOf table: String) -> String {
    switch AppTable(named: table) {
    case .remindersLists: "list"
    case .remindersListAssets: "cover"
    case .tags: "tag"
    case .reminders: "reminder"
    case .reminderTags: "tag of"
    case .reminderAlarms: "alarm of"
    case .reminderNotices: "notice of"
    case .savedSearches: "saved search"
    case .listViews: "view of list"
    case nil: table
    }
  }

  /// Whether people care for edits of a column: not for when something was changed, nor for its
  /// place in the manual order.
  public static func isShown(_ column: String) -> Bool {
    ![
      "updatedAt", "createdAt", "completedAt", "occurrence", "seriesTime", "position",
    ].contains(column)
  }
}
