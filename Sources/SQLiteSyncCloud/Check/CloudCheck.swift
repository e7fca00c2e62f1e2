import Foundation

/// Reads everything in a cloud that this user may read, verifies it, and says what is wrong.
///
/// It leaves nothing behind, needs no open cloud, and may run beside readers, writers and
/// collectors.
/// Memory grows with the records and the files, not with their bytes: files are read one by one.
public struct CloudCheck {
  /// What the device that checks holds of a zone that it has fetched to its end once: its stored
  /// change token.
  public struct DeviceState: Hashable, Sendable {
    /// The zone.
    public let zone: ZoneID
    /// The position up to which the device has applied everything.
    ///
    /// Nil when it has read nothing yet of a log that took the place of the one it had read.
    public let token: ChangeToken?

    /// The state of a device.
    public init(zone: ZoneID, token: ChangeToken?) {
      self.zone = zone
      self.token = token
    }
  }

  let container: CloudContainer
  /// What this device holds of its account's zones, which can prove that nothing is lost by
  /// beginning one anew.
  let states: [DeviceState]
  /// The id of the cloud that this device has been in step with; nil when it has been with none.
  let cloud: String?
  /// The zones that this device keeps in step with: it cannot do without them.
  let zones: Set<ZoneID>
  let bytes: HeldBytes
  let policy: MaintenancePolicy
  /// The time by the clock that has dated the files.
  private var now: Int64

  /// Finds the bytes of an asset, given their SHA-256 in lower-case hexadecimal digits; nil when
  /// the device does not have them.
  public typealias HeldBytes = @Sendable (_ sha256: String) throws -> Data?

  /// A check of the cloud of a container.
  ///
  /// - Parameters:
  ///   - container: The cloud, opened or not.
  ///   - states: How far the device has read which zones.
  ///   - cloud: The id of the cloud that it has been in step with.
  ///   - zones: The zones that it keeps in step with.
  ///   - bytes: Finds the bytes of assets that it has.
  public init(
    _ container: CloudContainer, holding states: [DeviceState] = [], of cloud: String? = nil,
    following zones: Set<ZoneID> = [], bytes: @escaping HeldBytes = { _ in nil }
  ) {
    self.container = container
    self.states = states
    self.cloud = cloud
    self.zones = zones
    self.bytes = bytes
    policy = .standard
    now = container.environment.now()
  }

  var store: any ObjectStore { container.store }

  /// Reads everything.
  ///
  /// - Throws: `accountTemporarilyUnavailable` when there is no directory. Whatever is wrong inside
  ///   is a finding.
  public func run() throws -> CheckReport {
    var check = self
    check.now = try storeTime()
    return try check.report()
  }

  /// Looks for what a new device of the account would not get of a zone.
  ///
  /// Everything but the bytes of assets is read: that they are there is enough.
  ///
  /// - Throws: What keeps the zone from being read at all.
  public func losses(in zone: ZoneID) throws -> [CheckFinding] {
    try losses(in: ZoneLayout(zone), owner: zone.owner)
  }

  /// The same of a zone whose name is not known.
  func losses(in layout: ZoneLayout, owner: AccountID) throws -> [CheckFinding] {
    func losses() throws -> [CheckFinding] {
      try zoneReport(layout, owner: owner, scope: .losses).findings
        .filter { $0.severity == .damage }
    }
    let first = try losses()
    guard !first.isEmpty else { return [] }
    // See `checkTwice`.
    let again = Set(try losses())
    return first.filter(again.contains)
  }

  /// Ages are those of one clock, which may differ from this device's by years.
  ///
  /// Where this user has no directory, or may not write there, none is made to learn the time.
  private func storeTime() throws -> Int64 {
    let own = CloudLayout.account(container.account)
    do {
      guard try !store.list(own, after: nil, limit: 1).isEmpty else { return now }
      return try store.now(in: own) ?? now
    } catch is CloudError {
      // What is wrong there is found by the check.
      return now
    }
  }

  private func report() throws -> CheckReport {
    let notes = CheckNotes()
    try checkRoot(notes)
    let owners: Set<AccountID> = try Set(zones.map(\.owner)).union(accounts(notes))
    for account in owners.sorted(by: { $0.rawValue < $1.rawValue }) {
      check(account, notes)
      checkFollowed(of: account, notes)
    }
    var report = notes.report
    report.findings.sort { ($0.path, $1.severity) < ($1.path, $0.severity) }
    return report
  }

  // MARK: The root

  /// Programs that copy directories between machines, and what they leave behind.
  private static let synchronizers = [
    (".stfolder", "Syncthing"), (".dropbox", "Dropbox"), (".dropbox.cache", "Dropbox"),
  ]

