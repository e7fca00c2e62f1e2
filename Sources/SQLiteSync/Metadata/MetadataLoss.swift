import GRDB

/// What somebody, or a failing disk, has taken out of the engine's own tables: what is left says
/// something else than it did, and is not used.
///
/// Tables that only add to others, or are empty most of the time, cannot be told from what they
/// should be.
enum MetadataLoss {
  /// Throws `damagedDatabase` where one of the engine's tables is not there.
  static func refuseMissing(in db: Database) throws {
    let names = MetadataSchema.tableNames
    let found = try String.fetchSet(
      db.cachedStatement(
        sql: """
          SELECT name FROM sqlite_schema
          WHERE type IN ('table', 'view') AND name IN (\(databaseQuestionMarks(count: names.count)))
          """), arguments: StatementArguments(names))
    guard let missing = names.first(where: { !found.contains($0) }) else { return }
    throw SyncError.damage("the table \(missing) is missing")
  }

  /// Throws `damagedDatabase` where one of the engine's tables is empty and others say that it was
  /// not.
  static func refuseEmptied(in db: Database) throws {
    let store = MetadataStore(db: db)
    if try store.isAny() {
      if try SchemaRegistry.isEmpty(in: db) { throw emptied(SchemaRegistry.table) }
      let (hasState, hasZones) = try (DeviceState(db: db).hasRow(), Zones(db: db).isAny())
      // Of records that were never sent nobody has to know where they are, and whose.
      guard try !(hasState && hasZones) && store.isAny(sent: true) else { return }
      throw emptied(hasState ? Zones.table : DeviceState.table)
    } else if try !Zones(db: db).fetched().isEmpty {
      for table in try MetadataCheck.tables(in: db) {
        let check = try MetadataCheck(db: db, table: table)
        // One that was made anew meanwhile is another matter: see `RebuiltTables`.
        guard try check.captureFinding() == nil, try check.hasUnknownRows() else { continue }
        throw emptied(MetadataStore.table)
      }
    }
  }

  private static func emptied(_ table: String) -> SyncError {
    .damage("the table \(table) was emptied")
  }
}
