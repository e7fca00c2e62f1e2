import Foundation
import GRDB
import SQLiteSyncCloud

/// Keeping in step with the zones that are shared: by this account, and with it.
extension Synchronizer {
  /// Runs a transaction on what is shared, in which every edit is folded.
  func sharing<Result>(_ body: (ShareWrites) throws -> Result) throws -> Result {
    try write { db in try body(sharing(in: db)) }
  }

  private func sharing(in db: Database) -> ShareWrites {
    ShareWrites(
      db: db, tables: tables, account: container.account, device: container.device.clockBits,
      now: configuration.now())
  }

  /// The link to a zone in this cloud.
  func link(to zone: ZoneID) throws -> ShareLink {
    let cloud = try database.readSnapshot { try SyncEngine.cloud(of: $0) }
    guard let cloud else {
      throw SyncError(
        .notSentYet, "This data has not been in any cloud yet.", hint: "Synchronize it first.")
    }
    return ShareLink(cloud: cloud, zone: zone)
  }

  /// A name that nobody can guess.
  func makeZoneName() -> String {
    let digits = [configuration.random(), configuration.random()].map { number in
      let text = String(number, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    return "share-" + digits.joined()
  }

  /// Shares a row, and returns the link to it.
  func share(
    table: String, key: String, title: String, participants: [AccountID: Share.Permission],
    publicPermission: Share.Permission
  ) throws -> ShareLink {
    try container.requireAccess(for: participants.keys, isPublic: publicPermission != .none)
    let zone = try sharing {
      try $0.share(
        table: table, key: key, title: title, participants: participants,
        publicPermission: publicPermission, makeName: makeZoneName)
    }
    return try link(to: zone)
  }

  /// The link to a row that is shared.
  func link(table: String, key: String) throws -> ShareLink {
    try link(to: sharing { try $0.zone(table: table, key: key).zone })
  }

  /// Takes a row back.
  func unshare(table: String, key: String) throws {
    try sharing { try $0.unshare(table: table, key: key) }
  }

  /// Changes what people may do.
  func setPermissions(
    table: String, key: String, participants: [AccountID: Share.Permission],
    publicPermission: Share.Permission?
  ) throws {
    try container.requireAccess(
      for: participants.filter { $0.value != .none }.keys,
      isPublic: publicPermission.map { $0 != .none } ?? false)
    try sharing {
      try $0.setPermissions(
        table: table, key: key, participants: participants, publicPermission: publicPermission)
    }
  }

  /// Accepts what somebody shares: looks at it, fetches it, and tells its owner.
  func accept(_ link: ShareLink) throws {
    try requireThisCloud(of: link)
    // If it has ended and its rows are still here, they go first: it is followed anew.
    try followShares()
    try requireRoot(of: link.zone)
    try sharing { try $0.accept(link.zone) }
    sayFollowed(link.zone)
    try syncChanges()
    guard try database.readSnapshot({ try SharedZones(db: $0).contains(link.zone) }) else {
      throw notShared("\(link.zone.owner.displayName) does not share this with you.")
    }
    try requireNoOwnRow(of: link.zone)
    try discardInvitations(to: link.zone)
  }

  /// Makes sure that a link leads into this cloud.
  func requireThisCloud(of link: ShareLink) throws {
    guard try database.readSnapshot({ try SyncEngine.cloud(of: $0) }) == link.cloud else {
      throw SyncError(
        .otherCloud, "The link belongs to another cloud.",
        hint: "Open that cloud, and accept the share there.")
    }
  }

  /// Makes sure that a link leads to something that can be read here.
  private func requireRoot(of zone: ZoneID) throws {
    guard zone.owner != container.account,
      try !database.readSnapshot({ try SharedZones(db: $0).contains(zone) })
    else { return }
    try open()
    do {
      let root = try container.zone(zone).sharedRoot()
      guard root.isDeleted else { return }
      throw notShared("“\(root.title)” was deleted by \(zone.owner.displayName).")
    } catch let error as CloudError where error.code == .permissionFailure {
      throw notShared("\(zone.owner.displayName) does not share this with you.")
    } catch let error as CloudError
      where [.zoneNotFound, .userDeletedZone].contains(error.code)
    {
      throw notShared("What \(zone.owner.displayName) shared is not there any more.")
    }
  }

  private func notShared(_ reason: String) -> SyncError {
    SyncError(.notShared, reason, hint: "Ask for an invitation, or for a new link.")
  }

  /// Ends what has just been accepted when its root is a row of this account's own, as after it was
  /// restored: what depends on that is private, and the two would go ways of their own.
  ///
  /// The invitation stays.
  private func requireNoOwnRow(of zone: ZoneID) throws {
    let own = try database.readSnapshot { db -> (table: String, title: String)? in
      let followed = try Zones(db: db).followed(by: container.account)
      guard let id = followed.first(where: { $0.zone == zone })?.id,
        let share = try ZoneShare(of: id, in: db)?.share,
        case let root = RecordName.parsing(share.root),
        let record = try MetadataStore(db: db).record(named: root, in: tables),
        record.isAlive, record.zoneID != id
      else { return nil }
      return (root.table, share.title)
    }
    guard let own else { return }
    try write { try SharedZones(db: $0).remove(zone) }
    try syncChanges()
    throw SyncError(
      .ownRow, table: own.table,
      "You already have “\(own.title)” as your own, and cannot have the one that "
        + "\(zone.owner.displayName) shares beside it.",
      hint: "Move what only yours has elsewhere, delete yours, and accept again.")
  }

  /// Leaves what somebody else shares: only this account's copy goes.
  func leave(table name: String, key: String) throws {
    let zone = try database.readSnapshot { db in
      try tables[called: name].flatMap { table in
        try MetadataStore(db: db).record(tableID: table.id, key: table.foldedKey(key))
      }.flatMap { try ZoneShare(of: $0.zoneID, in: db) }
    }
    guard let zone, zone.access != .owner else {
      throw SyncError(
        .notShared, table: name, "Nobody else shares this row with you.",
        hint: "To stop sharing a row of yours, unshare it.")
    }
    try leave(zone.zone, id: zone.zoneID)
  }

  private func leave(_ zone: ZoneID, id: Int64) throws {
    try takeBackMoves(into: [id])
    say(try applying { try leave(zone, id: id, with: &$0) })
  }

  private func leave(_ zone: ZoneID, id: Int64, with applier: inout Applier) throws {
    try sharing(in: applier.db).leave(zone)
    try History(db: applier.db, now: configuration.now()).leave(zone: id, as: container.account)
    try applier.removeRows(ofZone: id)
    try WritePermission(db: applier.db, tables: tables).install()
  }

  /// Leaves what others share and whose root was deleted here.
  ///
  /// Before anything else is applied: what depended on the root is gone only for this account, and
  /// may live on in another zone.
  func leaveDeparted(with applier: inout Applier) throws {
    let departures = try Following.departures(in: applier.db)
    guard !departures.isEmpty else { return }
    try Placement(db: applier.db, tables: tables, now: configuration.now()).placePending()
    for (id, zone) in departures { try leave(zone, id: id, with: &applier) }
  }

  // MARK: - Following

  /// Brings the zones into line with what is shared: begins to follow what is new, leaves what
  /// ended.
  func followShares() throws {
    try foldEdits()
    guard try database.readSnapshot(Following.isNeeded) else { return }
    var followed: [ZoneID] = []
    try takeBackMoves(into: database.readSnapshot(Following.ended))
    let report = try applying { applier in
      let db = applier.db
      // One into which something was moved meanwhile ends next time.
      for id in try endedWithoutMoves(in: db) {
        try applier.removeRows(ofZone: id)
        try Following.forget(id, in: db)
      }
      // After those that ended: one of them may begin anew.
      followed = try Following.beginning(in: db)
      for zone in followed { try sharing(in: db).follow(zone) }
      for (id, zone) in try Following.closing(in: db) {
        try SharedZones(db: db).remove(zone)
        try close(id, in: db)
      }
      try WritePermission(db: db, tables: tables).install()
    }
    say(report)
    followed.forEach(sayFollowed)
  }

  private func sayFollowed(_ zone: ZoneID) {
    emit(
      .fetchedDatabaseChanges(
        zone: zone.name, owner: zone.owner.description, change: .followed))
  }

  /// Moves what is still in a zone of this account that is not shared any more, and lets nobody
  /// write there.
  private func close(_ id: Int64, in db: Database) throws {
    let store = MetadataStore(db: db)
    let placement = Placement(db: db, tables: tables, now: configuration.now())
    for table in tables.tables {
      for record in try store.ids(inZone: id, table: table.id) {
        guard let metadata = try store.record(id: record) else { continue }
        try placement.place(metadata, id: record, table: table)
      }
    }
    try placement.placeUnknown(from: id)
    guard var share = try ZoneShare(of: id, in: db) else { return }
    share.edit(now: configuration.now(), device: container.device.clockBits) { $0.close() }
    try share.save(in: db)
  }

  /// Whether a zone of somebody else was begun anew and does not say yet whom it is shared with.
  ///
  /// Its rows stay until its owner's devices have put everything there again.
  func isAwaited(_ zone: SyncZone, after error: CloudError) throws -> Bool {
    try error.code == .unknownItem && zone.access != .owner && hadShare(zone)
  }

  private func hadShare(_ zone: SyncZone) throws -> Bool {
    try database.readSnapshot { try ZoneShare(of: zone.id, in: $0)?.record != nil }
  }

  /// Ends a share when an answer of the cloud says that it is over; returns whether it does.
  func endShare(of zone: SyncZone, after error: CloudError) throws -> Bool {
    let isOwn = zone.log.id.owner == container.account
    let isOver =
      try isOwn
      ? error.code == .userDeletedZone
      : error.endsShare && (error.code != .unknownItem || !hadShare(zone))
    guard zone.id != SyncZone.defaultID, isOver else { return false }
    try write { db in
      try SharedZones(db: db).remove(zone.log.id)
      guard isOwn else { return }
      try abandon(zone.id, in: db)
    }
    emit(
      .fetchedDatabaseChanges(
        zone: zone.log.id.name,
        owner: isOwn ? zone.log.id.owner.description : zone.log.id.owner.displayName,
        change: isOwn ? .deleted : .ended))
    return true
  }

  /// Somebody deleted a zone of this account's: what was in it is saved in the account's own zone.
  private func abandon(_ id: Int64, in db: Database) throws {
    let store = MetadataStore(db: db)
    try store.forgetVersions(inZone: id)
    try close(id, in: db)
    // What has no row is deleted there, also where another device has saved it again by now.
    let placement = Placement(db: db, tables: tables, now: configuration.now())
    for record in try store.ids(inZone: id) {
      guard let metadata = try store.record(id: record) else { continue }
      if !metadata.isAlive, let left = try StaleCopies(db: db).movedBack(metadata) {
        // The cloud has it only where it came from by now: it is deleted there.
        try store.outbox.set(
          PendingChange(kind: .delete, fields: []), id: store.save(left), tableID: left.tableID,
          now: configuration.now())
        continue
      }
      try placement.move(metadata, id: record, to: SyncZone.defaultID)
      // As when somebody had put another version of it there, which was kept aside until now.
      guard metadata.isAlive,
        let table = tables[id: metadata.tableID],
        try RowStore(db: db, table: table).exists(key: metadata.key)
      else { continue }
      try store.outbox.set(
        PendingChange(kind: .save, fields: nil), id: record, tableID: table.id,
        now: configuration.now())
    }
    try Following.forget(id, in: db)
  }

  /// Lets the operating system keep everybody else out of this account's zones.
  ///
  /// Before anybody is told of a share. Where the system cannot, that is said once, and the rules
  /// of the log hold all the same.
  func protectZones() throws {
    for zone in try zones() where zone.access == .owner {
      let share = try database.readSnapshot { try ZoneShare(of: zone.id, in: $0)?.shareInCloud }
      // Who may see a shared zone is not known while its share is not.
      guard share != nil || zone.id == SyncZone.defaultID, protected[zone.id] != .some(share)
      else { continue }
      do {
        try zone.log.protect(for: share)
      } catch let error as CloudError where share == nil {
        // A file system without permissions holds up nothing: `check` says who gets at what is
        // there. What failed for another reason is tried again.
        guard error.code == .permissionFailure else { continue }
      } catch let error as CloudError where error.code == .permissionFailure {
        emit(.failed(error))
      }
      protected[zone.id] = share
    }
  }

  /// Why a zone of this account is deleted, for people.
  static let reasonToEnd = "it is not shared any more"

  /// Deletes the zones that are empty because they are not shared any more.
  func deleteClosedZones() throws {
    for (id, zone) in try database.readSnapshot(Following.deletable) {
      try container.zone(zone).delete(reason: Self.reasonToEnd)
      try write { try Following.forget(id, in: $0) }
    }
  }

  /// Removes rows that moved out of reach, and takes back what may not be written any more.
  func settleZones() throws {
    let isAnyAway = try database.readSnapshot { try MetadataStore(db: $0).isAnyNowhere() }
    try takeHeld(includingMovedAway: true)
    if isAnyAway { sayRemoved(try applying { try $0.removeMovedAway() }) }
    try settleWaiting()
    try revertReadOnly()
  }

  /// Takes what is held and belongs where it is after all.
  ///
  /// Records whose parent, or the share that names them, came after them, and those that went with
  /// a zone that ended. And records that left where they lived, and are in a place from which they
  /// were not taken: that is where they moved.
  ///
  /// - Parameter includingMovedAway: Whether all zones were read, so that these are known.
  func takeHeld(includingMovedAway: Bool) throws {
    var count = try heldCount()
    while count > 0 {
      let (away, arrived) = try database.readSnapshot { db in
        let staleCopies = StaleCopies(db: db)
        let arrived = try staleCopies.heldBelowArrived() + heldRoots(in: db)
        let away = includingMovedAway ? try staleCopies.heldOfMovedAway() : []
        return (away, arrived.filter { !refusedHere.contains($0) })
      }
      guard !away.isEmpty || !arrived.isEmpty else { return }
      try apply(held: Set(away + arrived), takesMovedAway: includingMovedAway)
      // What depends on another row of its table may have to come after it.
      let rest = try heldCount()
      guard rest < count else {
        refusedHere.formUnion(arrived)
        return
      }
      count = rest
    }
  }

  private func heldCount() throws -> Int {
    try database.readSnapshot { try StaleCopies(db: $0).heldCount() }
  }

  private func heldRoots(in db: Database) throws -> [ZoneVersion] {
    let store = MetadataStore(db: db)
    return try SyncZone.all(in: db, container: container).compactMap { zone in
      guard let root = try ZoneShare(of: zone.id, in: db)?.share?.root,
        let record = try store.record(named: RecordName.parsing(root), in: tables),
        let id = record.id, !record.isAlive,
        let version = try StaleCopies(db: db).version(ofRecord: id, in: zone.id), version.isHeld
      else { return nil }
      return ZoneVersion(zoneID: zone.id, tag: version.tag)
    }
  }

  private func apply(held versions: Set<ZoneVersion>, takesMovedAway: Bool) throws {
    let found = try copies(of: versions)
    for zone in try zones() {
      let copies = versions.filter { $0.zoneID == zone.id }.sorted().compactMap { found[$0] }
      guard !copies.isEmpty else { continue }
      let assets = try readAssets(of: copies, in: zone)
      say(
        try applying(in: zone, assets: assets) { applier in
          applier.takesMovedAway = takesMovedAway
          try applier.apply(copies)
        })
    }
  }
}
