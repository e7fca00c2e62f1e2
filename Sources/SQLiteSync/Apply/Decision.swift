import GRDB
import SQLiteSyncCloud

/// What becomes of a fetched version of a record: Architecture.md has the table of cases.
enum Decision: Equatable {
  /// There is no row: one is made of the version.
  case insert(RecordMerge, TableSchema)
  /// The fields that win are written to the row.
  case update(RecordMerge, TableSchema)
  /// It was deleted here later than it was edited there: the deletion is still to be sent.
  case stayDeleted(RecordMerge, TableSchema)
  /// It comes to live in the version's zone, and then it is decided again.
  ///
  /// Without the clocks that are known of it, if nothing is known of its life, another device of
  /// this account says so, or only a row of this account's own was deleted.
  case adopt(withoutClocks: Bool)
  /// It comes to live in the version's zone, as what that is: what is known of it is another record
  /// of the same name, which somebody else made.
  case reclaim
  /// The version does not belong in its zone, and the row that it is of does: it is kept aside.
  case keepAside(RecordMerge, TableSchema)
  /// This version of the app has no such table: the record is kept whole, with an unsent edit if
  /// that is later.
  case keepWhole(RecordMetadata, CloudRecord, keepsEdit: Bool)
  /// The version is known, for the rules of the log ask for it, and changes nothing.
  case hold(reason: String)
  /// The version is the one that the record has left behind in that zone.
  case mention(StaleCopies.Version)

  /// Whether the record has the version from now on.
  var isTaken: Bool {
    switch self {
    case .insert, .update, .stayDeleted, .keepAside, .keepWhole: true
    case .adopt, .reclaim, .hold, .mention: false
    }
  }

  /// Decides about a version.
  static func of(_ record: CloudRecord, in copy: ServerCopy, known: KnownRecord) -> Decision {
    // A row that is here stays; only the version is kept aside.
    let isHere = known.elsewhere == nil && known.isRowThere
    if let left = known.elsewhere?.version, !left.isHeld, known.belonging.isNever {
      return leaving(record, left, copy, known)
    }
    if let objection = known.belonging.objection, !isHere { return .hold(reason: objection) }
    if let elsewhere = known.elsewhere { return moving(known.metadata, elsewhere, copy) }
    var local = known.metadata
    local.pass = known.pass
    guard let table = known.table else { return keeping(record, in: copy, known: known) }
    var merge = RecordMerge(
      local: local, pending: known.pending, hasRow: known.hasRow, server: copy,
      known: Set(table.columns.map(\.name)), isOwn: known.isOwn)
    merge.record.parentID = known.parentID
    guard merge.isAlive else { return .stayDeleted(merge, table) }
    guard known.belonging == .here else { return .keepAside(merge, table) }
    return known.hasRow ? .update(merge, table) : .insert(merge, table)
  }

  /// Decides about a version of a record that has left the zone, where it belongs no more: by this
  /// version of the app, or as somebody has edited it since.
  ///
  /// It is deleted there. What others edit until they have heard of that is taken along, unless it
  /// would put the row somewhere else.
  private static func leaving(
    _ record: CloudRecord, _ left: StaleCopies.Version, _ copy: ServerCopy, _ known: KnownRecord
  ) -> Decision {
    // The rows of a private table are this account's alone, whatever they refer to.
    let references = known.table.map { $0.isPrivate ? [] : $0.foreignKeys.map(\.column) } ?? []
    let isElsewhere = references.contains { column in
      record.fields[column].map { $0.clock > known.metadata.clock(of: column) } ?? false
    }
    guard left.tag != copy.tag, known.isRowThere, known.metadata.isAlive, !isElsewhere else {
      var left = left
      left.tag = copy.tag
      return .mention(left)
    }
    return .adopt(withoutClocks: false)
  }

