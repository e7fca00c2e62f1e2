import GRDB
import SQLiteSyncCloud

/// What is sent with fields that have a merge policy.
extension BatchBuilder {
  /// Says of each unsent edit which edits are in its value now, and remembers the value until the
  /// cloud has answered.
  ///
  /// Returns whether there is any.
  func addNotes(
    to record: inout CloudRecord, of metadata: RecordMetadata, in table: TableSchema
  ) throws -> Bool {
    guard !table.mergePolicies.isEmpty, let id = metadata.id,
      let pending = try store.outbox.change(of: id)
    else { return false }
    var isAny = false
    for (column, policy) in table.mergePolicies.sorted(by: { $0.key < $1.key })
    where pending.includes(column) {
      let clock = metadata.clock(of: column)
      // A version that waits may have a later value.
      guard let field = record.fields[column], field.clock == clock, !field.value.isAsset else {
        continue
      }
      let name = MergeNote.field(of: column)
      let before = record.fields[name]
      guard before != nil || record.fields.count < CloudLimits.fieldsPerRecord else {
        // Without a note an edit whose answer is lost would count twice.
        try MergeBases(db: db).forget(column, key: metadata.key, in: table)
        continue
      }
      var note = MergeNote(before) ?? MergeNote(policy: policy.name)
      note.edits.insert(clock)
      record.fields[name] = CloudField(.text(note.text), max(clock, before?.clock ?? .zero))
      try MergeBases(db: db).noteSent(
        DatabaseValue(field.value), clock, of: column, key: metadata.key, in: table)
      isAny = true
    }
    return isAny
  }
}

extension CloudValue {
  /// Whether its bytes lie beside the log.
  var isAsset: Bool {
    if case .asset = self { true } else { false }
  }
}
