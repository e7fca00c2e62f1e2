import GRDB
import SQLiteSyncCloud

/// Edits that were not sent before the permission to write was taken back: exactly these rows
/// become the cloud's copies again, and what is lost goes into the history.
extension Synchronizer {
  /// Takes them back.
  func revertReadOnly() throws {
    guard try database.readSnapshot(WritePermission.isNeeded) else { return }
    try foldEdits()
    try followShares()
    let (all, returned) = try write { db in
      // Deleting the root leaves the share: nothing is taken back then.
      guard try Following.departures(in: db).isEmpty else { return ([ReadOnlyEdit](), [Int64]()) }
      try Placement(db: db, tables: tables, now: configuration.now()).placePending()
      return (try ReadOnlyEdit.all(in: db), try StaleCopies(db: db).takenBackByOthers())
    }
    let edits = all.sorted { $0.isBefore($1, in: tables) }
    guard !edits.isEmpty || !returned.isEmpty else { return }
    // What depends on a row that comes back may belong there again.
    refusedHere = []
    try applyCopies(of: edits) { applier, edit, copy in
      try applier.revert(edit, to: copy)
    } then: { applier in
      try DeviceState(db: applier.db).muted {
        for id in edits.map(\.recordID) + returned { try applier.removeStrayed(below: id) }
      }
    }
  }

  /// Fetches the versions to go back to, and does something with each edit and its version, all in
  /// one transaction.
  ///
  /// - Parameters:
  ///   - edits: The edits, in the order in which they are taken back.
  ///   - takeBack: Takes one back; what it writes is not captured.
  ///   - finish: What is done in the end.
  private func applyCopies(
    of edits: [ReadOnlyEdit],
    _ takeBack: (inout Applier, ReadOnlyEdit, ServerCopy?) throws -> Void,
    then finish: (inout Applier) throws -> Void
  ) throws {
    let copies = try copies(of: Set(edits.compactMap(\.version)))
    say(
      try applying { applier in
        try DeviceState(db: applier.db).muted {
          for edit in edits {
            try takeBack(&applier, edit, edit.version.flatMap { copies[$0] })
          }
        }
        try finish(&applier)
      })
  }
}

extension Synchronizer {
  /// Takes back what was moved into zones that end and was not sent: nobody has it there, and it is
  /// still where it was.
  ///
  /// Else it would go with the row to which it was moved.
  func takeBackMoves(into zones: [Int64]) throws {
    guard !zones.isEmpty else { return }
    let edits = try write { try moves(into: zones, in: $0) }
      .sorted { $0.isBefore($1, in: tables) }
    guard !edits.isEmpty else { return }
    try applyCopies(of: edits) { applier, edit, copy in
      try applier.takeBackMove(edit, to: copy)
    } then: { applier in
      // What was made below it since comes along.
      let placement = Placement(db: applier.db, tables: tables, now: configuration.now())
      for edit in edits {
        guard let table = tables[edit.table],
          let record = try MetadataStore(db: applier.db).record(id: edit.recordID)
        else { continue }
        try placement.placeBelow(table, key: record.key)
      }
    }
  }

  /// The zones that end and into which nothing was moved that can be taken back.
  func endedWithoutMoves(in db: Database) throws -> [Int64] {
    let ended = try Following.ended(in: db)
    let moves = try moves(into: ended, in: db)
    let zones = try moves.compactMap { try MetadataStore(db: db).record(id: $0.recordID)?.zoneID }
    return ended.filter { !zones.contains($0) }
  }

  /// What was moved into zones and was not sent, each with a version of where it is still.
  ///
  /// Not what was taken along by a row that is in those zones in the cloud, too: it could only hang
  /// on that, which does not come back.
  private func moves(into zones: [Int64], in db: Database) throws -> [ReadOnlyEdit] {
    try Placement(db: db, tables: tables, now: configuration.now()).placePending()
    var moves = try zones.flatMap { try unsentMoves(into: $0, in: db) }
      .filter { !zones.contains($0.version.zoneID) }
    var count: Int
    repeat {
      count = moves.count
      let returning = Set(moves.map(\.recordID))
      moves = try moves.filter { move in
        guard let parentID = move.version.parentID, !returning.contains(parentID),
          let parent = try MetadataStore(db: db).record(id: parentID)
        else { return true }
        return !zones.contains(parent.zoneID)
      }
    } while moves.count < count
    return moves.map { move in
      ReadOnlyEdit(recordID: move.recordID, table: move.table, version: move.version.inZone)
    }
  }

  /// What has its place in a zone that does not have it, with what others have of it.
  private func unsentMoves(
    into zone: Int64, in db: Database
  ) throws -> [(recordID: Int64, table: String, version: StaleCopies.Version)] {
    let store = MetadataStore(db: db)
    let staleCopies = StaleCopies(db: db)
    return try tables.tables.flatMap { table in
      try store.ids(inZone: zone, table: table.id)
        .filter { try store.record(id: $0)?.tag == nil }
        .flatMap { id in try staleCopies.versions(ofRecord: id).map { (id, table.name, $0) } }
    }
  }
}

/// A record with edits in a zone that can only be read, or that ends.
struct ReadOnlyEdit: Hashable {
  let recordID: Int64
  let table: String
  /// The version to go back to; nil for a row that is new.
  let version: ZoneVersion?

  /// New rows go last, when nothing depends on them any more that comes back elsewhere; the others
  /// parents first.
  func isBefore(_ other: ReadOnlyEdit, in tables: TableOrder) -> Bool {
    let order = [self, other].map { edit in
      (edit.version == nil ? 1 : 0, tables.position(of: edit.table), edit.recordID)
    }
    return order[0] < order[1]
  }

