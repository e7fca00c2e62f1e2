/// Who may do what in the directories of a zone, so that the store keeps others out.
///
/// The rules of the log say the same; they are what protects accounts of one user from each other's
/// mistakes, and this is what protects users from each other.
struct ZoneProtection: Hashable {
  /// For what readers read: `meta`, checkpoints, and the way to them.
  let reading: StoreAccess
  /// For what writers add to: the log and its assets.
  let writing: StoreAccess
  /// For what is being written.
  let staging: StoreAccess

  /// The protection of a zone; without a share it is its owner's alone.
  ///
  /// - Parameter user: Finds the user of the store who speaks for an account.
  init(_ share: Share?, user: (AccountID) throws -> StoreUser?) rethrows {
    var permissions: [StoreUser: Share.Permission] = [:]
    for account in (share?.participants ?? [:]).keys {
      if let user = try user(account) { permissions[user] = share?.permission(of: account) }
    }
    let others = share?.publicPermission ?? .none
    func access(_ level: (Share.Permission) -> StoreAccess.Level) -> StoreAccess {
      StoreAccess(users: permissions.mapValues(level), others: level(others))
    }
    reading = access { $0 >= .read ? .read : .none }
    writing = access { $0 == .write ? .write : $0 == .read ? .read : .none }
    staging = access { $0 == .write ? .write : .none }
  }

  /// The directories of a zone, each with who may do what in it.
  func directories(
    of layout: ZoneLayout, epoch: Int64
  ) -> [(prefix: StorePrefix, access: StoreAccess)] {
    [
      (layout.stage, staging),
      (layout.log(epoch: epoch), writing), (layout.assets(epoch: epoch), writing),
      (layout.checkpoints(epoch: epoch), reading), (layout.epoch(epoch), reading),
      (layout.meta, reading), (layout.zone, reading),
    ]
  }

  /// The directories that each log of a zone has for itself, from the inside out.
  static func directories(of layout: ZoneLayout, ofEpoch epoch: Int64) -> [StorePrefix] {
    [
      layout.log(epoch: epoch), layout.assets(epoch: epoch), layout.checkpoints(epoch: epoch),
      layout.epoch(epoch),
    ]
  }
}

extension CloudContainer {
  /// Makes sure that some people, and all who have the link, can be let into what this account
  /// shares.
  ///
  /// Throws `permissionFailure` where the store keeps nobody apart, and for users whom it cannot
  /// let in: they would be invited to what they cannot read.
  public func requireAccess(for people: some Sequence<AccountID>, isPublic: Bool = false) throws {
    if let refusal = store.sharingRefusal, isPublic || people.contains(where: { $0 != account }) {
      throw refusal
    }
    let users = store.accessControl
    guard try users.user(of: account) != nil,
      try people.contains(where: { try $0 != account && users.user(of: $0) != nil }),
      let refusal = try users.userRefusal(in: CloudLayout.account(account))
    else { return }
    throw refusal
  }
}

extension ZoneLog {
  /// Lets the users of a share into the zone's directories, and keeps all others out.
  ///
  /// For the owner of the zone, whenever the share has changed. Between accounts of one user there
  /// is nothing to protect. Throws `permissionFailure` where the store cannot let them in.
  public func protect(for share: Share?) throws {
    try container.requireWritable()
    let users = store.accessControl
    guard id.owner == container.account, try users.user(of: id.owner) != nil,
      let manifest = try container.manifest(of: id, in: layout), manifest.deletion == nil
    else { return }
    let protection = try ZoneProtection(share, user: users.user)
    for (prefix, access) in protection.directories(of: layout, epoch: manifest.epoch) {
      try users.allow(access, in: prefix)
    }
  }

  /// Makes the directories of a log that is to come, for the same people as those of another one.
  func prepareDirectories(ofEpoch next: Int64, like epoch: Int64) throws {
    let users = store.accessControl
    guard try users.user(of: id.owner) != nil else { return }
    let pairs = zip(
      ZoneProtection.directories(of: layout, ofEpoch: epoch),
      ZoneProtection.directories(of: layout, ofEpoch: next))
    for (known, new) in pairs {
      guard let access = try users.access(in: known), access != StoreAccess() else { continue }
      try users.allow(access, in: new)
    }
  }
}
