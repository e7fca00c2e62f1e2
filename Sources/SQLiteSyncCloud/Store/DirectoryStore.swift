import CSQLiteSyncPosix
import Foundation

/// A cloud in a directory: on a local disk, a stick or a network mount.
///
/// Nothing is trusted: every component is opened from its parent without following links, and what
/// is opened must be a regular file before it is read. (A FIFO in the place of a commit would
/// otherwise hang every device.)
public final class DirectoryStore: ObjectStore {
  /// The system calls of a publication, in their order.
  enum Step: CaseIterable, Sendable {
    case create, write, synchronize, link, synchronizeDirectory, unlink
  }

  let path: String
  /// Called before each step of a publication: where a test lets the power fail.
  let willTake: @Sendable (Step) throws(PosixError) -> Void

  /// The store of a directory, which must exist when it is used.
  public convenience init(directory: URL) {
    self.init(directory: directory, willTake: { _ throws(PosixError) in })
  }

  init(directory: URL, willTake: @escaping @Sendable (Step) throws(PosixError) -> Void) {
    path = directory.path(percentEncoded: false)
    self.willTake = willTake
  }

  /// See `ObjectStore.read`.
  public func read(_ key: StoreKey, limit: Int) throws -> Data? {
    try object(key, limit: limit)?.bytes
  }

  /// See `ObjectStore.object`.
  public func object(_ key: StoreKey, limit: Int) throws -> StoredObject? {
    try reading("Reading", key, in: key.prefix) { () throws(PosixError) -> StoredObject? in
      guard let directory = try open(key.prefix, creating: false) else { return nil }
      let file: Descriptor
      do throws(PosixError) {
        file = try directory.open(key.name, O_RDONLY | O_NONBLOCK)
      } catch  where error.number == ENOENT {
        return nil
      } catch  where error.number == ELOOP || error.number == ENXIO {
        // A symbolic link or a socket: the name is taken, by nothing readable.
        return StoredObject(bytes: Data(), owner: try directory.status(of: key.name).owner)
      } catch  where error.number == EACCES {
        // A user who may not enter the directory cannot see the file either: this one can.
        _ = try directory.status(of: key.name)
        throw PosixError.unreadableFile
      }
      let status = try file.status()
      guard cposix_is_regular(status.st_mode) != 0 else {
        return StoredObject(bytes: Data(), owner: status.owner)
      }
      return StoredObject(bytes: try file.read(limit: limit), owner: status.owner)
    }
  }

  /// See `ObjectStore.list`.
  public func list(
    _ prefix: StorePrefix, after name: String?, limit: Int, where isWanted: (String) -> Bool
  ) throws -> [StoreEntry] {
    try reading("Listing", prefix, in: prefix) { () throws(PosixError) -> [StoreEntry] in
      guard let directory = try open(prefix, creating: false) else { return [] }
      let wanted = try directory.names { candidate in
        (name.map { ExactString($0) < ExactString(candidate) } ?? true) && isWanted(candidate)
      }
      var entries: [StoreEntry] = []
      for name in wanted.map(ExactString.init).sorted().prefix(limit) {
        var status = stat()
        guard fstatat(directory.number, name.string, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
          continue  // Removed since.
        }
        entries.append(StoreEntry(name: name.string, status))
      }
      return entries
    }
  }

  /// See `ObjectStore.delete`.
  ///
  /// A directory in its place goes, too; one that is not empty is given another name beside it.
  public func delete(_ key: StoreKey) throws {
    try reporting("Deleting", key) { () throws(PosixError) in
      guard let directory = try open(key.prefix, creating: false) else { return }
      do throws(PosixError) {
        _ = try PosixError.check { unlinkat(directory.number, key.name, 0) }
      } catch  where error.number == ENOENT {
      } catch  where error.number == EISDIR {
        try removeDirectory(key.name, in: directory)
      }
    }
  }

