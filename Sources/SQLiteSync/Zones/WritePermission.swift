import GRDB

/// Stored triggers that refuse to write what others share only to be read.
///
/// They are there only while there is something of that kind, so that others pay nothing. Deleting
/// the root itself is allowed: so one leaves.
struct WritePermission {
  let db: Database
  let tables: TableOrder

  private static let prefix = "sync_permission_"

  /// Makes or drops the triggers, as it is needed.
  func install() throws {
    let wanted = try Self.isNeeded(in: db) ? Set(tables.tables.flatMap(statements)) : []
    let present = try Row.fetchAll(
      db,
      sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name GLOB ?",
      arguments: [Self.prefix + "*"])
    guard try Set(present.map { try $0.read("sql") as String }) != wanted else { return }
    for row in present {
      try db.execute(sql: "DROP TRIGGER \((row.read("name") as String).quotedIdentifier)")
    }
    for statement in wanted.sorted() { try db.execute(sql: statement) }
  }

  /// Whether there is something that may only be read.
  static func isNeeded(in db: Database) throws -> Bool {
    try Zones(db: db).isAnyReadOnly()
  }

  private func statements(for table: TableSchema) -> [String] {
    guard !table.isEngines else { return [] }
    let old = MetadataStore.isReadOnly(tableID: table.id, key: table.keyExpression(of: "OLD"))
    let new = MetadataStore.isReadOnly(tableID: table.id, key: table.keyExpression(of: "NEW"))
    let parent = parentKey(of: table)
    let newParent = parent.map {
      MetadataStore.isReadOnly(tableID: $0.table.id, key: $0.table.folded("NEW." + $0.column))
    }
    // A cascade has deleted the parent's row already.
    let deletion = parent.map { parent in
      let key = parent.table.key.quotedIdentifier
      return """
        \(old) AND (OLD.\(parent.column) IS NULL OR EXISTS (
          SELECT 1 FROM \(parent.table.name.quotedIdentifier) AS parent
          WHERE parent.\(key) = OLD.\(parent.column)))
        """
    }
    return [
      trigger("insert", "BEFORE INSERT", table, [new, newParent]),
      trigger("update", "BEFORE UPDATE", table, [old, new, newParent]),
    ] + [deletion].compactMap { $0 }.map { trigger("delete", "BEFORE DELETE", table, [$0]) }
  }

  private func parentKey(of table: TableSchema) -> (table: TableSchema, column: String)? {
    table.parentKey.flatMap { key in
      tables[key.table].map { ($0, key.column.quotedIdentifier) }
    }
  }

  private func trigger(
    _ name: String, _ event: String, _ table: TableSchema, _ conditions: [String?]
  ) -> String {
    """
    CREATE TRIGGER \((Self.prefix + name + "_" + table.name).quotedIdentifier)
    \(event) ON \(table.name.quotedIdentifier)
    WHEN \(DeviceState.isApplying) = 0
      AND (\(conditions.compactMap { $0 }.joined(separator: " OR ")))
    BEGIN
      SELECT RAISE(ABORT, \(SyncEngine.writePermissionError.quotedLiteral));
    END
    """
  }
}

extension TableSchema {
  /// An expression for a key as the record's name carries it.
  fileprivate func folded(_ expression: String) -> String {
    isKeyFolded ? "lower(\(expression))" : expression
  }
}

extension SyncEngine {
  /// What SQLite says of a write to what somebody else shares only to be read; the write fails.
  public static let writePermissionError =
    "writePermissionError: This is shared with you to read, not to write."
}
