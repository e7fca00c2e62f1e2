import Foundation
import GRDB
import SQLiteSyncCloud

/// Another database that has this device's identity: a copy of this one, or what this one was
/// restored from.
extension Applier {
  /// Whether changes hold edits of this device that this database did not make.
  ///
  /// Not those of a commit whose answer got lost: they are known here, with the values that the
  /// rows had then. Two databases with one identity can make two edits at the same moment, which
  /// only their values tell apart.
  func meetsTwin(
    in changes: ZoneChanges, sent: [OutgoingBatch.Item], failures: [String: CloudError]
  ) throws -> Bool {
    let names = Set(sent.map(\.name).filter { failures[$0] == nil })
    return try changes.copies.contains { copy in
      guard isOwn(copy), !names.contains(copy.name) else { return false }
      switch copy.content {
      case .tombstone(let tombstone):
        return try isUnknown(tombstone.clock, of: tombstone.name)
      case .record(let record):
        guard let latest = record.fields.values.map(\.clock).filter(isOwn).max() else {
          return false
        }
        return try isUnknown(latest, of: record.name) || isOther(record)
      }
    }
  }

  /// Whether a field of a version has another value than its row, of an edit of the same moment.
  private func isOther(_ record: CloudRecord) throws -> Bool {
    let name = RecordName.parsing(record.name)
    guard let table = tables[name.table],
      let known = try store.record(tableID: table.id, key: name.key),
      let row = try RowStore(db: db, table: table).values(ofKey: name.key)
    else { return false }
    return record.fields.contains { field, content in
      guard let value = row[field], isOwn(content.clock), content.clock < .limit,
        known.clock(of: field) == content.clock
      else { return false }
      // Where bytes lie says nothing: each upload is a file of its own.
      if case .asset = content.value { return false }
      return !value.isSameBytes(as: DatabaseValue(content.value))
    }
  }

  private func isOwn(_ clock: FieldClock) -> Bool { clock.device == device.clockBits }

  private func isUnknown(_ clock: FieldClock, of name: String) throws -> Bool {
    let name = RecordName.parsing(name)
    guard isOwn(clock), let table = tables[name.table] else { return false }
    let known = try store.record(tableID: table.id, key: name.key)
    return max(known?.latest ?? .zero, known?.death ?? .zero) < clock
  }
}

extension Synchronizer {
  /// Goes on as a device of its own.
  func take(_ device: UUID) throws {
    try become(device)
    emit(
      .failed(
        message: "A copy of this database has synchronized as the same device.",
        hint: "This one is a device of its own from now on; nothing is lost."))
  }
}
