import Foundation
import GRDB
import SQLiteSync
import SQLiteSyncHashing

// A device that has not synchronized yet makes a list “Personal” for its first reminder, though
// there may be one in the cloud. An id that all devices know would not do: the new row, edited
// last, would take title and colour from the old one, and people who share would have one record.
// So it becomes part of the other list before it is sent, while nobody else can have edited it.
// Where devices have sent theirs at the same time, all of them choose the same one, and what
// somebody adds to another list meanwhile brings that back until it is joined again: a list is
// deleted as of when it was made, so that whatever came into it anywhere is later.

extension AppDatabase {
  /// Makes one of the lists that devices of the account made by themselves.
  ///
  /// - Returns: How many there were too many.
  @discardableResult
  public func joinDefaultLists() async throws -> Int {
    let lists = try await value(of: ListsQuery())
    guard lists.count(where: { $0.title == RemindersList.defaultTitle }) > 1 else { return 0 }
    return try await write { try RemindersList.joinDefaults($0.db) }
  }
}

extension RemindersList {
  /// The id of a list that the app makes by itself: of version 5, which a person's has not.
  static func defaultID(from id: ID) -> ID { UUID(name: id).lowercaseString }

  /// Moves what is in a list that the app made here into the one of that title that the cloud has.
  ///
  /// Neither what a person has made something of, nor a list that others see.
  ///
  /// - Returns: How many lists are gone.
  @discardableResult
  static func joinDefaults(_ db: Database) throws -> Int {
    let shared = Set(try SharesQuery().fetch(db).map(\.id))
    let lists = try ListsQuery().fetch(db)
      .filter { $0.title == defaultTitle && !shared.contains($0.id) }
    guard lists.count > 1 else { return 0 }
    let edits = try SyncRowEdits.all(db, of: databaseTableName, keys: lists.map(\.id))
    let made = Dictionary(
      uniqueKeysWithValues: zip(lists.map(\.id), edits.map { $0.made?.milliseconds ?? 0 }))
    let untouched = try zip(lists, edits).filter { try $0.isUntouched($1, db) }.map(\.0)
    // One that a person has made something of, else that which has the first id on every device.
    let sent = try lists.filter { try $0.isSent(db) }
    guard
      let kept = sent.first(where: { !untouched.contains($0) }) ?? sent.min(by: { $0.id < $1.id })
    else { return 0 }
    // What was sent may be somebody's list by now, unless it is like the one that is kept.
    let joined = untouched.filter {
      $0 != kept && (!sent.contains($0) || untouched.contains(kept))
    }
    // Also where the clock of the device that made the list was ahead.
    let moved = max(Int64(Date().timeIntervalSince1970 * 1000), made[kept.id, default: 0] + 2)
    for list in joined {
      try SyncEngine.edit(asOf: moved, in: db) {
        try db.execute(
          sql: "UPDATE reminders SET remindersListID = ? WHERE remindersListID = ?",
          arguments: [kept.id, list.id])
      }
      try SyncEngine.edit(asOf: made[list.id, default: 0], in: db) {
        try db.execute(sql: "DELETE FROM remindersLists WHERE id = ?", arguments: [list.id])
      }
    }
    return joined.count
  }

  private func isSent(_ db: Database) throws -> Bool {
    try SyncMetadata.fetchOne(db, id: .init(of: id, in: RemindersList.self))?.hasServerRecord
      ?? false
  }

  private func isUntouched(_ edits: SyncRowEdits, _ db: Database) throws -> Bool {
    let isByApp = UUID(uuidString: id).map { $0.uuid.6 >> 4 == 5 } ?? false
    let canHaveCover = try db.schemaVersion.hasCovers
    return try isByApp && color == Self.defaultColor && !Self.isEdited(edits.fields)
      && (!canHaveCover || RemindersListAsset.filter(key: id).isEmpty(db))
  }

  /// Whether a person has set its title or colour, though it may look as it did.
  ///
  /// A list that came back lives since then, and has its columns since it was made.
  private static func isEdited(_ edits: [String: SyncEdit]) -> Bool {
    let first = edits.values.min { $0.milliseconds < $1.milliseconds }
    return ["title", "color"].contains { edits[$0] != first }
  }
}