  /// Decides whether a record that lives in another zone moves to that of a version.
  private static func moving(
    _ record: RecordMetadata, _ elsewhere: Elsewhere, _ copy: ServerCopy
  ) -> Decision {
    if elsewhere.isNamesake(record, copy) { return .reclaim }
    let isReclaimed =
      record.isAlive && elsewhere.version?.isHeld != false && elsewhere.isReclaimed(by: copy)
    let isTaken =
      (!record.isAlive && !record.isDeletedUnsent || isReclaimed
        || elsewhere.mayTake(record, copy))
      && !(record.isAlive && elsewhere.isParentHeld)
    guard isTaken else { return .hold(reason: "it lives elsewhere") }
    if let version = elsewhere.version, !version.isHeld, version.tag == copy.tag {
      return .mention(version)
    }
    // A device that never had it alive, or only concludes it, has no say about when it died.
    let isUnconfirmed = !record.isAlive && record.life == .zero || record.isDeathInferred
    return .adopt(
      withoutClocks: isUnconfirmed || isReclaimed || elsewhere.isParentBack
        || elsewhere.isOnlyNamesake(of: record))
  }

  /// A record of a table that this version does not have, with the unsent fields that are later.
  private static func keeping(
    _ record: CloudRecord, in copy: ServerCopy, known: KnownRecord
  ) -> Decision {
    var metadata = known.metadata.living(since: record.life, columns: known.columns)
    metadata.tag = copy.tag
    metadata.isTombstone = false
    metadata.pass = known.pass
    metadata.parentID = known.parentID
    guard let pending = known.pending else { return .keepWhole(metadata, record, keepsEdit: false) }
    var merged = record
    if pending.kind == .save, let mine = known.kept {
      merged.life = max(mine.life, record.life)
      merged.fields.merge(mine.fields) { $1.clock > $0.clock ? $1 : $0 }
    }
    let isObsolete =
      pending.kind == .save
      ? merged == record : record.latestClock > known.metadata.death ?? .zero
    return .keepWhole(metadata, merged, keepsEdit: !isObsolete)
  }
}

/// What becomes of a record of which a deletion was fetched.
enum Deletion: Equatable {
  /// It is deleted here too.
  case delete(RecordMerge)
  /// An edit is later than the deletion: the record is to be sent.
  case outlive(RecordMerge)
  /// The row stays because of a later edit below it, and lives since just after the deletion.
  case revive(RecordMetadata)
  /// It lives in another zone, and was deleted by somebody who did not know of its move: it is
  /// deleted there.
  case bury(RecordMetadata)
  /// The deletion is known of a record that lives in another zone, and has no row or a later edit.
  case note(RecordMetadata)
  /// The record moved away from the zone, and it is not known yet where to.
  case moveAway
  /// A record of a table that this version of the app does not have goes, but for an unsent edit
  /// that is later.
  case forget(RecordMetadata, keepsEdit: Bool)
  /// Nothing changes.
  case ignore

  /// Decides about a deletion.
  static func of(_ tombstone: Tombstone, in copy: ServerCopy, known: KnownRecord) -> Deletion {
    if let elsewhere = known.elsewhere {
      // Another device was faster, and where it has put it is not known yet.
      if tombstone.clock == StaleCopies.clock, elsewhere.isLeaving, !known.isOwn, known.hasRow,
        known.table?.parentKey != nil
      {
        return .moveAway
      }
      return elsewhere.mayTake(known.metadata, copy) ? movedOn(tombstone, known) : .ignore
    }
    guard known.table != nil else { return forgetting(tombstone, in: copy, known: known) }
    // What lives here dies here, whatever the share says of it by now: else this device would send
    // its own deletion again for ever.
    guard known.belonging == .here else { return .ignore }
    var local = known.metadata
    local.pass = known.pass
    if tombstone.clock == StaleCopies.clock {
      // What is about to be saved over the version that moved away is here to stay, and so is what
      // was saved over it before the log was restored from a backup; what was deleted meanwhile is
      // deleted where it went.
      let isBack = known.isArriving || known.metadata.tag.map { copy.tag < $0 } ?? false
      guard known.hasRow ? isBack : !local.isDeletedUnsent else { return .moveAway }
      if !known.hasRow { local = local.withoutClocks }
    }
    let merge = RecordMerge(
      local: local, pending: known.pending, hasRow: known.hasRow || known.isSetAsideUnsent,
      server: copy, known: [])
    guard !merge.isAlive else { return .outlive(merge) }
    guard known.hasRow,
      case .revive(let record) = burial(
        of: merge.record, in: known.table, latestBelow: known.latestBelow)
    else { return .delete(merge) }
    return .revive(record)
  }

