import Foundation
import SQLiteSyncHashing
import Synchronization

/// The cloud as one account on one device sees it.
///
/// All calls are synchronous and may come from any thread. They throw `CloudError`.
public final class CloudContainer: Sendable {
  private struct State {
    /// `CLOUD.json` as it was when the cloud was opened.
    var opened: Opened?
    /// What was read of each zone's `meta` log.
    ///
    /// Its entries never change.
    var manifests: [ZoneID: KnownManifest] = [:]
    /// The users who own the directories of accounts that the store has no user for.
    var owners: [AccountID: StoreUser] = [:]
  }

  /// What `CLOUD.json` says, and its bytes: as long as they are the same, it says the same.
  private struct Opened {
    let bytes: Data
    let file: CloudFile
  }

  /// A folded `meta` log, and the bytes of its latest entry, which show that it still stands.
  ///
  /// A class, since every call looks at it, and it is too large to be copied each time.
  private final class KnownManifest: Sendable {
    let manifest: ZoneManifest
    let latest: Data

    init(_ manifest: ZoneManifest, latest: Data) {
      self.manifest = manifest
      self.latest = latest
    }
  }

  /// Who uses it.
  public let account: AccountID
  /// On which device: no two databases may give the same, or the order of their edits is not told.
  public let device: UUID
  /// What people call the device; nil when nobody has said.
  ///
  /// An engine tells it to the account's other devices, and to no other account.
  public let deviceName: String?
  let app: String
  let environment: CloudEnvironment
  let store: any ObjectStore
  private let state = Mutex(State())

  /// A cloud in a directory.
  ///
  /// See the other initializer.
  public convenience init(
    directory: URL, account: AccountID, device: UUID, deviceName: String? = nil, app: String
  ) {
    self.init(
      store: DirectoryStore(directory: directory), account: account, device: device,
      deviceName: deviceName, app: app)
  }

  /// A cloud over a store.
  ///
  /// - Parameters:
  ///   - store: Where the objects lie.
  ///   - account: Who uses it.
  ///   - device: On which device.
  ///   - deviceName: What people call the device: see `deviceName`.
  ///   - app: The name and version of the program, for people.
  ///   - environment: For tests: the clock, and how ids are made.
  public init(
    store: any ObjectStore, account: AccountID, device: UUID, deviceName: String? = nil,
    app: String, environment: CloudEnvironment = .live
  ) {
    self.store = store
    self.account = account
    self.device = device
    self.deviceName = deviceName
    self.app = Validity.readable(app)
    self.environment = environment
  }

  /// The same cloud as another account sees it on this device; not opened.
  public func seen(by account: AccountID) -> CloudContainer {
    CloudContainer(
      store: store, account: account, device: device, deviceName: deviceName, app: app,
      environment: environment)
  }

  /// The same cloud as this account sees it on another device; not opened.
  public func used(on device: UUID) -> CloudContainer {
    CloudContainer(
      store: store, account: account, device: device, deviceName: deviceName, app: app,
      environment: environment)
  }

  /// Opens the cloud, creating what a new one needs, and returns its id.
  ///
  /// - Parameter expecting: The id that the caller knows. Then nothing is created: an empty
  ///   directory is a disk that is not mounted, not a cloud in which everything was deleted. The id
  ///   returned may still be another one: another cloud is there now.
  /// - Throws: `accountTemporarilyUnavailable` when no cloud can be reached there,
  ///   `permissionFailure`, `incompatibleVersion` for a newer format.
  @discardableResult
  public func open(expecting: String? = nil) throws -> String {
    var found = try readCloudFile()
    if found == nil, expecting == nil {
      try makeCloud()
      found = try readCloudFile()
    }
    guard let bytes = found else { throw try absence() }
    let file = try CloudFile.read(Array(bytes))
    try file.requireReadable()
    // The caller remembers the id, so a power cut must not take it back.
    try store.barrier(CloudLayout.root)
    state.withLock { state in
      if state.opened?.file.id != file.id { state.manifests = [:] }
      state.opened = Opened(bytes: bytes, file: file)
    }
    if file.canWrite { try createAccount() }
    return file.id
  }

  /// Makes the place a cloud that nobody has an account in yet; one that is there stays.
  ///
  /// For who prepares it for others: whoever owns the file that makes it a cloud can take it away
  /// from all of them. `open(expecting:)` does it, too.
  ///
  /// - Throws: `accountTemporarilyUnavailable` where a cloud was and its file is gone, and what the
  ///   store throws.
  public func begin() throws {
    if try readCloudFile() == nil { try makeCloud() }
  }

  private func makeCloud() throws {
    try requireNoAccounts()
    let id = environment.makeID().lowercaseString
    try require(store.createIfAbsent(CloudLayout.cloudFile, CloudFile(id: id).encoded))
  }

  /// Begins no cloud where one was: its devices would be divided between the two.
  private func requireNoAccounts() throws {
    // Somebody may have begun it just now.
    guard try hasAccounts(), try readCloudFile() == nil else { return }
    throw CloudError.noCloudFile
  }

