import Cloud
import GRDB

/// What loses when a fetched record is merged with its row: kept in the history, whichever side it
/// comes from.
extension Applier {
  /// Keeps the row's values that are overwritten, and the cloud's that an unsent edit overrules.
  ///
  /// - Parameters:
  ///   - old: The row before.
  ///   - written: The values that differ from it.
  mutating func noteLosses(
    of change: RowChange, old: [String: DatabaseValue], written: [String: DatabaseValue]
  ) throws {
    let history = History(db: db, now: now)
    for (name, value) in written.sorted(by: { $0.key < $1.key }) {
      guard let field = change.record.fields[name], let mine = old[name] else { continue }
      try history.add(
        History.Loss(
          field: name, value: mine, clock: change.local.clock(of: name), winner: value,
          winnerClock: field.clock, isConflict: change.pending?.includes(name) ?? false),
        tableID: change.table.id, key: change.key, winner: change.copy.author)
    }
    for loss in try overruled(by: change, row: old) {
      try history.add(loss, tableID: change.table.id, key: change.key, winner: nil)
    }
  }

  /// The cloud's edits that this device's unsent ones override.
  private mutating func overruled(
    by change: RowChange, row: [String: DatabaseValue]
  ) throws -> [History.Loss] {
    guard change.copy.device != device, let pending = change.pending else { return [] }
    let later = change.record.fields.filter { name, field in
      pending.includes(name) && !change.merge.written.contains(name)
        && field.clock < change.local.clock(of: name)
    }
    guard !later.isEmpty else { return [] }
    // A field that is as it was in the version known before was not edited: nothing of it is lost.
    let before = try change.local.tag.flatMap(serverCopy)?.record?.fields
    let isConflict = before != nil || change.local.tag == nil
    return try later.sorted(by: { $0.key < $1.key }).compactMap { name, field in
      guard before?[name]?.clock != field.clock, let mine = row[name],
        let theirs = try value(of: field), theirs != mine
      else { return nil }
      return History.Loss(
        field: name, value: theirs, clock: field.clock, winner: mine,
        winnerClock: change.local.clock(of: name), isConflict: isConflict)
    }
  }

  /// The value that a column would have; nil when its bytes cannot be had now.
  private func value(of field: CloudField) throws -> DatabaseValue? {
    guard case .asset(let reference) = field.value else { return DatabaseValue(field.value) }
    return try asset(reference)?.databaseValue
  }
}

extension ServerCopy {
  fileprivate var record: CloudRecord? {
    if case .record(let record) = content { record } else { nil }
  }
}