  private func checkRoot(_ notes: CheckNotes) throws {
    var folder = CheckedFolder(CloudLayout.root, store: store, policy: policy, now: now)
    try folder.list()
    for (name, program) in Self.synchronizers where folder.contains(name) {
      notes.add(
        .damage, name, "\(program) copies this directory.",
        "Copies are not one directory, and commits get lost between them: "
          + "use a directory that all devices mount.")
    }
    let known = Set(Self.synchronizers.map(\.0))
    folder.expect { $0.name == "CLOUD.json" || $0.name == "accounts" || known.contains($0.name) }
    folder.report(to: notes)
    try checkCloudFile(notes)
    try checkOwners(notes)
  }

  /// Whoever owns a directory can move away what is in it, whosever that is.
  private func checkOwners(_ notes: CheckNotes) throws {
    let users = store.accessControl
    // Only on a machine: a database lets nobody take away what others have in a directory.
    guard container.account.userID != nil, !(store is any AdministeredStore),
      let user = try users.user(of: container.account)
    else { return }
    func stranger(_ owner: StoreUser?) throws -> String? {
      guard let owner, owner != user, !users.isAdministrator(owner) else { return nil }
      return try users.account(of: owner).displayName
    }
    for prefix in [CloudLayout.root, CloudLayout.accounts] {
      guard let owner = try stranger(users.owner(of: prefix)) else { continue }
      notes.add(
        .warning, prefix,
        "It belongs to \(owner), who can move everybody's data away.",
        "Where that is not to be, an administrator makes it his own: chown root, chmod 1777.")
    }
    let file = CloudLayout.cloudFile
    guard let owner = try stranger(store.object(file, limit: CloudLimits.metaBytes)?.owner) else {
      return
    }
    notes.add(
      .warning, file,
      "It belongs to \(owner), who can stop everybody's synchronization.",
      "Where that is not to be, an administrator makes it his own: chown root.")
  }

  private func checkCloudFile(_ notes: CheckNotes) throws {
    let key = CloudLayout.cloudFile
    let bytes = try store.read(key, limit: CloudLimits.metaBytes)
    guard let bytes, !CloudFile.isJunk(bytes) else {
      // An empty directory is where a disk is to be mounted, and not a cloud that lost its file.
      let isUsed = try !store.list(CloudLayout.accounts, after: nil, limit: 1).isEmpty
      notes.add(
        .damage, key,
        bytes == nil
          ? "The file that makes the directory a cloud is missing."
          : "It is not the file that makes the directory a cloud.",
        !isUsed
          ? "Is it the right directory, and is its disk mounted? Nobody has an account there."
          : cloud == nil
            ? "Is it the right directory, and is its disk mounted? If so, repair it "
              + "on a device that has used it."
            : "A repair puts it back with the id that this device knows.",
        repair: isUsed ? cloud.map { .nameCloud(id: $0) } : nil)
      return
    }
    do {
      let file = try CloudFile.read(Array(bytes))
      try file.requireReadable()
      if !file.canWrite { throw CloudError.needsNewerWriter }
      guard let cloud, cloud != file.id else { return }
      notes.add(
        .damage, key, "It is not the cloud that this device has been in step with (\(cloud)).",
        "If it is the same and the file was recreated, this device goes on with it when it "
          + "synchronizes. Otherwise use the directory of the right cloud.")
    } catch let error as CloudError {
      notes.add(.damage, key, error.reason, error.hint ?? "")
    }
  }

  // MARK: Accounts

  private func accounts(_ notes: CheckNotes) throws -> [AccountID] {
    var folder = CheckedFolder(CloudLayout.accounts, store: store, policy: policy, now: now)
    try folder.list()
    folder.expect { AccountID(rawValue: $0.name) != nil }
    folder.report(to: notes)
    return try folder.expected.compactMap { entry in
      guard let account = AccountID(rawValue: entry.name) else { return nil }
      guard try entry.kind != .directory || isOfStranger(entry, account) else { return account }
      try reportImpostor(entry, of: account, notes)
      return nil
    }
  }

  /// Whether the directory of a user's account is another user's.
  private func isOfStranger(_ entry: StoreEntry, _ account: AccountID) throws -> Bool {
    guard let owner = entry.owner, let user = try store.accessControl.user(of: account) else {
      return false
    }
    return owner != user
  }

  /// Says of something else that it is in the place of an account's directory, and who made it.
  private func reportImpostor(
    _ entry: StoreEntry, of account: AccountID, _ notes: CheckNotes
  ) throws {
    let owner = try entry.owner.map { try store.accessControl.account(of: $0).displayName }
    let fault =
      entry.kind == .directory
      ? "It belongs to \(owner ?? "another user")"
      : "It is not a directory" + (owner.map { ", and \($0) made it" } ?? "")
    let whom = owner ?? "whoever made it"
    let severity: CheckFinding.Severity = account == container.account ? .damage : .warning
    notes.add(
      severity, CloudLayout.account(account),
      "\(fault): \(account.displayName) cannot use the cloud.",
      "Ask \(whom) or an administrator to move it away; then it is recreated.")
  }

