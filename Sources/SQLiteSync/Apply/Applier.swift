import Foundation
import GRDB
import SQLiteSyncCloud
import SQLiteSyncHashing

/// Brings fetched records into the rows, in the engine's write transaction.
///
/// Records are applied parents first and tombstones children first. A record whose parent is not
/// here waits; one that a local constraint refuses is quarantined; the rest of the batch is
/// applied.
struct Applier {
  let db: Database
  let tables: TableOrder
  /// The zone that the copies are of.
  var zoneID: Int64
  let now: Int64
  /// This device.
  var device: UUID
  /// Who is signed in; nil when nobody is.
  let account: AccountID?
  /// The bytes of assets that were read, by their names.
  ///
  /// Others come later: see `fill`.
  let assets: [String: Data]
  /// What was known of records with unsent edits: see `Synchronizer.versionsBefore`.
  let versionsBefore: [String: CloudRecord]
  /// Whether a record that left its zone is taken from wherever it is: all zones were read, and
  /// nobody who has a say about it has put it anywhere.
  var takesMovedAway = false
  /// The full fetch of that zone that is under way, or the last one.
  var pass: Int64
  /// A zone whose versions of rows that go stay as they are, because the row on which they depended
  /// turned out to be another's.
  var heldZone: Int64?
  /// The deletion that is under way.
  var removal = Removal()
  /// Rows in whose way another one is.
  var rivals = DeferredRivals()
  /// Rows of a shared zone that were not here before.
  var arrived: [(table: TableSchema, key: String)] = []
  /// Whether rows are written that refer to each other, none of them first.
  var isClosingCircle = false
  /// Whether rows of any table can be in each other's way.
  let isAnyUnique: Bool
  /// Whether a foreign key here is looked at only when the transaction ends.
  let defersReferences: Bool
  /// How many plain records in a row are written together: see `PlainPage`.
  var plainRun = Self.plainRun
  /// Which bytes come by themselves.
  var assetPolicy = SyncAssetPolicy.all
  /// What happened, for events and counts.
  var report = ApplyReport()

  /// Fewer are written one by one as fast.
  static let plainRun = 16

  var store: MetadataStore { MetadataStore(db: db) }
  var quarantine: Quarantine { Quarantine(db: db) }

  init(
    db: Database, tables: TableOrder, zoneID: Int64 = SyncZone.defaultID, now: Int64, device: UUID,
    assets: [String: Data] = [:], versionsBefore: [String: CloudRecord] = [:]
  ) throws {
    self.db = db
    self.tables = tables
    self.zoneID = zoneID
    self.now = now
    self.device = device
    account = try Zones(db: db).owner(of: SyncZone.defaultID)
    self.assets = assets
    self.versionsBefore = versionsBefore
    isAnyUnique = tables.tables.contains(where: \.isUnique)
    pass = try ZonePosition(in: db, zone: zoneID).pass
    defersReferences = try db.hasDeferredForeignKeys()
  }

  /// Applies a batch of copies, whatever their order.
  ///
  /// Capture is muted meanwhile.
  mutating func apply(_ copies: [ServerCopy]) throws {
    try DeviceState(db: db).muted {
      try rememberDevices(of: copies)
      var records: [(copy: ServerCopy, record: CloudRecord)] = []
      var tombstones: [(copy: ServerCopy, tombstone: Tombstone)] = []
      for copy in copies {
        if copy.name == Share.recordName {
          try apply(shareOf: copy)
          continue
        }
        switch copy.content {
        case .record(let record): records.append((copy, record))
        case .tombstone(let tombstone): tombstones.append((copy, tombstone))
        }
      }
      let order = tables
      records.sort { order.position(of: $0.record.type) < order.position(of: $1.record.type) }
      tombstones.sort {
        order.position(of: $0.tombstone.type) > order.position(of: $1.tombstone.type)
      }
      try apply(records)
      rivals.mode = .contending
      for (copy, tombstone) in tombstones { try apply(tombstone, of: copy) }
      try applyDeferredRivals()
      try retryQuarantined()
      guard try !report.deleted.isEmpty && !Refusals(db: db).isEmpty() else { return }
      for table in tables.tables { try Refusals(db: db).forgetGoneRows(of: table) }
    }
  }