  private func removeDirectory(
    _ name: String, in directory: borrowing Descriptor
  ) throws(PosixError) {
    do throws(PosixError) {
      _ = try PosixError.check { unlinkat(directory.number, name, AT_REMOVEDIR) }
    } catch  where [ENOTEMPTY, EEXIST].contains(error.number) {
      let aside = "\(name).aside-\(UUID().uuidString.prefix(8))"
      _ = try PosixError.check {
        renameat(directory.number, name, directory.number, aside)
      }
    }
  }

  /// See `ObjectStore.barrier`.
  public func barrier(_ prefix: StorePrefix) throws {
    try reporting("Synchronizing", prefix) { () throws(PosixError) in
      try open(prefix, creating: false)?.synchronizeNames()
    }
  }

  /// See `ObjectStore.watch`.
  public func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch {
    DirectoryWatcher.shared.watch(prefixes.map { [path] + $0.components }, onChange: onChange)
  }

  /// Reads something of a directory.
  ///
  /// The access list of a zone's directory says whom it is shared with: whatever else may not be
  /// entered, in the zone or on the way to it, keeps nobody out for good.
  private func reading<Result>(
    _ action: String, _ path: some CustomStringConvertible, in prefix: StorePrefix,
    _ body: () throws(PosixError) -> Result
  ) throws -> Result {
    try reporting(action, path) { () throws(PosixError) in
      do throws(PosixError) {
        return try body()
      } catch  where error.number == EACCES {
        throw cause(of: error, in: prefix)
      }
    }
  }

  /// What it means that something may not be read.
  private func cause(of error: PosixError, in prefix: StorePrefix) -> PosixError {
    guard error.impostor == nil, let zone = prefix.zone(ofOtherThan: geteuid()) else {
      return error
    }
    do throws(PosixError) {
      guard let directory = try open(zone, creating: false) else { return .unreadableFile }
      do throws(PosixError) {
        _ = try directory.open(".", O_RDONLY | O_DIRECTORY)
        return .unreadableFile
      } catch  where error.number == EACCES {
        return try isClosed(directory) ? error : .lostList
      }
    } catch {
      return .unreadableFile
    }
  }

  func reporting<Result>(
    _ action: String, _ path: some CustomStringConvertible,
    _ body: () throws(PosixError) -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch {
      throw failure(error, action, path)
    }
  }

  /// The error of a call as the caller of the cloud gets it.
  func failure(
    _ error: PosixError, _ action: String, _ path: some CustomStringConvertible
  ) -> CloudError {
    guard error != .noRoot else {
      return CloudError.unavailable("There is no directory \(self.path) that can be read.")
    }
    guard error != .rootIsNoDirectory else { return CloudError.notADirectory(self.path) }
    // Not a matter of who may do what: that is said by zones' directories, and all may read files.
    guard error != .unreadableFile else {
      return CloudError.damaged("\(path) may not be read by this user.")
    }
    guard error != .lostList else { return CloudError.lostList(of: "\(path)") }
    if let impostor = error.impostor { return impostor.cloudError(of: geteuid()) }
    return error.cloudError(action, "\(path)")
  }
}

// MARK: - Directories

extension DirectoryStore {
  /// Opens a directory of the cloud; nil when it is absent and not to be created.
  func open(_ prefix: StorePrefix, creating: Bool) throws(PosixError) -> Descriptor? {
    try open(prefix.components, creating: creating)
  }

  func open(_ components: [String], creating: Bool) throws(PosixError) -> Descriptor? {
    let root: Descriptor
    do {
      root = try .directory(atPath: path)
    } catch {
      throw error.number == ENOTDIR ? .rootIsNoDirectory : .noRoot
    }
    var directory = root
    for (index, name) in components.enumerated() {
      if creating {
        try make(name, in: directory, below: Array(components[..<index]))
      }
      do {
        directory = try directory.openDirectory(name)
      } catch  where error.number == ENOENT {
        return nil
      } catch  where [ENOTDIR, ELOOP].contains(error.number) {
        let isAccount = components[..<index] == ["accounts"]
        throw isAccount ? impostor(name, in: directory) ?? error : error
      }
      if components[..<index] == ["accounts"] { try checkOwner(of: directory, account: name) }
    }
    return directory
  }