  private func check(_ account: AccountID, _ notes: CheckNotes) {
    let prefix = CloudLayout.account(account)
    do {
      try checkDirectory(of: account, notes)
      try checkInbox(of: account, notes)
      for layout in try zones(of: account, notes) where !isFollowed(layout) {
        notes.count { $0.zones += 1 }
        checkTwice(layout, owner: account, notes)
      }
    } catch let error as CloudError
      where error.code == .permissionFailure && account != container.account
    {
      // Others' directories are theirs alone, unless somebody shares something.
    } catch {
      reportUnreadable(prefix, error, isOwn: account == container.account, false, notes)
    }
  }

  /// Checks the zones that the device keeps in step with, whether they are listed or not: of what
  /// others share it knows the names, and may not look what else they have.
  private func checkFollowed(of account: AccountID, _ notes: CheckNotes) {
    let followed: Set<ZoneID> = zones.filter { $0.owner == account }
    for zone in followed.sorted(by: { $0.name < $1.name }) {
      notes.count { $0.zones += 1 }
      checkTwice(ZoneLayout(zone), owner: account, notes)
    }
  }

  private func reportUnreadable(
    _ prefix: StorePrefix, _ error: any Error, isOwn: Bool, _ isFollowed: Bool, _ notes: CheckNotes
  ) {
    let reason = (error as? CloudError)?.reason ?? "\(error)"
    notes.add(
      isOwn || isFollowed ? .damage : .note, prefix, "It could not be read whole: \(reason)",
      isOwn
        ? "Look at what is in its place, and check as the user it belongs to."
        : isFollowed
          ? "This device follows it, and cannot go on: ask its owner." : "It is another account's.")
  }

  private func checkDirectory(of account: AccountID, _ notes: CheckNotes) throws {
    var folder = CheckedFolder(
      CloudLayout.account(account), store: store, policy: policy, now: now)
    try folder.list()
    folder.expect { ["account.json", "inbox", "zones"].contains($0.name) }
    folder.report(to: notes)
    guard folder.contains("account.json") else {
      notes.add(
        .warning, CloudLayout.accountFile(account), "The file is missing.",
        "The next synchronization of \(account) makes it.")
      return
    }
    let key = CloudLayout.accountFile(account)
    let bytes = try store.read(key, limit: CloudLimits.metaBytes)
    if bytes != AccountFile(account: account).encoded {
      notes.add(
        .warning, key, "It is not the file of the account \(account).",
        "Nothing depends on it; move it away, and the next synchronization recreates it.")
    }
  }

  private func checkInbox(of account: AccountID, _ notes: CheckNotes) throws {
    // Others may leave a message and not look: theirs is another's secret.
    guard account == container.account else { return }
    var folder = CheckedFolder(
      CloudLayout.inbox(of: account), store: store, policy: policy, now: now)
    try folder.list()
    folder.expect { entry in
      entry.isRegular && entry.byteCount <= CloudLimits.messageBytes
        && AssetReference.isName(entry.name)
    }
    folder.report(to: notes)
  }

  private func zones(of account: AccountID, _ notes: CheckNotes) throws -> [ZoneLayout] {
    var folder = CheckedFolder(
      CloudLayout.zones(of: account), store: store, policy: policy, now: now)
    try folder.list()
    folder.expect { $0.kind == .directory && ZoneLayout(owner: account, listed: $0) != nil }
    folder.report(to: notes)
    return folder.expected.compactMap { ZoneLayout(owner: account, listed: $0) }
  }

  /// A zone in which others write and collect meanwhile can look damaged; damage stays.
  private func checkTwice(_ layout: ZoneLayout, owner: AccountID, _ notes: CheckNotes) {
    do {
      let first = try zoneReport(layout, owner: owner)
      guard first.worst == .damage else { return notes.add(first) }
      let again = try zoneReport(layout, owner: owner)
      let known = Set(first.findings)
      notes.add(again) { $0.severity < .damage || known.contains($0) }
    } catch {
      reportUnreadable(
        layout.zone, error, isOwn: owner == container.account,
        isFollowed(layout), notes)
    }
  }

  private func isFollowed(_ layout: ZoneLayout) -> Bool {
    zones.contains { ZoneLayout($0) == layout }
  }

  private func zoneReport(
    _ layout: ZoneLayout, owner: AccountID, scope: ZoneCheck.Scope = .everything
  ) throws -> CheckReport {
    let check = ZoneCheck(
      store: store, layout: layout, owner: owner,
      device: states.first { ZoneLayout($0.zone) == layout },
      isOwn: owner == container.account, isFollowed: isFollowed(layout), bytes: bytes,
      policy: policy, now: now, scope: scope)
    try check.run()
    return check.notes.report
  }
}
