import Foundation
import GRDB

/// The cover image of a list: a table of its own, so that a list is read without its image.
public struct RemindersListAsset: Hashable, Sendable {
  /// The list: primary key and foreign key at once, so a list has at most one cover.
  public var remindersListID: RemindersList.ID
  /// The bytes of an image file, or nil when there is no cover.
  public var coverImage: Data?

  /// The cover of a list.
  public init(remindersListID: RemindersList.ID, coverImage: Data?) {
    self.remindersListID = remindersListID
    self.coverImage = coverImage
  }
}

extension RemindersListAsset: TableRecord, FetchableRecord {
  /// The table.
  public static var databaseTableName: String { "remindersListAssets" }

  /// Reads a row of the table.
  public init(row: Row) {
    self.init(remindersListID: row["remindersListID"], coverImage: row["coverImage"])
  }
}
