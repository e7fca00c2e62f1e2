import GRDB
import SQLiteSyncCloud

/// What the cloud's rules ask of a zone's state, answered from the metadata.
struct ZoneMirror {
  let db: Database
  let tables: TableOrder
  let zoneID: Int64
  /// The full fetch under way: only what it has mentioned is known of the zone's state.
  let pass: Int64?
  /// What was looked up already: records of which the zone may have a version, by their names.
  private var known: [ExactString: RecordMetadata] = [:]
  /// Names of records of which the zone has nothing, as far as that was looked up.
  private var absent: Set<ExactString> = []
  /// The names of their parents: many have the same.
  private var parents: [Int64: String] = [:]

  private init(db: Database, tables: TableOrder, position: ZonePosition) {
    self.db = db
    self.tables = tables
    zoneID = position.zoneID
    pass = position.fullFetch == nil ? nil : position.pass
  }

  /// The view at a position.
  ///
  /// Questions about one commit are one read, and others are reads of their own, so that the
  /// database is free while the cloud is read. The answers agree because only the engine changes
  /// what they are taken from. The cloud asks by its names, and is answered by them.
  static func view(
    of database: any DatabaseReader, tables: TableOrder, at position: ZonePosition,
    names: CloudNames
  ) -> ServerView {
    func mirror(in db: Database) -> ZoneMirror {
      ZoneMirror(db: db, tables: tables, position: position)
    }
    var current: ZoneMirror?
    func ask<Answer>(_ question: (ZoneMirror) throws -> Answer) throws -> Answer {
      if let current { return try question(current) }
      return try database.unsafeRead { try question(mirror(in: $0)) }
    }
    return ServerView(
      record: { name in try names.cloud(ask { try $0.state(ofRecord: names.local(name)) }) },
      children: { name in
        try ask { try $0.children(ofRecord: names.local(name)) }.map { names.cloud($0) }
      },
      share: { try names.cloud(ask { try $0.share()?.shareInLog }) },
      trustedShare: { try names.cloud(ask { try $0.share()?.shareInCloud }) },
      together: { asked, body in
        try database.readSnapshot { db in
          var mirror = mirror(in: db)
          try mirror.lookUp(asked.map(names.local))
          current = mirror
          defer { current = nil }
          try body()
        }
      })
  }

  /// Finds out what is known of records, by one question for each table: they need not be asked
  /// about one by one then.
  private mutating func lookUp(_ names: [String]) throws {
    guard names.count > 1 else { return }
    var namesByTable: [Int64: [RecordName]] = [:]
    for name in names {
      guard let name = RecordName(name), let id = tables[name.table]?.id else { continue }
      namesByTable[id, default: []].append(name)
    }
    let store = MetadataStore(db: db)
    for (tableID, names) in namesByTable {
      var records: [ExactString: RecordMetadata] = [:]
      let found = try store.records(
        names.map(\.key), ofTable: tableID, thatMayBeIn: zoneID)
      for record in found {
        records[ExactString(record.key)] = record
        guard let id = record.parentID, parents[id] == nil else { continue }
        parents[id] = try store.name(ofRecord: id)
      }
      for name in names {
        let record = records[ExactString(name.key)]
        known[ExactString(name.description)] = record
        if record == nil { absent.insert(ExactString(name.description)) }
      }
    }
  }

  private func state(ofRecord name: String) throws -> RecordState? {
    if name == Share.recordName { return try shareState() }
    guard !absent.contains(ExactString(name)) else { return nil }
    guard var record = try metadata(name), let id = record.id else { return nil }
    if record.zoneID != zoneID {
      record.move(to: zoneID, over: try StaleCopies(db: db).version(ofRecord: id, in: zoneID))
    }
    guard let tag = record.tag, pass.map({ $0 == record.pass }) ?? true else { return nil }
    return RecordState(
      type: RecordName.parsing(name).table,
      parent: try record.parentID.flatMap {
        try parents[$0] ?? MetadataStore(db: db).name(ofRecord: $0)
      },
      tag: tag, deleted: record.isTombstone ? try deletion(of: record) : nil)
  }

  /// When the cloud has it that a record was deleted, at the earliest.
  ///
  /// A deletion that is unsent is later than the cloud's, whose time is not kept.
  private func deletion(of record: RecordMetadata) throws -> FieldClock {
    let pending = try record.id.flatMap(Outbox(db: db).change(of:))
    return pending?.kind == .delete ? .zero : record.death ?? .zero
  }

  private func share() throws -> ZoneShare? {
    try ZoneShare(of: zoneID, in: db)
  }

  private func shareState() throws -> RecordState? {
    guard let share = try share(), let tag = share.tag else { return nil }
    return RecordState(
      type: Share.recordType, parent: nil, tag: tag, deleted: share.record == nil ? .zero : nil)
  }

  private func children(ofRecord name: String) throws -> [String] {
    guard let id = try metadata(name)?.id else { return [] }
    return try MetadataStore(db: db).children(ofRecord: id, inZone: zoneID, pass: pass)
      + StaleCopies(db: db).children(ofRecord: id, in: zoneID, pass: pass)
  }

  private func metadata(_ name: String) throws -> RecordMetadata? {
    if let record = known[ExactString(name)] { return record }
    return try MetadataStore(db: db).record(named: RecordName.parsing(name), in: tables)
  }
}
