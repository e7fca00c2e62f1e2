import GRDB

extension WriteTransaction {
  /// What was done to reminders, in the line that offers to take it back.
  ///
  /// `Renamed “Walk” to “Run”`, `Moved 3 reminders to “Work”`, `Changed “Walk”: due Fri 27 Nov`.
  ///
  /// - Throws: `AppError` when a reminder, a list or a parent does not exist.
  func label(of edits: [ReminderEdit], _ ids: [Reminder.ID]) throws -> String {
    let subject = try subject(ids)
    guard edits.count != 1 else {
      return try label(of: edits[0], subject) + timeOfSeries(after: edits[0], ids)
        + dateOfSeries(after: edits[0], ids) + endOfSeries(after: edits[0], ids)
    }
    let fields = ReminderField.all.filter { field in edits.contains { $0.field == field } }
    return "Changed \(subject): \(fields.map(\.word).joined(separator: ", "))"
  }

  /// That what comes again keeps another time of the day, in words; empty where it has no other.
  private func timeOfSeries(after edit: ReminderEdit, _ ids: [Reminder.ID]) throws -> String {
    guard case .set(.due, let draft) = edit, ids.count == 1, let due = draft.due else { return "" }
    let columns = try state(of: [RowID(.reminders, ids[0])]).values.first ?? [:]
    guard let former = DueDate(stored: columns.text("dueDate")), columns.text("recurrence") != nil,
      former.minutes(in: time) != due.minutes(in: time)
    else { return "" }
    let has = due.minutes(in: time) == nil ? "without a time" : "at that time"
    return ", \(has) from now on"
  }

  /// That what comes again does so no more without its date; empty where nothing does.
  private func endOfSeries(after edit: ReminderEdit, _ ids: [Reminder.ID]) throws -> String {
    guard edit.removesDueDate, schema.fields.contains(.recurrence) else { return "" }
    let rows = try state(of: ids.map { RowID(.reminders, $0) }).values
    let count = rows.count { $0.text("recurrence") != nil }
    guard count > 0 else { return "" }
    return ids.count == 1 ? ", no repeat" : ", and \(count) of them no repeat"
  }

  /// The date to which a rule brings a reminder, in words; empty where it leaves it.
  private func dateOfSeries(after edit: ReminderEdit, _ ids: [Reminder.ID]) throws -> String {
    guard case .set(.recurrence, let draft) = edit, ids.count == 1 else { return "" }
    let columns = try state(of: [RowID(.reminders, ids[0])]).values.first ?? [:]
    let due = firstDue(of: draft.recurrence, columns)
    return due.map { ", due \($0.dateText(in: time))" } ?? ""
  }

  /// `“Walk”`, or `3 reminders`.
  ///
  /// - Throws: `AppError` when one of the reminders does not exist.
  func subject(_ ids: [Reminder.ID]) throws -> String {
    if ids.count == 1 { return "“\(try existingTitle(of: RowID(.reminders, ids[0])))”" }
    let there = Set(try keys(of: .reminders, where: "id", in: ids))
    if let gone = ids.first(where: { !there.contains($0) }) {
      _ = try existingTitle(of: RowID(.reminders, gone))
    }
    return "\(ids.count) reminders"
  }

  private func label(of edit: ReminderEdit, _ subject: String) throws -> String {
    switch edit {
    case .addTags(let tags): "Put \(words(tags)) on \(subject)"
    case .removeTags(let tags): "Took \(words(tags)) off \(subject)"
    case .set(let field, let draft): try label(of: field, in: draft, subject)
    }
  }

  private func label(
    of field: ReminderField, in draft: ReminderDraft, _ subject: String
  ) throws -> String {
    switch field.kind {
    case .title(let path): return "Renamed \(subject) to “\(draft[keyPath: path])”"
    case .flag(let path): return "\(draft[keyPath: path] ? "Flagged" : "Unflagged") \(subject)"
    case .list(let path):
      guard let list = draft[keyPath: path] else { return "Moved \(subject)" }
      return "Moved \(subject) to “\(try existingTitle(of: RowID(.remindersLists, list)))”"
    case .parent(let path):
      guard let parent = draft[keyPath: path] else { return "Moved \(subject) out of its parent" }
      return "Moved \(subject) under “\(try existingTitle(of: RowID(.reminders, parent)))”"
    case .tags(let path):
      let tags = draft[keyPath: path]
      return "Changed \(subject): \(tags.isEmpty ? "no tags" : words(tags))"
    case .notes, .line, .due, .recurrence, .priority, .alarms:
      return "Changed \(subject): \(value(of: field, in: draft))"
    }
  }

  /// `due Fri 27 Nov`, `no link`, or only the field's name where its value is long.
  private func value(of field: ReminderField, in draft: ReminderDraft) -> String {
    if field.isEqual(draft, ReminderDraft()) { return "no \(field.word)" }
    let words = field.stored(in: draft).flatMap {
      field.words(StoredValue($0), in: time, lists: [:])
    }
    return words.map { "\(field.word) \($0)" } ?? field.word
  }

  private func words(_ tags: [Tag.ID]) -> String { tags.map { "#\($0)" }.joined(separator: " ") }
}

extension ReminderEdit {
  /// The field that it is about.
  fileprivate var field: ReminderField {
    switch self {
    case .set(let field, _): field
    case .addTags, .removeTags: .tags
    }
  }
}
