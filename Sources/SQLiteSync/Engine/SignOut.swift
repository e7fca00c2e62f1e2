import GRDB

/// Signing out: what belongs to the account leaves the device, in one transaction.
///
/// The rows of the synchronized tables go, and what depends on them by the foreign keys of other
/// tables as those say. Tables that are only here keep their rows otherwise. Nothing is captured,
/// so the cloud and the account's other devices keep everything.
struct SignOut {
  let db: Database
  let tables: TableOrder

  /// Removes the account's data.
  ///
  /// - Parameter accepted: How many records with unsent edits may be lost with it.
  /// - Throws: `unsentEdits` when there are more; nothing is removed then.
  func removeData(discarding accepted: Int) throws {
    let lost = try Int.fetchOne(db, sql: "SELECT count(*) \(MetadataStore.lostByCloud)") ?? 0
    let unsent = try SyncCounts(db).pending + lost
    guard unsent <= accepted else { throw Self.unsentEdits(unsent) }
    // A table may refer to itself.
    try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
    try DeviceState(db: db).muted {
      for table in tables.tables.reversed() {
        try db.execute(sql: "DELETE FROM \(table.name.quotedIdentifier)")
      }
    }
    try forget()
    try leave()
  }

  /// Keeps all rows, and forgets that they were the account's: to whoever signs in next they are
  /// new.
  func handOver() throws {
    try forget()
    try SchemaRegistry.forgetTables(in: db)
    try leave()
  }

  /// Forgets all that is known of the account's records.
  private func forget() throws {
    let metadata = try String.fetchAll(
      db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'sync_*'")
    // Two of them are synchronized tables, and forgetting is no edit.
    try DeviceState(db: db).muted {
      for table in metadata where !MetadataSchema.ofDevice.contains(table) {
        try db.execute(sql: "DELETE FROM \(table.quotedIdentifier)")
      }
    }
    try WritePermission(db: db, tables: tables).install()
  }

  /// Writes down that nobody is signed in; the account stays known as the last one.
  func leave() throws {
    try DeviceState(db: db).signOut()
  }

  private static func unsentEdits(_ count: Int) -> SyncError {
    let records = count == 1 ? "1 record has edits" : "\(count) records have edits"
    return SyncError(
      .unsentEdits, "\(records) that the cloud does not have yet.",
      hint: "Synchronize first, or say how many of them may be discarded.")
  }

  /// The error of a transaction that ended with rows of other tables referring to nothing.
  static func explain(_ error: any Error) -> any Error {
    guard let error = error as? DatabaseError,
      error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY
    else { return error }
    return SyncError(
      .localReference,
      "Rows of a table that is not synchronized refer to the account's rows.",
      hint: "Delete them first, or give their foreign key an action: ON DELETE CASCADE or SET NULL."
    )
  }
}
