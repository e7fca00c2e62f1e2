import GRDB
import SQLiteSyncCloud

/// What this device has just sent comes back with the answer: the cloud has it.
extension Applier {
  /// Takes in what came back of a batch, without a merge: its records get the tags of the versions
  /// that the cloud has, and nothing of them is unsent any more.
  ///
  /// That is what the merge comes to when nothing but the batch came back, no edit was folded since
  /// it was built, its records are what their rows and metadata say, and the quarantine has nothing
  /// to do with them. A device that shares anything merges.
  ///
  /// - Returns: False when it has to be merged; nothing was done then.
  mutating func acknowledge(
    _ copies: [ServerCopy], of sent: [OutgoingBatch.Item]
  ) throws -> Bool {
    guard !copies.isEmpty, copies.count == sent.count, try isAlone() else { return false }
    let items = Dictionary(sent.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    let versions = copies.compactMap { copy -> MetadataStore.SentVersion? in
      guard isOwn(copy), let item = items[copy.name], item.isPlain,
        case .save(let record, _) = item.change, copy.content == .record(record)
      else { return nil }
      let parent = record.parent.flatMap(RecordName.init)
      return MetadataStore.SentVersion(
        recordID: item.recordID, name: item.name, tag: copy.tag,
        parent: parent.flatMap { name in tables[name.table].map { ($0.id, name.key) } })
    }
    guard versions.count == copies.count else { return false }
    var isDone = false
    try db.inSavepoint {
      isDone =
        try store.acknowledge(versions, pass: pass) == versions.count
        && store.outbox.remove(versions.map(\.recordID)) == versions.count
      return isDone ? .commit : .rollback
    }
    guard isDone else { return false }
    try rememberDevices(of: copies)
    try DeviceState(db: db).muted { try retryQuarantined() }
    return true
  }

  /// Whether no record can be elsewhere.
  func isAlone() throws -> Bool {
    try zoneID == SyncZone.defaultID && !Placement.isNeeded(in: db)
      && !StaleCopies(db: db).isAny(in: zoneID)
  }
}
