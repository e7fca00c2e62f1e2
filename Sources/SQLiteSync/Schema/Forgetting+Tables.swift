import GRDB
import SQLiteSyncCloud

extension Forgetting {
  /// Takes all of a table out: its records are quarantined as those of a table that this version
  /// does not know, so that what is unsent goes on being sent, and what they depend on can be
  /// deleted.
  ///
  /// Its edits must be folded, and its triggers gone.
  static func setAside(_ table: RawTable, tableID: Int64, now: Int64, in db: Database) throws {
    try SchemaRegistry.takeOut(tableID, in: db)
    let quarantine = Quarantine(db: db)
    try quarantine.setAside(tableID: tableID)
    guard let key = table.key else { return }
    let known = try Set(SchemaRegistry.columns(ofTable: tableID, in: db))
    let columns = table.columns.map(\.name).filter(known.contains)
    let parents = try Parents(of: table, in: db)
    let store = MetadataStore(db: db)
    let list = ([key.name] + columns).map(\.quotedIdentifier).joined(separator: ", ")
    // A key that is not text was never synchronized.
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT \(list) FROM \(table.name.quotedIdentifier)
        WHERE typeof(\(key.name.quotedIdentifier)) = 'text'
        """)
    while let row = try rows.next() {
      let written: String = try row.read(0)
      let name = table.isKeyFolded ? written.asciiLowercased : written
      guard let record = try store.record(tableID: tableID, key: name), let id = record.id,
        record.isAlive
      else { continue }
      var image = CloudRecord(
        name: RecordName(key: name, table: table.name).description, type: table.name,
        parent: try parents.parent(of: record, row: row), life: record.life,
        fields: record.unknown?.fields ?? [:])
      for (index, column) in columns.enumerated() where record.clock(of: column) > .zero {
        let clock = record.clock(of: column)
        image.fields[column] = CloudField(
          try value(row[index + 1], of: column, recordID: id, clock: clock, in: db), clock)
      }
      // A version that waits already is newer where its clocks are.
      image.fields.merge(try quarantine.version(of: id)?.fields ?? [:]) {
        $1.clock > $0.clock ? $1 : $0
      }
      try quarantine.keepRow(id, image, now: now)
    }
  }
}

/// What the rows of a table depend on that is taken out.
private struct Parents {
  private let store: MetadataStore
  private let key: String?
  private let foreignKey: TableSchema.ForeignKey?
  /// The table that they depend on, if it is there.
  private let table: SchemaInspection.RawTable?

  init(of table: SchemaInspection.RawTable, in db: Database) throws {
    store = MetadataStore(db: db)
    key = table.key?.name
    foreignKey = table.foreignKeys.count == 1 ? table.foreignKeys[0] : nil
    self.table = try foreignKey.flatMap {
      try db.hasTable($0.table) ? SchemaInspection.table($0.table, in: db) : nil
    }
  }

  /// The name of the record that one depends on: the cloud's word, unless the row's is unsent.
  func parent(of record: RecordMetadata, row: Row) throws -> String? {
    let known = try record.parentID.flatMap(store.name(ofRecord:))
    guard let id = record.id, let foreignKey, let table,
      try store.outbox.change(of: id)?.includes(foreignKey.column) == true
    else { return known }
    let value = row[foreignKey.column] as DatabaseValue?
    return value.flatMap(String.fromDatabaseValue).map { written in
      let key = table.isKeyFolded ? written.asciiLowercased : written
      return RecordName(key: key, table: table.name).description
    }
  }
}
