import GRDB
import SQLiteSyncCloud

/// Folds what the triggers noted into the clocks and pending changes of the records.
///
/// Runs in the engine's transaction, always first in one that applies fetched records, so that a
/// merge never sees an edit that has no clock.
struct EditLog {
  let tables: TableOrder
  let device: UInt16
  let now: Int64
  /// From how many entries on the rows that were made are folded by one statement.
  var bulk = Self.bulk

  /// Fewer are folded one by one as fast.
  static let bulk = 64
  /// How many entries are sorted at once, about.
  var part = Self.part

  /// Takes some 10 MB.
  static let part = 100_000

  /// One line of the log.
  struct Entry: Equatable {
    let kind: Int
    let mask: Int64
    let at: Int64
  }

  /// Lets the triggers note what is done meanwhile as if it had been done then.
  static func asOf<Value>(
    _ time: Int64, in db: Database, _ work: () throws -> Value
  ) throws -> Value {
    try EditEntries(db: db).asOf(time) { try History(db: db, now: time).asOf(time, work) }
  }

  /// Folds all entries and empties the log.
  ///
  /// Returns the names of tables in which a row was edited whose key is not text, and notes those
  /// rows as refused. A table that is not STRICT can have them.
  @discardableResult
  func fold(in db: Database) throws -> [String] {
    let entries = EditEntries(db: db)
    let bases = MergeBases(db: db)
    var remadeRoots = RemadeRoots(db: db)
    guard try !entries.isEmpty() else { return [] }
    if tables.tables.isEmpty || tables.tables.contains(where: \.isUnique) {
      try entries.noteReplacedRows()
    }
    try DanglingReferences(db: db, tables: tables).settle()
    let keyChanges = try KeyChanges(db: db, tables: tables)
    let refusing = try Refusals(db: db).update(now: now)
    let names = try SchemaRegistry.columnNames(in: db)
    let hasLosers = try Quarantine(db: db).hasLosers()
    let merging = Dictionary(
      uniqueKeysWithValues: tables.tables.filter { !$0.mergePolicies.isEmpty }.map { ($0.id, $0) })
    for part in try entries.parts(of: part) {
      try fold(part, names, merging, hasLosers: hasLosers, &remadeRoots, in: db)
    }
    try keyChanges.settle()
    try entries.removeAll()
    if try bases.hasCaptured() { try bases.forgetCaptured() }
    try remadeRoots.leave()
    return refusing
  }

  /// Folds the entries of some records.
  ///
  /// - Parameters:
  ///   - names: The columns of each table, for the bits of the entries.
  ///   - merging: The tables of which columns have merge policies.
  ///   - hasLosers: Whether any record waits because another took its place.
  private func fold(
    _ part: EditEntries.Part, _ names: [Int64: [Int: String]], _ merging: [Int64: TableSchema],
    hasLosers: Bool, _ remadeRoots: inout RemadeRoots, in db: Database
  ) throws {
    let rows = try EditEntries(db: db).foldable(
      part, ofRecordsUpTo: hasLosers ? nil : foldInserts(part, merging: merging.values, in: db))
    var group: (tableID: Int64, key: String, entries: [Entry])?
    func finish() throws {
      guard let group else { return }
      let edit = FoldedEdit(group.entries, names: names[group.tableID] ?? [:])
      let id = try apply(
        edit, tableID: group.tableID, key: group.key, table: merging[group.tableID],
        &remadeRoots, in: db)
      if hasLosers, let id { try release(losersTo: id, isDeleted: edit.isDeletion, in: db) }
    }
    while let row = try rows.next() {
      let tableID: Int64 = try row.read(0)
      let key: String = try row.read(1)
      // Byte for byte, as SQLite does: to Swift two spellings of "é" are equal.
      if group?.tableID != tableID || group.map({ !$0.key.utf8.elementsEqual(key.utf8) }) ?? true {
        try finish()
        group = (tableID, key, [])
      }
      try group?.entries.append(Entry(row, from: 2))
    }
    try finish()
  }

