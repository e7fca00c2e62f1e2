import GRDB
import SQLiteSync

extension AppDatabase {
  /// Brings back what lost: values, and what was deleted with all that belonged to it.
  ///
  /// - Throws: `AppError` when it is not kept any more, or what it belongs to is gone for good.
  public func restore(_ ids: [HistoryEntry.ID]) async throws -> UndoStep {
    try await restoring { try $0.restore(ids) }
  }

  /// Of the entries with these numbers those that are about one of the items, all of them when none
  /// is named.
  ///
  /// - Parameter items: The beginnings of ids of reminders and lists, there or deleted; or tags.
  /// - Throws: `AppError` when an entry is about something else.
  public func entries(
    _ ids: [HistoryEntry.ID], of items: [String]
  ) throws -> [HistoryEntry.ID] {
    guard !items.isEmpty else { return ids }
    let keys = try items.map { item in
      // What was deleted has a name of more kinds; the other error says more.
      try (try? deletedItem(matching: item))?.subject.key ?? reminderID(everMatching: item)
    }
    let stranger = try read { db in
      try ids.first { id in
        let shown = try SyncHistory.entry(id, db).flatMap { try HistoryQuery.shown($0, db) }
        return shown.map { !keys.contains($0.subject.key) } ?? true
      }
    }
    guard let stranger else { return ids }
    throw AppError.noSuchEntry(stranger, of: items)
  }

  /// Saves edits of a reminder that was deleted meanwhile: it comes back with what was deleted with
  /// it, and with the edits.
  ///
  /// Where its deletion is not known any more, a new one is made of all that is given.
  ///
  /// - Returns: The reminder, and how to take it back.
  /// - Throws: `AppError` for what cannot be saved.
  public func saveDeleted(
    _ id: Reminder.ID, _ draft: ReminderDraft, _ edits: [ReminderEdit]
  ) async throws -> (id: Reminder.ID, undo: UndoStep) {
    let edits = try edits.map { try $0.validated() }
    let title = try validTitle(draft.title, of: "reminder")
    return try await restoring { transaction in
      try draft.requireValid(in: transaction.time)
      return try transaction.revive(id, edits, title) ?? transaction.replace(draft, title)
    }
  }

  private func restoring<Result: Sendable>(
    _ work: @escaping @Sendable (WriteTransaction) throws -> Result
  ) async throws -> Result {
    try await write { transaction in
      do {
        return try work(transaction)
      } catch let error as SyncError {
        throw AppError(.noSuchItem, error.message, hint: error.hint)
      }
    }
  }
}

extension WriteTransaction {
  /// Brings a reminder back and edits it; nil when it cannot come back.
  fileprivate func revive(
    _ id: Reminder.ID, _ edits: [ReminderEdit], _ title: String
  ) throws -> (id: Reminder.ID, undo: UndoStep)? {
    let row = RowID(.reminders, id)
    let label = "Changed “\(title)”"
    guard try state(of: [row]).isEmpty else {
      return (id, try recording(label, touching: [row]) { try apply(edits, to: [id], &$0) })
    }
    let entries = try SyncHistory.entries(db, of: Reminder.databaseTableName, key: id)
    guard let deletion = entries.first(where: { if case .row = $0.loss { true } else { false } })
    else { return nil }
    var key = id
    var step: UndoStep?
    do {
      try db.inSavepoint {
        step = try recording(label, touching: []) { inserted in
          let restored = try restoreWithParts(deletion)
          inserted += rows(restored)
          key = restored.newKeys[.init(table: deletion.table, key: id)] ?? id
          try apply(edits, to: [key], &inserted)
        }
        return .commit
      }
    } catch let error as SyncError where error.reason == .nothingToRestore {
      return nil
    }
    return step.map { (key, $0) }
  }

  private func rows(_ restored: SyncHistory.Restored) -> [RowID] {
    restored.rows.compactMap { row in AppTable(named: row.table).map { RowID($0, row.key) } }
  }

