import Foundation
import GRDB

extension Reminder {
  /// How long a reminder that was just done is easy to take back.
  public static let gracePeriod: Duration = .seconds(5)
}

extension AppDatabase {
  /// Completes reminders, or takes that back: what Space does.
  ///
  /// When any of them is incomplete, those become `completing` for the grace period, whose clock
  /// the caller runs (`completeGrace`); otherwise all become incomplete.
  ///
  /// - Throws: `AppError` when one does not exist.
  public func toggleDone(_ ids: [Reminder.ID]) async throws -> UndoStep {
    try await write { transaction in
      let rows = ids.map { RowID(.reminders, $0) }
      let incomplete = try transaction.state(of: rows).filter {
        $1["status"] == Reminder.Status.incomplete.rawValue.databaseValue
      }.keys
      return incomplete.isEmpty
        ? try transaction.setStatus(.incomplete, "Reopened", ids)
        : try transaction.setStatus(.completing, "Completed", incomplete.map(\.key))
    }
  }

  /// Completes reminders at once, or makes them incomplete again.
  ///
  /// - Throws: `AppError` when one does not exist.
  public func setDone(_ isDone: Bool, _ ids: [Reminder.ID]) async throws -> UndoStep {
    try await write {
      isDone
        ? try $0.setStatus(.completed, "Completed", ids)
        : try $0.setStatus(.incomplete, "Reopened", ids)
    }
  }

  /// Ends the grace period of those of the reminders that are still in it.
  public func completeGrace(_ ids: [Reminder.ID]) async throws {
    try await write { transaction in
      let completing = try transaction.state(of: ids.map { RowID(.reminders, $0) }).filter {
        $1["status"] == Reminder.Status.completing.rawValue.databaseValue
      }.keys
      _ = try transaction.setStatus(.completed, "Completed", completing.map(\.key))
    }
  }

  /// Ends the grace periods that an app left over when it ended by force.
  ///
  /// - Parameter moment: those that began later are some running app's to end.
  public func completeAbandonedGraces(begunBy moment: Date) async throws {
    try await write { transaction in
      let left = try String.fetchAll(
        transaction.db,
        sql: """
          SELECT id FROM reminders WHERE status = 1 AND coalesce(updatedAt, 0) <= ?
            AND \(try SQL.isWritable(transaction.db))
          """,
        arguments: [moment.milliseconds])
      _ = try transaction.setStatus(.completed, "Completed", left)
    }
  }
}

extension WriteTransaction {
  fileprivate func setStatus(
    _ status: Reminder.Status, _ verb: String, _ ids: [Reminder.ID]
  ) throws -> UndoStep {
    let rows = ids.map { RowID(.reminders, $0) }
    return try recording(try label(verb, ids), touching: rows) { _ in
      for row in rows { try update(row, ["status": status.rawValue.databaseValue]) }
    }
  }
}
