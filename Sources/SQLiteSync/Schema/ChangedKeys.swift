import GRDB

/// Tables whose rows are told apart by something else than when they were synchronized last.
///
/// A record is named by the key of its row. With another key, or one that is compared in another
/// way, rows would be taken for new ones, and two records for one row.
enum ChangedKeys {
  typealias RawTable = SchemaInspection.RawTable

  private static let hint =
    "Keep the key as it was. To change it, copy the rows to a table of another name, and call "
    + "SyncEngine.forget for this one."

  /// All that have changed.
  static func objections(to tables: [RawTable], in db: Database) throws -> [SyncError] {
    try tables.compactMap { table in
      guard let key = table.key,
        let known = try SchemaRegistry.key(ofTable: table.name, in: db)
      else { return nil }
      let isOther = try known.column != key.name && isOther(key.name, known.column, table, in: db)
      guard isOther || known.collation != table.keyCollation else { return nil }
      return SyncError(
        .changedKey, table: table.name, column: key.name,
        isOther
          ? "The primary key was \(known.column) when the table was synchronized last."
          : "The primary key was compared by \(known.collation) when the table was synchronized "
            + "last, and is compared by \(table.keyCollation) now.",
        hint: hint)
    }
  }

  /// Whether a key is not the former one under another name.
  private static func isOther(
    _ key: String, _ former: String, _ table: RawTable, in db: Database
  ) throws -> Bool {
    guard !table.columns.contains(where: { $0.name == former }) else { return true }
    guard let id = try SchemaRegistry.knownTableID(table.name, in: db) else { return false }
    return try MetadataStore(db: db).areAllElsewhere(tableID: id, than: key, of: table.name)
  }
}
