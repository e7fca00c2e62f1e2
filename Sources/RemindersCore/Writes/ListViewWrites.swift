import GRDB
import SQLiteSync

extension AppDatabase {
  /// Decides how the reminders of a list are shown; nil for the usual way.
  ///
  /// Nothing to undo: it changes no reminder.
  ///
  /// - Throws: `AppError` when the list is gone.
  public func setView(
    of list: RemindersList.ID, sort: ReminderListQuery.Sort?, showsCompleted: Bool?
  ) async throws {
    try await write { transaction in
      _ = try transaction.existingTitle(of: RowID(.remindersLists, list))
      try transaction.setView(
        of: list,
        [
          "sort": (sort?.rawValue).databaseValue,
          "showsCompleted": showsCompleted.databaseValue,
        ])
    }
  }

  /// Gives the shared lists that have none a place of the person's own, which nobody else can
  /// change: where each stands now.
  ///
  /// As of when the list was made: what nobody did must not bring back a list that somebody deleted
  /// meanwhile on another device.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func placeSharedLists() async throws -> Int {
    guard schema.hasListViews, try await value(of: UnplacedListsQuery()) > 0 else { return 0 }
    return try await write { transaction in
      let unplaced = try UnplacedListsQuery.find(transaction.db)
      let edits = try SyncRowEdits.all(
        transaction.db, of: RemindersList.databaseTableName, keys: unplaced.map(\.id))
      for (list, edits) in zip(unplaced, edits) {
        try SyncEngine.edit(asOf: edits.made?.milliseconds ?? 0, in: transaction.db) {
          _ = try transaction.setView(of: list.id, ["position": list.position.databaseValue])
        }
      }
      return unplaced.count
    }
  }
}

/// Counts the shared lists without a place of the person's own.
private struct UnplacedListsQuery: Query {
  func fetch(_ db: Database) throws -> Int { try Self.find(db).count }

  static func find(_ db: Database) throws -> [RemindersList] {
    let shared = Set(try SharesQuery().fetch(db).map(\.id))
    let placed = Set(
      try String.fetchAll(db, sql: "SELECT listID FROM listViews WHERE position NOTNULL"))
    return try ListsQuery().fetch(db).filter {
      shared.contains($0.id) && !placed.contains($0.id)
    }
  }
}

extension WriteTransaction {
  /// Writes columns of how a list is shown.
  ///
  /// - Returns: Whether there was nothing of it yet.
  @discardableResult
  func setView(of list: RemindersList.ID, _ columns: RowChange.Columns) throws -> Bool {
    let row = RowID(.listViews, list)
    guard try state(of: [row]).isEmpty else {
      try update(row, columns)
      return false
    }
    try insert(.listViews, columns.merging(["listID": list.databaseValue]) { one, _ in one })
    return true
  }
}
