import Foundation
import Synchronization

/// A cloud in a directory of another machine, reached by the user's own ssh.
///
/// The files are those of `DirectoryStore`, so that a device on that machine uses the same cloud by
/// its path. What the server must offer are OpenSSH's extensions for hard links, which is how an
/// object is created at most once, and for waiting until it is on the disk.
///
/// Other users of the server are let in by a shell there, where it lets one run: SFTP has no access
/// control lists. See `SSHShell`.
public final class SFTPStore: ObjectStore {
  /// What is known of the shell on the server.
  enum Shell {
    case unknown, running(SSHShell)
    /// There is none, and until then none is asked for.
    case refused(String, ContinuousClock.Instant)
  }

  /// Where it is, for messages.
  let place: String
  let root: String
  private let connection: SFTPConnection
  let route: SSHRoute
  let patience: Int32
  /// The shell on the server, from when it is first needed.
  let shell = Mutex(Shell.unknown)

  /// How long a server may be silent while it owes an answer, in milliseconds.
  private static let patience: Int32 = 30_000

  /// The store of a directory, which must exist when it is used; see `makeRoot()`.
  public convenience init(_ address: SSHAddress) {
    self.init(address.route, root: address.path, place: address.description)
  }

  /// - Parameters:
  ///   - command: Speaks SFTP over its standard input and output.
  ///   - running: The command that runs another one there; nil where nothing can be run.
  ///   - patience: How long the server may be silent, in milliseconds.
  convenience init(
    command: [String], running: (@Sendable ([String]) -> [String])? = nil, root: String,
    place: String, patience: Int32 = patience
  ) {
    self.init(
      SSHRoute(.init(session: command, running: running)), root: root, place: place,
      patience: patience)
  }

  /// - Parameters:
  ///   - route: How the server is reached.
  ///   - patience: How long the server may be silent, in milliseconds.
  init(_ route: SSHRoute, root: String, place: String, patience: Int32 = patience) {
    connection = SFTPConnection(route, root: root, patience: patience)
    self.route = route
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
    try reading("Reading", key, in: key.prefix) { channel throws(SFTPError) in
      try channel.object(key, limit: limit)
    }
  }

  /// Several objects of one directory in the time of one.
  public func objects(_ keys: [StoreKey], limit: Int) throws -> [StoredObject?] {
    guard let first = keys.first, keys.allSatisfy({ $0.prefix == first.prefix }) else {
      return try keys.map { try object($0, limit: limit) }
    }
    return try reading("Reading", first, in: first.prefix) { channel throws(SFTPError) in
      try channel.objects(keys, limit: limit)
    }
  }

  /// As many as are on their way at a time.
  public var readsAtOnce: Int { SFTPOperations.window }

  /// See `ObjectStore.list`.
  public func list(
    _ prefix: StorePrefix, after name: String?, limit: Int, where isWanted: (String) -> Bool
  ) throws -> [StoreEntry] {
    let entries = try reading("Listing", prefix, in: prefix) { channel throws(SFTPError) in
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
      try channel.settleNames(in: prefix)
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

  /// Hears of it from a shell on the server; where it lets none run, it looks: see `SSHWatcher`.
  public func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch {
    let (route, words) = (route, ["sh", "-c", SSHWatcher.script, "sh"] + prefixes.map(shellPath))
    let watcher = SSHWatcher(
      command: route.commands.running?(words),
      onSilence: route.wasSilent,
      look: { [weak self] in self?.stamps(of: prefixes) },
      onChange: { [weak self] in
        // The server has just been heard from, so it need not be left alone any longer.
        self?.connection.mayBeTried()
        onChange()
      })
    return watcher.watch()
  }

  /// When something was last created in directories; nil while nobody can tell.
  private func stamps(of prefixes: [StorePrefix]) -> [UInt32?]? {
    do {
      return try reporting("Looking into", root) { channel throws(SFTPError) in
        try channel.stamps(of: prefixes)
      }
    } catch {
      return nil  // The calls of the store fail with the same, and tell it.
    }
  }

  /// The path of a directory for a shell, which begins where SFTP does.
  func shellPath(_ prefix: StorePrefix) -> String {
    ([root.hasPrefix("/") ? root : "./" + root] + prefix.components).joined(separator: "/")
  }

  // MARK: - Calls

  /// Reads something of a directory, as `DirectoryStore` does it.
  ///
  /// Only the access list of a zone's directory keeps anybody out for good.
  private func reading<Result: Sendable>(
    _ action: String, _ path: some CustomStringConvertible, in prefix: StorePrefix,
    _ body: (SFTPOperations) throws(SFTPError) -> Result
  ) throws -> Result {
    try reporting(action, path) { channel throws(SFTPError) in
      do throws(SFTPError) {
        return try body(channel)
      } catch {
        guard case .status(.permissionDenied) = error else { throw error }
        if try channel.isInsideOpenZone(prefix) { throw .unreadable("\(path)") }
        throw try isListLost(of: prefix, channel) ? .lostList("\(path)") : error
      }
    }
  }

  /// Whether a directory lies in another user's zone that does not say to keep this one out.
  private func isListLost(
    of prefix: StorePrefix, _ channel: SFTPOperations
  ) throws(SFTPError) -> Bool {
    guard let user = try channel.homeOwner(), let zone = prefix.zone(ofOtherThan: user) else {
      return false
    }
    return try !isClosed(zone, to: user)
  }

  /// One call at a time; what it fails with is told as the caller of the cloud gets it.
  ///
  /// - Parameter isRepeatable: Whether it is done once more when the connection turns out to have
  ///   gone away meanwhile, as while the machine slept.
  func reporting<Result: Sendable>(
    _ action: String, _ path: some CustomStringConvertible, needsRoot: Bool = true,
    isRepeatable: Bool = true, _ body: (SFTPOperations) throws(SFTPError) -> Result
  ) throws -> Result {
    do throws(SFTPError) {
      return try connection.run(needsRoot: needsRoot, isRepeatable: isRepeatable, body)
    } catch {
      throw error.cloudError(action, "\(path)", place: place)
    }
  }
}
