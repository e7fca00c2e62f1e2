import Foundation

@testable import SQLiteSyncCloud

/// Everything that was done and answered in a schedule, and what must hold of it.
final class Ledger {
  /// What must happen now and then in a run, or the schedules are asleep.
  enum Mark: Int, CaseIterable {
    case lostRace, lostAnswer, staleAnswer, powerCut, lostName, undoneDeletion, death, stall
    case compaction, collectedCommit, expired, expiredWithUnsentEdit, writerExpired
    case refetched, reconciled, deletedRecord, poisonedClock, revivedRecord
  }

  private(set) var marks = [Int](repeating: 0, count: Mark.allCases.count)
  /// The first thing that must not be.
  private(set) var violation: String?

  private struct Edit {
    let record: String
    let field: String
    let clock: FieldClock
    let value: CloudValue
  }

  /// Each tag names one version for ever.
  private var versions: [ChangeTag: ServerCopy] = [:]
  private var edits: [Edit] = []
  private var deletions: [String: FieldClock] = [:]
  /// The last commit that deleted a record.
  private var lastDeletion: [String: Int64] = [:]
  /// Who wrote a value, and the first commit in which the writer has seen it.
  private var writers: [CloudValue: Int] = [:]
  private var firstCommit: [CloudValue: Int64] = [:]

  func mark(_ mark: Mark) {
    marks[mark.rawValue] += 1
  }

  func violate(_ text: String) {
    if violation == nil { violation = text }
  }

  // MARK: As it goes

  /// An edit on a device.
  func wrote(_ record: CloudRecord, field: String, on device: SimulatedDevice) {
    guard let written = record.fields[field] else { return }
    record.forEachWritten { value in
      if writers[value] == nil { writers[value] = device.number }
    }
    if deletions[record.name] != nil { mark(.revivedRecord) }
    edits.append(
      Edit(record: record.name, field: field, clock: written.clock, value: written.value))
  }

  func deleted(_ tombstone: Tombstone) {
    mark(.deletedRecord)
    deletions[tombstone.name] = max(deletions[tombstone.name] ?? .zero, tombstone.clock)
  }

  /// A device was told what is in the log, and believes it: now it may not change any more.
  func read(_ changes: ZoneChanges, by device: SimulatedDevice) {
    if let token = device.saved.token, device.saved.refetch == nil,
      changes.token.sequence < token.sequence
    {
      violate("\(device.number): the token went back to \(changes.token.sequence)")
    }
    if !changes.voids.isEmpty { violate("\(device.number): a commit of ours is void") }
    for copy in changes.copies {
      note(copy, by: device)
      guard let known = versions.updateValue(copy, forKey: copy.tag), known != copy else {
        continue
      }
      violate("\(device.number): \(copy.tag) names two versions")
    }
  }

  private func note(_ copy: ServerCopy, by device: SimulatedDevice) {
    switch copy.content {
    case .tombstone(let tombstone):
      lastDeletion[tombstone.name] = max(lastDeletion[tombstone.name] ?? 0, copy.tag.sequence)
    case .record(let record):
      record.forEachWritten { value in
        guard writers[value] == device.number else { return }
        firstCommit[value] = min(firstCommit[value] ?? .max, copy.tag.sequence)
      }
    }
  }

  /// A file was deleted: a commit only after a durable entry of `meta` has announced it.
  func deleted(_ key: StoreKey, _ schedule: Schedule) {
    guard SimulatedDisk.directory(key.prefix) == "log",
      let number = ZoneLayout.number(inFileName: key.name)
    else { return }
    mark(.collectedCommit)
    if schedule.durableFloor < number { violate("commit \(number) was deleted unannounced") }
  }

  // MARK: At the end

  /// All devices have settled: they are equal, and nothing is lost.
  func close(_ devices: [SimulatedDevice], fresh: SimulatedDevice) {
    for device in devices {
      if !device.pending.isEmpty { violate("\(device.number): pending at the end") }
      if device.saved.token != fresh.saved.token { violate("\(device.number): another token") }
      if device.saved.rows != fresh.saved.rows {
        violate("\(device.number): \(device.saved.rows) is not \(fresh.saved.rows)")
      }
    }
    for edit in edits { check(edit, in: fresh.saved.rows[edit.record]) }
    for name in deletions.keys.sorted() {
      guard case .record(let record)? = fresh.saved.rows[name],
        let deletion = lastDeletion[name]
      else { continue }
      // A deleted record is there again only because of an edit of which its writer had not heard
      // that it was sent before the deletion.
      var isRevived = false
      record.forEachWritten { value in
        if firstCommit[value].map({ $0 > deletion }) ?? true { isRevived = true }
      }
      if !isRevived { violate("\(name) was deleted in \(deletion) and is back") }
    }
  }

  /// Every edit is there, or a later one of the same field, or the record was deleted later.
  ///
  /// When somebody deleted the record meanwhile, an edit of before the deletion may be missing,
  /// even if another edit has revived the record since.
  private func check(_ edit: Edit, in row: ServerCopy.Content?) {
    if let deletion = deletions[edit.record], edit.clock <= deletion { return }
    guard case .record(let record)? = row else {
      return violate("\(edit.record) is gone, with a later edit")
    }
    guard let field = record.fields[edit.field], field.clock >= edit.clock else {
      return violate("\(edit.record).\(edit.field) lost the edit \(edit.value)")
    }
    // Only clocks at the limit are not unique: of those the later commit wins.
    if field.clock == edit.clock, field.value != edit.value, edit.clock < .limit {
      violate("\(edit.record).\(edit.field) has \(field.value) of the clock of \(edit.value)")
    }
  }
}

extension CloudRecord {
  /// What somebody has written: the values, which are unique, and the creation, by its clock.
  fileprivate func forEachWritten(_ body: (CloudValue) -> Void) {
    for field in fields.values { body(field.value) }
    body(.integer(life.rawValue))
  }
}
