import Cloud
import Foundation
import GRDB

/// What this device knows of a record: its clocks, and the cloud's version of it.
struct RecordMetadata: Equatable {
  /// The row in `sync_records`; nil before it is stored.
  var id: Int64?
  let tableID: Int64
  let key: String
  /// The number of the zone that the record lives in.
  var zoneID: Int64 = SyncZone.defaultID
  /// When the record was created or revived.
  var life: FieldClock
  /// When it was last deleted, as far as known.
  var death: FieldClock?
  /// The clocks of the fields, where they are not `life`.
  ///
  /// `zero` is a field that the writer did not know, so that it has no clock at all.
  var exceptions: [String: FieldClock] = [:]
  /// The fields that this version of the app does not know, as an encoded record.
  var unknown: CloudRecord?
  /// The version that the cloud has; nil when it never had one.
  var tag: ChangeTag?
  /// The row in `sync_records` of the parent that the cloud knows.
  var parentID: Int64?
  /// Whether the cloud's version is a tombstone.
  var isTombstone = false
  /// The full fetch during or after which the record was last mentioned.
  var pass: Int64 = 0

  /// The version that the cloud has, and where.
  var version: ZoneVersion? { tag.map { ZoneVersion(zoneID: zoneID, tag: $0) } }

  /// The clock of a field that this version knows.
  func clock(of field: String) -> FieldClock {
    exceptions[field] ?? life
  }

  /// Sets the clock of a field, storing only what differs from `life`.
  mutating func setClock(_ clock: FieldClock, of field: String) {
    exceptions[field] = clock == life ? nil : clock
  }

  /// The record with another life, and fields as old as they are.
  func living(since life: FieldClock, columns: [String]) -> RecordMetadata {
    let clocks = columns.map { ($0, clock(of: $0)) }
    var record = self
    record.life = life
    for (name, clock) in clocks { record.setClock(clock, of: name) }
    return record
  }

  /// Whether the cloud would have the same image of the record as of another state of it, given the
  /// same row.
  func hasImage(of other: RecordMetadata) -> Bool {
    life == other.life && exceptions == other.exceptions && unknown == other.unknown
  }

  /// The latest edit of the record that is known here.
  var latest: FieldClock {
    let known = exceptions.values.reduce(life) { max($0, $1) }
    return max(known, unknown?.latestClock ?? .zero)
  }

  /// Lets an edit win over an earlier deletion where neither can be later: at the limit of clocks.
  mutating func outliveAtLimit() {
    guard death == .limit, latest == .limit else { return }
    death = FieldClock(rawValue: FieldClock.limit.rawValue - 1)
  }

  /// Whether the record lives: its latest edit is later than its latest deletion.
  var isAlive: Bool {
    latest > (death ?? .zero)
  }
}

/// Reads and writes `sync_records`.
struct MetadataStore {
  let db: Database

  /// What of the records is unsent.
  var outbox: Outbox { Outbox(db: db) }

  func record(tableID: Int64, key: String) throws -> RecordMetadata? {
    let statement = try db.cachedStatement(
      sql: "\(Self.selection) WHERE tableID = ? AND primaryKey = ?")
    return try Row.fetchOne(statement, arguments: [tableID, key]).map(decode)
  }

  /// What is known of a record, also of one whose table this version does not have.
  func record(named name: RecordName, in tables: TableOrder) throws -> RecordMetadata? {
    let tableID = try tables[name.table]?.id ?? SchemaRegistry.knownTableID(name.table, in: db)
    return try tableID.flatMap { try record(tableID: $0, key: name.key) }
  }

  func record(id: Int64) throws -> RecordMetadata? {
    let statement = try db.cachedStatement(sql: "\(Self.selection) WHERE id = ?")
    return try Row.fetchOne(statement, arguments: [id]).map(decode)
  }

  /// The name of a record, as the cloud knows it.
  func name(ofRecord id: Int64) throws -> String? {
    let statement = try db.cachedStatement(
      sql: """
        SELECT \(RecordName.sql(key: "r.primaryKey", table: "t.name")) FROM sync_records r
        \(SchemaRegistry.join()) WHERE r.id = ?
        """)
    return try String.fetchOne(statement, arguments: [id])
  }