  /// Stores the rows of a part that were made and nothing else, if that is worth it; returns the
  /// number of the last record before them.
  private func foldInserts(
    _ part: EditEntries.Part, merging tables: some Collection<TableSchema>, in db: Database
  ) throws -> Int64? {
    guard try EditEntries(db: db).has(atLeast: bulk) else { return nil }
    let store = MetadataStore(db: db)
    let last = try store.add(made: EditEntries.inserts, part.arguments, device: device)
    try store.outbox.add(recordsAfter: last, now: now)
    for table in tables { try MergeBases(db: db).add(madeAfter: last, of: table) }
    return last
  }

  /// Stores what one record's entries come to; returns its number, if anything is known of it.
  ///
  /// - Parameter table: Its table, if columns of it have merge policies.
  private func apply(
    _ edit: FoldedEdit, tableID: Int64, key: String, table: TableSchema?,
    _ remadeRoots: inout RemadeRoots, in db: Database
  ) throws -> Int64? {
    guard !edit.isEmpty else { return nil }
    let store = MetadataStore(db: db)
    let known = try store.record(tableID: tableID, key: key)
    // Made and deleted before anybody knew of it.
    guard known != nil || !edit.isDeletion else { return nil }
    let before = try known?.id.flatMap { try store.outbox.change(of: $0) }
    let result = edit.applied(
      to: known ?? RecordMetadata(tableID: tableID, key: key, life: .zero),
      pending: before, device: device)
    let id = try store.save(result.record)
    try store.outbox.set(result.pending, id: id, tableID: tableID, now: now)
    if let table {
      try MergeBases(db: db).fold(
        edit, key: key, of: table, known: known, before: before, after: result.pending,
        device: device)
    }
    if let known { try remadeRoots.note(id, edit, over: known) }
    return id
  }

  /// Has those looked into again that lost to a row which was edited, and those that depend on it
  /// if it was deleted.
  private func release(losersTo id: Int64, isDeleted: Bool, in db: Database) throws {
    guard let name = try MetadataStore(db: db).name(ofRecord: id) else { return }
    let quarantine = Quarantine(db: db)
    try quarantine.release(losersTo: name, orRecord: id)
    if isDeleted { try quarantine.release(losersBelow: id) }
  }
}

extension FieldClock {
  /// The clock of the first edit of anything, as an SQL expression: see `edited`.
  static func sql(at milliseconds: String, device: String) -> String {
    let bounded = "min(max(\(milliseconds), 0), \(limit.milliseconds))"
    return "min((\(bounded) << 16) | \(device), \(limit.rawValue))"
  }
}

/// What a run of entries for one record comes to: pure, so that every order can be tested.
struct FoldedEdit: Equatable {
  /// When the row was last deleted, if it was.
  private(set) var deletedAt: Int64?
  /// When it was made before that, if it was.
  private(set) var formerCreatedAt: Int64?
  /// The fields changed before that, and when: who brings the row back may not have them.
  private(set) var formerFields: [String: Int64] = [:]
  /// The fields of which the history has no value as of that: the row has got another key, or gave
  /// way to another one.
  private(set) var untracedFields: Set<String> = []
  /// When it was made after that, if it was.
  private(set) var createdAt: Int64?
  /// The fields changed after that, and when.
  private(set) var fields: [String: Int64] = [:]

