import Foundation
import Synchronization

/// A cloud in a directory of another machine, reached by the user's own ssh.
///
/// The files are those of `DirectoryStore`, so that a device on that machine uses the same cloud by
/// its path. What the server must offer are OpenSSH's extensions for hard links, which is how an
/// object is created at most once, and for waiting until it is on the disk.
///
/// Users of the server cannot be let in from here: SFTP has no access control lists.
public final class SFTPStore: ObjectStore {
  private struct State {
    var session: SFTPSession?
    /// Directories that were seen, in this session, to be directories and no links.
    var directories: Set<[String]> = []
    var failures = 0
    /// Why there is no session, and until when none is tried.
    var refusal: (error: SFTPError, end: ContinuousClock.Instant)?
  }

  /// Where it is, for messages.
  let place: String
  let root: String
  private let command: [String]
  private let running: (@Sendable ([String]) -> [String])?
  private let patience: Int32
  private let state = Mutex(State())

  /// How long a server may be silent while it owes an answer, in milliseconds.
  private static let patience: Int32 = 30_000

  /// The store of a directory, which must exist when it is used; see `makeRoot()`.
  public convenience init(_ address: SSHAddress) {
    self.init(
      command: address.command, running: address.command(running:), root: address.path,
      place: address.description, patience: Self.patience)
  }

  /// - Parameters:
  ///   - command: Speaks SFTP over its standard input and output.
  ///   - running: The command that runs another one there; nil where nothing can be run.
  ///   - patience: How long the server may be silent, in milliseconds.
  init(
    command: [String], running: (@Sendable ([String]) -> [String])? = nil, root: String,
    place: String, patience: Int32 = patience
  ) {
    self.command = command
    self.running = running
    self.root = root
    self.place = place
    self.patience = patience
  }

  // MARK: - Reading

  /// See `ObjectStore.read`.
  public func read(_ key: StoreKey, limit: Int) throws -> Data? {
    try object(key, limit: limit)?.bytes
  }

  /// See `ObjectStore.object`.
  public func object(_ key: StoreKey, limit: Int) throws -> StoredObject? {
    try reporting("Reading", key) { channel throws(SFTPError) in
      try channel.object(key, limit: limit)
    }
  }

  /// See `ObjectStore.owner`.
  public func owner(of prefix: StorePrefix) throws -> UInt32? {
    try reporting("Reading", prefix) { channel throws(SFTPError) in
      try channel.attributes(of: prefix)?.owner
    }
  }

  /// See `ObjectStore.list`.
  public func list(
    _ prefix: StorePrefix, after name: String?, limit: Int, where isWanted: (String) -> Bool
  ) throws -> [StoreEntry] {
    let entries = try reporting("Listing", prefix) { channel throws(SFTPError) in
      try channel.entries(of: prefix)
    }
    return StoreEntry.page(of: entries.filter { isWanted($0.name) }, after: name, limit: limit)
  }

  // MARK: - Writing

  /// See `ObjectStore.createIfAbsent`.
  public func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome {
    var isPublishing = false
    do {
      return try reporting("Creating", key, isRepeatable: false) { channel throws(SFTPError) in
        let temporary = try channel.stage(bytes, for: key)
        isPublishing = true
        return try channel.publish(temporary, as: key, bytes)
      }
    } catch let error as CloudError {
      return isPublishing ? .unknown(error) : .failed(error)
    } catch {
      return .unknown(CloudError(.networkUnavailable, "\(error)"))
    }
  }

  /// See `ObjectStore.delete`.
  public func delete(_ key: StoreKey) throws {
    try reporting("Deleting", key) { channel throws(SFTPError) in try channel.delete(key) }
  }

  /// See `ObjectStore.barrier`.
  public func barrier(_ prefix: StorePrefix) throws {
    try reporting("Synchronizing", prefix) { channel throws(SFTPError) in
      if try channel.attributes(of: prefix) != nil { try channel.synchronizeNames(in: prefix) }
    }
  }

  /// See `ObjectStore.now`.
  public func now(in prefix: StorePrefix) throws -> Int64? {
    try reporting("Asking for the time in", prefix) { channel throws(SFTPError) in
      try channel.now(in: prefix)
    }
  }

  /// Makes the cloud's directory, and those above it, where there is none.
  public func makeRoot() throws {
    try reporting("Making", root, needsRoot: false) { channel throws(SFTPError) in
      try channel.makeRoot()
    }
  }

  // MARK: - Other users

  /// Lets nobody in by name: throws `permissionFailure` when that is asked for.
  public func allow(_ access: StoreAccess, in prefix: StorePrefix) throws {
    guard access.users.isEmpty else { throw CloudError.noAccessLists }
    try reporting("Sharing", prefix) { channel throws(SFTPError) in
      try channel.make(prefix.components)
      try channel.expectOK(.setPermissions(path: channel.path(prefix.components), access.mode))
    }
  }

  /// See `ObjectStore.access`: nil also when there may be an access control list.
  public func access(in prefix: StorePrefix) throws -> StoreAccess? {
    try reporting("Reading the permissions of", prefix) { channel throws(SFTPError) in
      guard let mode = try channel.attributes(of: prefix)?.mode, mode >> 3 & 7 == mode & 7 else {
        return nil
      }
      return StoreAccess.Level(rawValue: UInt16(mode & 7)).map { StoreAccess(others: $0) }
    }
  }

