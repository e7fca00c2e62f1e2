import GRDB

/// One reminder in a list of them.
public struct DetailRow: Identifiable, Hashable, Sendable {
  /// The reminder's id.
  public var id: Reminder.ID
  /// Its title.
  public var title: String
  /// The beginning of its notes, in one line.
  public var notesPreview: String
  /// When it is due.
  public var due: DueDate?
  /// Marked by hand.
  public var isFlagged: Bool
  /// How much it matters.
  public var priority: Reminder.Priority?
  /// Whether it is done.
  public var status: Reminder.Status
  /// Its place in the manual order.
  public var position: Double
  /// A link that belongs to it.
  public var url: String?
  /// The list it is in.
  public var list: ListLabel
  /// Its tags by title.
  public var tags: [Tag.ID]
  /// Whether the cloud does not have its latest edit yet.
  public var isNotSent: Bool
  /// Who else changed it last, where the list is shared; nil when that was this account.
  public var editor: String?

  /// A row; tests make them by hand.
  public init(
    id: Reminder.ID, title: String, notesPreview: String = "", due: DueDate? = nil,
    isFlagged: Bool = false, priority: Reminder.Priority? = nil,
    status: Reminder.Status = .incomplete, position: Double = 0, url: String? = nil,
    list: ListLabel, tags: [Tag.ID] = [], isNotSent: Bool = false,
    editor: String? = nil
  ) {
    self.id = id
    self.title = title
    self.notesPreview = notesPreview
    self.due = due
    self.isFlagged = isFlagged
    self.priority = priority
    self.status = status
    self.position = position
    self.url = url
    self.list = list
    self.tags = tags
    self.isNotSent = isNotSent
    self.editor = editor
  }
}

/// What is shown of a list beside one of its reminders.
public struct ListLabel: Hashable, Sendable {
  /// The list's id.
  public var id: RemindersList.ID
  /// Its title.
  public var title: String
  /// `0xRRGGBB`.
  public var color: Int

  /// A label.
  public init(id: RemindersList.ID, title: String, color: Int) {
    self.id = id
    self.title = title
    self.color = color
  }
}

extension DetailRow {
  /// As much of the notes as a row shows.
  static let notesSQL = "substr(notes, 1, 200)"

  init(_ found: FoundReminder) {
    let reminder = found.reminder
    self.init(
      id: reminder.id, title: reminder.title, notesPreview: reminder.notes.oneLine,
      due: reminder.due, isFlagged: reminder.isFlagged, priority: reminder.priority,
      status: reminder.status, position: reminder.position, url: reminder.url,
      list: ListLabel(id: found.list.id, title: found.list.title, color: found.list.color),
      tags: found.tags, isNotSent: found.isNotSent, editor: found.editor)
  }
}

extension String {
  /// The text with every run of white space, line ends too, made one space.
  var oneLine: String {
    split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
