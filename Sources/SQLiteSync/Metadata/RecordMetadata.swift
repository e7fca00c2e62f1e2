import Foundation
import GRDB
import SQLiteSyncCloud

/// What this device knows of a record: its clocks, and the cloud's version of it.
struct RecordMetadata: Equatable {
  /// The number of its row; nil before it is stored.
  var id: Int64?
  let tableID: Int64
  let key: String
  /// The number of the zone that the record lives in.
  var zoneID: Int64 = SyncZone.defaultID
  /// When the record was created or revived.
  var life: FieldClock
  /// When it was last deleted, as far as known.
  var death: FieldClock?
  /// The clocks of the fields, where they are not `life`.
  ///
  /// `zero` is a field that the writer did not know, so that it has no clock at all.
  var exceptions: [String: FieldClock] = [:]
  /// The fields that this version of the app does not know, as an encoded record.
  var unknown: CloudRecord?
  /// The version that the cloud has; nil when it never had one.
  var tag: ChangeTag?
  /// The number of the parent that the cloud knows.
  var parentID: Int64?
  /// Whether the cloud's version is a tombstone.
  var isTombstone = false
  /// The full fetch during or after which the record was last mentioned.
  var pass: Int64 = 0

  /// The version that the cloud has, and where.
  var version: ZoneVersion? { tag.map { ZoneVersion(zoneID: zoneID, tag: $0) } }

  /// The clock of a field that this version knows.
  func clock(of field: String) -> FieldClock {
    exceptions[field] ?? life
  }

  /// Sets the clock of a field, storing only what differs from `life`.
  mutating func setClock(_ clock: FieldClock, of field: String) {
    exceptions[field] = clock == life ? nil : clock
  }

  /// The record with another life, and fields as old as they are.
  func living(since life: FieldClock, columns: [String]) -> RecordMetadata {
    let clocks = columns.map { ($0, clock(of: $0)) }
    var record = self
    record.life = life
    for (name, clock) in clocks { record.setClock(clock, of: name) }
    return record
  }

  /// The record with nothing left of its edits; its deletion is still known.
  var withoutEdits: RecordMetadata {
    var record = self
    record.life = .zero
    record.exceptions = [:]
    record.unknown = nil
    return record
  }

  /// The record as if nothing had ever been known of it.
  var withoutClocks: RecordMetadata {
    var record = withoutEdits
    record.death = .zero
    return record
  }

  /// Whether the cloud would have the same image of the record as of another state of it, given the
  /// same row.
  func hasImage(of other: RecordMetadata) -> Bool {
    life == other.life && exceptions == other.exceptions && unknown == other.unknown
  }

  /// The latest edit of the record that is known here.
  var latest: FieldClock {
    let known = exceptions.values.reduce(life) { max($0, $1) }
    return max(known, unknown?.latestClock ?? .zero)
  }

  /// Lets an edit win over an earlier deletion where neither can be later: at the limit of clocks.
  mutating func outliveAtLimit() {
    guard death == .limit, latest == .limit else { return }
    death = FieldClock(rawValue: FieldClock.limit.rawValue - 1)
  }

  /// Whether the record lives: its latest edit is later than its latest deletion.
  var isAlive: Bool {
    latest > (death ?? .zero)
  }

  /// Whether its deletion is a conclusion: the cloud had it and does not mention it any more.
  ///
  /// When that was nobody knows. So whoever has the record after all is right.
  var isDeathInferred: Bool { tag == nil && !isTombstone && death == latest && latest > .zero }

  /// Whether it is nothing but a name that another record mentioned.
  var isMention: Bool {
    tag == nil && latest == .zero && death ?? .zero == .zero && !isNowhere
  }

  /// Whether it was deleted here, and the cloud has it still.
  var isDeletedUnsent: Bool { tag != nil && !isTombstone && death != nil && !isAlive }
}
