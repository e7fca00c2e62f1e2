import GRDB
import SQLiteSync

/// “Never” and other alarms of one reminder, which two devices have set while they were offline:
/// where somebody says both, that is refused.
///
/// What was said later stays.
struct AlarmConflict {
  let reminder: Reminder.ID
  /// What was said earlier.
  let earlier: [RowID]

  /// All that there are.
  static func all(_ db: Database) throws -> [AlarmConflict] {
    guard try db.schemaVersion.fields.contains(.alarms) else { return [] }
    let table = ReminderAlarm.databaseTableName
    let rows = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT alarms.reminderID, alarms.id, alarms.alarm = :never
          FROM \(table) AS alarms CROSS JOIN reminders ON reminders.id = alarms.reminderID
          WHERE alarms.reminderID IN (SELECT reminderID FROM \(table) WHERE alarm = :never)
            AND \(try SQL.isWritable(db))
          """), arguments: ["never": Alarm.never.stored])
    let alarms = try rows.map { row in
      try (
        reminder: row.read(0) as String, key: row.read(1) as String, isNever: row.read(2) as Bool
      )
    }
    return try Dictionary(grouping: alarms, by: \.reminder).compactMap { reminder, alarms in
      guard Set(alarms.map(\.isNever)).count == 2 else { return nil }
      let edits = try SyncRowEdits.all(db, of: table, keys: alarms.map(\.key))
      func latest(_ isNever: Bool) -> Int64 {
        zip(alarms, edits).filter { $0.0.isNever == isNever }
          .compactMap { $0.1.made?.milliseconds }.max() ?? 0
      }
      // In the same millisecond it is announced.
      let staysNever = latest(true) > latest(false)
      return AlarmConflict(
        reminder: reminder,
        earlier: alarms.filter { $0.isNever != staysNever }.map { RowID(.reminderAlarms, $0.key) })
    }
  }
}
