import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Something that went wrong on the way, which a test has to ask for.
enum Trouble: Hashable {
  /// The cloud refused a change.
  case refused(CloudError.Code)
  /// A record waited for its parent.
  case waited
  /// A local constraint refused a record.
  case quarantined
  /// The bytes of an asset were not there.
  case missedAsset
  /// The engine failed.
  case failed
}

extension Device {
  /// The troubles that this device has met so far.
  var troubles: Set<Trouble> {
    events.reduce(into: []) { troubles, event in
      switch event {
      case .sentRecordZoneChanges(_, _, let failed, _):
        troubles.formUnion(failed.map { .refused($0.error.code) })
      case .waiting: troubles.insert(.waited)
      case .quarantined: troubles.insert(.quarantined)
      case .assetMissing: troubles.insert(.missedAsset)
      case .failed: troubles.insert(.failed)
      default: break
      }
    }
  }

  /// What this device knows of each record of the cloud: its version, its clocks, whether it lives.
  func knowledge() throws -> [String: String] {
    try database.readSnapshot { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT r.id, r.primaryKey || ':' || t.name || ' in ' || z.name AS name,
            t.name AS tableName
          FROM sync_records r JOIN sync_tables t ON t.id = r.tableID
          JOIN sync_zones z ON z.id = r.zoneID WHERE r.tag IS NOT NULL
          """)
      var result: [String: String] = [:]
      for row in rows {
        guard let record = try MetadataStore(db: db).record(id: row["id"]) else { continue }
        result[row["name"]] = describe(record, table: row["tableName"])
      }
      return result
    }
  }

  private func describe(_ record: RecordMetadata, table: String) -> String {
    let version = record.tag?.description ?? "-"
    if record.isTombstone { return "\(version) dead at \(record.death?.rawValue ?? 0)" }
    guard let schema = synchronizer.tables[table] else { return "\(version) of an unknown table" }
    var clocks = record.unknown?.fields.mapValues(\.clock) ?? [:]
    for column in schema.columns { clocks[column.name] = record.clock(of: column.name) }
    let fields = clocks.filter { $0.value > .zero }.sorted { $0.key < $1.key }
      .map { "\($0.key)@\($0.value.rawValue)" }
    return "\(version) alive since \(record.life.rawValue): " + fields.joined(separator: " ")
  }

  /// Rows without a living record, and living records without a row.
  func strays() throws -> Set<String> {
    try database.readSnapshot { db in
      var rows: Set<String> = []
      for table in synchronizer.tables.tables {
        let keys = try String.fetchAll(
          db, sql: "SELECT \(table.key.quotedIdentifier) FROM \(table.name.quotedIdentifier)")
        rows.formUnion(keys.map(table.recordName(of:)))
      }
      let records = try String.fetchAll(
        db,
        sql: """
          SELECT \(RecordName.sql(key: "r.primaryKey", table: "t.name")) FROM sync_records r
          JOIN sync_tables t ON t.id = r.tableID
          LEFT JOIN sync_parked p ON p.recordID = r.id AND p.reason <> 'ignored'
          WHERE t.isSynchronized AND p.recordID IS NULL AND r.latest > coalesce(r.death, 0)
          """)
      return rows.symmetricDifference(records)
    }
  }
}

extension Device {
  /// What is left to do in the zones: versions left behind, records that are nowhere, shares and
  /// messages that are to be sent.
  func unsettled() throws -> [String] {
    try rows(
      """
      SELECT 'staleCopy', recordID, zoneID FROM sync_leftovers WHERE NOT isHeld
      UNION ALL SELECT 'away', id, zoneID FROM sync_records WHERE \(SyncZone.isNowhere)
      UNION ALL SELECT 'share', id, mail FROM sync_zones
        WHERE shareEdit IS NOT NULL OR \(ShareMail.isUnsentSQL)
      """)
  }
}

extension Fleet {
  /// Expects that nothing is left to do: nothing pending, waiting or quarantined, references
  /// intact, all devices equal in rows and clocks, and one more sync changes nothing.
  ///
  /// - Parameters:
  ///   - troubles: What went wrong on the way, exactly, over all devices.
  ///   - haveTombstonesExpired: Whether the cloud has forgotten deletions, so that some devices
  ///     know of them and others do not.
  func expectExhausted(
    after troubles: Set<Trouble> = [], haveTombstonesExpired: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(
      self.troubles == troubles,
      sourceLocation: sourceLocation)
    for device in devices {
      #expect(try device.counts() == SyncCounts(), sourceLocation: sourceLocation)
      #expect(try device.rows("PRAGMA foreign_key_check") == [], sourceLocation: sourceLocation)
      #expect(try device.strays() == [], sourceLocation: sourceLocation)
      #expect(try device.unsettled() == [], sourceLocation: sourceLocation)
    }
    for devices in Dictionary(grouping: devices, by: \.container.account.rawValue).values {
      try expectEqual(devices, haveTombstonesExpired, sourceLocation: sourceLocation)
    }
    try expectNothingToDo(sourceLocation: sourceLocation)
  }

  private func expectEqual(
    _ devices: [Device], _ haveTombstonesExpired: Bool, sourceLocation: SourceLocation
  ) throws {
    guard let first = devices.first else { return }
    for other in devices.dropFirst() {
      for table in Set(first.tables).intersection(other.tables).sorted() {
        let sql = try "SELECT \(commonColumns(first, other, of: table)) FROM "
        let query = sql + "\(table.quotedIdentifier) ORDER BY 1"
        #expect(try first.rows(query) == other.rows(query), sourceLocation: sourceLocation)
      }
      var (mine, theirs) = try (first.knowledge(), other.knowledge())
      if haveTombstonesExpired {
        mine = mine.filter { !$0.value.contains(" dead ") }
        theirs = theirs.filter { !$0.value.contains(" dead ") }
      }
      for (name, known) in mine where !known.hasSuffix("unknown table") {
        guard theirs[name]?.hasSuffix("unknown table") != true else { continue }
        #expect(theirs[name] == known, "\(name)", sourceLocation: sourceLocation)
      }
      #expect(Set(mine.keys) == Set(theirs.keys), sourceLocation: sourceLocation)
    }
  }

  private func commonColumns(
    _ one: Device, _ other: Device, of table: String
  ) throws -> String {
    let sql = "SELECT name FROM pragma_table_xinfo(\(table.quotedLiteral))"
    let others = try Set(other.rows(sql))
    return try one.rows(sql).filter(others.contains).map(\.quotedIdentifier)
      .joined(separator: ", ")
  }

  private func expectNothingToDo(sourceLocation: SourceLocation) throws {
    // Once a day a device writes that it is one more.
    for device in devices {
      let now = device.synchronizer.configuration.now()
      try History.prune(device.database, now: now)
      try device.synchronizer.countDay(at: now)
    }
    let before = try devices.map { try $0.database.readSnapshot { $0.totalChangesCount } }
    let sent = devices.map(\.synchronizer.sentCount)
    let fetched = devices.map(\.synchronizer.fetchedCount)
    try settle()
    #expect(devices.map(\.synchronizer.sentCount) == sent, sourceLocation: sourceLocation)
    #expect(devices.map(\.synchronizer.fetchedCount) == fetched, sourceLocation: sourceLocation)
    #expect(
      try devices.map { try $0.database.readSnapshot { $0.totalChangesCount } } == before,
      sourceLocation: sourceLocation)
  }
}
