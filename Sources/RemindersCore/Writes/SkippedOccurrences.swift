extension AppDatabase {
  /// Goes on to the next occurrences of reminders that come again, with nothing done.
  ///
  /// What was done of their parts stays as completed reminders.
  ///
  /// - Throws: `AppError` when one does not exist, or has no further occurrence.
  public func skip(_ ids: [Reminder.ID]) async throws -> UndoStep {
    try await write { try $0.skip(ids) }
  }
}

extension WriteTransaction {
  fileprivate func skip(_ ids: [Reminder.ID]) throws -> UndoStep {
    let subject = try subject(ids)
    let rows = ids.map { RowID(.reminders, $0) }
    let rollovers = try rollovers(of: rows)
    if let last = rows.first(where: { rollovers[$0] == nil }) {
      throw AppError(
        .invalidInput, "“\(try existingTitle(of: last))” has no further occurrence.",
        hint: "Complete it, or delete it.")
    }
    let skipped = rows.compactMap { rollovers[$0] }
    let parts = try subtasks(of: ids).map { RowID(.reminders, $0) }
    let label = skipped.count == 1 ? " to \(skipped[0].nextDue.dateText(in: time))" : ""
    let made = try skipped.flatMap(self.rows(madeBy:))
    return try recording(
      "Skipped \(subject)\(label)", touching: rows + parts + made, leavesNotes: true
    ) { _ in
      try skipped.forEach(skip)
    }
  }

  /// Goes on to the next occurrence, with nothing done.
  func skip(_ rollover: Rollover) throws {
    let parts = try subtasks(of: [rollover.row.key]).map { RowID(.reminders, $0) }
    try keepCompleted(parts, rollover.passed, completedAt: now)
    // So that going on, which takes that away, is an edit of it: by that others know that nobody
    // has put it there. See `SeriesState.skippedBeyond`.
    try update(rollover.row, ["completedAt": now.milliseconds.databaseValue])
    try goOn(rollover, parts, movesParts: true)
  }
}