  private func hasAccounts() throws -> Bool {
    try !store.list(CloudLayout.accounts, after: nil, limit: 1).isEmpty
  }

  /// What it means that there is no `CLOUD.json`: only that, or a disk that is not mounted.
  private func absence() throws -> CloudError { try hasAccounts() ? .noCloudFile : .noCloud }

  /// Puts `CLOUD.json` back under the id that a device knows, where there is none, or junk.
  func restoreCloudFile(id: String) throws {
    if let bytes = try readCloudFile(), CloudFile.isJunk(bytes) {
      try store.delete(CloudLayout.cloudFile)
    }
    try require(store.createIfAbsent(CloudLayout.cloudFile, CloudFile(id: id).encoded))
  }

  /// The log of a zone, which need not exist yet.
  public func zone(_ id: ZoneID) -> ZoneLog {
    ZoneLog(id: id, container: self)
  }

  /// The zones of this account.
  public func zones() throws -> [ZoneID] {
    try requireOpen()
    let prefix = CloudLayout.zones(of: account)
    let layouts = try store.list(prefix, after: nil, limit: .max)
      .compactMap { ZoneLayout(owner: account, listed: $0) }
    return try layouts.prefix(CloudLimits.zonesPerAccount).compactMap(zone)
  }

  /// The zone of a directory; nil for one that is deleted, damaged or of a newer format: it must
  /// not hide the others.
  private func zone(in layout: ZoneLayout) throws -> ZoneID? {
    do {
      guard let bytes = try readMeta(layout.metaEntry(1)),
        case .zoneCreated(let name, _) = try MetaEntry.read(SealedFile(Array(bytes))).kind
      else { return nil }
      let zone = ZoneID(name: name, owner: account)
      guard ZoneLayout(zone) == layout, try manifest(of: zone, in: layout)?.deletion == nil else {
        return nil
      }
      return zone
    } catch is FormatError {
      return nil  // `CloudCheck` finds it by its directory.
    } catch let error as CloudError
      where [.internalError, .incompatibleVersion].contains(error.code)
    {
      return nil  // Likewise.
    }
  }

  /// Calls `onChange` when one of the zones may have changed, until the watch is cancelled or
  /// released.
  ///
  /// It only says "look": calls may be spurious, and where the file system reports nothing (a
  /// network mount) they are missing, so the caller looks from time to time as well.
  public func watch(_ zones: [ZoneID], onChange: @escaping @Sendable () -> Void) -> StoreWatch {
    let prefixes = zones.flatMap { zone in
      let layout = ZoneLayout(zone)
      let epoch = state.withLock { $0.manifests[zone]?.manifest.epoch ?? 1 }
      return [layout.meta, layout.log(epoch: epoch)]
    }
    let own = [CloudLayout.zones(of: account), CloudLayout.inbox(of: account)]
    return store.watch(prefixes + own, onChange: onChange)
  }

  /// Makes sure that the cloud which was opened is still the one that is there.
  func requireOpen() throws {
    _ = try presentFile()
  }

  /// The same, and refuses to write to a cloud of a newer format.
  func requireWritable() throws {
    guard try presentFile().canWrite else {
      throw CloudError.needsNewerWriter
    }
  }

  /// What `CLOUD.json` says now.
  func presentFile() throws -> CloudFile {
    guard let opened = state.withLock({ $0.opened }) else {
      throw CloudError.unavailable("The cloud has not been opened.")
    }
    guard let bytes = try readCloudFile() else { throw try absence() }
    if bytes == opened.bytes { return opened.file }
    let file = try CloudFile.read(Array(bytes))
    try file.requireReadable()
    guard file.id == opened.file.id else {
      throw CloudError.unavailable("Another cloud is there now.")
    }
    return file
  }

  private func readCloudFile() throws -> Data? {
    try store.read(CloudLayout.cloudFile, limit: CloudLimits.metaBytes)
  }

  private func createAccount() throws {
    let key = CloudLayout.accountFile(account)
    guard try store.read(key, limit: 1) == nil else { return }
    try store.accessControl.allow(StoreAccess(others: .drop), in: CloudLayout.inbox(of: account))
    try require(store.createIfAbsent(key, AccountFile(account: account).encoded))
  }

  /// Accepts a file that was created just now, by whomever.
  private func require(_ outcome: CreateOutcome) throws {
    switch outcome {
    case .created, .exists: break
    case .failed(let error), .unknown(let error): throw error
    }
  }
}

// MARK: - Authors

extension CloudContainer {
  /// Whether a file can be an account's, as far as its owner tells.
  ///
  /// The account of a user has that user's files; another account those of whoever owns its
  /// directory. Where the store has no users, all who use it trust each other. An administrator can
  /// do everything anyway, and restores backups.
  func vouches(_ owner: StoreUser?, for author: AccountID) throws -> Bool {
    let users = store.accessControl
    guard let owner, !users.isAdministrator(owner) else { return true }
    return try user(of: author, among: users) == owner
  }

