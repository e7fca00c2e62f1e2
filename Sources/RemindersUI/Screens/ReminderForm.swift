import Reminders
import Terminal

/// A form with all fields of a reminder, new or not.
///
/// What others change meanwhile flows into the fields that were not touched; in the others, what is
/// typed stays, and the form says what it is up against.
struct ReminderForm: Equatable, Sendable {
  enum Field: String, CaseIterable, Hashable, Sendable {
    case title, notes, list, due, priority, flag, tags, url

    var label: String { self == .url ? "Link" : rawValue.capitalized }

    /// What the schema must have for it; nil when every one has.
    var feature: SchemaVersion.Feature? { self == .url ? .links : nil }
  }

  /// The reminder; nil for a new one.
  let reminderID: Reminder.ID?
  /// Those that the schema has.
  let fields: [Field]
  /// Why nothing can be changed; nil when it can.
  let readOnlyReason: String?
  /// What the fields said when they were last equal to the database.
  private(set) var base: ReminderDraft
  /// What the database says where that is something else and the field was touched.
  private(set) var theirs: [Field: ReminderDraft] = [:]
  /// Whether the reminder was deleted elsewhere.
  private(set) var isGone = false
  /// The field that has the keys.
  var focus = Field.title

  var title: TextField
  var notes: TextArea
  var listID: RemindersList.ID?
  var due: DueField
  var priority: Reminder.Priority?
  var isFlagged: Bool
  var tags: TextField
  var url: TextField

  /// How wide notes are shown; moving the caret in them depends on it.
  static let textColumns = 54

  init(
    _ draft: ReminderDraft, of id: Reminder.ID?, in time: LocalTime, with schema: SchemaVersion,
    readOnlyReason: String? = nil
  ) {
    reminderID = id
    self.readOnlyReason = readOnlyReason
    fields = Field.allCases.filter { schema.has($0.feature) }
    base = draft
    title = TextField(draft.title)
    notes = TextArea(draft.notes)
    listID = draft.listID
    due = DueField(draft.due, in: time)
    priority = draft.priority
    isFlagged = draft.isFlagged
    tags = TextField(Self.text(of: draft.tags))
    url = TextField(draft.url ?? "")
  }

  var isNew: Bool { reminderID == nil }

  static func text(of tags: [Tag.ID]) -> String { tags.map { "#\($0)" }.joined(separator: " ") }

  /// The tags that are typed, each once.
  var typedTags: [Tag.ID] {
    var seen: Set<Tag.ID> = []
    return tags.text.split(whereSeparator: \.isWhitespace).compactMap { word in
      try? Tag.title(from: String(word))  // A lone # is no tag.
    }.filter { seen.insert($0.lowercased()).inserted }
  }
}

// MARK: - Changes

extension ReminderForm {
  /// Whether a field says something else than it did.
  func isChanged(_ field: Field, in time: LocalTime) -> Bool {
    switch field {
    case .title: title.text != base.title
    case .notes: notes.text != base.notes
    case .list: listID != base.listID
    case .due: due.field.text != DueField(base.due, in: time).field.text
    case .priority: priority != base.priority
    case .flag: isFlagged != base.isFlagged
    case .tags: typedTags != base.tags
    case .url: url.text != base.url ?? ""
    }
  }

  func changedFields(in time: LocalTime) -> [Field] {
    fields.filter { isChanged($0, in: time) }
  }

  /// What a field says, as an edit.
  ///
  /// - Throws: `Problem` when it makes no sense.
  private func edit(of field: Field, in time: LocalTime) throws(Problem) -> ReminderEdit? {
    switch field {
    case .title: .title(title.text)
    case .notes: .notes(notes.text)
    case .list: listID.map { .list($0) }
    case .due: .due(try due.due(in: time))
    case .priority: .priority(priority)
    case .flag: .isFlagged(isFlagged)
    case .tags: .tags(typedTags)
    case .url: .url(url.text.isEmpty ? nil : url.text)
    }
  }

  /// The changes as a write; nil when there are none.
  ///
  /// - Throws: `Problem` when a field makes no sense.
  func write(in time: LocalTime) throws(Problem) -> Write? {
    guard title.text.contains(where: { !$0.isWhitespace }) else {
      throw Problem("A reminder needs a title.")
    }
    guard let reminderID else {
      return .add([
        ReminderDraft(
          title: title.text, notes: notes.text, due: try due.due(in: time), isFlagged: isFlagged,
          priority: priority, url: url.text.isEmpty ? nil : url.text, listID: listID,
          tags: typedTags)
      ])
    }
    var edits: [ReminderEdit] = []
    for field in changedFields(in: time) {
      if let edit = try edit(of: field, in: time) { edits.append(edit) }
    }
    return edits.isEmpty ? nil : .edit([reminderID], edits)
  }

  // MARK: - What others change

  /// Takes over what the database now knows.
  mutating func receive(_ details: ReminderDetails?, in time: LocalTime) {
    isGone = details == nil
    guard let details else { return }
    let latest = ReminderDraft(details)
    for field in fields {
      if Self.text(of: field, in: latest) == Self.text(of: field, in: base) {
        theirs[field] = nil
      } else if isChanged(field, in: time) {
        theirs[field] = latest
      } else {
        take(field, from: latest, in: time)
      }
    }
  }

