import GRDB
import SQLiteSyncCloud

/// Gives tables and columns other names here: in the cloud they keep theirs.
enum Renaming {
  /// See `SyncEngine.rename(_:table:to:)`.
  static func rename(_ db: Database, table: String, to name: String) throws {
    try SyncEngine.prepare(db)
    let table = try SchemaRegistry.name(ofTableCalled: table, in: db)
    guard table != name else { return }
    try RenamingChecks.refuseEngines(table: table, to: name)
    try RenamingChecks.refuse(table: table, to: name, in: db)
    var names = try CloudNames(in: db)
    names.exchange(table: table, with: name)
    try names.save(in: db)
    var exchange = CloudNames()
    exchange.exchange(table: table, with: name)
    try SchemaRegistry.exchange(table: table, with: name, in: db)
    try Quarantine(db: db).rename(exchange)
    try Zones(db: db).rename(exchange)
  }

  /// See `SyncEngine.rename(_:column:to:of:)`.
  static func rename(
    _ db: Database, column: String, to name: String, of table: String
  ) throws {
    try SyncEngine.prepare(db)
    let table = try SchemaRegistry.name(ofTableCalled: table, in: db)
    let column = try SchemaRegistry.name(ofColumnCalled: column, ofTable: table, in: db)
    guard column != name else { return }
    try RenamingChecks.refuse(column: column, to: name, of: table, in: db)
    var names = try CloudNames(in: db)
    names.exchange(column: column, with: name, of: table)
    try names.save(in: db)
    var exchange = CloudNames()
    exchange.exchange(column: column, with: name, of: table)
    try Quarantine(db: db).rename(exchange)
    guard let id = try SchemaRegistry.knownTableID(table, in: db) else { return }
    try SchemaRegistry.exchange(column: column, with: name, ofTable: id, in: db)
    try MetadataStore(db: db).exchange(field: column, with: name, ofTable: id)
    try KnownAssets(db: db).exchange(field: column, with: name, ofTable: id)
    try History.exchange(field: column, with: name, ofTable: id, in: db)
    try MergeBases.exchange(field: column, with: name, ofTable: id, in: db)
  }
}

extension MetadataStore {
  /// Lets two fields of a table's records have each other's names.
  fileprivate func exchange(field one: String, with other: String, ofTable tableID: Int64) throws {
    func name(_ field: String) -> String {
      MergeNote.renamed(field) { $0 == one ? other : $0 == other ? one : $0 }
    }
    for id in try ids(ofTable: tableID) {
      guard var record = try record(id: id) else { continue }
      let before = record
      record.exceptions = Dictionary(
        uniqueKeysWithValues: record.exceptions.map { (name($0), $1) })
      if var unknown = record.unknown {
        unknown.fields = Dictionary(uniqueKeysWithValues: unknown.fields.map { (name($0), $1) })
        record.unknown = unknown
      }
      if record != before { try save(record) }
      if let fields = try outbox.change(of: id)?.fields {
        try outbox.setFields(Set(fields.map(name)), of: id)
      }
    }
  }
}

extension Database {
  /// Lets two names in a column of text be each other.
  ///
  /// - Parameters:
  ///   - table: The table, in SQL.
  ///   - condition: Which rows.
  func exchange(
    _ one: String, _ other: String, in column: String, of table: String, where condition: String,
    _ arguments: StatementArguments = []
  ) throws {
    // No name has a control character.
    let between = "\u{1}"
    for (from, to) in [(one, between), (other, one), (between, other)] {
      try execute(
        sql: "UPDATE \(table) SET \(column) = ? WHERE \(column) = ? AND \(condition)",
        arguments: [to, from] + arguments)
    }
  }
}
