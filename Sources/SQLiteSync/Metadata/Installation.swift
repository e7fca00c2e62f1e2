import Foundation
import GRDB
import SQLiteSyncCloud

/// Brings metadata and triggers up to the app's schema, when an engine is created.
struct Installation {
  let db: Database
  let device: UUID
  let now: Int64
  let timeSQL: String?
  /// How columns are merged, by table and column: see `SyncConfiguration.mergePolicies`.
  var mergePolicies: [String: [String: MergePolicy]] = [:]

  /// Validates the tables, installs their triggers and takes in what is new in the schema.
  ///
  /// Edits that wait to be folded go on waiting, unless the schema has changed: who opens an app
  /// does not wait for them.
  @discardableResult
  func install(_ names: [String], private privateNames: [String]) throws -> TableOrder {
    try TemporaryShadow.refuse(in: db, tables: names + privateNames)
    let (tables, change) = try SchemaRegistry.register(
      names, private: privateNames, mergePolicies: mergePolicies, in: db)
    let quarantined = try quarantinedRecords(of: tables)
    let former = try formerTables(except: tables)
    // Entries were made with the triggers of the schema before; fold them before anything changes.
    let triggers = try captureTriggers()
    let outdated = try tables.tables.filter { try !triggers.areCurrent(on: $0, in: db) }
    let hasNewPolicies = outdated.contains { !$0.mergePolicies.isEmpty }
    let rebuilt = try RebuiltTables.find(among: outdated, besides: change.newTables, in: db)
    if change != SchemaRegistry.Change() || !rebuilt.isEmpty || !former.isEmpty || hasNewPolicies {
      try EditLog(tables: tables, device: device.clockBits, now: now).fold(in: db)
    }
    try takeOut(former)
    try RowImage.makeRoom(in: db)
    try triggers.install(on: outdated, of: tables, in: db)
    // No earlier: until now the triggers may have been those of an earlier version.
    if !outdated.isEmpty {
      try FormerRowImage.convertAll(in: db)
      try MergeBases(db: db).forget(besides: tables)
    }
    var unsent: [(fields: Set<String>, id: Int64, table: TableSchema)] = []
    for (table, columns) in change.newColumns.sorted(by: { $0.key < $1.key }) {
      guard let table = tables[table] else { continue }
      unsent += try takeIn(columns, of: table).map { ($0.value, $0.key, table) }
    }
    let new = tables.tables.filter { change.newTables.contains($0.name) }
      .map { ReinstatedTable(db: db, table: $0, device: device, now: now) }
    let returning = new.filter { change.returningTables.contains($0.table.name) }
    try noteRefusedRows(of: tables, new: new.map(\.table) + rebuilt)
    for table in new { try adoptRows(of: table.table) }
    try RebuiltTables(db: db, device: device, now: now).begin(rebuilt)
    for table in returning {
      try table.adoptEdits()
      try UntouchedColumns(db: db, table: table.table, device: device, now: now).adoptEdits()
    }
    let saves = try new.map { try $0.unsentSaves() }
    // Before a record is merged; and what waited contends with the rows of its table, which have to
    // be known for that.
    if !quarantined.isEmpty {
      try EditLog(tables: tables, device: device.clockBits, now: now).fold(in: db)
    }
    // Not where they do not belong any more, by the values that came for new columns, too: there
    // those would be ignored.
    let changed = tables.tables.filter { change.newColumns[$0.name] != nil }
    let placement = Placement(db: db, tables: tables, now: now)
    try placement.placeShared(of: changed, countsWaiting: true)
    try applyQuarantined(tables)
    for (fields, id, table) in unsent {
      try Outbox(db: db).add(fields, of: id, tableID: table.id, now: now)
    }
    for (table, saves) in zip(new, saves) { try table.send(saves) }
    try bury(returning, tables)
    // Nothing else says that a table is private now.
    let moved = tables.tables.filter { $0.isPrivate || outdated.contains($0) }
    try placement.placeShared(of: moved)
    try WritePermission(db: db, tables: tables).install()
    return tables
  }

  private func captureTriggers() throws -> CaptureTriggers {
    guard let timeSQL else { return CaptureTriggers() }
    try SyncConfiguration.require(editTimeSQL: timeSQL, in: db)
    return CaptureTriggers(timeSQL: timeSQL)
  }

  /// The tables that are here and not synchronized any more.
  private func formerTables(except tables: TableOrder) throws -> [(id: Int64, name: String)] {
    try SchemaRegistry.synchronizedTables(in: db).filter { tables[$0.name] == nil }
  }

  private func takeOut(_ former: [(id: Int64, name: String)]) throws {
    for (id, name) in former {
      try CaptureTriggers().remove(from: name, in: db)
      let table = try SchemaInspection.table(name, in: db)
      try Forgetting.setAside(table, tableID: id, now: now, in: db)
    }
    // One that is dropped later comes back as another.
    try SchemaRegistry.dropColumnsOfGoneTables(in: db)
  }

