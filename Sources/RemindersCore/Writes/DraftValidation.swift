import GRDB

/// Refuses what could never come to anything: people see it where they typed it.
///
/// What is imported or synchronized is taken as it is.
extension ReminderDraft {
  /// Refuses what a write of it would refuse, whatever is in the database.
  ///
  /// - Throws: `AppError` for a field that cannot be stored, and for fields that contradict each
  ///   other.
  package func validate(in time: LocalTime) throws {
    var draft = self
    for field in ReminderField.all { try field.clean(&draft) }
    try draft.tags.forEach(Tag.checkTitle)
    try requireValid(in: time)
  }

  /// - Throws: `AppError` for a rule that is over before it begins, for an alarm that goes by a due
  ///   date where there is none, and for one beside `never`.
  func requireValid(in time: LocalTime) throws {
    if alarms.contains(.never), let alarm = alarms.first(where: { $0 != .never }) {
      throw AppError(
        .invalidInput, "“never” and “\(alarm.text(in: time))” contradict each other.",
        hint: "Never is for what is announced at no time; leave out one of them.")
    }
    if let recurrence {
      let first = due ?? recurrence.first(onOrAfter: .day(time.today), in: time)
      guard !recurrence.ends(before: first.day(in: time)) else {
        throw AppError(
          .invalidInput, "“\(recurrence.text(in: time))” ends before it begins.",
          hint: "Name a later day; or none, for what does not come again.")
      }
      return
    }
    guard due == nil, let alarm = alarms.first(where: \.goesByDueDate) else { return }
    throw AppError(
      .invalidInput, "“\(alarm.text(in: time))” needs a due date.",
      hint: "Say when it is due as well; or when it is to be announced, such as tomorrow 9am.")
  }
}

extension WriteTransaction {
  /// The same for a row that is changed, as far as that is what changes.
  func requireValid(
    _ edits: [ReminderEdit], _ columns: RowChange.Columns, of row: RowID
  ) throws {
    let isConcerned = edits.contains { edit in
      if case .set(.recurrence, _) = edit { true } else { edit.alarms != nil }
    }
    guard isConcerned, let stored = try state(of: [row])[row] else { return }
    let known = Recurrence(stored: stored.text("recurrence"))
    let after = stored.merging(columns) { $1 }
    var draft = ReminderDraft(due: DueDate(stored: after.text("dueDate")))
    draft.recurrence = Recurrence(stored: after.text("recurrence"))
    draft.alarms = edits.compactMap(\.alarms).last ?? []
    // The last occurrence may have been moved to a day after the end of its series.
    if draft.recurrence == known, known != nil { return }
    try draft.requireValid(in: time)
  }
}

extension WriteTransaction {
  /// Removes the alarms that go by a due date which is gone; what comes again has one with its next
  /// occurrence.
  func removeAlarmsWithoutDate(of id: Reminder.ID, _ inserted: inout [RowID]) throws {
    let row = RowID(.reminders, id)
    guard try state(of: [row])[row]?.text("recurrence") == nil else { return }
    let current = try alarms(of: id)
    let left = current.filter { !$0.goesByDueDate }
    if left != current { try setAlarms(left, of: id, &inserted) }
  }

  /// Refuses another list than that of the reminder of which something is to be a part.
  ///
  /// - Throws: `AppError` when both are named and differ.
  func requireListOfParent(_ parent: Reminder.ID?, _ list: RemindersList.ID?) throws {
    guard let parent, let list else { return }
    let row = RowID(.reminders, parent)
    let title = try existingTitle(of: row)
    let columns = try state(of: [row])[row]
    guard let other = columns?.text("remindersListID"), other != list else { return }
    let theirs = try existingTitle(of: RowID(.remindersLists, other))
    throw AppError(
      .invalidInput, "A subtask of “\(title)” is in its list, “\(theirs)”.",
      hint: "Leave out the list; or the parent.")
  }
}

extension Alarm {
  /// Whether it is announced at a time that a due date gives.
  fileprivate var goesByDueDate: Bool {
    switch self {
    case .offset, .clock: true
    case .at, .never: false
    }
  }
}
