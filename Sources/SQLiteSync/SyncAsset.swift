import GRDB
import SQLiteSyncCloud

/// What an engine knows of the bytes in a row's column, when the cloud has them beside its log.
public struct SyncAsset: Hashable, Sendable {
  /// How many bytes the newest version has.
  public let byteCount: Int
  /// Whether the row has them: else it has what was there before, or `NULL`.
  public let isHere: Bool

  /// Nil for a value that is not an asset, or that nobody has sent yet.
  ///
  /// - Parameters:
  ///   - db: The database.
  ///   - column: The column.
  ///   - row: The row.
  public static func fetchOne(
    _ db: Database, column: String, of row: SyncMetadata.ID
  ) throws -> SyncAsset? {
    guard try EditEntries(db: db).exists(),
      let tableID = try SchemaRegistry.table(called: row.table, in: db)?.id,
      let record = try MetadataStore(db: db).record(tableID: tableID, key: row.key)
    else { return nil }
    return try KnownAssets(db: db).entry(of: record, field: column).map {
      SyncAsset(byteCount: $0.reference.byteCount, isHere: !$0.isMissing)
    }
  }
}
