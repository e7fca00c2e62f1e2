import Foundation
import GRDB
import SQLiteSyncCloud

/// What sharing changes in the database: each in one transaction, to be sent like any other edit.
struct ShareWrites {
  let db: Database
  let tables: TableOrder
  let account: AccountID
  /// The bits of this device in a clock.
  let device: UInt16
  let now: Int64

  private var store: MetadataStore { MetadataStore(db: db) }
  private var placement: Placement { Placement(db: db, tables: tables, now: now) }

  /// Shares a row with all that depends on it, or changes the share that there is.
  ///
  /// - Parameter makeName: Makes the name of a new zone: the key to it.
  func share(
    table name: String, key: String, title: String,
    participants: [AccountID: Share.Permission], publicPermission: Share.Permission,
    makeName: () -> String
  ) throws -> ZoneID {
    let (table, record, id) = try root(table: name, key: key)
    let root = table.recordName(of: record.key)
    let zoneID =
      try SharedZones(db: db).zone(ofRoot: root) ?? makeZone(named: makeName(), root: root)
    guard var share = try ZoneShare(of: zoneID, in: db) else { throw notShared(name) }
    var next = share.share ?? Share(root: root, title: title)
    next.title = title
    next.publicPermission = publicPermission
    for (account, permission) in participants where account != self.account {
      allow(account, permission, in: &next)
    }
    next.makeRoom()
    try check(next, since: share.share, of: name)
    share.put(next, now: now, device: device)
    try share.save(in: db)
    try addInvitations(
      participants.filter { $0.key != account && $0.value != .none }.map(\.key), zoneID: zoneID)
    try placement.place(record, id: id, table: table)
    return share.zone
  }

  /// Invites somebody, or changes what he may do: `none` removes him.
  private func allow(_ account: AccountID, _ permission: Share.Permission, in share: inout Share) {
    guard permission != .none else {
      share.participants[account] = .init(permission: .none, state: .gone)
      return
    }
    var participant = share.participants[account] ?? .init(permission: permission)
    participant.permission = permission
    if !participant.takesPart { participant.state = .invited }
    share.participants[account] = participant
  }

  private func addInvitations(_ accounts: [AccountID], zoneID: Int64) throws {
    guard !accounts.isEmpty else { return }
    let all = try Set(accounts + (Zones(db: db).mail(about: zoneID)?.invited ?? []))
    try Zones(db: db)
      .set(mail: .invitation(all.sorted { $0.rawValue < $1.rawValue }), about: zoneID)
  }

  /// Takes a row back: it and what depends on it move to the account's own zone.
  func unshare(table name: String, key: String) throws {
    let (table, record, id) = try root(table: name, key: key)
    var share = try zone(table: name, key: key)
    try SharedZones(db: db).remove(share.zone)
    share.edit(now: now, device: device) { $0.close() }
    try share.save(in: db)
    try placement.place(record, id: id, table: table)
  }

  /// Changes what people may do: `none` removes somebody.
  func setPermissions(
    table name: String, key: String, participants: [AccountID: Share.Permission],
    publicPermission: Share.Permission?
  ) throws {
    var share = try zone(table: name, key: key)
    let people = participants.filter { $0.key != account }
    let (shareBefore, known) = (share.share, share.shareInCloud)
    let before = shareBefore?.participants ?? [:]
    share.edit(now: now, device: device) { share in
      share.publicPermission = publicPermission ?? share.publicPermission
      for (account, permission) in people { allow(account, permission, in: &share) }
      share.makeRoom(for: known)
    }
    if let share = share.share { try check(share, since: shareBefore, of: name) }
    try share.save(in: db)
    // Who is new, or has left, has to be asked.
    try addInvitations(
      people.filter { $0.value != .none && before[$0.key]?.takesPart != true }.map(\.key),
      zoneID: share.zoneID)
  }

  /// What the cloud would refuse of a share would hold up all that is sent to its zone.
  ///
  /// One that an earlier version has filled too full may get smaller, and its people be shut out.
  private func check(_ share: Share, since before: Share?, of table: String) throws {
    guard !share.title.utf8.contains(0), share.title.utf8.count <= CloudLimits.titleBytes else {
      throw SyncError(
        .invalidShare, table: table,
        "The title of a share holds NUL, or more than \(CloudLimits.titleBytes) bytes.",
        hint: "Give it a shorter one.")
    }
    let room = max(CloudLimits.participants, before?.participants.count ?? 0)
    guard share.participants.count <= room else {
      throw SyncError(
        .invalidShare, table: table,
        "A share has at most \(CloudLimits.participants) people, with those who were removed.",
        hint: "Give the others its link, with a permission for anyone; to shut out somebody who "
          + "came by the link, take that permission back.")
    }
  }

