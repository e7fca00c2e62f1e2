import GRDB
import SQLiteSyncCloud

/// What tables and columns are called in the cloud, where that is not what they are called here:
/// `sync_names`.
///
/// A table or column that is renamed keeps its name in the cloud, so that versions of the app from
/// before and from after live together. Records are renamed as they are read from a log or written
/// to it; all else knows the names of here alone. A renaming exchanges two names: what the cloud
/// calls by the new one, if any version ever does, is called by the old one here. So no two things
/// ever have one name.
struct CloudNames: Equatable, Sendable {
  /// One set of names, in both directions; names that are the same are left out.
  private struct Names: Equatable, Sendable {
    private(set) var toCloud: [String: String] = [:]
    private(set) var toLocal: [String: String] = [:]

    mutating func set(_ local: String, to cloud: String) {
      toCloud[local] = local == cloud ? nil : cloud
      toLocal[cloud] = local == cloud ? nil : local
    }

    mutating func exchange(_ one: String, _ other: String) {
      let (first, second) = (toCloud[one] ?? one, toCloud[other] ?? other)
      toLocal[first] = nil
      toLocal[second] = nil
      set(one, to: second)
      set(other, to: first)
    }

    /// Whether no two have one name, here or in the cloud.
    var isExchange: Bool {
      toLocal.count == toCloud.count && toCloud.values.allSatisfy { toCloud[$0] != nil }
    }

    /// The names that have each other's, directly or through others.
    var exchanged: [Set<String>] {
      var found: [Set<String>] = []
      for name in toCloud.keys.sorted() where !found.contains(where: { $0.contains(name) }) {
        found.append(
          Set(
            sequence(first: name) { [toCloud] in
              toCloud[$0] == name ? nil : toCloud[$0]
            }))
      }
      return found
    }
  }

  private var tables = Names()
  /// The columns by the name that their table has here.
  private var columns: [String: Names] = [:]

  /// The same names here and there.
  init() {}

  /// Reads the names of a database.
  init(in db: Database) throws {
    guard try db.hasTable("sync_names") else { return }
    for row in try Row.fetchAll(
      db.cachedStatement(sql: "SELECT tableName, local, cloud FROM sync_names"))
    {
      let table: String = try row.read(0)
      if table.isEmpty {
        try tables.set(row.read(1), to: row.read(2))
      } else {
        try columns[table, default: Names()].set(row.read(1), to: row.read(2))
      }
    }
    guard ([tables] + columns.values).allSatisfy(\.isExchange) else {
      throw SyncError.damage("sync_names.cloud", holds: "a name that another one has")
    }
  }

  /// Stores the names.
  func save(in db: Database) throws {
    try db.execute(sql: "DELETE FROM sync_names")
    for (table, names) in [("", tables)] + columns.map({ ($0, $1) }) {
      for (local, cloud) in names.toCloud {
        try db.execute(
          sql: "INSERT INTO sync_names (tableName, local, cloud) VALUES (?, ?, ?)",
          arguments: [table, local, cloud])
      }
    }
  }

  /// The tables that have each other's names, those together that have them through others.
  var exchangedTables: [Set<String>] { tables.exchanged }

  /// The columns that have each other's names, by the name that their table has here.
  var exchangedColumns: [String: [Set<String>]] { columns.mapValues(\.exchanged) }

  /// Whether all names are the same.
  var isEmpty: Bool { self == CloudNames() }

  /// Lets two tables have each other's names here.
  mutating func exchange(table one: String, with other: String) {
    tables.exchange(one, other)
    let (first, second) = (columns[one], columns[other])
    columns[one] = second
    columns[other] = first
  }

  /// Lets two columns of a table have each other's names here.
  mutating func exchange(column one: String, with other: String, of table: String) {
    columns[table, default: Names()].exchange(one, other)
    if columns[table] == Names() { columns[table] = nil }
  }

  // MARK: - Names

  /// The name that a record has here.
  func local(_ name: String) -> String { renamed(name, tables.toLocal) }

  /// The name that a record has in the cloud.
  func cloud(_ name: String) -> String { renamed(name, tables.toCloud) }

  /// The name that a table has in the cloud.
  func cloud(table: String) -> String { tables.toCloud[table] ?? table }

