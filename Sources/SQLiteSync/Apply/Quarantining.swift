import Foundation
import GRDB
import SQLiteSyncCloud

/// Records that were fetched and cannot be rows yet. They are kept whole, survive a relaunch, and
/// are applied without a download when what they need is there.
extension Applier {
  /// Keeps a record aside.
  ///
  /// Its row, if there is one, stays as it was.
  mutating func keepInQuarantine(
    _ change: RowChange, reason: Quarantine.Reason, needs: String?, error: String?
  ) throws {
    var record = change.merge.record
    if change.hasRow {
      // The row still has the old values, so it keeps their clocks.
      record = change.local
      record.tag = change.copy.tag
      record.isTombstone = false
      record.parentID = change.merge.record.parentID
    }
    let id = try store.save(record)
    // The fields that the cloud's version wins are not to be sent: they wait with it.
    try store.outbox.set(change.merge.pending, id: id, tableID: change.table.id, now: now)
    try quarantine.keep(id, change.record, reason: reason, needs: needs, error: error, now: now)
    switch reason.kind {
    case .waiting:
      if let needs { report.waiting.append((change.record.name, needs)) }
      try closeCircle(through: id, in: change.table)
    case .quarantined: report.quarantined.append((change.record.name, reason.words(error)))
    case .silent: break
    }
    if reason == .missingValue { try awaitAssets(of: change, id: id) }
  }

  /// Keeps a record of a table that this version does not have.
  mutating func keepWhole(
    _ metadata: RecordMetadata, _ image: CloudRecord, keepsEdit: Bool
  ) throws {
    let id = try store.save(metadata)
    if !keepsEdit { try store.outbox.remove(id) }
    try quarantine.keep(id, image, reason: .unknownTable, now: now)
    try keepAssets(of: image.fields, id: id)
  }

  /// Forgets a record of a table that this version does not have.
  mutating func forgetUnknown(_ metadata: RecordMetadata, keepsEdit: Bool) throws {
    let id = try store.save(metadata)
    guard !keepsEdit else { return }
    try store.outbox.remove(id)
    try quarantine.remove(id)
    try keepAssets(of: [:], id: id)
  }

  /// Applies the records that waited for this one.
  mutating func retryQuarantined(waitingFor name: String) throws {
    for id in try quarantine.records(needing: name) { try retryQuarantined(id) }
  }

  /// Takes the rows out of their tables whose latest versions wait for rows that are kept aside
  /// themselves: they wait whole, as on a device that never had them.
  ///
  /// Left as they were they would be something else on each device, and go with a row on which they
  /// depend on nothing else any more. What waits for something that nobody knows stays: it may
  /// come.
  mutating func setAsideWaitingRows() throws {
    try DeviceState(db: db).muted {
      for table in tables.tables {
        for (id, needs) in try quarantine.waitingRows(of: table) {
          guard let needs, try keptAside(needs)?.isOfVersion == true,
            let record = try store.record(id: id)
          else { continue }
          try setAside(record, of: table, for: .missingParent, needs: needs)
        }
      }
    }
  }

  /// Records can wait for each other in a circle: they can be rows only together.
  private mutating func closeCircle(through id: Int64, in table: TableSchema) throws {
    guard let circle = try circle(through: id) else { return }
    let isInside = isClosingCircle
    isClosingCircle = true
    defer { isClosingCircle = isInside }
    try reporting { applier in
      let db = applier.db
      var isClosed = false
      try db.inSavepoint {
        try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
        for id in circle { try applier.retryQuarantined(id) }
        try db.execute(sql: "PRAGMA defer_foreign_keys = OFF")
        // One of them may have yet another parent that is not here.
        isClosed =
          try Row.fetchOne(
            db, sql: "PRAGMA foreign_key_check(\(table.name.quotedLiteral))") == nil
        return isClosed ? .commit : .rollback
      }
      return ((), isKept: isClosed)
    }
  }

  /// Whether a record waits for another.
  func isWaiting(_ name: String) throws -> Bool { try keptAside(name) == .missingParent }

  /// Why a record is kept aside; nil when it is not.
  private func keptAside(_ name: String) throws -> Quarantine.Reason? {
    let name = RecordName.parsing(name)
    guard let table = tables[name.table],
      let id = try store.record(tableID: table.id, key: name.key)?.id
    else { return nil }
    return try quarantine.entry(of: id)?.reason
  }