  /// The zone in which a row of this account is shared.
  func zone(table name: String, key: String) throws -> ZoneShare {
    let (_, record, _) = try root(table: name, key: key)
    guard record.zoneID != SyncZone.defaultID,
      let share = try ZoneShare(of: record.zoneID, in: db), share.share != nil
    else { throw notShared(name) }
    return share
  }

  /// Begins to follow a zone of somebody else; it is read-only until its share has been read.
  func accept(_ zone: ZoneID) throws {
    guard zone.owner != account else {
      throw SyncError(
        .ownShare, "This is shared by you.", hint: "Give the link to somebody else.")
    }
    guard try !SharedZones(db: db).contains(zone) else { return }
    try Zones(db: db).remove(zone)
    try follow(zone, mail: .acceptance)
    try SharedZones(db: db).add(zone)
  }

  /// Begins to keep in step with a zone.
  func follow(_ zone: ZoneID, mail: ShareMail? = nil) throws {
    let access: ZoneAccess = zone.owner == account ? .owner : .read
    try Zones(db: db).add(zone, access: access, mail: mail)
    if access == .read { try WritePermission(db: db, tables: tables).install() }
  }

  /// Leaves what somebody else shares.
  ///
  /// The rows are to be removed then.
  func leave(_ zone: ZoneID) throws { try SharedZones(db: db).leave(zone) }

  // MARK: - What can be shared

  /// A row that can be shared, with its record.
  func root(
    table name: String, key: String
  ) throws -> (table: TableSchema, record: RecordMetadata, id: Int64) {
    guard let table = tables[called: name], !table.isEngines else {
      throw SyncError(
        .unknownTable, table: name, "The table is not synchronized.",
        hint: "Share a row of a table that was given to the engine.")
    }
    guard !table.isPrivate else {
      throw SyncError(
        .privateTable, table: name, "The table is private: its rows are never shared.",
        hint: "Leave it out of the private tables to share its rows.")
    }
    guard table.foreignKeys.isEmpty else {
      throw SyncError(
        .notARoot, table: name, column: table.foreignKeys[0].column,
        "The row is a child of another one.",
        hint: "Share the row of \(table.foreignKeys[0].table) that it depends on.")
    }
    let record = try store.record(tableID: table.id, key: table.foldedKey(key))
    guard try RowStore(db: db, table: table).exists(key: table.foldedKey(key)) else {
      throw SyncError(
        .unknownRow, table: name, "There is no row with the key \(key).",
        hint: "It may have been deleted.")
    }
    guard let record, let id = record.id, record.tag != nil || record.zoneID != SyncZone.defaultID
    else {
      throw SyncError(
        .notSentYet, table: name, "The cloud does not have the row yet.",
        hint: "Let it be sent first, then share it.")
    }
    guard try ZoneShare(of: record.zoneID, in: db)?.access ?? .owner == .owner else {
      throw SyncError(
        .notTheOwner, table: name, "Somebody else shares the row with you.",
        hint: "Only its owner can change who it is shared with.")
    }
    return (table, record, id)
  }

  private func notShared(_ table: String) -> SyncError {
    SyncError(.notShared, table: table, "The row is not shared.", hint: "There is nothing to do.")
  }

  private func makeZone(named name: String, root: String) throws -> Int64 {
    let zone = ZoneID(name: name, owner: account)
    try follow(zone)
    let id = db.lastInsertedRowID
    try SharedZones(db: db).add(zone, root: root)
    return id
  }
}

/// What is to be told to others about a zone: kept with the zone.
enum ShareMail: Equatable, LosslessStringConvertible {
  /// To those who are invited.
  case invitation([AccountID])
  /// To those who are invited and had no inbox: nothing that this device has still to do.
  case awaited([AccountID])
  /// To the owner.
  case acceptance
  case departure

  init?(_ description: String) {
    let words = description.split(separator: " ").map(String.init)
    switch words.first {
    case "acceptance": self = .acceptance
    case "departure": self = .departure
    case "invitation":
      self = .invitation(words.dropFirst().compactMap(AccountID.init(rawValue:)))
    case "awaited": self = .awaited(words.dropFirst().compactMap(AccountID.init(rawValue:)))
    default: return nil
    }
  }

  /// An invitation to people who have no inbox yet; nil without any.
  init?(awaiting accounts: [AccountID]) {
    guard !accounts.isEmpty else { return nil }
    self = .awaited(accounts)
  }

  /// Who is to be invited.
  var invited: [AccountID] {
    switch self {
    case .invitation(let accounts), .awaited(let accounts): accounts
    case .acceptance, .departure: []
    }
  }

  /// Whether something in the column `mail` can be sent, in SQL.
  static let isUnsentSQL = "mail IS NOT NULL AND mail NOT GLOB 'awaited *'"

  var description: String {
    switch self {
    case .acceptance: "acceptance"
    case .departure: "departure"
    case .invitation: (["invitation"] + invited.map(\.rawValue)).joined(separator: " ")
    case .awaited: (["awaited"] + invited.map(\.rawValue)).joined(separator: " ")
    }
  }
}
