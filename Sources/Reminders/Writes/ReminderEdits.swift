import GRDB

/// A change of one field of a reminder.
///
/// A write changes the fields that are named, and no others.
public enum ReminderEdit: Hashable, Sendable {
  /// A new title.
  case title(String)
  /// New notes.
  case notes(String)
  /// Due then, or not any more.
  case due(DueDate?)
  /// With a flag, or without.
  case isFlagged(Bool)
  /// As important as this.
  case priority(Reminder.Priority?)
  /// A new link, or none.
  case url(String?)
  /// Moved to this list.
  case list(RemindersList.ID)
  /// With these tags and no others; those that do not exist are made.
  case tags([Tag.ID])
  /// With these tags too.
  case addTags([Tag.ID])
  /// Without these tags.
  case removeTags([Tag.ID])
}

extension ReminderEdit {
  /// The column it changes and the new value, or nil for tags, which are rows of their own.
  var column: (name: String, value: DatabaseValue)? {
    switch self {
    case .title(let title): ("title", title.databaseValue)
    case .notes(let notes): ("notes", notes.databaseValue)
    case .due(let due): ("dueDate", (due?.stored).databaseValue)
    case .isFlagged(let isFlagged): ("isFlagged", isFlagged.databaseValue)
    case .priority(let priority): ("priority", (priority?.rawValue).databaseValue)
    case .url(let url): ("url", url.databaseValue)
    case .list(let id): ("remindersListID", id.databaseValue)
    case .tags, .addTags, .removeTags: nil
    }
  }

  /// The tags after it, of a reminder that had these.
  func tags(after tags: [Tag.ID]) -> [Tag.ID] {
    switch self {
    case .tags(let titles): titles
    case .addTags(let titles): tags + titles
    case .removeTags(let titles):
      tags.filter { tag in !titles.contains { RowID(.tags, $0) == RowID(.tags, tag) } }
    default: tags
    }
  }

  /// The word for it in the line that offers to take it back.
  var verb: String {
    switch self {
    case .isFlagged(let isFlagged): isFlagged ? "Flagged" : "Unflagged"
    case .list: "Moved"
    case .tags, .addTags, .removeTags: "Tagged"
    case .title, .notes, .due, .priority, .url: "Changed"
    }
  }

  /// The edit with its text cleaned, as a row may hold it.
  ///
  /// - Throws: `AppError` when the title or a tag is empty.
  func validated() throws -> ReminderEdit {
    switch self {
    case .title(let title): .title(try validTitle(title, of: "reminder"))
    case .tags(let titles): .tags(try titles.map(Tag.title(from:)))
    case .addTags(let titles): .addTags(try titles.map(Tag.title(from:)))
    case .removeTags(let titles): .removeTags(try titles.map(Tag.title(from:)))
    case .url(let url): .url(url.flatMap { $0.isEmpty ? nil : $0 })
    case .notes, .due, .isFlagged, .priority, .list: self
    }
  }
}

/// A title in one line.
///
/// - Throws: `AppError` when it is empty.
func validTitle(_ title: String, of kind: String) throws -> String {
  let title = title.oneLine
  guard !title.isEmpty else {
    throw AppError(.invalidInput, "A \(kind) needs a title.")
  }
  return title
}
