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
  /// the caller runs (`completeGrace`); otherwise all become incomplete. Undoing it also takes back
  /// what the end of the grace period made of them.
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
        : try transaction.beginGrace(of: incomplete.map(\.key))
    }
  }

  /// Completes reminders at once, or makes them incomplete again.
  ///
  /// What is so already stays as it is, with the time at which it was completed.
  ///
  /// - Throws: `AppError` when one does not exist.
  public func setDone(_ isDone: Bool, _ ids: [Reminder.ID]) async throws -> UndoStep {
    try await write { transaction in
      let status = (isDone ? Reminder.Status.completed : .incomplete).rawValue.databaseValue
      let states = try transaction.state(
        of: ids.map { RowID(.reminders, $0) })
      let others = ids.filter { states[RowID(.reminders, $0)]?["status"] != status }
      if isDone { try transaction.endGraces(of: others) }
      return isDone
        ? try transaction.complete(others)
        : try transaction.setStatus(.incomplete, "Reopened", others)
    }
  }

  /// Ends the grace period of those of the reminders that are still in it.
  public func completeGrace(_ ids: [Reminder.ID]) async throws {
    try await write { transaction in
      let completing = try transaction.state(
        of: ids.map { RowID(.reminders, $0) }
      ).filter { $1["status"] == Reminder.Status.completing.rawValue.databaseValue }.keys
      _ = try transaction.complete(completing.map(\.key))
    }
  }

  /// Ends the grace periods that an app left over when it ended by force.
  ///
  /// - Parameter moment: those that began later are some running app's to end.
  /// - Returns: How many there were.
  @discardableResult
  public func completeAbandonedGraces(begunBy moment: Date) async throws -> Int {
    try await write { transaction in
      let left = try String.fetchAll(
        transaction.db,
        sql: """
          SELECT id FROM reminders WHERE status = 1 AND coalesce(updatedAt, 0) <= ?
            AND \(try SQL.isWritable(transaction.db))
          """,
        arguments: [moment.milliseconds])
      _ = try transaction.complete(left)
      return left.count
    }
  }
}

extension WriteTransaction {
  fileprivate func setStatus(
    _ status: Reminder.Status, _ verb: String, _ ids: [Reminder.ID]
  ) throws -> UndoStep {
    let rows = ids.map { RowID(.reminders, $0) }
    return try recording("\(verb) \(try subject(ids))", touching: rows, leavesNotes: true) { _ in
      let columns = columns(of: status)
      if status == .incomplete { try noteLast(ids, isDone: false) }
      try inPages(ids) { try update($0, of: .reminders, columns) }
      try noteOccurrences(ofParts: ids, areDone: status != .incomplete)
    }
  }

  /// The columns that say where a reminder stands.
  func columns(of status: Reminder.Status) -> RowChange.Columns {
    var columns: RowChange.Columns = ["status": status.rawValue.databaseValue]
    if schema.hasCompletionTimes {
      columns["completedAt"] = (status == .completed ? now.milliseconds : nil).databaseValue
    }
    return columns
  }

  /// Makes reminders incomplete that an app is about to complete: so they are where somebody else
  /// completes them at once and takes that back.
  fileprivate func endGraces(of ids: [Reminder.ID]) throws {
    let completing = try state(of: ids.map { RowID(.reminders, $0) }).filter {
      $1["status"] == Reminder.Status.completing.rawValue.databaseValue
    }
    let columns = columns(of: .incomplete)
    try inPages(completing.map(\.key.key)) { try update($0, of: .reminders, columns) }
  }

  /// Completes reminders; those that come again go on.
  fileprivate func complete(_ ids: [Reminder.ID]) throws -> UndoStep {
    let rows = ids.map { RowID(.reminders, $0) }
    let rollovers = try rollovers(of: rows)
    let made = try rollovers.values.flatMap(self.rows(madeBy:))
    let parts = try subtasks(of: ids).map { RowID(.reminders, $0) }
    return try recording(
      "Completed \(try subject(ids))", touching: rows + parts + made, leavesNotes: true
    ) { _ in
      let done = ids.filter { rollovers[RowID(.reminders, $0)] == nil }
      let columns = columns(of: .completed)
      let parts = try openSubtasks(of: done)
      try noteLast(done, isDone: true)
      try inPages(done + parts) { try update($0, of: .reminders, columns) }
      try noteOccurrences(ofParts: done + parts, areDone: true)
      // Last, because what is part of these is to be done again.
      for row in rows {
        if let rollover = rollovers[row] { try perform(rollover, completedAt: now) }
      }
    }
  }

  /// Completes, or opens again, what comes no more after this time: the last one of a series, or
  /// what does not come again any more.
  ///
  /// Which occurrence that is becomes as new an edit as its status.
  private func noteLast(_ ids: [Reminder.ID], isDone: Bool) throws {
    guard schema.fields.contains(.recurrence) else { return }
    for page in ids.chunked() {
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT id, occurrence FROM reminders
          WHERE id IN (\(databaseQuestionMarks(count: page.count)))
            AND occurrence NOTNULL AND (recurrence NOTNULL OR parentID IS NULL)
          """, arguments: StatementArguments(page))
      for row in rows {
        guard let occurrence = try Occurrence(stored: row.read(1)) else { continue }
        let text = isDone ? occurrence.storedAsLast : occurrence.stored
        let status = columns(of: isDone ? .completed : .incomplete)
        try update(
          RowID(.reminders, row.read(0)), status.merging(["occurrence": text.databaseValue]) { $1 })
      }
    }
  }

  /// What is part of reminders and is done with them; what was done before stays as it is.
  private func openSubtasks(of ids: [Reminder.ID]) throws -> [Reminder.ID] {
    let parts = try subtasks(of: ids).map { RowID(.reminders, $0) }
    let completed = Reminder.Status.completed.rawValue.databaseValue
    return try state(of: parts).filter { $1["status"] != completed }
      .map(\.key.key)
  }

  /// Begins the grace period of reminders.
  ///
  /// Nobody can undo the end of it by itself, so what it will change is part of this step.
  fileprivate func beginGrace(of ids: [Reminder.ID]) throws -> UndoStep {
    let rows = ids.map { RowID(.reminders, $0) }
    let all = rows + (try subtasks(of: ids)).map { RowID(.reminders, $0) }
    let (before, rollovers) = (try state(of: all), try rollovers(of: rows))
    let made = try rollovers.values.flatMap(self.rows(madeBy:))
    let isThere = Set(try state(of: made).keys)
    var step = try setStatus(.completing, "Completed", ids)
    let columns = ["status", "completedAt", "occurrence"]
    let moved = Set(try subtasks(of: rollovers.keys.map(\.key)))
    step.changes = Set(all).sorted { $0.key < $1.key }.compactMap { row in
      let isMoved = rollovers[row] != nil || moved.contains(row.key)
      let changed = columns + (isMoved ? ["dueDate"] : [])
      // Where the end of the grace period brings what comes again.
      let after: RowChange.Columns? = rollovers[row].map {
        [
          "dueDate": $0.nextDue.stored.databaseValue, "occurrence": $0.next.stored.databaseValue,
        ]
      }
      return RowChange(
        row, before: before[row]?.filter { changed.contains($0.key) }, after: after ?? [:])
    }
    step.changes += made.filter { !isThere.contains($0) }.compactMap {
      RowChange($0, before: nil, after: [:])
    }
    return step
  }
}