  init(_ entries: [EditLog.Entry], names: [Int: String]) {
    // By chunk: an insert that was ignored leaves its masks; the next one puts its own in place.
    var replaced: [Int: [String: Int64]] = [:]
    for entry in entries {
      let kind = CaptureTriggers.Kind(rawValue: entry.kind % CaptureTriggers.Kind.count)
      let chunk = entry.kind / CaptureTriggers.Kind.count
      let changed = Self.fields(entry, chunk: chunk, names: names)
      switch kind {
      case .insert:
        if replaced.isEmpty {
          createdAt = entry.at
          fields = [:]
        }
        for changed in replaced.values { fields.merge(changed) { max($0, $1) } }
      case .update:
        // One statement can insert a row and note its columns: that is one edit.
        guard createdAt.map({ entry.at > $0 }) ?? true else { break }
        fields.merge(changed) { max($0, $1) }
      case .delete:
        deletedAt = entry.at
        if createdAt != nil { (formerCreatedAt, formerFields) = (createdAt, [:]) }
        formerFields.merge(fields) { max($0, $1) }
        untracedFields = entry.mask == CaptureTriggers.noMask ? [] : Set(names.values)
        (createdAt, fields) = (nil, [:])
      case .replace:
        replaced[chunk] = changed
        continue
      case nil:
        continue
      }
      replaced = [:]
    }
  }

  /// Whether the row is gone after these edits.
  var isDeletion: Bool { deletedAt != nil && createdAt == nil && fields.isEmpty }

  /// Whether nothing changed: a no-op update, or an insert that was refused.
  var isEmpty: Bool { deletedAt == nil && createdAt == nil && fields.isEmpty }

  private static func fields(
    _ entry: EditLog.Entry, chunk: Int, names: [Int: String]
  ) -> [String: Int64] {
    guard entry.mask > 0 else { return [:] }
    var result: [String: Int64] = [:]
    for bit in 0..<CaptureTriggers.fieldsPerMask where entry.mask & (1 << bit) != 0 {
      if let name = names[chunk * CaptureTriggers.fieldsPerMask + bit] {
        result[name] = entry.at
      }
    }
    return result
  }

  /// The record after these edits, each stamped later than what the record was known to hold.
  func applied(
    to record: RecordMetadata, pending: PendingChange?, device: UInt16
  ) -> (record: RecordMetadata, pending: PendingChange?) {
    var record = record
    var names = pending?.kind == .save ? pending?.fields : []
    if let deletedAt {
      if record.life > .zero {
        if let formerCreatedAt { record.makeAnew(atMilliseconds: formerCreatedAt, by: device) }
        record.stamp(formerFields, by: device)
      }
      let known = max(record.latest, record.death ?? .zero)
      record.death = known.edited(atMilliseconds: deletedAt, device: device)
      // Else they would have the values of an earlier deletion, should the row come back.
      for name in untracedFields { record.setClock(.zero, of: name) }
      names = []
    }
    // A row that was there before capture began, and has no metadata, is new to everybody else.
    let firstSeen = record.life == .zero ? fields.values.min() : nil
    if let createdAt = createdAt ?? firstSeen {
      record.makeAnew(atMilliseconds: createdAt, by: device)
      names = nil
    }
    record.stamp(fields, by: device)
    names?.formUnion(fields.keys)
    if !isDeletion { record.outliveAtLimit() }
    let kind: PendingChange.Kind = isDeletion ? .delete : .save
    return (record, PendingChange(kind: kind, fields: isDeletion ? [] : names))
  }
}

extension RecordMetadata {
  /// Gives the record a new life, and nothing of the one before.
  fileprivate mutating func makeAnew(atMilliseconds time: Int64, by device: UInt16) {
    let known = max(latest, death ?? .zero)
    life = known.edited(atMilliseconds: time, device: device)
    exceptions = [:]
    unknown = nil
  }

  /// Gives fields the clocks of edits at these times, each later than what it was known to hold.
  fileprivate mutating func stamp(_ fields: [String: Int64], by device: UInt16) {
    for (name, at) in fields {
      // A row that is edited lives, whatever the metadata says: its life is at least this edit's.
      // A deletion that was overruled took edits with it that others may have, with clocks that
      // this one must not have again.
      let known = max(clock(of: name), death ?? .zero)
      setClock(known.edited(atMilliseconds: at, device: device), of: name)
    }
  }
}