  // MARK: - One record

  /// Does what is decided about a version of a record.
  mutating func apply(_ record: CloudRecord, of copy: ServerCopy) throws {
    let name = RecordName.parsing(record.name)
    let table = name.table == record.type ? tables[name.table] : nil
    try apply(
      record, of: copy, name: name, table: table,
      belonging: belonging(of: record, named: name, in: table, by: copy))
  }

  /// - Parameter wasElsewhere: Whether the record was known in another zone until now.
  mutating func apply(
    _ record: CloudRecord, of copy: ServerCopy, name: RecordName, table: TableSchema?,
    belonging: Belonging, wasElsewhere: Bool = false
  ) throws {
    let known = try known(record, of: copy, name: name, table: table, belonging: belonging)
    if let merged = try merged(record, of: copy, known: known),
      try apply(merged, name: name, known: known)
    {
      return
    }
    let (image, version, unsent) = known.addingSetAside(to: record, of: copy)
    if known.isSetAsideUnsent { rivals.mode = .contending }
    let isTaken = try apply(
      image, of: version, name: name, known: known, wasElsewhere: wasElsewhere)
    guard isTaken else { return }
    if let unsent { try keepUnsent(unsent, of: known.metadata) }
    if !known.hasRow { try takeUpFormerEdits(of: known.metadata, in: image) }
    try follow(record, known)
  }

  /// Does what is decided; returns whether the record has the version from now on.
  ///
  /// - Parameter mergedFields: The fields that are merged of the version and of what is unsent.
  @discardableResult
  mutating func apply(
    _ image: CloudRecord, of version: ServerCopy, name: RecordName, known: KnownRecord,
    wasElsewhere: Bool, mergedFields: Set<String> = []
  ) throws -> Bool {
    let (table, belonging) = (known.table, known.belonging)
    func change(_ merge: RecordMerge, _ table: TableSchema) -> RowChange {
      var local = known.metadata
      local.pass = pass
      return RowChange(
        table: table, key: name.key, record: image, copy: version, local: local,
        pending: known.pending, merge: merge, hasRow: known.hasRow, wasElsewhere: wasElsewhere,
        mergedFields: mergedFields)
    }
    let decision = Decision.of(image, in: version, known: known)
    if decision.isTaken { try take(known, version) }
    switch decision {
    case .insert(let merge, let table), .update(let merge, let table):
      try write(change(merge, table))
    case .stayDeleted(let merge, let table):
      report.lost.insert(image.name)
      try keepLate(change(merge, table))
      try finish(change(merge, table))
    case .keepAside(var merge, let table):
      // What was sent already is not held against it: whoever wrote it might do the same for ever.
      merge.pending = merge.pending?.within(known.pending)
      let reason = reasonToKeepAside(in: table)
      ignore(version, reason: belonging.objection ?? "")
      try keepInQuarantine(change(merge, table), reason: reason, needs: belonging.needs, error: nil)
    case .keepWhole(let metadata, let image, let keepsEdit):
      try keepWhole(metadata, image, keepsEdit: keepsEdit)
    case .adopt(let withoutClocks):
      try adopt(known.metadata, in: table, withoutClocks: withoutClocks, by: version)
      // Where it belongs no more it is merged, and goes where it was.
      try apply(
        image, of: version, name: name, table: table,
        belonging: belonging.isNever ? .here : belonging, wasElsewhere: true)
    case .reclaim:
      try adopt(known.metadata, in: table, withoutClocks: true, by: version, holdingRest: true)
      try apply(
        image, of: version, name: name, table: table, belonging: belonging, wasElsewhere: true)
    case .hold(let reason):
      try hold(
        known.metadata, of: version, parentID: known.parentID, belonging, table: table,
        reason: reason)
    case .mention(var left):
      left.pass = pass
      if let id = known.metadata.id { try StaleCopies(db: db).save(left, ofRecord: id) }
    }
    return decision.isTaken
  }