  /// Gives up what was typed into a field for what the database says.
  mutating func takeTheirs(in time: LocalTime) {
    let field = theirs[focus] == nil ? fields.first { theirs[$0] != nil } : focus
    guard let field, let latest = theirs.removeValue(forKey: field) else { return }
    take(field, from: latest, in: time)
  }

  private mutating func take(_ field: Field, from latest: ReminderDraft, in time: LocalTime) {
    switch field {
    case .title: (base.title, title) = (latest.title, TextField(latest.title))
    case .notes: (base.notes, notes) = (latest.notes, TextArea(latest.notes))
    case .list: (base.listID, listID) = (latest.listID, latest.listID)
    case .due: (base.due, due) = (latest.due, DueField(latest.due, in: time))
    case .priority: (base.priority, priority) = (latest.priority, latest.priority)
    case .flag: (base.isFlagged, isFlagged) = (latest.isFlagged, latest.isFlagged)
    case .tags: (base.tags, tags) = (latest.tags, TextField(Self.text(of: latest.tags)))
    case .url: (base.url, url) = (latest.url, TextField(latest.url ?? ""))
    }
  }

  /// What a field of the database says, to be compared.
  private static func text(of field: Field, in draft: ReminderDraft) -> String {
    switch field {
    case .title: draft.title
    case .notes: draft.notes
    case .list: draft.listID ?? ""
    case .due: draft.due.map { "\($0)" } ?? ""
    case .priority: draft.priority?.name ?? ""
    case .flag: "\(draft.isFlagged)"
    case .tags: text(of: draft.tags)
    case .url: draft.url ?? ""
    }
  }
}

extension ReminderDraft {
  /// What a reminder is now.
  init(_ details: ReminderDetails) {
    let reminder = details.reminder
    self.init(
      title: reminder.title, notes: reminder.notes, due: reminder.due,
      isFlagged: reminder.isFlagged, priority: reminder.priority, url: reminder.url,
      listID: reminder.remindersListID, tags: details.tags)
  }
}

// MARK: - Keys

extension ReminderForm {
  /// Keys that move the caret in a text, and change nothing.
  private static let movingKeys: Set<Key> = [.up, .down, .left, .right, .home, .end]

  mutating func type(_ key: Key, of sidebar: Sidebar?) {
    if readOnlyReason != nil {
      guard [.title, .notes, .tags, .url].contains(focus), Self.movingKeys.contains(key) else {
        return
      }
    }
    switch focus {
    case .title: title.handle(key)
    case .notes: notes.handle(key, columns: Self.textColumns)
    case .due: due.type(key)
    case .tags: tags.handle(key)
    case .url: url.handle(key)
    case .list: listID = Self.next(listID, in: sidebar, by: Self.step(of: key))
    case .priority: priority = Self.next(priority, by: Self.step(of: key))
    case .flag: if key == .space || key == .left || key == .right { isFlagged.toggle() }
    }
  }

  /// Arrows and Space go through the values of a field.
  private static func step(of key: Key) -> Int {
    switch key {
    case .left: -1
    case .right, .space: 1
    default: 0
    }
  }

  private static func next(
    _ id: RemindersList.ID?, in sidebar: Sidebar?, by count: Int
  ) -> RemindersList.ID? {
    let ids = (sidebar?.lists ?? []).map(\.id)
    guard !ids.isEmpty else { return id }
    let index = ids.firstIndex { $0 == id } ?? 0
    return ids[(index + count + ids.count) % ids.count]
  }

  private static func next(_ priority: Reminder.Priority?, by count: Int) -> Reminder.Priority? {
    let all = Reminder.Priority.allCases.count + 1
    return Reminder.Priority(rawValue: ((priority?.rawValue ?? 0) + count + all) % all)
  }

  mutating func paste(_ text: String) {
    guard readOnlyReason == nil else { return }
    switch focus {
    case .title: title.paste(text)
    case .notes: notes.paste(text)
    case .due: due.paste(text)
    case .tags: tags.paste(text)
    case .url: url.paste(text)
    case .list, .priority, .flag: break
    }
  }

  mutating func receive(edited text: String) { notes.text = text }

  /// Goes to another field.
  mutating func moveFocus(by count: Int) {
    let index = fields.firstIndex(of: focus) ?? 0
    focus = fields[(index + count + fields.count) % fields.count]
  }

  /// Tags that begin with the word that is being typed, and are not there yet.
  func suggestions(of sidebar: Sidebar?) -> [Sidebar.TagRow] {
    guard focus == .tags, let word = tagWord, !word.isEmpty else { return [] }
    let present = Set(typedTags.map { $0.lowercased() })
    let tags = sidebar?.tags ?? []
    // A whole tag is meant as it is typed.
    guard !tags.contains(where: { $0.title.lowercased() == word }) else { return [] }
    return tags.filter { row in
      row.title.lowercased().hasPrefix(word) && !present.contains(row.title.lowercased())
    }
  }

  private var tagWord: String? {
    guard let word = tags.text.split(separator: " ", omittingEmptySubsequences: false).last else {
      return nil
    }
    return word.drop { $0 == "#" }.lowercased()
  }

  /// Completes the tag that is being typed.
  ///
  /// - Returns: Whether there was anything to complete.
  mutating func completeTag(of sidebar: Sidebar?) -> Bool {
    guard let suggestion = suggestions(of: sidebar).first else { return false }
    var words = tags.text.split(separator: " ").map(String.init)
    words[words.count - 1] = "#\(suggestion.title)"
    tags.text = words.joined(separator: " ") + " "
    return true
  }
}
