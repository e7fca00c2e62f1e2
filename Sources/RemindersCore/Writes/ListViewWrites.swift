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
  /// What nobody did must not bring back a list that somebody deleted meanwhile on another device:
  /// it counts as done when the list was made. And a place that is gone is not given again, as the
  /// list may follow it.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func placeSharedLists() async throws -> Int {
    guard schema.hasListViews, try await value(of: UnplacedListsQuery()) > 0 else { return 0 }
    return try await write { transaction in
      let unplaced = try UnplacedListsQuery.find(transaction.db)
      for list in unplaced { try transaction.place(list) }
      return unplaced.count
    }
  }
}

/// Counts the shared lists without a place of the person's own.
private struct UnplacedListsQuery: Query {
  func fetch(_ db: Database) throws -> Int { try Self.find(db).count }

  static func find(_ db: Database) throws -> [RemindersList] {
    let shared = Set(try SharesQuery().fetch(db).map(\.id))
    let views = try Row.fetchAll(db, sql: "SELECT listID, position NOTNULL FROM listViews")
    let isPlaced = try Dictionary(
      views.map { try ($0.read(0) as String, $0.read(1) as Bool) },
      uniquingKeysWith: { first, _ in first })
    let unplaced = try ListsQuery().fetch(db).filter {
      shared.contains($0.id) && isPlaced[$0.id] != true
    }
    let edits = try SyncRowEdits.all(
      db, of: AppTable.listViews.name, keys: unplaced.map(\.id))
    return zip(unplaced, edits).filter { isPlaced[$0.id] != nil || $1.made == nil }.map(\.0)
  }
}

extension WriteTransaction {
  /// Gives a list a place of the person's own.
  fileprivate func place(_ list: RemindersList) throws {
    let place: RowChange.Columns = ["position": list.position.databaseValue]
    // The row that there is has been edited later than that.
    guard try state(of: [RowID(.listViews, list.id)]).isEmpty else {
      return _ = try setView(of: list.id, place)
    }
    let made = try SyncRowEdits(db, of: AppTable.remindersLists.name, key: list.id).made
    _ = try SyncEngine.edit(asOf: made?.milliseconds ?? 0, in: db) {
      try setView(of: list.id, place)
    }
  }

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