  /// Makes a new reminder, in the list that it was in and below its parent where those are there.
  fileprivate func replace(
    _ draft: ReminderDraft, _ title: String
  ) throws -> (id: Reminder.ID, undo: UndoStep) {
    var draft = draft
    if let list = draft.listID, try state(of: [RowID(.remindersLists, list)]).isEmpty {
      draft.listID = nil
    }
    if let parent = draft.parentID, try state(of: [RowID(.reminders, parent)]).isEmpty {
      draft.parentID = nil
    }
    let id = makeID()
    let step = try recording("Added “\(title)”", touching: []) { inserted in
      try add(draft, id: id, &inserted)
    }
    return (id, step)
  }

  fileprivate func restore(_ ids: [HistoryEntry.ID]) throws -> UndoStep {
    let entries = try ids.map { id in
      guard let entry = try SyncHistory.entry(id, db),
        let shown = try HistoryQuery.shown(entry, db)
      else { throw AppError.noSuchEntry(id) }
      return (entry, shown)
    }
    let rows = rows(of: entries.map(\.0))
    let before = try state(of: rows, withNotes: true)
    var changed: [HistoryEntry] = []
    var leftOut = 0
    var step = try recording("", touching: rows) { inserted in
      for (entry, shown) in entries {
        let row = self.rows(of: [entry])
        let before = try state(of: row, withNotes: true)
        let restored = try restoreWithParts(entry)
        if try !restored.rows.isEmpty || state(of: row, withNotes: true) != before {
          changed.append(shown)
        }
        leftOut += restored.leftOut.count
        inserted += self.rows(restored)
      }
      try stamp(rows, before)
    }
    step.label = restoredLabel(changed)
    if leftOut > 0 {
      step.label +=
        ", without \(counted(leftOut, "tag")) that \(leftOut == 1 ? "is" : "are") gone for good"
    }
    return step
  }

  private func rows(of entries: [SyncHistory.Entry]) -> [RowID] {
    entries.compactMap { entry in AppTable(named: entry.table).map { RowID($0, entry.key) } }
  }

  /// Brings back an entry; of a reminder also the parts that were deleted with it and are gone
  /// still, which depend on it by no foreign key.
  private func restoreWithParts(_ entry: SyncHistory.Entry) throws -> SyncHistory.Restored {
    var restored = try SyncHistory.restore(entry.id, in: db)
    guard entry.table == AppTable.reminders.name, case .row = entry.loss else { return restored }
    let reminder = SyncHistory.RowReference(table: entry.table, key: entry.key)
    for part in try SyncHistory.rowsDeleted(with: entry, db) where part.table == entry.table {
      guard case .row(let values) = part.loss,
        values.text("parentID") == entry.key,
        try state(of: [RowID(.reminders, part.key)]).isEmpty
      else { continue }
      let more = try SyncHistory.restore(part.id, in: db)
      restored.rows += more.rows
      restored.leftOut += more.leftOut
      guard let parent = restored.newKeys[reminder],
        let key = more.rows.first(where: { $0.table == entry.table })?.key
      else { continue }
      try update(RowID(.reminders, key), ["parentID": parent.databaseValue])
    }
    return restored
  }

  /// A reminder that comes back, or a value of it, is a change of it now.
  private func stamp(_ rows: [RowID], _ before: [RowID: RowChange.Columns]) throws {
    let after = try state(of: rows, withNotes: true)
    for row in rows where row.table == .reminders && before[row] != after[row] {
      try db.execute(
        sql: "UPDATE reminders SET updatedAt = ? WHERE id = ?",
        arguments: [now.milliseconds, row.key])
    }
  }

  private func restoredLabel(_ items: [HistoryEntry]) -> String {
    guard items.count == 1, let item = items.first else {
      return "Restored \(counted(items.count, "thing"))"
    }
    let subject = "“\(item.subject.title)”"
    return switch item.content {
    case .deletion, .completionUndone: "Restored \(subject)"
    case .tag(let tag): "Put #\(tag) on \(subject) again"
    case .value(let column, _, _): "Restored the \(FieldName.word(for: column)) of \(subject)"
    }
  }
}

extension AppError {
  fileprivate static func noSuchEntry(
    _ id: HistoryEntry.ID, of items: [String] = []
  ) -> AppError {
    let item = items.count == 1 ? items[0] : nil
    return AppError(
      .noSuchItem,
      "There is no entry \(id) in the history" + (item.map { " of “\($0)”." } ?? "."),
      hint: "`reminders history` shows those there are.")
  }
}