  /// All of them.
  static func all(in db: Database) throws -> [ReadOnlyEdit] {
    let staleCopies = StaleCopies(db: db)
    let pending = try Row.fetchAll(
      db.cachedStatement(
        sql: Outbox.inReadOnlyZones(
          "r.id AS id, t.name AS name, r.tag AS tag, r.zoneID AS zoneID")))
    let edits = try pending.flatMap { row in
      let tag = try (row.read("tag") as String?).flatMap(ChangeTag.init)
      let here = try tag.map { try [ZoneVersion(zoneID: row.read("zoneID"), tag: $0)] }
      var versions: [ZoneVersion?] =
        try here ?? staleCopies.versions(ofRecord: row.read("id")).map(\.inZone)
      if versions.isEmpty { versions = [nil] }
      return try versions.map {
        try ReadOnlyEdit(recordID: row.read("id"), table: row.read("name"), version: $0)
      }
    }
    let moved = try staleCopies.inReadOnlyZones().map {
      ReadOnlyEdit(recordID: $0.recordID, table: $0.table, version: $0.version)
    }
    var seen: Set<ReadOnlyEdit> = []
    return (edits + moved).filter { seen.insert($0).inserted }
  }
}

extension Applier {
  /// Makes a row the cloud's copy again.
  mutating func revert(_ edit: ReadOnlyEdit, to copy: ServerCopy?) throws {
    guard var record = try store.record(id: edit.recordID),
      let table = tables[id: record.tableID]
    else { return }
    guard let version = edit.version, let copy else {
      var seen: Set<RowName> = []
      try letGo(record, id: edit.recordID, table: table, seen: &seen)
      return
    }
    guard case .record(let image) = copy.content else {
      try dieAgain(record, table: table)
      return
    }
    if record.zoneID != version.zoneID {
      try Placement(db: db, tables: tables, now: now).move(
        record, id: edit.recordID, to: version.zoneID)
      record = try store.record(id: edit.recordID) ?? record
    }
    guard record.tag == version.tag else { return }
    try noteWithdrawn(record, id: edit.recordID, table: table)
    try restore(
      image, of: copy, record, id: edit.recordID, table: table, over: record.withoutClocks,
      pending: nil)
  }

  /// Puts a row below the one again on which it depends in the cloud; its other edits stay.
  fileprivate mutating func takeBackMove(_ edit: ReadOnlyEdit, to copy: ServerCopy?) throws {
    guard let record = try store.record(id: edit.recordID), let table = tables[edit.table],
      let version = edit.version, let copy, case .record(let image) = copy.content,
      let column = table.parentKey?.column
    else { return try revert(edit, to: copy) }
    try Placement(db: db, tables: tables, now: now).move(
      record, id: edit.recordID, to: version.zoneID)
    guard let moved = try store.record(id: edit.recordID) else { return }
    if moved.clock(of: column) != image.fields[column]?.clock {
      try noteWithdrawn(moved, id: edit.recordID, table: table)
    }
    var local = moved
    local.setClock(.zero, of: column)
    try restore(
      image, of: copy, moved, id: edit.recordID, table: table, over: local,
      pending: store.outbox.change(of: edit.recordID))
  }

  /// Removes a row that the cloud has deleted, and that an unsent edit has kept alive.
  private mutating func dieAgain(_ record: RecordMetadata, table: TableSchema) throws {
    let dead = record.withoutEdits
    let refusal = try refusal { try $0.removeRowAlone(record, table: table) }
    if let refusal {
      try keepUndeletable(dead, table: table, error: refusal)
    } else {
      try store.outbox.set(nil, id: store.save(dead), tableID: table.id, now: now)
    }
  }

  /// What was made below a row that had moved away cannot follow it back: it goes into the history.
  mutating func removeStrayed(below recordID: Int64) throws {
    guard let record = try store.record(id: recordID), record.isAlive,
      let table = tables[id: record.tableID]
    else { return }
    for (child, foreignKey, key) in try rowsBelow(table, key: record.key)
    where child.parentKey == foreignKey {
      guard let below = try store.record(tableID: child.id, key: key),
        below.zoneID != record.zoneID,
        try ZoneShare(of: below.zoneID, in: db)?.access != .read
      else { continue }
      try removeStrayed(below, table: child, from: record.zoneID)
    }
  }

  /// Deletes a row that cannot follow its parent into a zone.
  private mutating func removeStrayed(
    _ record: RecordMetadata, table: TableSchema, from zoneID: Int64
  ) throws {
    var record = record
    let latest = max(record.latest, try latestBelow(table: table, key: record.key))
    let death = clock(after: latest)
    record.death = death
    try bury(
      record, table: table, by: deletion(of: record, in: table, at: death, fromZone: zoneID))
  }

  /// Writes the cloud's copy.
  ///
  /// - Parameters:
  ///   - local: What is kept of the row, by its clocks.
  ///   - unsent: What is unsent of that.
  private mutating func restore(
    _ image: CloudRecord, of copy: ServerCopy, _ record: RecordMetadata, id: Int64,
    table: TableSchema, over local: RecordMetadata, pending unsent: PendingChange?
  ) throws {
    let current = (zoneID, pass)
    (zoneID, pass) = (record.zoneID, record.pass)
    defer { (zoneID, pass) = current }
    var merge = RecordMerge(
      local: local, pending: unsent, hasRow: unsent != nil, server: copy,
      known: Set(table.columns.map(\.name)))
    merge.record.parentID = try parentID(of: image)
    let pending = try store.outbox.change(of: id)
    try store.outbox.set(nil, id: id, tableID: table.id, now: now)
    try write(
      RowChange(
        table: table, key: record.key, record: image, copy: copy, local: record, pending: pending,
        merge: merge, hasRow: try RowStore(db: db, table: table).exists(key: record.key),
        wasElsewhere: false))
  }
}
