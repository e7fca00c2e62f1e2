import Foundation
import GRDB

/// Finds the cover image of a list: the only query that reads its bytes.
public struct CoverQuery: Query {
  /// Which list.
  public var listID: RemindersList.ID

  /// The query for a list's cover, whether or not it has one.
  public init(_ listID: RemindersList.ID) {
    self.listID = listID
  }

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> CoverImage? {
    guard try db.schemaVersion.hasCovers else { return nil }
    return try Data?.fetchOne(
      db, sql: "SELECT coverImage FROM remindersListAssets WHERE remindersListID = ?",
      arguments: [listID])?.map { CoverImage($0) }
  }
}