  /// The waiting records that each need the next, and the last the first; nil when the chain ends.
  private func circle(through id: Int64) throws -> [Int64]? {
    var circle: [Int64] = []
    var next = id
    while !circle.contains(next) {
      circle.append(next)
      guard let needs = try quarantine.missingParent(of: next),
        let table = tables[needs.table],
        let parent = try store.record(tableID: table.id, key: needs.key)?.id
      else { return nil }
      next = parent
    }
    return next == id ? circle : nil
  }

  /// Tries quarantined records again whose rows were edited since, and deletions always: what keeps
  /// a row is elsewhere.
  mutating func retryQuarantined() throws {
    for id in try quarantine.recordsToRetry() { try retryQuarantined(id) }
  }

  /// Tries once more what a constraint refused: a trigger of the app's may look at other rows.
  ///
  /// What is refused as before is as if nobody had tried.
  mutating func retryRefused(_ ids: [Int64]) throws {
    try DeviceState(db: db).muted {
      for id in ids {
        try reporting { applier in
          let before = (applier: applier, error: try applier.quarantine.refusal(of: id))
          var isRefused = false
          try before.applier.db.inSavepoint {
            try applier.retryQuarantined(id)
            isRefused = try applier.quarantine.refusal(of: id) == before.error
            return isRefused ? .rollback : .commit
          }
          if isRefused { applier = before.applier }
          return ((), isKept: !isRefused)
        }
      }
    }
  }

  /// Applies a quarantined record once more; it stays one if it still cannot be applied.
  mutating func retryQuarantined(_ id: Int64) throws {
    guard let kept = try quarantine.entry(of: id), let metadata = try store.record(id: id)
    else { return }
    guard kept.reason != .undeletable else {
      try retryDeletion(of: metadata, id: id)
      return
    }
    // What was never sent has no tag; what was set aside may have been edited since it was sent.
    let pending = try store.outbox.change(of: id)
    let isNew = metadata.tag == nil
    let isSetAside = try quarantine.setAside(id) != nil && !hasRow(metadata)
    var unsent = pending?.kind == .save && (isNew || isSetAside) ? pending : nil
    // Its zone was deleted while it waited: wherever it comes to live, the cloud lacks it.
    if isNew, unsent == nil, kept.reason == .missingParent {
      unsent = PendingChange(kind: .save, fields: nil)
    }
    guard let tag = metadata.tag ?? unsent.map({ _ in ChangeTag.ofNoCommit }) else { return }
    let before = rivals.mode
    rivals.mode = .contending
    defer { rivals.mode = before }
    try quarantine.remove(id)
    let record = try CloudRecord(stored: kept.image, in: Quarantine.imageColumn)
    try applyAgain(
      record,
      of: ServerCopy(
        content: .record(record), tag: tag, author: try zoneOwner(of: metadata.zoneID),
        device: ""), metadata)
    if isSetAside { try quarantine.noteSetAside(id) }
    guard let unsent, var applied = try store.record(id: id) else { return }
    if isNew {
      applied.tag = nil
      try store.save(applied)
      if !applied.isAlive { try store.outbox.remove(id) }
    }
    if applied.isAlive {
      try store.outbox.set(unsent, id: id, tableID: applied.tableID, now: now)
    }
  }

  private func hasRow(_ record: RecordMetadata) throws -> Bool {
    try tables[id: record.tableID]
      .map { try RowStore(db: db, table: $0).exists(key: record.key) } ?? false
  }

  /// Applies a copy that no fetch brings now: so it is not mentioned by a full one.
  mutating func applyAgain(
    _ record: CloudRecord, of copy: ServerCopy, _ metadata: RecordMetadata
  ) throws {
    let current = (zoneID, pass)
    (zoneID, pass) = (metadata.zoneID, metadata.pass)
    defer { (zoneID, pass) = current }
    try apply(record, of: copy)
  }

  /// Stands for whoever made a version, where only its image was kept.
  func zoneOwner(of zoneID: Int64) throws -> AccountID {
    try Zones(db: db).owner(of: zoneID) ?? AccountID(userID: 0)
  }
}
