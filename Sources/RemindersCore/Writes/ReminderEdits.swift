/// A change of one field of a reminder.
///
/// A write changes the fields that are named, and no others.
public enum ReminderEdit: Hashable, Sendable {
  /// The field becomes as it is in the draft.
  case set(ReminderField, ReminderDraft)
  /// With these tags too; those that do not exist are made.
  case addTags([Tag.ID])
  /// Without these tags.
  case removeTags([Tag.ID])

  /// Sets one field: `.set(\.due, nil)`.
  public static func set<Value>(
    _ path: WritableKeyPath<ReminderDraft, Value>, _ value: Value
  ) -> ReminderEdit {
    var draft = ReminderDraft()
    draft[keyPath: path] = value
    // Every member of a draft is in the table; a test compares.
    return .set(ReminderField.all.first { $0.path as AnyKeyPath == path }!, draft)
  }
}

extension ReminderEdit {
  /// The tags after it, of a reminder that had these.
  func tags(after tags: [Tag.ID]) -> [Tag.ID] {
    switch self {
    case .set(.tags, let draft): draft.tags
    case .set: tags
    case .addTags(let titles): tags + titles
    case .removeTags(let titles):
      tags.filter { tag in !titles.contains { Tag.isSame($0, tag) } }
    }
  }

  /// Whether it is about the tags.
  var changesTags: Bool {
    switch self {
    case .set(.tags, _), .addTags, .removeTags: true
    case .set: false
    }
  }

  /// Whether it is about the notes.
  var changesNotes: Bool { if case .set(.notes, _) = self { true } else { false } }

  /// Whether it takes the due date away.
  var removesDueDate: Bool {
    if case .set(.due, let draft) = self { draft.due == nil } else { false }
  }

  /// Whether what it is about comes again from then on.
  var beginsSeries: Bool {
    if case .set(.recurrence, let draft) = self { draft.recurrence != nil } else { false }
  }

  /// Whether it is about rows that belong to a reminder: tags or alarms, some of which go with the
  /// due date.
  var changesParts: Bool { changesTags || alarms != nil || removesDueDate }

  /// Whether what it writes depends on the reminder.
  var isOfEachReminder: Bool {
    switch self {
    case .set(.parent, _), .set(.recurrence, _): true
    default: changesParts
    }
  }

  /// The alarms after it; nil when it leaves them as they are.
  var alarms: [Alarm]? {
    if case .set(.alarms, let draft) = self { draft.alarms } else { nil }
  }

  /// The edit with its text cleaned, as a row may hold it.
  ///
  /// - Throws: `AppError` when the title or a tag is empty.
  func validated() throws -> ReminderEdit {
    switch self {
    case .set(let field, var draft):
      try field.clean(&draft)
      return .set(field, draft)
    case .addTags(let titles): return .addTags(try titles.map(Tag.title(from:)))
    case .removeTags(let titles): return .removeTags(try titles.map(Tag.title(from:)))
    }
  }
}

extension ReminderDraft {
  /// Makes a change of it.
  public mutating func apply(_ edit: ReminderEdit) {
    if case .set(let field, let draft) = edit { field.copy(from: draft, to: &self) }
    tags = edit.tags(after: tags)
  }
}
