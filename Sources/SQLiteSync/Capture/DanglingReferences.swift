import GRDB

/// References to a row that was deleted, or got another key, by a program that leaves foreign
/// keys off: the `sqlite3` shell does, unless it is told otherwise.
///
/// The other devices do what the foreign keys say when the deletion comes. So it is done here too,
/// before the edits are folded and as of when the row was deleted: what depends on it goes with it,
/// into the history, or lets go of it. Rows below one with another key follow it.
struct DanglingReferences {
  let db: Database
  let tables: TableOrder

  /// A row that refers to nothing.
  private struct Orphan {
    /// The key of its record, and that of the record of the row it refers to.
    let key: String
    let parentKey: String
  }

  /// The deletion of a row.
  private struct Deletion {
    let at: Int64
    /// The folded key that the row got instead; nil when it was deleted.
    let newKey: String?
  }

  /// Does what the foreign keys would have done, parents first.
  func settle() throws {
    var deleting = try EditEntries(db: db).tablesWithDeletions()
    for parent in tables.tables where deleting.contains(parent.id) {
      for (child, foreignKey) in tables.references(to: parent.name) {
        // Rows of one table can refer to each other.
        while try settle(child, foreignKey, parent) {
          deleting.insert(child.id)
          guard child.name == parent.name else { break }
        }
      }
    }
  }

  /// Settles the rows that one foreign key leaves without a parent; says whether there was any.
  private func settle(
    _ child: TableSchema, _ foreignKey: TableSchema.ForeignKey, _ parent: TableSchema
  ) throws -> Bool {
    let orphans = try orphans(in: child, by: foreignKey, of: parent)
    guard !orphans.isEmpty else { return false }
    let deletions = try deletions(
      of: Set(orphans.map(\.parentKey)), in: parent)
    var anySettled = false
    for orphan in orphans {
      guard let deletion = deletions[orphan.parentKey] else { continue }
      let isSettled = try EditLog.asOf(deletion.at, in: db) {
        try settle(orphan, in: child, by: foreignKey, of: parent, deletions)
      }
      anySettled = anySettled || isSettled
    }
    return anySettled
  }

  private func orphans(
    in child: TableSchema, by foreignKey: TableSchema.ForeignKey, of parent: TableSchema
  ) throws -> [Orphan] {
    let reference = "c.\(foreignKey.column.quotedIdentifier)"
    let key = "c.\(child.key.quotedIdentifier)"
    return try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT \(key), \(reference) FROM \(child.name.quotedIdentifier) c
          WHERE \(parent.isKeyFolded ? "lower(\(reference))" : reference) IN (
              \(EditEntries.deletedKeys))
            AND NOT EXISTS (
              SELECT 1 FROM \(parent.name.quotedIdentifier) p
              WHERE p.\(parent.key.quotedIdentifier) = \(reference))
            AND typeof(\(key)) = 'text' AND typeof(\(reference)) = 'text'
          ORDER BY \(key)
          """), arguments: [parent.id]
    ).map { row in
      try Orphan(key: child.foldedKey(row.read(0)), parentKey: parent.foldedKey(row.read(1)))
    }
  }

  /// The last deletions of these rows, and those of all rows that got another key.
  private func deletions(
    of keys: Set<String>, in parent: TableSchema
  ) throws -> [String: Deletion] {
    let entries = try EditEntries(db: db).deletions(tableID: parent.id)
    var deletions: [String: Deletion] = [:]
    while let entry = try entries.next() {
      let (key, newKey): (String, String?) = try (entry.read(0), entry.read(2))
      guard newKey != nil || deletions[key] != nil || keys.contains(key) else { continue }
      deletions[key] = try Deletion(at: entry.read(1), newKey: newKey)
    }
    return deletions
  }

  /// Does to one row what the first of these does that no constraint refuses: to follow its parent,
  /// or what its foreign key says.
  ///
  /// One that cannot do either stays as it is.
  private func settle(
    _ orphan: Orphan, in child: TableSchema, by foreignKey: TableSchema.ForeignKey,
    of parent: TableSchema, _ deletions: [String: Deletion]
  ) throws -> Bool {
    let rows = RowStore(db: db, table: child)
    if let key = try newKey(of: orphan.parentKey, in: parent, deletions),
      try isAllowed({ try rows.update(key: orphan.key, [foreignKey.column: key]) })
    {
      return true
    }
    let value = try tables.value(
      of: foreignKey, in: child, losing: orphan.parentKey, in: db)
    return try isAllowed {
      if let value {
        try rows.update(key: orphan.key, [foreignKey.column: value])
      } else {
        try rows.delete(key: orphan.key)
      }
    }
  }

  /// The key that a row has now, as it is written; nil when it is gone.
  private func newKey(
    of key: String, in parent: TableSchema, _ deletions: [String: Deletion]
  ) throws -> DatabaseValue? {
    var seen: Set<String> = []
    var next = deletions[parent.foldedKey(key)]?.newKey
    while let key = next, seen.insert(key).inserted {
      let name = parent.key.quotedIdentifier
      let written = try DatabaseValue.fetchOne(
        db.cachedStatement(
          sql: "SELECT \(name) FROM \(parent.name.quotedIdentifier) WHERE \(name) = ?"),
        arguments: [key])
      if let written { return written }
      next = deletions[key]?.newKey
    }
    return nil
  }

  /// Runs a write; false when a constraint refuses it.
  private func isAllowed(_ write: () throws -> Void) throws -> Bool {
    do {
      try db.closingReferences(write)
      return true
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      return false
    }
  }
}