  private func renamed(_ record: String, _ names: [String: String]) -> String {
    guard !names.isEmpty, let name = RecordName(record), let table = names[name.table] else {
      return record
    }
    return RecordName(key: name.key, table: table).description
  }

  // MARK: - Records

  /// A record as it is called here.
  func local(_ record: CloudRecord) -> CloudRecord {
    let table = tables.toLocal[record.type] ?? record.type
    return renamed(record, fields: columns[table]?.toLocal, tables: tables.toLocal)
  }

  private func cloud(_ record: CloudRecord) -> CloudRecord {
    renamed(record, fields: columns[record.type]?.toCloud, tables: tables.toCloud)
  }

  private func renamed(
    _ record: CloudRecord, fields names: [String: String]?, tables: [String: String]
  ) -> CloudRecord {
    var record = record
    if let names {
      record.fields = Dictionary(
        uniqueKeysWithValues: record.fields.map { field, value in
          (MergeNote.renamed(field) { names[$0] ?? $0 }, value)
        })
    }
    // What shares and the list of them say of the record that is shared.
    if record.name == Share.recordName || record.type == SharedZones.table,
      let root = record.fields[Share.rootField], let name = root.value.text
    {
      record.fields[Share.rootField] = CloudField(.text(renamed(name, tables)), root.clock)
    }
    record.name = renamed(record.name, tables)
    record.parent = record.parent.map { renamed($0, tables) }
    record.type = tables[record.type] ?? record.type
    return record
  }

  /// A fetched version as it is called here.
  func local(_ copy: ServerCopy) -> ServerCopy {
    guard !isEmpty else { return copy }
    let content: ServerCopy.Content =
      switch copy.content {
      case .record(let record): .record(local(record))
      case .tombstone(let tombstone):
        .tombstone(
          Tombstone(
            name: local(tombstone.name), type: tables.toLocal[tombstone.type] ?? tombstone.type,
            clock: tombstone.clock))
      }
    return ServerCopy(
      content: content, tag: copy.tag, author: copy.author, device: copy.device,
      isAuthentic: copy.isAuthentic)
  }

  /// A change as it is written to the cloud.
  func cloud(_ change: CloudChange) -> CloudChange {
    guard !isEmpty else { return change }
    switch change {
    case .save(let record, let base): return .save(cloud(record), base: base)
    case .delete(let tombstone, let base):
      return .delete(
        Tombstone(
          name: cloud(tombstone.name), type: cloud(table: tombstone.type), clock: tombstone.clock),
        base: base)
    }
  }

  /// A share as the cloud has it.
  func cloud(_ share: Share?) -> Share? {
    guard var share else { return nil }
    share.root = cloud(share.root)
    return share
  }

  /// The state of a record as the cloud has it.
  func cloud(_ state: RecordState?) -> RecordState? {
    guard var state else { return nil }
    state.type = cloud(table: state.type)
    state.parent = state.parent.map { cloud($0) }
    return state
  }
}

// MARK: - A zone's log, by the names of here

extension SyncZone {
  /// What is new in the log.
  func changes(
    after token: ChangeToken?, limit: Int, view: ServerView, readingAhead next: NextPage? = nil
  ) throws -> ZoneChanges {
    try log.changes(after: token, limit: limit, view: view, readingAhead: next).renamed(names)
  }

  /// Versions of records, by their tags.
  func copies(
    at tags: Set<ChangeTag>, overwrittenBy later: [ChangeTag: ChangeTag]
  ) throws -> [ChangeTag: ServerCopy] {
    try log.copies(at: tags, overwrittenBy: later).mapValues(names.local)
  }

  /// Commits changes, all or none of them.
  func modify(
    _ changes: [CloudChange], after token: ChangeToken?, view: ServerView
  ) throws -> (failures: [String: CloudError], changes: ZoneChanges) {
    let result = try log.modify(
      changes.map(names.cloud), after: token, view: view, atomically: true)
    let failures = result.failures.map { (names.local($0), $1) }
    return (Dictionary(failures) { $1 }, result.changes.renamed(names))
  }
}

extension ZoneChanges {
  fileprivate func renamed(_ names: CloudNames) -> ZoneChanges {
    names.isEmpty ? self : mapCopies(names.local)
  }
}