  private func user(of account: AccountID, among users: any StoreUsers) throws -> StoreUser? {
    if let user = try users.user(of: account) { return user }
    if let known = state.withLock({ $0.owners[account] }) { return known }
    guard let owner = try users.owner(of: CloudLayout.account(account)) else { return nil }
    state.withLock { $0.owners[account] = owner }
    return owner
  }
}

// MARK: - Zones' manifests

extension CloudContainer {
  /// Reads a zone's `meta` log to its end; nil when there is none.
  ///
  /// What was read before is kept, if the latest entry of it is still there unchanged.
  ///
  /// - Parameter seen: What the caller has just been given: that is not looked at once more, only
  ///   what has come since.
  func manifest(
    of zone: ZoneID, in layout: ZoneLayout, since seen: ZoneManifest? = nil
  ) throws -> ZoneManifest? {
    let known = state.withLock { $0.manifests[zone] }
    var current: KnownManifest?
    if let known, known.manifest.hash == seen?.hash {
      current = known
    } else if let known {
      // Both at once: on most looks there is nothing new.
      let entries = try readMeta(following: known, in: layout)
      if entries[0] == known.latest {
        guard let next = entries[1] else { return known.manifest }
        current = try manifest(of: known, and: next, in: layout)
      }
    }
    if current == nil { current = try firstManifest(of: zone, in: layout) }
    while let last = current, let next = try manifest(after: last, in: layout) { current = next }
    guard current?.manifest.hash != known?.manifest.hash else { return current?.manifest }
    // An entry that a power cut takes back must not have been built upon: commits of a zone that
    // was never created are void.
    if current != nil { try store.barrier(layout.meta) }
    state.withLock { [current] in $0.manifests[zone] = current }
    return current?.manifest
  }

  /// The manifest with the next entry of `meta`; nil when there is none.
  private func manifest(
    after last: KnownManifest, in layout: ZoneLayout
  ) throws -> KnownManifest? {
    try readMeta(layout.metaEntry(last.manifest.number + 1))
      .map { try manifest(of: last, and: $0, in: layout) }
  }

  private func manifest(
    of last: KnownManifest, and bytes: Data, in layout: ZoneLayout
  ) throws -> KnownManifest {
    var manifest = last.manifest
    manifest.append(Array(bytes))
    if manifest.voids[manifest.number] != nil {
      try requireKnownVersion(Array(bytes), at: layout.metaEntry(manifest.number))
    }
    return KnownManifest(manifest, latest: bytes)
  }

  /// The latest entry that is known as it is now, and the one after it.
  private func readMeta(
    following known: KnownManifest, in layout: ZoneLayout
  ) throws -> [Data?] {
    let number = known.manifest.number
    return try store.objects(
      [layout.metaEntry(number), layout.metaEntry(number + 1)], limit: CloudLimits.metaBytes + 1
    ).map { $0?.bytes }
  }

  private func firstManifest(
    of zone: ZoneID, in layout: ZoneLayout
  ) throws -> KnownManifest? {
    let key = layout.metaEntry(1)
    guard let bytes = try readMeta(key) else { return nil }
    do {
      return KnownManifest(try ZoneManifest(first: Array(bytes), zone: zone), latest: bytes)
    } catch {
      try requireKnownVersion(Array(bytes), at: key)
      throw CloudError.damaged("\(key) is not the beginning of a zone: \(error).")
    }
  }

  private func readMeta(_ key: StoreKey) throws -> Data? {
    try store.read(key, limit: CloudLimits.metaBytes + 1)
  }

  /// Refuses an entry that cannot be read because it is of a newer format.
  private func requireKnownVersion(_ bytes: [UInt8], at key: StoreKey) throws {
    if let version = MetaEntry.version(bytes), version > Commit.version {
      throw CloudError.newerFormat("\(key) is of format \(version)")
    }
  }
}

extension CloudError {
  /// What is said where a cloud was known to be, and nothing is: a disk that is not mounted, or a
  /// cloud that is gone for good.
  public static let noCloud = unavailable("There is no cloud where one was before.")

  static let needsNewerWriter = newerFormat("Writing to the cloud needs features")

  static let noCloudFile = CloudError(
    .accountTemporarilyUnavailable, "The file CLOUD.json is missing in a cloud that is in use.",
    hint: "A repair (CloudRepair) on a device that has used it puts the file back.")

  /// What is said where the place that somebody names is a file.
  static func notADirectory(_ place: String) -> CloudError {
    CloudError(
      .badContainer, "\(place) is not a directory.", hint: "A cloud is a directory, not a file.")
  }

  static func unavailable(_ reason: String) -> CloudError {
    CloudError(
      .accountTemporarilyUnavailable, reason,
      hint: "Is its disk mounted? Nothing is lost; it is tried again.")
  }
}