  /// Rows that were there before capture began may have keys that no record's name can hold.
  private func noteRefusedRows(of tables: TableOrder, new: [TableSchema]) throws {
    let refusals = Refusals(db: db)
    let isFirst = try refusals.isIncomplete()
    for table in isFirst ? tables.tables : new { try refusals.noteRows(of: table, now: now) }
    if isFirst { try refusals.complete() }
  }

  /// Rows that were there before capture began are edits like any other, made now.
  private func adoptRows(of table: TableSchema) throws {
    try EditEntries(db: db).add(rowsOf: table, now: now)
  }

  /// Columns that are new to this version have no clock: nobody has edited them, whatever their
  /// default.
  ///
  /// Values that came for them before are set aside, to be applied with all that waits. Where none
  /// came and the migration has put one, it is sent.
  ///
  /// Returns, by record that is not sent yet, the columns that come back with an edit of this
  /// device: nothing of what is applied is to be sent otherwise.
  private func takeIn(
    _ columns: [String], of table: TableSchema
  ) throws -> [Int64: Set<String>] {
    let store = MetadataStore(db: db)
    let filled = try columns.reduce(into: [:]) { $0[$1] = try keysFilled(in: $1, of: table) }
    var unsent: [Int64: Set<String>] = [:]
    for id in try store.ids(ofTable: table.id) {
      guard var record = try store.record(id: id) else { continue }
      let pending = try store.outbox.change(of: id)
      var came: [String: CloudField] = [:]
      var sent: Set<String> = []
      for column in columns {
        record.setClock(.zero, of: column)
        came[column] = record.unknown?.fields.removeValue(forKey: column)
        guard came[column] == nil, filled[column]?.contains(record.key) == true else { continue }
        record.setClock(.ofMigration(of: record.life, device: device), of: column)
        sent.insert(column)
      }
      if record.unknown?.fields.isEmpty == true { record.unknown = nil }
      try store.save(record)
      // Also none of them: what is unsent can be how long the record lives.
      if let pending, pending.kind == .save, !came.isEmpty {
        unsent[id] = Set(came.keys.filter(pending.includes))
      }
      if !sent.isEmpty { try Outbox(db: db).add(sent, of: id, tableID: table.id, now: now) }
      guard !came.isEmpty, var image = try image(of: record, in: table) else { continue }
      image.fields.merge(came) { $1 }
      // A record that is kept aside already is kept whole.
      let quarantine = Quarantine(db: db)
      guard try quarantine.entry(of: id) == nil else { continue }
      try quarantine.keep(id, image, reason: .unknownTable, now: now)
    }
    return unsent
  }

  /// The keys of the rows whose value in a new column is not its default: a migration put it there,
  /// before any trigger knew the column.
  private func keysFilled(in column: String, of table: TableSchema) throws -> Set<String> {
    let name = table.name.quotedIdentifier
    guard let known = table.columnsByName[column] else { return [] }
    return try Set(
      String.fetchAll(
        db,
        sql: """
          SELECT \(table.keyExpression(of: name)) FROM \(name)
          WHERE (\(known.isFilled))
            AND typeof(\(table.key.quotedIdentifier)) = 'text'
          """))
  }

  /// A record as its row has it; nil when there is no row.
  private func image(of record: RecordMetadata, in table: TableSchema) throws -> CloudRecord? {
    guard let row = try RowStore(db: db, table: table).values(ofKey: record.key) else { return nil }
    let known = record.unknown?.fields ?? [:]
    let fields = row.reduce(into: known) { fields, column in
      let clock = record.clock(of: column.key)
      if clock > .zero { fields[column.key] = CloudField(column.value.cloudValue, clock) }
    }
    return CloudRecord(
      name: table.recordName(of: record.key), type: table.name,
      parent: try record.parentID.flatMap(MetadataStore(db: db).name(ofRecord:)),
      life: record.life, fields: fields)
  }

  /// Records that no table or constraint would take before the schema changed.
  private func applyQuarantined(_ tables: TableOrder) throws {
    let ids = try quarantinedRecords(of: tables)
    guard !ids.isEmpty else { return }
    var applier = try Applier(db: db, tables: tables, now: now, device: device)
    try DeviceState(db: db).muted {
      for id in ids { try applier.retryQuarantined(id) }
    }
    try applier.settleRivals()
  }

  private func bury(_ returning: [ReinstatedTable], _ tables: TableOrder) throws {
    var applier = try Applier(db: db, tables: tables, now: now, device: device)
    try DeviceState(db: db).muted {
      for table in returning.reversed() { try table.bury(with: &applier) }
    }
  }

  /// The records that are to be tried again, parents first.
  private func quarantinedRecords(of tables: TableOrder) throws -> [Int64] {
    try Quarantine(db: db).recordsToRetryAtStart()
      .filter { tables[$0.table] != nil }
      .sorted { tables.position(of: $0.table) < tables.position(of: $1.table) }
      .map(\.id)
  }
}
