import GRDB
import SQLiteSyncCloud

/// What people tell each other about shares, through their inboxes.
extension Synchronizer {
  /// Tells what is to be told: invitations, acceptances, departures.
  ///
  /// An account that has not used this cloud yet has no inbox; it is invited once there is one.
  func sendMail() throws {
    for (id, mail) in try database.readSnapshot({ try Zones(db: $0).allMail() }) {
      guard let share = try database.readSnapshot({ try ZoneShare(of: id, in: $0) }) else {
        continue
      }
      let rest = send(mail, about: share)
      guard rest != mail else { continue }
      try write { db in
        // Somebody else may have been invited meanwhile.
        guard try Zones(db: db).mail(about: id) == mail else { return }
        try Zones(db: db).set(mail: rest, about: id)
      }
    }
  }

  /// Sends what can be sent now, and returns the rest.
  ///
  /// An inbox that takes nothing holds up nothing else.
  private func send(_ mail: ShareMail, about share: ZoneShare) -> ShareMail? {
    let message = ShareMessage(
      mail.kind, sender: container.account, zone: share.zone, title: share.share?.title ?? "")
    var (absent, refused): ([AccountID], [AccountID]) = ([], [])
    for account in mail.recipients(by: share) {
      do {
        try container.send(message, to: account)
      } catch  where (error as? CloudError)?.code == .unknownItem {
        // The link is a way all the same.
        if case .invitation = mail { emit(.failed(error)) }
        absent.append(account)
      } catch {
        emit(.failed(error))
        refused.append(account)
      }
    }
    return mail.rest(absent: absent, refused: refused)
  }

  /// Notes who accepted what this account shares, and who left.
  func readMail() throws {
    guard try database.readSnapshot({ try Zones(db: $0).isAnyShareOwn() }) else { return }
    for received in try container.messages() where received.message.kind != .invitation {
      try write { try note(received.message, in: $0) }
      try container.discard(received)
    }
  }

  private func note(_ message: ShareMessage, in db: Database) throws {
    guard let id = try Zones(db: db).ownID(message.zone), id != SyncZone.defaultID,
      var share = try ZoneShare(of: id, in: db)
    else {
      return
    }
    share.edit(now: configuration.now(), device: container.device.clockBits) { share in
      share.note(message)
    }
    try share.save(in: db)
  }

  /// What others invite this account to.
  ///
  /// Invitations that are stale are taken out of the inbox: to what is followed already or not
  /// there any more, and those that somebody has sent again.
  func invitations() throws -> [ShareInvitation] {
    var invitations: [ShareInvitation] = []
    var seen: Set<Invited> = []
    for received in try container.messages().reversed() where received.message.kind == .invitation {
      let message = received.message
      let isNew = seen.insert(Invited(by: message.sender, to: message.zone)).inserted
      switch isNew ? try standing(of: message.zone) : .over {
      case .open:
        invitations.append(
          ShareInvitation(
            link: try link(to: message.zone), sender: message.sender, title: message.title))
      case .closed: continue
      case .over: try container.discard(received)
      }
    }
    return invitations.reversed()
  }

  /// Who invites, and to what: nobody's invitation replaces another's.
  private struct Invited: Hashable {
    let sender: AccountID
    let zone: ZoneID

    init(by sender: AccountID, to zone: ZoneID) {
      (self.sender, self.zone) = (sender, zone)
    }
  }

  /// What an invitation leads to.
  private enum Standing {
    /// It can be accepted.
    case open
    /// It was taken back, and may be given again.
    case closed
    /// It was accepted, or there is nothing any more.
    case over
  }

  private func standing(of zone: ZoneID) throws -> Standing {
    let isFollowed = try database.readSnapshot { try SharedZones(db: $0).contains(zone) }
    guard !isFollowed, zone.owner != container.account else { return .over }
    do {
      return try container.zone(zone).sharedRoot().isDeleted ? .closed : .open
    } catch let error as CloudError {
      switch error.code {
      case .permissionFailure: return .closed
      case .zoneNotFound, .userDeletedZone: return .over
      case .networkUnavailable: throw error
      // Whoever accepts it is told what is wrong there.
      default: return .open
      }
    }
  }

  /// Declines an invitation, and tells who invites.
  func decline(_ link: ShareLink) throws {
    try open()
    try requireThisCloud(of: link)
    let invitations = try container.messages().filter { $0.invites(to: link.zone) }
    guard !invitations.isEmpty else {
      throw SyncError(
        .notShared, "No invitation to this waits for an answer.",
        hint: "What was accepted can be left.")
    }
    do {
      try container.send(
        ShareMessage(.departure, sender: container.account, zone: link.zone, title: ""),
        to: link.zone.owner)
    } catch let error as CloudError where error.code == .unknownItem {
      // Without an inbox nobody is there to read it.
    }
    try invitations.forEach(container.discard)
  }

  /// Takes the invitations to a zone out of the inbox.
  func discardInvitations(to zone: ZoneID) throws {
    try container.messages().filter { $0.invites(to: zone) }.forEach(container.discard)
  }
}

extension ReceivedMessage {
  /// Whether somebody invites to a zone by it.
  fileprivate func invites(to zone: ZoneID) -> Bool {
    message.kind == .invitation && message.zone == zone
  }
}

extension ShareMail {
  /// What it says.
  fileprivate var kind: ShareMessage.Kind {
    switch self {
    case .acceptance: .acceptance
    case .departure: .departure
    case .invitation, .awaited: .invitation
    }
  }

  /// To whom it goes, as the share is by now.
  fileprivate func recipients(by share: ZoneShare) -> [AccountID] {
    let people = share.share?.participants ?? [:]
    return switch self {
    case .acceptance, .departure: [share.zone.owner]
    // A participant who was removed meanwhile is not told of it.
    case .invitation(let accounts): accounts.filter { people[$0]?.state != .gone }
    case .awaited(let accounts): accounts.filter { people[$0]?.state == .invited }
    }
  }

  /// What is still to be sent when some have no inbox and others' inboxes took nothing.
  fileprivate func rest(absent: [AccountID], refused: [AccountID]) -> ShareMail? {
    switch self {
    // An owner without an inbox is not there to read it.
    case .acceptance, .departure: refused.isEmpty ? nil : self
    case .invitation where !refused.isEmpty: .invitation(refused + absent)
    case .invitation, .awaited: ShareMail(awaiting: refused + absent)
    }
  }
}

extension Share {
  /// Takes in what somebody says about this share; nobody can allow himself anything.
  mutating func note(_ message: ShareMessage) {
    // Of more its record cannot tell; by the link they read all the same.
    guard participants[message.sender] != nil || participants.count < CloudLimits.participants
    else { return }
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
