import Cloud
import GRDB

/// Rows that were deleted here, unsent, and come back because a record from elsewhere hangs on them
/// that was made or edited later.
///
/// Their values are gone here, so the cloud's copies are read again: outside of the transaction.
extension Applier {
  /// The versions of such rows that these copies hang on.
  func versionsToRevive(for copies: [ServerCopy]) throws -> [ZoneVersion] {
    let isAnyDeleted = try Bool.fetchOne(
      db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM sync_pending WHERE kind = ?)"),
      arguments: [PendingChange.Kind.delete.rawValue])
    guard isAnyDeleted == true else { return [] }
    return try copies.flatMap { copy -> [ZoneVersion] in
      guard case .record(let image) = copy.content else { return [] }
      let name = RecordName.parsing(image.name)
      guard let table = tables[name.table] else { return [] }
      let local = try localRecord(name, table: table)
      guard image.latestClock > local.death ?? .zero else { return [] }
      let latest = max(image.latestClock, local.latest)
      return try table.foreignKeys.compactMap { key in
        let isOwnKey = key.column == table.key
        guard let parentKey = isOwnKey ? name.key : image.fields[key.column]?.value.text,
          let parent = tables[key.table],
          let record = try store.record(tableID: parent.id, key: parent.foldedKey(parentKey)),
          isDeletedUnsent(record), latest > record.death ?? .zero
        else { return nil }
        return record.version
      }
    }
  }

  /// The versions of such rows that waiting records hang on.
  func versionsToRevive() throws -> [ZoneVersion] {
    let names = try String.fetchAll(
      db.cachedStatement(
        sql: "SELECT DISTINCT needs FROM sync_parked WHERE reason = 'waiting' ORDER BY needs"))
    return try names.compactMap { name in
      let name = RecordName.parsing(name)
      guard let table = tables[name.table] else { return nil }
      let record = try store.record(tableID: table.id, key: name.key)
      return record.flatMap { isDeletedUnsent($0) ? $0.version : nil }
    }
  }

  /// Takes back deletions that were made here and not sent, given the cloud's copies.
  mutating func revive(_ copies: [ServerCopy]) throws {
    try Capture.muted(in: db) {
      for copy in copies {
        guard case .record(let image) = copy.content,
          let table = tables[RecordName.parsing(image.name).table],
          var record = try store.record(
            tableID: table.id, key: RecordName.parsing(image.name).key),
          record.tag == copy.tag, isDeletedUnsent(record)
        else { continue }
        record.death = nil
        let id = try store.save(record)
        try store.setPending(nil, id: id, tableID: table.id, now: now)
        report.revived.append(ApplyReport.Item(type: table.name, name: image.name))
        try applyAgain(image, of: copy, record)
      }
    }
  }

  private func isDeletedUnsent(_ record: RecordMetadata) -> Bool {
    record.tag != nil && !record.isTombstone && record.death != nil && !record.isAlive
  }
}

extension CloudValue {
  fileprivate var text: String? {
    if case .text(let text) = self { text } else { nil }
  }
}