  /// Stores a record and returns its row.
  @discardableResult
  func save(_ record: RecordMetadata) throws -> Int64 {
    let values: [(any DatabaseValueConvertible)?] = [
      record.zoneID, record.life.rawValue, record.latest.rawValue, record.death?.rawValue,
      Self.encode(record.exceptions), record.unknown?.encoded, record.tag?.description,
      record.parentID, record.isTombstone, record.pass,
    ]
    if let id = record.id {
      let statement = try db.cachedStatement(
        sql: """
          UPDATE sync_records SET zoneID = ?, life = ?, latest = ?, death = ?, clocks = ?,
            unknown = ?, tag = ?, parentID = ?, isTombstone = ?, pass = ? WHERE id = ?
          """)
      try statement.execute(arguments: StatementArguments(values + [id]))
      return id
    }
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO sync_records (zoneID, life, latest, death, clocks, unknown, tag, parentID,
          isTombstone, pass, tableID, primaryKey) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    try statement.execute(arguments: StatementArguments(values + [record.tableID, record.key]))
    return db.lastInsertedRowID
  }

  /// Forgets a record altogether, or all but the versions that zones of others have of its name.
  func forget(id: Int64) throws {
    try outbox.remove(id)
    try Quarantine(db: db).remove(id)
    try KnownAssets(db: db).forget(recordID: id)
    let staleCopies = StaleCopies(db: db)
    try staleCopies.forget(recordID: id)
    if try staleCopies.isAnywhere(recordID: id), let record = try record(id: id) {
      try save(RecordMetadata(id: id, tableID: record.tableID, key: record.key, life: .zero))
      return
    }
    // Its number may be given to another record.
    try staleCopies.forgetParent(id)
    try db.cachedStatement(sql: "UPDATE sync_records SET parentID = NULL WHERE parentID = ?")
      .execute(arguments: [id])
    try db.cachedStatement(sql: "DELETE FROM sync_records WHERE id = ?")
      .execute(arguments: [id])
  }

  /// In the order of `decode`: a column that is found by its name costs more than all the rest.
  private static let selection = """
    SELECT id, tableID, primaryKey, zoneID, life, death, clocks, unknown, tag, parentID,
      isTombstone, pass FROM sync_records
    """

  private func decode(_ row: Row) throws -> RecordMetadata {
    RecordMetadata(
      id: row[0], tableID: row[1], key: row[2], zoneID: row[3],
      life: FieldClock(rawValue: row[4]), death: (row[5] as Int64?).map(FieldClock.init(rawValue:)),
      exceptions: Self.decodeClocks(row[6]),
      unknown: try (row[7] as Data?).map(CloudRecord.init(encoded:)),
      tag: (row[8] as String?).flatMap(ChangeTag.init), parentID: row[9], isTombstone: row[10],
      pass: row[11])
  }
}

// MARK: - Compact text for clocks and names

extension MetadataStore {
  /// `clock name` lines; a name comes last so that it may hold anything but a line break.
  static func encode(_ clocks: [String: FieldClock]) -> String? {
    guard !clocks.isEmpty else { return nil }
    return clocks.sorted { $0.key < $1.key }
      .map { "\($0.value.rawValue) \(escape($0.key))" }.joined(separator: "\n")
  }

  static func decodeClocks(_ text: String?) -> [String: FieldClock] {
    var clocks: [String: FieldClock] = [:]
    for line in lines(of: text ?? "") {
      guard let space = line.firstIndex(of: " "), let clock = Int64(String(line[..<space])) else {
        continue
      }
      clocks[unescape(line[line.index(after: space)...])] = FieldClock(rawValue: clock)
    }
    return clocks
  }

  static func encode(names: Set<String>?) -> String? {
    names.map { $0.sorted().map(escape).joined(separator: "\n") }
  }

  static func decodeNames(_ text: String?) -> Set<String>? {
    text.map { Set(lines(of: $0).map(unescape)) }
  }

  /// Scalar by scalar: as characters, "\r\n" is one and no line break.
  private static func lines(of text: String) -> [Substring.UnicodeScalarView] {
    text.unicodeScalars.split(separator: "\n")
  }

  private static func escape(_ name: String) -> String {
    guard name.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\\" }) else { return name }
    var result = String.UnicodeScalarView()
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\\": result.append(contentsOf: "\\\\".unicodeScalars)
      case "\n": result.append(contentsOf: "\\n".unicodeScalars)
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  private static func unescape(_ name: Substring.UnicodeScalarView) -> String {
    guard name.contains("\\") else { return String(name) }
    var result = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in name {
      if isEscaped {
        result.append(scalar == "n" ? "\n" : scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }
}
