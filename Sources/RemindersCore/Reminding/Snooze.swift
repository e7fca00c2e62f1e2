import Foundation
import GRDB

/// Until when something is snoozed, as typed.
public enum Snooze {
  /// What is meant when nothing is typed.
  public static let usual = "10m"

  /// Reads a date or a span from now on; a day is its morning; nil for `none`.
  ///
  /// - Throws: `AppError` when it is not understood, or not ahead.
  public static func moment(_ text: String, in time: LocalTime) throws -> Date? {
    if text.trimmingCharacters(in: .whitespaces).lowercased() == "none" { return nil }
    let moment: Date? =
      switch try DueDate.parse(text, in: time) {
      case nil: nil
      case .moment(let moment): moment
      case .day(let day): time.moment(day, minutes: AlarmRules.usualDayMinutes)
      }
    // A span counts from the beginning of this minute.
    guard let moment, moment > time.now else {
      throw AppError(
        .invalidInput, "“\(text.oneLine)” is not in the future.",
        hint: "For example: 10m, 1h, tonight, tomorrow 9:00.")
    }
    return moment
  }
}

extension Snooze: AlarmColumn {
  /// An SQL expression for until when a reminder was snoozed, for each of its due dates.
  static func columnSQL(of id: String) -> String {
    """
    (
      SELECT group_concat(id || ' ' || snoozedUntil, ' ') FROM reminderNotices
      WHERE reminderID = \(id) AND snoozedUntil NOTNULL
    )
    """
  }

  static let isAnySQL = "EXISTS (SELECT 1 FROM reminderNotices WHERE snoozedUntil NOTNULL)"

  /// What such a column says of the date on which a reminder is due now.
  static func moment(_ column: String?, of reminder: Reminder) -> Date? {
    guard let column, reminder.status == .incomplete else { return nil }
    let words = column.split(separator: " ")
    let id = Notice.snoozeID(of: reminder.id, due: reminder.draft.due)
    guard let place = words.firstIndex(where: { $0 == id }), words.indices.contains(place + 1)
    else { return nil }
    return Int64(words[place + 1]).map(Date.init(milliseconds:))
  }
}

extension ReminderRow {
  /// Until when it is snoozed; nil for one that is not, or whose snooze is over.
  public func snooze(in time: LocalTime) -> Date? {
    snoozedUntil.flatMap { $0 > time.now ? $0 : nil }
  }
}

extension WriteTransaction {
  /// Snoozes reminders that were just inserted.
  func addSnoozes(_ reminders: [NewReminder], _ inserted: inout [RowID]) throws {
    guard schema.fields.contains(.alarms) else { return }
    for reminder in reminders {
      guard let until = reminder.snoozedUntil else { continue }
      let due = reminder.columns.text("dueDate")
      let row = RowID(
        .reminderNotices, Notice.snoozeID(of: reminder.id, due: DueDate(stored: due)))
      guard try state(of: [row]).isEmpty else { continue }
      try insert(
        .reminderNotices,
        [
          "id": row.key.databaseValue, "reminderID": reminder.id.databaseValue,
          "snoozedUntil": until.milliseconds.databaseValue,
        ])
      inserted.append(row)
    }
  }
}
