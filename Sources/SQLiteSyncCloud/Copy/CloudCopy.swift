import Foundation
import Synchronization

/// Copies a whole cloud from one store to another, byte for byte, so that devices go on there with
/// what they have: the cloud keeps its id, and every log its hashes.
///
/// Each user copies what is theirs. Whoever administers a database copies all of it into it: every
/// object stays whose it was, by the account that its owner has.
///
/// What is copied is read back and compared. What is there already is compared, too, so a copy that
/// was interrupted is simply made again. `CLOUD.json` comes last: before it, there is no cloud that
/// a device could open.
public struct CloudCopy: Sendable {
  /// What was copied, and what could not be.
  public struct Report: Hashable, Sendable {
    /// Whose data is at the new place.
    public internal(set) var accounts: [AccountID] = []
    /// The objects that were copied.
    public internal(set) var copied = 0
    /// Their bytes.
    public internal(set) var byteCount: Int64 = 0
    /// The objects that were there already, the same.
    public internal(set) var present = 0
    /// Accounts that this user may not read or write, with the reason.
    public internal(set) var skipped: [AccountID: String] = [:]
    /// What no new device gets at the new place, because it was damaged or missing at the old one.
    public internal(set) var damage: [CheckFinding] = []
    /// Whether something came into the old place while it was copied.
    public internal(set) var isStillUsed = false
    /// Why what is shared cannot be shared with others at the new place; nil when it can.
    public internal(set) var sharing: CloudError?
  }

  private let source: any ObjectStore
  private let destination: any ObjectStore
  /// How often the old place is looked through for what has come meanwhile.
  private static let passes = 10
  /// Larger objects are copied one by one: several would take too much memory.
  private static let large = 1 << 20

  /// A copy between two stores, whose places must exist.
  public init(from source: any ObjectStore, to destination: any ObjectStore) {
    self.source = source
    self.destination = destination
  }