  /// False: SFTP has no access control lists.
  public func canLetUsersIn(_ prefix: StorePrefix) -> Bool { false }

  /// See `ObjectStore.canCreate`: as far as the mode of the directory tells.
  public func canCreate(in prefix: StorePrefix) throws -> Bool {
    try reporting("Reading the permissions of", prefix) { channel throws(SFTPError) in
      guard let attributes = try channel.attributes(of: prefix), let mode = attributes.mode else {
        return true
      }
      let user = try channel.homeOwner()
      return user == 0 || (attributes.owner == user ? mode & 0o200 != 0 : mode & 0o022 != 0)
    }
  }

  /// Hears of it from a shell on the server, where it lets one run: see `SSHWatcher`.
  public func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch {
    guard let running else { return StoreWatch {} }
    let start = root.hasPrefix("/") ? root : "./" + root
    let directories = prefixes.map { ([start] + $0.components).joined(separator: "/") }
    let watcher = SSHWatcher(
      command: running(["sh", "-c", SSHWatcher.script, "sh"] + directories)
    ) { [weak self] in
      // Who has just heard from the server need not wait before it is asked.
      self?.state.withLock { $0.refusal = nil }
      onChange()
    }
    return watcher.watch()
  }

  // MARK: - The connection

  /// One call at a time; what it fails with is told as the caller of the cloud gets it.
  ///
  /// - Parameter isRepeatable: Whether it is done once more when the connection turns out to have
  ///   gone away meanwhile, as while the machine slept.
  private func reporting<Result: Sendable>(
    _ action: String, _ path: some CustomStringConvertible, needsRoot: Bool = true,
    isRepeatable: Bool = true, _ body: (SFTPChannel) throws(SFTPError) -> Result
  ) throws -> Result {
    do throws(SFTPError) {
      do throws(SFTPError) {
        return try once(needsRoot: needsRoot, body)
      } catch {
        guard case .lost = error, isRepeatable, state.withLock({ $0.refusal == nil }) else {
          throw error
        }
        return try once(needsRoot: needsRoot, body)
      }
    } catch {
      throw error.cloudError(action, "\(path)", place: place)
    }
  }

  private func once<Result: Sendable>(
    needsRoot: Bool, _ body: (SFTPChannel) throws(SFTPError) -> Result
  ) throws(SFTPError) -> Result {
    try state.withLock { state throws(SFTPError) in
      let session = try connect(&state)
      let channel = SFTPChannel(session: session, root: root, known: state.directories)
      do throws(SFTPError) {
        if needsRoot { try channel.requireRoot() }
        let result = try body(channel)
        state.directories = channel.known
        return result
      } catch {
        if case .lost = error {
          (state.session, state.directories) = (nil, [])
        }
        throw error
      }
    }
  }

  private func connect(_ state: inout State) throws(SFTPError) -> SFTPSession {
    if let session = state.session { return session }
    if let refusal = state.refusal, refusal.end > .now { throw refusal.error }
    do throws(SFTPError) {
      let session = try SFTPSession(command: command, patience: patience)
      for needed in [SFTPExtension.hardLink, .synchronize] where !session.offers(needed) {
        throw .unable(needed)
      }
      (state.session, state.refusal, state.failures) = (session, nil, 0)
      return session
    } catch {
      let pause = Reconnection.pause(after: state.failures)
      state.failures += 1
      state.refusal = (error, .now + .seconds(pause))
      throw error
    }
  }
}

extension SFTPError {
  /// The error of a call as the caller of the cloud gets it.
  func cloudError(_ action: String, _ path: String, place: String) -> CloudError {
    switch self {
    case .lost(let reason):
      CloudError(
        .networkUnavailable, "\(place) cannot be reached: \(reason)", hint: Self.hint(for: reason))
    case .unable(let needed):
      CloudError(
        .accountTemporarilyUnavailable,
        "The server of \(place) cannot do what a cloud needs: \(needed.rawValue).",
        hint: "It must be OpenSSH's own sftp-server, version 6.5 or newer.")
    case .noRoot: CloudError.unavailable("There is no directory \(place).")
    case .notADirectory(let path):
      CloudError.damaged("\(action) \(path): something else is in the place of a directory.")
    case .unreadable(let path):
      CloudError.damaged("\(path) may not be read by this user.")
    case .full:
      CloudError(
        .quotaExceeded, "\(action) \(path): no space is left on \(place).",
        hint: "Free some space on the cloud's disk.")
    case .status(.permissionDenied):
      CloudError(
        .permissionFailure, "\(action) \(path): permission denied on \(place).",
        hint: "The owner of the directory can allow it.")
    case .status(let status):
      CloudError(
        .networkUnavailable, "\(action) \(path): \(place) answered with error \(status.rawValue).",
        hint: "It is tried again.")
    }
  }

  /// What can be done about what ssh says.
  private static func hint(for reason: String) -> String {
    if reason.contains("Host key verification failed") {
      return "Connect with ssh once in a terminal, and compare the key of the host."
    }
    if reason.contains("Permission denied") {
      return "Connect with ssh in a terminal: nobody is asked for a password here, so a key must be"
        + " in the agent (ssh-add) or have no passphrase."
    }
    return "Nothing is lost; it is tried again."
  }
}
