import Foundation
import GRDB
import SQLiteSync

// A device that has not synchronized yet makes a list “Personal” for its first reminder, though
// there may be one in the cloud. An id that all devices know would not do: the new row, edited
// last, would take title and colour from the old one, and people who share would have one record.
// So it becomes part of the other list before it is sent, while nobody else can have edited it.

extension RemindersList {
  /// The id of a list that the app makes by itself: of version 5, which a person's has not.
  static func defaultID(from id: ID) -> ID { UUID(name: id).uuidString.lowercased() }

  /// Moves what is in a list that the app made here into the one of that title that the cloud has.
  ///
  /// Neither what a person has made something of, nor a list that others see.
  static func joinDefaults(_ db: Database) throws {
    let shared = Set(try SharesQuery().fetch(db).map(\.id))
    let lists = try ListsQuery().fetch(db)
      .filter { $0.title == defaultTitle && !shared.contains($0.id) }
    guard lists.count > 1 else { return }
    let sent = try lists.filter { try $0.isSent(db) }
    guard let kept = sent.first else { return }
    for list in try lists.filter({ try !sent.contains($0) && $0.isUntouched(db) }) {
      try db.execute(
        sql: "UPDATE reminders SET remindersListID = ? WHERE remindersListID = ?",
        arguments: [kept.id, list.id])
      try db.execute(sql: "DELETE FROM remindersLists WHERE id = ?", arguments: [list.id])
    }
  }

  private func isSent(_ db: Database) throws -> Bool {
    try SyncMetadata.fetchOne(db, id: .init(of: id, in: RemindersList.self))?.hasServerRecord
      ?? false
  }

  private func isUntouched(_ db: Database) throws -> Bool {
    let isByApp = UUID(uuidString: id).map { $0.uuid.6 >> 4 == 5 } ?? false
    let canHaveCover = try db.schemaVersion.hasCovers
    return try isByApp && color == Self.defaultColor
      && (!canHaveCover || RemindersListAsset.filter(key: id).isEmpty(db))
  }
}