  /// Copies everything.
  ///
  /// - Parameters:
  ///   - progress: Is given the number of objects that are done, and of all that are known.
  ///   - making: Makes the new place, once it is known that there is a cloud to copy.
  /// - Throws: `accountTemporarilyUnavailable` when there is no cloud to copy, or another one at
  ///   the new place; before anything is written, why an account can be nobody's there, or no
  ///   account this user's; and what the stores throw.
  public func run(
    progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in },
    making: () throws -> Void = {}
  ) throws -> Report {
    let cloud = try requireCloud()
    try making()
    try requireNoOther(cloud)
    var report = Report()
    report.skipped = try refusals()
    let place = try CopyDestination(destination, from: source)
    var done: Set<StoreKey> = []
    for pass in 1... {
      let found = try objects(&report).filter { !done.contains($0.key) }
      if found.isEmpty { break }
      guard pass <= Self.passes else {
        throw CloudError(
          .networkUnavailable, "The old place changes faster than it can be copied.",
          hint: "Stop the devices that use it, and copy again: what is there stays.")
      }
      try copy(found, to: place, done.count, progress, &report)
      done.formUnion(found.map(\.key))
    }
    try copyAccess(to: place, &report)
    if try destination.read(CloudLayout.cloudFile, limit: 1) == nil {
      _ = try copy(CloudLayout.cloudFile, to: place)
      report.copied += 1
      report.byteCount += Int64(cloud.count)
    } else {
      report.present += 1
    }
    try destination.barrier(CloudLayout.root)
    report.isStillUsed = try objects(&report).contains { !done.contains($0.key) }
    report.damage = try damage(report)
    report.accounts = try accounts(of: source).filter { report.skipped[$0] == nil }
    return report
  }

  /// The accounts that other users have to copy, with the reason.
  private func refusals() throws -> [AccountID: String] {
    let accounts = try accounts(of: source)
    let known = try (destination as? any AdministeredStore)?.refusals(of: accounts)
    let refusals = try accounts.compactMap { account in
      try (known.map { $0[account] } ?? destination.accessControl.refusal(of: account))
        .map { (account, $0) }
    }
    let lasting = refusals.first { $0.1.code != .permissionFailure }
    if let refusal = lasting ?? (refusals.count == accounts.count ? refusals.first : nil) {
      throw refusal.1
    }
    return Dictionary(uniqueKeysWithValues: refusals.map { ($0.0, $0.1.reason) })
  }

  /// Reads the logs at the new place as a new device would.
  private func damage(_ report: Report) throws -> [CheckFinding] {
    try accounts(of: source).filter { report.skipped[$0] == nil }.flatMap { account in
      let container = CloudContainer(
        store: destination, account: account, device: UUID(), app: "cloud copy")
      return try zones(of: account)
        .flatMap { try CloudCheck(container).losses(in: $0, owner: account) }
    }
  }

  /// The bytes of `CLOUD.json`, of a cloud that this version knows whole.
  private func requireCloud() throws -> Data {
    guard let bytes = try source.read(CloudLayout.cloudFile, limit: CloudLimits.metaBytes) else {
      throw CloudError(
        .accountTemporarilyUnavailable, "There is no cloud to copy.",
        hint: "A cloud has a file CLOUD.json; give the place that your devices use.")
    }
    try CloudFile.read(Array(bytes)).requireReadable()
    return bytes
  }

  private func requireNoOther(_ bytes: Data) throws {
    if let found = try destination.read(CloudLayout.cloudFile, limit: CloudLimits.metaBytes) {
      guard found == bytes else { throw CloudError.otherCloud }
    }
  }

  // MARK: - What there is

  private struct Object {
    let key: StoreKey
    let byteCount: Int64
  }

  private struct Folder {
    let prefix: StorePrefix
    let belongs: (String) -> Bool
  }

  private func accounts(of store: any ObjectStore) throws -> [AccountID] {
    try store.list(CloudLayout.accounts, after: nil, limit: .max)
      .filter { $0.kind == .directory }.compactMap { AccountID(rawValue: $0.name) }
  }

  private func zones(of account: AccountID) throws -> [ZoneLayout] {
    try source.list(CloudLayout.zones(of: account), after: nil, limit: .max)
      .compactMap { ZoneLayout(owner: account, listed: $0) }
  }

  private func epochs(of layout: ZoneLayout) throws -> [Int64] {
    try source.list(layout.zone, after: nil, limit: .max) {
      ZoneLayout.epoch(inDirectoryName: $0) != nil
    }.compactMap { $0.kind == .directory ? ZoneLayout.epoch(inDirectoryName: $0.name) : nil }
  }

  /// All objects of the cloud but `CLOUD.json`, in an order in which one is named by later ones.
  private func objects(_ report: inout Report) throws -> [Object] {
    var objects: [Object] = []
    for account in try accounts(of: source) where report.skipped[account] == nil {
      do {
        objects += try self.objects(of: account)
      } catch let error as CloudError where error.code == .permissionFailure {
        report.skipped[account] = error.reason
      }
    }
    return objects
  }

  private func objects(of account: AccountID) throws -> [Object] {
    var folders = [
      Folder(prefix: CloudLayout.account(account)) { $0 == "account.json" },
      Folder(prefix: CloudLayout.inbox(of: account), belongs: AssetReference.isName),
    ]
    for layout in try zones(of: account) {
      // A zone of the same name in another cloud has another beginning: before anything is mixed.
      try requireSame(layout.metaEntry(1))
      for epoch in try epochs(of: layout) {
        folders += [
          Folder(prefix: layout.assets(epoch: epoch), belongs: AssetReference.isName),
          Folder(prefix: layout.checkpoints(epoch: epoch), belongs: Checkpoint.Part.isName),
          Folder(prefix: layout.log(epoch: epoch)) { ZoneLayout.number(inFileName: $0) != nil },
        ]
      }
      folders += [
        Folder(prefix: layout.quarantine) { !$0.hasPrefix(".") },
        Folder(prefix: layout.meta) { ZoneLayout.number(inFileName: $0) != nil },
      ]
    }
    return try folders.flatMap { folder in
      try source.list(folder.prefix, after: nil, limit: .max, where: folder.belongs)
        .filter(\.isRegular)
        .map { Object(key: StoreKey(folder.prefix, listed: $0), byteCount: $0.byteCount) }
    }
  }

  private func requireSame(_ key: StoreKey) throws {
    let limit = CloudLimits.metaBytes + 1
    guard let found = try destination.read(key, limit: limit) else { return }
    guard try source.read(key, limit: limit) == found else { throw CloudError.otherCloud }
  }

  // MARK: - Copying

  private func copy(
    _ objects: [Object], to place: CopyDestination, _ before: Int,
    _ progress: @escaping @Sendable (Int, Int) -> Void, _ report: inout Report
  ) throws {
    let state = Mutex((report: report, done: before, failure: (any Error)?.none))
    let total = before + objects.count
    let small = objects.filter { $0.byteCount <= Self.large }
    let large = objects.filter { $0.byteCount > Self.large }
    for (group, width) in [(small, max(source.readsAtOnce, destination.readsAtOnce)), (large, 1)] {
      inParallel(group.count, atOnce: width) { index in
        let key = group[index].key
        guard
          state.withLock({ state in
            state.failure == nil && key.account.map { state.report.skipped[$0] == nil } ?? true
          })
        else { return }
        let result = Result { try copy(key, to: place) }
        let done = state.withLock { state in
          Self.take(result, key, &state.report, &state.failure)
          state.done += 1
          return state.done
        }
        progress(done, total)
      }
    }
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      report = state.report
    }
  }

  private static func take(
    _ result: Result<Copied, any Error>, _ key: StoreKey, _ report: inout Report,
    _ failure: inout (any Error)?
  ) {
    switch result {
    case .success(.now(let count)):
      report.copied += 1
      report.byteCount += Int64(count)
    case .success(.before): report.present += 1
    case .success(.gone): break
    case .failure(let error as CloudError) where error.code == .permissionFailure:
      if let account = key.account {
        report.skipped[account] = error.reason
      } else {
        failure = error
      }
    case .failure(let error): failure = error
    }
  }

  private enum Copied {
    /// So many bytes were copied.
    case now(Int)
    /// It was there.
    case before
    /// It was removed from the old place since it was listed.
    case gone
  }

  private func copy(_ key: StoreKey, to place: CopyDestination) throws -> Copied {
    guard let object = try source.object(key, limit: .max) else { return .gone }
    let bytes = object.bytes
    var contention = Contention(environment: .live)
    var isNew = false
    while true {
      if let found = try destination.read(key, limit: bytes.count + 1) {
        guard found == bytes else { throw CloudError.differs(key) }
        return isNew ? .now(bytes.count) : .before
      }
      isNew = true
      // Whatever the answer, the object is read back.
      switch try place.create(key, object) {
      case .created, .exists: break
      case .failed(let error): throw error
      case .unknown(let error): try contention.lost(key, failure: error)
      }
      if try destination.read(key, limit: 0) == nil { try contention.lost(key) }
    }
  }

  // MARK: - Who may do what

  /// Lets the same users in, as far as both places have them: by the accounts that they have.
  private func copyAccess(to place: CopyDestination, _ report: inout Report) throws {
    let there = Set(try accounts(of: destination))
    for account in try accounts(of: source)
    where there.contains(account) && report.skipped[account] == nil {
      let inbox = CloudLayout.inbox(of: account)
      if let refusal = try place.allow(StoreAccess(others: .drop), in: inbox) { throw refusal }
      for layout in try zones(of: account) {
        let isShared = layout.directory.last?.hasPrefix("share_") == true
        if isShared { report.sharing = destination.sharingRefusal ?? report.sharing }
        // Accounts that are only names at one of the places are kept apart by nobody there.
        guard try source.accessControl.user(of: account) != nil,
          try destination.accessControl.user(of: account) != nil
        else { continue }
        for prefix in try directories(of: layout) {
          guard let access = try source.accessControl.access(in: prefix), access != StoreAccess()
          else { continue }
          if let refusal = try place.allow(access, in: prefix) { report.sharing = refusal }
        }
      }
    }
  }

  private func directories(of layout: ZoneLayout) throws -> [StorePrefix] {
    try [layout.zone, layout.stage, layout.meta]
      + epochs(of: layout).flatMap { ZoneProtection.directories(of: layout, ofEpoch: $0) }
  }
}

extension CloudError {
  fileprivate static let otherCloud = CloudError(
    .accountTemporarilyUnavailable, "Another cloud is at the new place.",
    hint: "Copy to a place that is empty, or where a copy of this cloud was begun.")

  fileprivate static func differs(_ key: StoreKey) -> CloudError {
    CloudError(
      .internalError, "\(key) is another file at the new place than at the old one.",
      hint: "Devices have gone on at both: keep the one that more of them use.")
  }
}
