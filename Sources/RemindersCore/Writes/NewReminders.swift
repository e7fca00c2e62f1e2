import Foundation
import GRDB

/// A reminder that is not written yet, with what is part of it.
struct NewReminder {
  let id: Reminder.ID
  let columns: RowChange.Columns
  let tags: [Tag.ID]
  let alarms: [Alarm]
  /// Until when it is snoozed, where a file says so.
  var snoozedUntil: Date?
}

extension WriteTransaction {
  /// What a draft becomes, in the list that it names or else needs, which is made if need be.
  ///
  /// - Parameter known: Columns that are not to be what they are in a new reminder.
  /// - Throws: `AppError` when the list does not exist, or a field cannot be stored.
  func newReminder(
    _ draft: ReminderDraft, id: Reminder.ID, at home: TimeZone? = nil,
    with known: RowChange.Columns = [:],
    _ inserted: inout [RowID]
  ) throws -> NewReminder {
    var draft = draft
    if let parent = draft.parentID {
      draft.listID = String.fromDatabaseValue(try listOfParent(parent, for: id))
    }
    let listID = try draft.listID ?? firstList(&inserted)
    _ = try existingTitle(of: RowID(.remindersLists, listID))
    draft.listID = listID
    var columns: RowChange.Columns = [
      "id": id.databaseValue, "createdAt": now.milliseconds.databaseValue,
      "updatedAt": now.milliseconds.databaseValue,
    ]
    for field in ReminderField.all {
      try field.clean(&draft)
      columns[field.column] = field.stored(in: draft)
    }
    if draft.isDone { columns.merge(self.columns(of: .completed)) { $1 } }
    if draft.recurrence != nil {
      beginSeries(draft.recurrence, due: draft.due, at: home, &columns)
    }
    if !draft.alarms.isEmpty, !schema.fields.contains(.alarms) { throw schema.lacks("alarms") }
    return NewReminder(
      id: id, columns: try storable(columns.merging(known) { $1 }, of: .reminders),
      tags: draft.tags, alarms: draft.alarms)
  }

  /// Inserts reminders with their tags and alarms.
  func insert(_ reminders: [NewReminder], _ inserted: inout [RowID]) throws {
    try insert(.reminders, all: reminders.map(\.columns))
    inserted += reminders.map { RowID(.reminders, $0.id) }
    try addTags(reminders.map { ($0.id, $0.tags) }, &inserted)
    for reminder in reminders { try addAlarms(reminder.alarms, of: reminder.id, &inserted) }
    try addSnoozes(reminders, &inserted)
  }

  /// Inserts a reminder with its tags and alarms.
  func add(_ draft: ReminderDraft, id: Reminder.ID, _ inserted: inout [RowID]) throws {
    try insert([newReminder(draft, id: id, &inserted)], &inserted)
  }
}
