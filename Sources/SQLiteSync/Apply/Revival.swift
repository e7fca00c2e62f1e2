import GRDB
import SQLiteSyncCloud

/// Rows that were deleted here, unsent, and come back because a record from elsewhere depends on
/// them that was made or edited later.
///
/// Their values are gone here, so the cloud's copies are read again: outside of the transaction.
extension Applier {
  /// The versions of such rows that these copies depend on.
  func versionsToRevive(for copies: [ServerCopy]) throws -> [ZoneVersion] {
    guard try store.outbox.hasAny(.delete) else { return [] }
    return try copies.flatMap { copy -> [ZoneVersion] in
      guard case .record(let image) = copy.content else { return [] }
      let name = RecordName.parsing(image.name)
      guard let table = tables[name.table] else { return [] }
      let local = try localRecord(name, table: table)
      guard image.latestClock > local.death ?? .zero else { return [] }
      let latest = max(image.latestClock, local.latest)
      return try table.foreignKeys.flatMap { key -> [ZoneVersion] in
        let isOwnKey = key.column == table.key
        guard let parentKey = isOwnKey ? name.key : image.fields[key.column]?.value.text,
          let parent = tables[key.table],
          let record = try store.record(tableID: parent.id, key: parent.foldedKey(parentKey)),
          record.isDeletedUnsent, try latest > timeOfDeletion(of: record) ?? .zero
        else { return [] }
        return try versionsToRevive(with: record)
      }
    }
  }

  /// The versions of such rows that waiting records depend on.
  func versionsToRevive() throws -> [ZoneVersion] {
    try quarantine.missingParents().flatMap { name -> [ZoneVersion] in
      guard let table = tables[name.table],
        let record = try store.record(tableID: table.id, key: name.key)
      else { return [] }
      return try versionsToRevive(with: record)
    }
  }

  /// The version of a record that was deleted here, and those of the records above it that were:
  /// without them it could not come back.
  private func versionsToRevive(with record: RecordMetadata) throws -> [ZoneVersion] {
    var versions: [ZoneVersion] = []
    var next: RecordMetadata? = record
    while let record = next, record.isDeletedUnsent, let version = record.version,
      !versions.contains(version)
    {
      versions.append(version)
      next = try record.parentID.flatMap(store.record(id:))
    }
    return versions.reversed()
  }

  /// Takes back deletions that were made here and not sent, given the cloud's copies.
  mutating func revive(_ copies: [ServerCopy]) throws {
    try DeviceState(db: db).muted {
      // First all of them: one may be the parent of another.
      let revived = try copies.compactMap(takeBackDeletion)
      for (image, copy, record) in revived {
        report.revived.append(ApplyReport.Item(type: image.type, name: image.name))
        try applyAgain(image, of: copy, record)
      }
      for (image, _, record) in revived {
        try takeUpFormerEdits(of: record, in: image)
        try outlive(record)
      }
    }
  }

  private func takeBackDeletion(
    _ copy: ServerCopy
  ) throws -> (image: CloudRecord, copy: ServerCopy, record: RecordMetadata)? {
    guard case .record(let image) = copy.content,
      let table = tables[RecordName.parsing(image.name).table],
      let record = try store.record(tableID: table.id, key: RecordName.parsing(image.name).key),
      record.tag == copy.tag, record.isDeletedUnsent
    else { return nil }
    var living = record
    living.death = nil
    let id = try store.save(living)
    try store.outbox.set(nil, id: id, tableID: table.id, now: now)
    return (image, copy, record)
  }

  /// Lets a record whose deletion was taken back live since just after that.
  ///
  /// The deletion is not forgotten: it took edits with it that the cloud may have got, if the
  /// answer was lost. What is edited from now on has to be later.
  private func outlive(_ dead: RecordMetadata) throws {
    guard let death = dead.death, let id = dead.id, var record = try store.record(id: id),
      let table = tables[id: record.tableID],
      try RowStore(db: db, table: table).exists(key: record.key),
      // Nothing can be said there.
      try ZoneShare(of: record.zoneID, in: db)?.access != .read
    else { return }
    let life = death.edited(atMilliseconds: death.milliseconds, device: device.clockBits)
    record.death = max(record.death ?? .zero, death)
    record = record.living(since: max(record.life, life), columns: table.columns.map(\.name))
    try store.save(record)
    let pending = try store.outbox.change(of: id)
    try store.outbox.set(
      pending ?? PendingChange(kind: .save, fields: []), id: id, tableID: table.id, now: now)
  }
}

extension CloudValue {
  /// The text that it is; nil when it is none.
  var text: String? {
    if case .text(let text) = self { text } else { nil }
  }
}
