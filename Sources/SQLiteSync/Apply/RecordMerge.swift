import SQLiteSyncCloud

/// The merge of a record that is known here with the cloud's copy: one pure function.
///
/// Each field goes to the greater clock. Equal clocks with other values come of a foreign key's
/// action, done by several devices, and of clocks brought down to the limit: they go to the later
/// commit, which is an unsent edit of this device if there is one, else the cloud's. A record lives
/// while its latest edit is later than its latest deletion. So all devices end equal, whoever
/// fetches or sends first.
struct RecordMerge: Equatable {
  /// The record after the merge.
  var record: RecordMetadata
  /// What the cloud does not have yet after the merge.
  var pending: PendingChange?
  /// The cloud's fields that win: to be written to the row where the values differ.
  var written: Set<String>
  /// Whether there is a row afterwards.
  var isAlive: Bool { record.isAlive }

  /// Merges the cloud's copy into `local`.
  ///
  /// - Parameters:
  ///   - local: What is known here; nil when the record is new.
  ///   - pending: The unsent change, if any.
  ///   - hasRow: Whether the row is there.
  ///   - known: The fields that this version of the app has columns for.
  ///   - isOwn: Whether this device made the commit: then what has its clock is what was sent.
  init(
    local: RecordMetadata, pending: PendingChange?, hasRow: Bool, server: ServerCopy,
    known: Set<String>, isOwn: Bool = false
  ) {
    var merged = local
    merged.tag = server.tag
    switch server.content {
    case .tombstone(let tombstone):
      merged.isTombstone = true
      merged.parentID = nil
      merged.death = max(local.death ?? .zero, tombstone.clock)
      if pending?.kind == .save { merged.outliveAtLimit() }
      self.written = []
      self.pending = Self.unsent(merged, over: tombstone, hasRow: hasRow)
    case .record(let record):
      merged.isTombstone = false
      if local.isDeathInferred { merged.death = nil }
      // What is deleted here later may be brought back, with all that was ever edited in it.
      let staysDeleted = merged.death.map { record.latestClock <= $0 } ?? false
      if hasRow || staysDeleted {
        self.written = Self.takeFields(
          of: record, into: &merged, pending: isOwn ? nil : pending, known: known, ties: !isOwn)
      } else {
        Self.takeAll(of: record, into: &merged, known: known)
        self.written = Set(record.fields.keys).intersection(known)
      }
      if pending?.kind != .delete { merged.outliveAtLimit() }
      self.pending = Self.unsent(
        merged, over: record, before: isOwn ? nil : pending, hasRow: hasRow,
        known: known.subtracting(written))
    }
    self.record = merged
  }

  /// There is no row to merge with: the cloud's image, whole.
  private static func takeAll(
    of record: CloudRecord, into merged: inout RecordMetadata, known: Set<String>
  ) {
    merged.life = record.life
    merged.exceptions = [:]
    for name in known {
      merged.setClock(record.fields[name]?.clock ?? .zero, of: name)
    }
    merged.unknown = unknownFields(of: record, known: known)
  }

  private static func takeFields(
    of record: CloudRecord, into merged: inout RecordMetadata, pending: PendingChange?,
    known: Set<String>, ties: Bool
  ) -> Set<String> {
    var clocks = Dictionary(uniqueKeysWithValues: known.map { ($0, merged.clock(of: $0)) })
    var written: Set<String> = []
    for (name, field) in record.fields where known.contains(name) {
      let mine = clocks[name] ?? .zero
      let wins = field.clock > mine || ties && field.clock == mine && !isUnsent(name, pending)
      guard wins else { continue }
      written.insert(name)
      clocks[name] = field.clock
    }
    merged.unknown = mergedUnknown(merged, pending: pending, of: record, known: known)
    merged.life = max(merged.life, record.life)
    merged.exceptions = [:]
    for (name, clock) in clocks { merged.setClock(clock, of: name) }
    return written
  }

  private static func isUnsent(_ name: String, _ pending: PendingChange?) -> Bool {
    pending?.includes(name) ?? false
  }

  /// What the cloud's tombstone does not say of the merged record.
  private static func unsent(
    _ merged: RecordMetadata, over tombstone: Tombstone, hasRow: Bool
  ) -> PendingChange? {
    if merged.isAlive {
      // An edit later than the deletion brings the whole record back.
      return hasRow ? PendingChange(kind: .save, fields: nil) : nil
    }
    // A deletion later than the cloud's is to win over the edits made between the two.
    return merged.death ?? .zero > tombstone.clock ? PendingChange(kind: .delete, fields: []) : nil
  }

  /// What the cloud's image lacks of the merged record.
  private static func unsent(
    _ merged: RecordMetadata, over record: CloudRecord, before pending: PendingChange?,
    hasRow: Bool, known: Set<String>
  ) -> PendingChange? {
    guard merged.isAlive else { return PendingChange(kind: .delete, fields: []) }
    guard hasRow else { return nil }
    let later = known.filter { name in
      let mine = merged.clock(of: name)
      let theirs = record.fields[name]?.clock ?? .zero
      return mine > theirs
        || mine == theirs && mine > .zero && isUnsent(name, pending)
    }
    .union(
      (merged.unknown?.fields ?? [:]).filter { name, field in
        field.clock > record.fields[name]?.clock ?? .zero
      }.keys)
    guard !later.isEmpty || merged.life > record.life else { return nil }
    return PendingChange(kind: .save, fields: later)
  }

  private static func unknownFields(of record: CloudRecord, known: Set<String>) -> CloudRecord? {
    let fields = record.fields.filter { !known.contains($0.key) }
    guard !fields.isEmpty else { return nil }
    return CloudRecord(
      name: record.name, type: record.type, life: .zero, fields: latest(fields, besides: known))
  }

  /// As many of the fields without a column as a record can have besides those with one.
  ///
  /// A version has no more, but several together can: whoever may write can name others in each.
  static func latest(
    _ fields: [String: CloudField], besides known: Set<String>
  ) -> [String: CloudField] {
    let room = max(0, CloudLimits.fieldsPerRecord - known.count)
    guard fields.count > room else { return fields }
    let sorted = fields.sorted { ($1.value.clock, $0.key) < ($0.value.clock, $1.key) }
    return Dictionary(uniqueKeysWithValues: sorted.prefix(room).map { ($0.key, $0.value) })
  }

  /// The fields without a column after the merge.
  ///
  /// A version without such a column makes a deleted record anew without it. So of a life that the
  /// cloud's image has later, nothing is left but what that image says, what is unsent, and what is
  /// later than anything that image was made of: a record that lives again has older fields.
  private static func mergedUnknown(
    _ mine: RecordMetadata, pending: PendingChange?, of record: CloudRecord, known: Set<String>
  ) -> CloudRecord? {
    let theirs = unknownFields(of: record, known: known)
    guard var result = mine.unknown else { return theirs }
    if record.life > mine.life {
      let earliest = record.earliestClock
      result.fields = result.fields.filter { $1.clock > earliest || isUnsent($0, pending) }
    }
    result.fields.merge(theirs?.fields ?? [:]) { $1.clock >= $0.clock ? $1 : $0 }
    result.fields = latest(result.fields, besides: known)
    return result.fields.isEmpty ? nil : result
  }
}