  /// The unsent edits of a row that was set aside stay pending.
  private func keepUnsent(_ unsent: PendingChange, of known: RecordMetadata) throws {
    guard let id = known.id, try store.record(id: id)?.isAlive == true,
      try store.outbox.change(of: id) == nil
    else { return }
    try store.outbox.set(unsent, id: id, tableID: known.tableID, now: now)
  }

  /// Notes that the zone's version of a record is the record's own.
  private mutating func take(_ known: KnownRecord, _ copy: ServerCopy) throws {
    if let id = known.metadata.id, known.metadata.tag == nil {
      // What was held of this zone while the record was forgotten is taken with it.
      try StaleCopies(db: db).forget(recordID: id, in: zoneID)
    }
    if known.table != nil, known.metadata.tag == copy.tag { report.known.insert(copy.name) }
  }

  /// Writes the winning fields; what SQLite refuses is quarantined, and only that.
  mutating func write(_ change: RowChange) throws {
    guard change.table.isRecordKey(change.key) else {
      try keepInQuarantine(
        change, reason: .refused, needs: nil,
        error: "Keys of \(change.table.name) compare without case: this one has capitals.")
      return
    }
    let written: [String: DatabaseValue]
    do {
      guard let done = try writeAgainstRivals(change) else { return }
      written = done
    } catch let error as DatabaseError
      where error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY
    {
      try resolveMissingParent(change, error: error)
      return
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      let (reason, detail) = Quarantine.Reason.of(error, in: change.table)
      try keepInQuarantine(change, reason: reason, needs: nil, error: detail)
      return
    }
    let id = try finish(change)
    if !change.hasRow, zoneID != SyncZone.defaultID { arrived.append((change.table, change.key)) }
    report.modified.append(
      ApplyReport.Item(
        type: change.table.name, name: change.record.name, fields: written.keys.sorted()))
    // Also when the row was here: it may have been made here, after its child began to wait.
    try retryQuarantined(waitingFor: change.record.name)
    try takeUpReferences(to: change)
    try release(losersTo: change.merge.record, of: change.table)
    try quarantine.remove(id)
    try rehome(change, id: id, written: Set(written.keys))
  }

  /// Writes the winning fields, and returns those that are others than before.
  mutating func put(_ change: RowChange) throws -> [String: DatabaseValue] {
    let rows = RowStore(db: db, table: change.table)
    let values = try self.values(of: change)
    guard change.hasRow else {
      try rows.requireAwaited(values)
      try closing { try rows.insert(key: change.key, values) }
      return values
    }
    let old = try former(rows.values(ofKey: change.key) ?? [:], of: change)
    let written = values.filter { name, value in old[name]?.isSameBytes(as: value) != true }
    try closing { try rows.update(key: change.key, written) }
    rivals.noteWritten(written, of: RowName(change.table, change.key))
    // Not before: what SQLite refuses overwrites nothing.
    try noteOverwrittenValues(of: change, old: old, written: written)
    noteConflict(change, written: Set(written.keys))
    return written
  }

  /// Does a write that leaves no reference open, unless it is one of a circle.
  private func closing(_ write: () throws -> Void) throws {
    try defersReferences && !isClosingCircle ? db.closingReferences(write) : write()
  }

  /// Stores the merged metadata and what is still to be sent.
  @discardableResult
  mutating func finish(_ change: RowChange) throws -> Int64 {
    let id = try store.save(change.merge.record)
    try store.outbox.set(change.merge.pending, id: id, tableID: change.table.id, now: now)
    try rememberAssets(of: change, id: id)
    if change.local.unknown != nil || change.merge.record.unknown != nil {
      try keepAssets(of: change.merge.record.unknown?.fields ?? [:], besides: change.table, id: id)
    }
    return id
  }

  /// The columns to write.
  ///
  /// One whose bytes are not here yet is left out: a missing asset never replaces good bytes.
  func values(of change: RowChange) throws -> [String: DatabaseValue] {
    var values: [String: DatabaseValue] = [:]
    for name in change.merge.written {
      guard let field = change.record.fields[name] else { continue }
      if case .asset(let reference) = field.value {
        guard let bytes = try bytes(of: name, reference, id: change.local.id) else { continue }
        values[name] = bytes.databaseValue
      } else if !isMisspelled(name, field.value, of: change) {
        values[name] = DatabaseValue(field.value)
      }
    }
    return values
  }

