import GRDB
import SQLiteSyncCloud
import SQLiteSyncHashing

/// What loses when a fetched record is merged with its row: kept in the history, whichever side it
/// comes from.
extension Applier {
  /// Keeps the row's values that are overwritten, and the cloud's that an unsent edit overrules.
  ///
  /// - Parameters:
  ///   - old: The row before.
  ///   - written: The values that differ from it.
  mutating func noteOverwrittenValues(
    of change: RowChange, old: [String: DatabaseValue], written: [String: DatabaseValue]
  ) throws {
    guard !change.table.isEngines else { return }
    let history = History(db: db, now: now)
    let overwritten = written.merging(late(change), uniquingKeysWith: { here, _ in here })
    for (name, value) in overwritten.sorted(by: { $0.key < $1.key }) {
      guard let field = change.record.fields[name], let mine = old[name] else { continue }
      let isMerged = change.mergedFields.contains(name)
      try history.add(
        History.Loss(
          field: name, value: mine, clock: change.local.clock(of: name), winner: value,
          winnerClock: field.clock, isConflict: change.pending?.includes(name) ?? false,
          isMerged: isMerged),
        tableID: change.table.id, key: change.key, winner: isMerged ? nil : change.copy.author)
    }
    for loss in overruled(by: change, row: old) {
      try history.add(loss, tableID: change.table.id, key: change.key, winner: nil)
    }
  }

  /// The fields that will be overwritten when their bytes come, without a value until then.
  private func late(_ change: RowChange) -> [String: DatabaseValue] {
    let names = change.merge.written.filter { name in
      guard let field = change.record.fields[name], case .asset(let reference) = field.value,
        assets[reference.name] == nil
      else { return false }
      return change.local.clock(of: name) < field.clock
    }
    return Dictionary(uniqueKeysWithValues: names.map { ($0, .null) })
  }

  /// The cloud's edits that this device's unsent ones override.
  private func overruled(by change: RowChange, row: [String: DatabaseValue]) -> [History.Loss] {
    guard !isOwn(change.copy), let pending = change.pending else { return [] }
    let later = change.record.fields.filter { name, field in
      pending.includes(name) && !change.merge.written.contains(name)
        && field.clock < change.local.clock(of: name)
    }
    // A field that is as it was in the version known before was not edited: nothing of it is lost.
    let before = versionsBefore[change.record.name]?.fields
    let isConflict = before != nil || change.local.tag == nil
    return later.sorted(by: { $0.key < $1.key }).compactMap { name, field in
      guard before?[name]?.clock != field.clock, let mine = row[name],
        let theirs = value(of: field), !theirs.isSameBytes(as: mine)
      else { return nil }
      return History.Loss(
        field: name, value: theirs, clock: field.clock, winner: mine,
        winnerClock: change.local.clock(of: name), isConflict: isConflict)
    }
  }

  /// The value that a column would have; nil when its bytes are not here.
  private func value(of field: CloudField) -> DatabaseValue? {
    guard case .asset(let reference) = field.value else { return DatabaseValue(field.value) }
    return assets[reference.name]?.databaseValue
  }
}

extension Synchronizer {
  /// The versions that this device knew of fetched records with unsent edits, by name: what
  /// differs from them was edited elsewhere since.
  ///
  /// A version that is gone from the log is left out.
  func versionsBefore(
    _ copies: [ServerCopy], in zone: SyncZone
  ) throws -> [String: CloudRecord] {
    let known = try database.readSnapshot { db -> [(ServerCopy, ZoneVersion)] in
      guard try Outbox(db: db).hasAny(.save) else { return [] }
      return try copies.compactMap { copy in try versionBefore(copy, in: db).map { (copy, $0) } }
    }
    var later: [ZoneVersion: ChangeTag] = [:]
    for (copy, version) in known where version.zoneID == zone.id { later[version] = copy.tag }
    let before = try self.copies(of: Set(known.map(\.1)), overwrittenBy: later)
    var versions: [String: CloudRecord] = [:]
    for (copy, version) in known {
      guard case .record(let record)? = before[version]?.content else { continue }
      versions[copy.name] = record
    }
    return versions
  }

  private func versionBefore(_ copy: ServerCopy, in db: Database) throws -> ZoneVersion? {
    let name = RecordName.parsing(copy.name)
    let store = MetadataStore(db: db)
    guard copy.device != container.device.lowercaseString,
      case .record = copy.content, let table = tables[name.table],
      let record = try store.record(tableID: table.id, key: name.key), record.tag != copy.tag,
      let id = record.id, try store.outbox.change(of: id)?.kind == .save
    else { return nil }
    return record.version
  }
}
