import Cloud
import GRDB

/// What people tell each other about shares, through their inboxes.
extension Synchronizer {
  /// Tells what is to be told: invitations, acceptances, departures.
  ///
  /// Who has not used this cloud yet has no inbox, and is invited as soon as there is one.
  func sendMail() throws {
    let rows = try database.readSnapshot { db in
      try Row.fetchAll(
        db.cachedStatement(
          sql: "SELECT id, mail FROM sync_zones WHERE mail IS NOT NULL AND shareEdit IS NULL"))
    }
    for row in rows {
      let id: Int64 = row["id"]
      guard let mail = ShareMail(row["mail"] as String),
        let share = try database.readSnapshot({ try ZoneShare(of: id, in: $0) })
      else { continue }
      let rest = try send(mail, about: share)
      guard rest != mail else { continue }
      try write { db in
        try db.execute(
          sql: "UPDATE sync_zones SET mail = ? WHERE id = ? AND mail = ?",
          arguments: [rest?.description, id, mail.description])
      }
    }
  }

  /// Sends what can be sent now, and returns the rest.
  private func send(_ mail: ShareMail, about share: ZoneShare) throws -> ShareMail? {
    func message(_ kind: ShareMessage.Kind) -> ShareMessage {
      ShareMessage(
        kind, sender: container.account, zone: share.zone, title: share.share?.title ?? "")
    }
    switch mail {
    case .acceptance: try container.send(message(.acceptance), to: share.zone.owner)
    case .departure: try container.send(message(.departure), to: share.zone.owner)
    case .invitation(let accounts):
      // Who was removed meanwhile is not told of it.
      let wanted = accounts.filter { share.share?.participants[$0]?.state != .gone }
      let absent = try wanted.filter { account in
        guard let error = try invite(account, message(.invitation)) else { return false }
        emit(.failed(message: error.label + ": " + error.reason, hint: error.hint))
        return true
      }
      return ShareMail(awaiting: absent)
    case .awaited(let accounts):
      let invited = accounts.filter { share.share?.participants[$0]?.state == .invited }
      return ShareMail(
        awaiting: try invited.filter { try invite($0, message(.invitation)) != nil })
    }
    return nil
  }

  /// Returns the error that says that there is no inbox yet: the link is a way all the same.
  private func invite(_ account: AccountID, _ message: ShareMessage) throws -> CloudError? {
    do {
      try container.send(message, to: account)
      return nil
    } catch let error as CloudError where error.code == .unknownItem {
      return error
    }
  }

  /// Notes who accepted what this account shares, and who left.
  func readMail() throws {
    let isSharing = try database.readSnapshot { db in
      try Bool.fetchOne(
        db.cachedStatement(
          sql: """
            SELECT EXISTS (
              SELECT 1 FROM sync_zones WHERE access = 'owner' AND id <> \(SyncZone.defaultID))
            """))
    }
    guard isSharing == true else { return }
    for received in try container.messages() where received.message.kind != .invitation {
      try write { try note(received.message, in: $0) }
      try container.discard(received)
    }
  }

  private func note(_ message: ShareMessage, in db: Database) throws {
    let id = try Int64.fetchOne(
      db,
      sql: "SELECT id FROM sync_zones WHERE access = 'owner' AND owner = ? AND name = ?",
      arguments: [message.zone.owner.rawValue, message.zone.name])
    guard let id, id != SyncZone.defaultID, var share = try ZoneShare(of: id, in: db) else {
      return
    }
    share.edit(now: configuration.now(), device: container.device.clockBits) { share in
      share.note(message)
    }
    try share.save(in: db)
  }

  /// What others invite this account to.
  func invitations() throws -> [ShareInvitation] {
    try container.messages().map(\.message).filter { $0.kind == .invitation }.map {
      ShareInvitation(link: try link(to: $0.zone), sender: $0.sender, title: $0.title)
    }
  }

  /// Takes the invitations to a zone out of the inbox.
  func discardInvitations(to zone: ZoneID) throws {
    for received in try container.messages()
    where received.message.kind == .invitation && received.message.zone == zone {
      try container.discard(received)
    }
  }
}

extension Share {
  /// Takes in what somebody says about this share; nobody can allow himself anything.
  mutating func note(_ message: ShareMessage) {
    var participant = participants[message.sender] ?? .init(permission: .none)
    switch message.kind {
    case .acceptance where permission(of: message.sender) >= .read:
      participant.state = .accepted
    case .departure where participant.takesPart:
      participant = .init(permission: .none, state: .left)
    case .acceptance, .departure, .invitation: return
    }
    participants[message.sender] = participant
  }
}
