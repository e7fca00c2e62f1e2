import GRDB
import SQLiteSyncCloud

/// The row with which a row of several foreign keys came into a zone that is shared: an earlier
/// version of the app put it there, whose table had only one of them.
///
/// Such rows live in the account's own zone. One that is in another already stays there as long as
/// it depends on something in that zone: versions of both kinds would move it to and fro, or it
/// would be gone for one of them.
struct EarlierParent {
  let db: Database
  let tables: TableOrder

  private var store: MetadataStore { MetadataStore(db: db) }

  /// The record on which one depends where it lives; nil when that is none.
  ///
  /// - Parameter value: The row's values by column.
  func of(
    _ record: RecordMetadata, in table: TableSchema, _ value: (String) -> DatabaseValue?
  ) throws -> RecordMetadata? {
    guard table.isJoin, record.zoneID != SyncZone.defaultID, !record.isNowhere else { return nil }
    let parents = try tables.references(of: record.key, in: table, value)
      .compactMap { try store.record(named: $0, in: tables) }
    return parents.first { $0.id == record.parentID }
      ?? parents.first { $0.isAlive && $0.zoneID == record.zoneID }
  }

  /// The name of the record on which one depends in the log of its zone; nil when that is none.
  ///
  /// - Parameter value: The row's values by column.
  func inLog(
    of record: RecordMetadata, in table: TableSchema, _ value: (String) -> DatabaseValue?
  ) throws -> String? {
    guard !table.isJoin else {
      return try of(record, in: table, value)?.id.flatMap(store.name(ofRecord:))
    }
    if try staysBelowAnother(record, in: table, value) {
      return try record.parentID.flatMap(store.name(ofRecord:))
    }
    return try isShared(record, in: table) ? nil : tables.parent(of: record.key, in: table, value)
  }

  /// Whether a record of somebody else's stays where it is: it depends there on a row of a table to
  /// which its own does not refer any more, and on nothing else here.
  ///
  /// Who edits it with a later version of the app does not take it away from them thereby.
  func staysBelowAnother(
    _ record: RecordMetadata, in table: TableSchema, _ value: (String) -> DatabaseValue?
  ) throws -> Bool {
    guard !table.isJoin, let foreignKey = table.parentKey, foreignKey.column != table.key,
      value(foreignKey.column) ?? .null == .null,
      try Zones(db: db).access(to: record.zoneID).map({ $0 != .owner }) ?? false,
      let parent = try record.parentID.flatMap(store.record(id:))
    else { return false }
    return tables[foreignKey.table]?.id != parent.tableID
  }

  /// Whether a record is what its zone shares, although its table has a foreign key by now.
  func isShared(_ record: RecordMetadata, in table: TableSchema) throws -> Bool {
    guard !table.isPrivate, !table.foreignKeys.isEmpty, record.parentID == nil,
      record.zoneID != SyncZone.defaultID, !record.isNowhere
    else { return false }
    let share = try ZoneShare(of: record.zoneID, in: db)
    guard share?.share?.root == table.recordName(of: record.key) else { return false }
    return try share.map { try SharedZones(db: db).contains($0.zone) } ?? false
  }
}

extension Applier {
  /// The record with which a version of a record came into the zone that is being applied; nil when
  /// that says nothing about where the record belongs.
  ///
  /// This account's own word is taken about a row that is here, and anybody's about what lives
  /// there already: rows of joins are nobody's business but this account's.
  func earlierParent(
    of record: CloudRecord, named name: RecordName, in table: TableSchema, by copy: ServerCopy
  ) throws -> RecordName? {
    guard table.isJoin, let parent = record.parent else { return nil }
    let references = tables.references(of: name.key, in: table) {
      record.fields[$0].map { DatabaseValue($0.value) }
    }
    guard let parent = references.first(where: { $0.description == parent }) else { return nil }
    guard let known = try store.record(tableID: table.id, key: name.key), known.isAlive else {
      return nil
    }
    let isOwn = copy.isAuthentic && copy.author == account
    return isOwn || known.zoneID == zoneID ? parent : nil
  }

  /// The record with which a version of one that is known in the zone stays there: see
  /// `staysBelowAnother`.
  func formerParent(
    of record: CloudRecord, named name: RecordName, in table: TableSchema
  ) throws -> RecordName? {
    guard let parent = record.parent,
      let known = try store.record(tableID: table.id, key: name.key),
      known.zoneID == zoneID, try known.parentID.flatMap(store.name(ofRecord:)) == parent,
      try EarlierParent(db: db, tables: tables).staysBelowAnother(
        known, in: table, { column in record.fields[column].map { DatabaseValue($0.value) } })
    else { return nil }
    return RecordName.parsing(parent)
  }
}

extension TableOrder {
  /// The records to which a row refers.
  ///
  /// - Parameter value: The row's values by column.
  func references(
    of key: String, in table: TableSchema, _ value: (String) -> DatabaseValue?
  ) -> [RecordName] {
    table.foreignKeys.compactMap { foreignKey in
      let reference =
        foreignKey.column == table.key ? key.databaseValue : value(foreignKey.column) ?? .null
      guard let parent = self[foreignKey.table], let text = String.fromDatabaseValue(reference)
      else { return nil }
      return RecordName(key: parent.foldedKey(text), table: parent.name)
    }
  }
}

extension TableSchema {
  /// Whether rows depend on several others.
  var isJoin: Bool { !isPrivate && !isEngines && foreignKeys.count > 1 }
}
