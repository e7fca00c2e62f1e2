import Cloud
import GRDB

/// What the cloud's rules ask of a zone's state, answered from the metadata.
struct ZoneMirror {
  let db: Database
  let tables: TableOrder

  /// The view at the stored change token.
  ///
  /// Valid inside the database access that made it.
  var view: ServerView {
    ServerView(record: state(ofRecord:), children: children(ofRecord:))
  }

  private func state(ofRecord name: String) throws -> RecordState? {
    guard let record = try metadata(name), let tag = record.tag else { return nil }
    return RecordState(
      type: RecordName.parsing(name).table,
      parent: try record.parentID.flatMap(MetadataStore(db: db).name(ofRecord:)),
      tag: tag, deleted: record.isTombstone ? record.death ?? .zero : nil)
  }

  private func children(ofRecord name: String) throws -> [String] {
    guard let id = try metadata(name)?.id else { return [] }
    return try String.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT r.primaryKey || ':' || t.name FROM sync_records r
          JOIN sync_tables t ON t.id = r.tableID
          WHERE r.parentID = ? AND r.tag IS NOT NULL AND NOT r.isTombstone
          """), arguments: [id])
  }

  private func metadata(_ name: String) throws -> RecordMetadata? {
    let name = RecordName.parsing(name)
    let tableID: Int64?
    if let known = tables[name.table]?.id {
      tableID = known
    } else {
      tableID = try Int64.fetchOne(
        db.cachedStatement(sql: "SELECT id FROM sync_tables WHERE name = ?"),
        arguments: [name.table])
    }
    return try tableID.flatMap {
      try MetadataStore(db: db).record(tableID: $0, key: name.key)
    }
  }
}
