import GRDB

/// The cover images of lists: a table of its own, so that a list is read without its image.
///
/// Its primary key is the list, so a list has at most one cover.
public enum RemindersListAsset: TableRecord {
  /// The table.
  public static var databaseTableName: String { "remindersListAssets" }
}