  /// Decides about the deletion of a record that lives in another zone by now.
  private static func movedOn(_ tombstone: Tombstone, _ known: KnownRecord) -> Deletion {
    guard tombstone.clock > StaleCopies.clock else { return .ignore }
    var record = known.metadata
    record.death = max(record.death ?? .zero, tombstone.clock)
    guard known.table != nil else {
      // What is there already may be there because of a table that is not here: who has it says
      // what becomes of it.
      guard record.tag == nil else { return .ignore }
      return .forget(record, keepsEdit: known.kept?.latestClock ?? .zero > tombstone.clock)
    }
    guard !record.isAlive, known.isRowThere else { return .note(record) }
    return burial(of: record, in: known.table, latestBelow: known.latestBelow)
  }

  /// Decides about the row of a record that is dead: what is made or edited below it later than the
  /// deletion revives it.
  ///
  /// It lives since just after the deletion, and its fields are as old as they are: an edit that
  /// comes from elsewhere wins over them still, and who deletes the row again as of its life takes
  /// nothing with it that was made below it in between. Where nothing is known of its edits, as it
  /// was of a zone that has ended, they are as old as its life: an older field is none.
  static func burial(
    of record: RecordMetadata, in table: TableSchema?, latestBelow: FieldClock
  ) -> Deletion {
    let death = record.death ?? .zero
    guard latestBelow > death else { return .bury(record) }
    // The same on every device.
    let life = death.edited(atMilliseconds: death.milliseconds + 1, device: death.device)
    let columns = record.latest == .zero ? [] : table?.columns.map(\.name)
    return .revive(record.living(since: life, columns: columns ?? []))
  }

  private static func forgetting(
    _ tombstone: Tombstone, in copy: ServerCopy, known: KnownRecord
  ) -> Deletion {
    var record = known.metadata
    if tombstone.clock == StaleCopies.clock { record = record.withoutClocks }
    record.death = max(record.death ?? .zero, tombstone.clock)
    record.tag = copy.tag
    record.isTombstone = true
    record.parentID = nil
    record.pass = known.pass
    let mine = known.pending.flatMap { $0.kind == .save ? known.kept?.latestClock : record.death }
    return .forget(record, keepsEdit: mine ?? .zero > tombstone.clock)
  }
}

/// What becomes of a row that SQLite refused because a parent is missing.
enum Orphaned: Equatable {
  /// It waits for a record.
  case wait(needs: String)
  /// It dies with its parent.
  case die(death: FieldClock)
  /// It lives on with another value in its foreign key.
  case letGo(column: String, DatabaseValue, death: FieldClock)
  /// The reference is not a key of a row.
  case refuse

  /// A parent that is not here.
  struct Parent {
    let name: String
    /// What is known of it: nothing, or when it was deleted, if it was.
    let recordID: Int64?
    let death: FieldClock?
    /// Whether it waits itself, perhaps for this record.
    let isWaiting: Bool
    /// The foreign key, and what it becomes when the parent is deleted; nil when the row goes too.
    let column: String
    let replacement: DatabaseValue?
  }

  /// Decides about a row by its missing parents.
  ///
  /// - Parameter latest: The latest edit of the record or of a row below it: what is made below
  ///   keeps it alive.
  static func of(_ parents: [Parent], latest: FieldClock) -> Orphaned {
    guard let parent = parents.first else { return .refuse }
    guard let death = parent.death, latest <= death else {
      // It lives. If it was deleted here, either that was not sent: then it is revived right
      // after this. Or the device that has this row still has its parent's, and sends it again.
      return .wait(needs: (parents.first { !$0.isWaiting } ?? parent).name)
    }
    guard let value = parent.replacement else { return .die(death: death) }
    return .letGo(column: parent.column, value, death: death)
  }
}
