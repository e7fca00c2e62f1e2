import Foundation
import GRDB

extension AppDatabase {
  /// Records that something is announced.
  ///
  /// - Returns: Those that nobody else has announced: another window, or another device that this
  ///   one has heard of. Only they are to be announced.
  public func announce(_ announcements: [Announcement]) async throws -> [Announcement] {
    try await write { transaction in
      try transaction.forgetOldNotices()
      return try announcements.filter { announcement in
        let rows = announcement.notices.map { RowID(.reminderNotices, $0) }
        let known = try transaction.state(of: rows)
        let isNew = rows.contains { known[$0]?["announcedAt"].map(\.isNull) ?? true }
        guard isNew, try transaction.isIncomplete(announcement.reminderID) else { return false }
        for row in rows where known[row]?["announcedAt"].map(\.isNull) ?? true {
          try transaction.note(
            row, of: announcement.reminderID, "announcedAt", transaction.now.milliseconds, known)
        }
        return true
      }
    }
  }

  /// Takes back that something was announced, which could not be shown to anybody.
  public func retract(_ announcements: [Announcement]) async throws {
    try await write { transaction in
      for row in announcements.flatMap(\.notices).map({ RowID(.reminderNotices, $0) })
      where try !transaction.state(of: [row]).isEmpty {
        try transaction.update(row, ["announcedAt": .null])
      }
    }
  }

  /// Announces reminders again at a moment, and not before; on all devices.
  ///
  /// That ends when they are completed or their due dates are others.
  ///
  /// - Parameter end: The moment; nil for their own alarms, however long they were snoozed.
  /// - Throws: `AppError` when one does not exist, or the moment is not ahead.
  public func snooze(_ ids: [Reminder.ID], until end: Date?) async throws -> UndoStep {
    guard let end else { return try await endSnooze(ids) }
    let moment = Date(milliseconds: end.milliseconds / 1000 * 1000)
    return try await write { transaction in
      guard moment > transaction.now else {
        throw AppError(
          .invalidInput, "That is not in the future.", hint: "For example: 10m, 1h, tomorrow 9:00.")
      }
      let label = "Snoozed \(try transaction.subject(ids))"
      let open = try ids.filter(transaction.isIncomplete)
      guard !open.isEmpty else {
        throw AppError(.invalidInput, "What is completed is not announced any more.")
      }
      let rows = try transaction.snoozes(of: open)
      let known = try transaction.state(of: rows.map(\.1))
      return try transaction.recording(label, touching: rows.map(\.1)) { _ in
        for (id, row) in rows {
          try transaction.note(row, of: id, "snoozedUntil", moment.milliseconds, known)
        }
      }
    }
  }
}

extension AppDatabase {
  private func endSnooze(_ ids: [Reminder.ID]) async throws -> UndoStep {
    try await write { transaction in
      let label = "Ended the snooze of \(try transaction.subject(ids))"
      let rows = try transaction.snoozes(of: ids).map(\.1)
      let known = try transaction.state(of: rows)
      let snoozed = rows.filter { known[$0]?["snoozedUntil"].map { !$0.isNull } ?? false }
      return try transaction.recording(label, touching: snoozed) { _ in
        for row in snoozed { try transaction.update(row, ["snoozedUntil": .null]) }
      }
    }
  }
}

extension WriteTransaction {
  /// Where it is recorded until when reminders are snoozed, as they are due now.
  fileprivate func snoozes(of ids: [Reminder.ID]) throws -> [(Reminder.ID, RowID)] {
    let states = try state(of: ids.map { RowID(.reminders, $0) })
    return ids.compactMap { id in
      states[RowID(.reminders, id)].map { columns in
        let due = columns.text("dueDate")
        return (id, RowID(.reminderNotices, Notice.snoozeID(of: id, due: DueDate(stored: due))))
      }
    }
  }

  fileprivate func isIncomplete(_ id: Reminder.ID) throws -> Bool {
    let row = RowID(.reminders, id)
    let incomplete = Reminder.Status.incomplete.rawValue.databaseValue
    return try state(of: [row])[row]?["status"] == incomplete
  }

  /// Sets a moment of a notice, which is made if it is not there.
  fileprivate func note(
    _ row: RowID, of reminder: Reminder.ID, _ column: String, _ milliseconds: Int64,
    _ known: [RowID: RowChange.Columns]
  ) throws {
    guard known[row] == nil else {
      return try update(row, [column: milliseconds.databaseValue])
    }
    try insert(
      .reminderNotices,
      [
        "id": row.key.databaseValue, "reminderID": reminder.databaseValue,
        column: milliseconds.databaseValue,
      ])
  }

  /// Deletes what was announced so long ago that it would not be announced any more.
  ///
  /// That is told by the clock, and by the days since on which something was announced: a clock
  /// that is wrong for an hour makes one of these, and would take what is snoozed on all devices.
  fileprivate func forgetOldNotices() throws {
    let moment = now.addingTimeInterval(-2 * Notice.longestMissed).milliseconds
    try db.cachedStatement(
      sql: """
        DELETE FROM reminderNotices
        WHERE max(coalesce(announcedAt, 0), coalesce(snoozedUntil, 0)) < min(:moment, coalesce((
          SELECT day * :day FROM (
            SELECT DISTINCT announcedAt / :day AS day FROM reminderNotices
            WHERE announcedAt NOTNULL ORDER BY 1 DESC LIMIT 1 OFFSET :count)), 0))
        """
    ).execute(arguments: [
      "moment": moment, "day": 86_400_000, "count": 2 * Int(Notice.longestMissed / 86_400),
    ])
  }

  /// The alarms of a reminder.
  func alarms(of id: Reminder.ID) throws -> [Alarm] {
    guard schema.fields.contains(.alarms) else { return [] }
    let stored = try String.fetchOne(
      db.cachedStatement(sql: "SELECT \(Alarm.columnSQL(of: "?"))"), arguments: [id])
    return Alarm.list(stored)
  }

  /// Gives a reminder these alarms and no others; the rows of those that stay are not touched.
  func setAlarms(
    _ alarms: [Alarm], of id: Reminder.ID, _ inserted: inout [RowID]
  ) throws {
    guard schema.fields.contains(.alarms) else {
      guard alarms.isEmpty else { throw schema.lacks("alarms") }
      return
    }
    let current = try self.alarms(of: id)
    guard Set(current) != Set(alarms) else { return }
    for alarm in Set(current).subtracting(alarms) {
      // Whatever another program has called it.
      try db.execute(
        sql: "DELETE FROM reminderAlarms WHERE reminderID = ? AND (alarm = ? OR id = ?)",
        arguments: [id, alarm.stored, ReminderAlarm.id(of: alarm, id)])
    }
    try addAlarms(alarms.filter { !current.contains($0) }, of: id, &inserted)
    try db.execute(
      sql: "UPDATE reminders SET updatedAt = ? WHERE id = ?", arguments: [now.milliseconds, id])
  }

  /// Gives a reminder alarms that it does not have.
  func addAlarms(_ alarms: [Alarm], of id: Reminder.ID, _ inserted: inout [RowID]) throws {
    for alarm in alarms.inOrder {
      let row = RowID(.reminderAlarms, ReminderAlarm.id(of: alarm, id))
      guard try state(of: [row]).isEmpty else { continue }
      try insert(
        .reminderAlarms,
        [
          "id": row.key.databaseValue, "reminderID": id.databaseValue,
          "alarm": alarm.stored.databaseValue,
        ])
      inserted.append(row)
    }
  }
}