  private func make(
    _ name: String, in parent: borrowing Descriptor, below components: [String]
  ) throws(PosixError) {
    // The name of an account says who may create its directory.
    if components == ["accounts"], let user = AccountID(rawValue: name)?.userID, user != geteuid() {
      var status = stat()
      guard fstatat(parent.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
        throw PosixError(number: EACCES)
      }
    }
    let mode = try mode(of: name, in: parent, below: components)
    do {
      _ = try PosixError.check { mkdirat(parent.number, name, mode) }
    } catch  where error.number == EEXIST {
      return
    }
    // Not `mkdir`'s mode, from which the umask takes bits.
    let directory = try parent.open(name, O_RDONLY | O_DIRECTORY)
    _ = try PosixError.check { fchmod(directory.number, mode) }
    try parent.synchronizeNames()
  }

  /// Who may do what in a new directory: others pass through to what is shared, and list nothing.
  ///
  /// See `allow` for what is more than that.
  private func mode(
    of name: String, in parent: borrowing Descriptor, below components: [String]
  ) throws(PosixError) -> mode_t {
    switch components.count {
    case 0: try parent.status().st_mode & 0o7777  // `accounts`: whoever may use the cloud.
    case 1, 2: 0o711
    default: name == "stage" ? 0o1700 : 0o700
    }
  }

  /// The name of an account's directory is a Unix user's id, and ownership is the proof.
  private func checkOwner(
    of directory: borrowing Descriptor, account name: String
  ) throws(PosixError) {
    guard let user = AccountID(rawValue: name)?.userID else { return }
    let owner = try directory.status().st_uid
    guard owner == user else {
      throw PosixError(number: EACCES, impostor: .init(account: user, owner: owner))
    }
  }
}

extension DirectoryStore {
  /// Why something that is not a directory is in the place of an account's; nil when it is the
  /// account's own.
  private func impostor(_ name: String, in directory: borrowing Descriptor) -> PosixError? {
    guard let user = AccountID(rawValue: name)?.userID else { return nil }
    // Whose it is cannot be told: it is then no more than what is not a directory.
    guard let owner = try? directory.status(of: name).st_uid, owner != user else { return nil }
    return PosixError(number: EACCES, impostor: .init(account: user, owner: owner))
  }
}

extension PosixError {
  /// The cloud's directory itself cannot be opened.
  static let noRoot = PosixError(number: -1)
  /// Something else is in its place, or in that of a directory above it.
  static let rootIsNoDirectory = PosixError(number: -3)
  /// A file may not be read, though its directory may; or a directory of a zone or above it.
  static let unreadableFile = PosixError(number: -2)
  /// The directory of a zone may not be read, and its access list does not say so.
  static let lostList = PosixError(number: -4)
}

extension StoreEntry {
  init(name: String, _ status: stat) {
    let mode = status.st_mode
    let kind: Kind =
      if cposix_is_regular(mode) != 0 {
        .file
      } else if cposix_is_directory(mode) != 0 {
        .directory
      } else {
        cposix_is_link(mode) != 0 ? .link : .other
      }
    self.init(
      name: name, byteCount: Int64(status.st_size), modified: Self.milliseconds(of: status),
      kind: kind, owner: status.owner,
      permissionIssues: Set(mode: UInt32(mode & 0o7777), of: kind))
  }

  /// Anyone can give a file a time so far away that its milliseconds do not fit, or not an age.
  private static func milliseconds(of status: stat) -> Int64 {
    let time = withUnsafePointer(to: status, cposix_modified)
    let limit = Int64.max / 2_000
    let seconds = min(max(Int64(time.tv_sec), -limit), limit)
    return seconds * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