  /// The bytes of an asset: read with the record, or kept since there was no column for them.
  func bytes(of field: String, _ reference: AssetReference, id: Int64?) throws -> Data? {
    if let bytes = assets[reference.name] { return bytes }
    return try id.flatMap {
      try KnownAssets(db: db).keptBytes(recordID: $0, field: field, of: reference)
    }
  }

  /// Whether a field that spells the key of a row is not a spelling of the record's key.
  ///
  /// The row would be another record's.
  private func isMisspelled(_ name: String, _ value: CloudValue, of change: RowChange) -> Bool {
    guard change.table.isKeyFolded, name == change.table.key else { return false }
    guard case .text(let spelling) = value else { return true }
    return change.table.foldedKey(spelling) != change.key
  }

  mutating func noteConflict(_ change: RowChange, written: Set<String>) {
    if !isOwn(change.copy),
      let conflict = ApplyReport.Conflict(change, written: written)
    {
      report.conflicts.append(conflict)
    }
  }

  /// The clock of what this device does now to what was last changed at a given one.
  func clock(after latest: FieldClock) -> FieldClock {
    latest.edited(atMilliseconds: now, device: device.clockBits)
  }

  // MARK: - Metadata

  /// Whether this device made the commit: another account can write its name.
  func isOwn(_ copy: ServerCopy) -> Bool {
    copy.isAuthentic && copy.author == account && copy.device == device.lowercaseString
  }

  func localRecord(_ name: RecordName, table: TableSchema) throws -> RecordMetadata {
    try store.record(tableID: table.id, key: name.key)
      ?? RecordMetadata(tableID: table.id, key: name.key, zoneID: zoneID, life: .zero)
  }

  /// The number of the parent, made if need be.
  func parentID(of record: CloudRecord) throws -> Int64? {
    try record.parent.flatMap(RecordName.init).map {
      try recordID(mentionedAs: $0, inZone: zoneID)
    }
  }

  /// The number of a record that another one mentions, made if need be.
  ///
  /// - Parameter zoneID: Where it is thought to be.
  func recordID(mentionedAs name: RecordName, inZone zoneID: Int64) throws -> Int64 {
    let tableID =
      try tables[name.table]?.id ?? SchemaRegistry.tableID(name.table, in: db)
    if let known = try store.record(tableID: tableID, key: name.key)?.id { return known }
    return try store.save(
      RecordMetadata(tableID: tableID, key: name.key, zoneID: zoneID, life: .zero))
  }

  func rememberDevices(of copies: [ServerCopy]) throws {
    for (device, author) in Dictionary(
      copies.filter(\.isAuthentic).map { ($0.device, $0.author) }, uniquingKeysWith: { $1 })
    {
      try KnownDevices(db: db).add(device, of: author)
    }
  }

  /// Where the bytes lie, so that an unchanged field is never uploaded again, and missing ones are
  /// looked for.
  private func rememberAssets(of change: RowChange, id: Int64) throws {
    let known = KnownAssets(db: db)
    for (name, field) in change.record.fields {
      guard case .asset(let reference) = field.value,
        change.table.columnsByName[name] != nil,
        change.merge.record.clock(of: name) == field.clock
      else { continue }
      let entry = try known.entry(recordID: id, field: name)
      // What was here may have gone with its row or column.
      let isLacking =
        try change.merge.written.contains(name) && bytes(of: name, reference, id: id) == nil
      if let entry, entry.reference == reference, entry.clock == field.clock,
        entry.isMissing ? assets[reference.name] == nil : !isLacking
      {
        try known.dropBytes(recordID: id, field: name)
        continue
      }
      try known.save(
        KnownAssets.Entry(
          recordID: id, field: name, clock: field.clock, reference: reference,
          isMissing: isLacking),
        nextAttempt: isLacking ? firstAttempt(reference, in: change.table.columnsByName[name]) : 0)
    }
  }
}
