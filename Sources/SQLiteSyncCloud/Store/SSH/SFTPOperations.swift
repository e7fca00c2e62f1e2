import Foundation

/// The store's questions during one call, over a session.
///
/// Paths are made of components that `CloudLayout` gives: none has a separator in it.
final class SFTPOperations {
  /// Every server takes pieces of this size (the protocol demands packets of 34,000 bytes).
  static let pieceSize = 32_000
  /// How many requests are on their way at a time while a file or a directory is read.
  static let window = 32

  let session: SFTPProcess
  let root: String
  /// Directories that were seen to be directories and no links.
  private(set) var known: Set<[String]>
  /// Whose files and directories were seen.
  var owners: Set<UInt32> = []

  init(session: SFTPProcess, root: String, known: Set<[String]>) {
    (self.session, self.root, self.known) = (session, root, known)
  }

  func path(_ components: [String]) -> String {
    ([root] + components).joined(separator: "/")
  }

  func path(_ key: StoreKey) -> String { path(key.prefix.components + [key.name]) }

  // MARK: - Answers

  /// Throws unless the answer is that it was done.
  func expectOK(_ request: SFTPRequest) throws(SFTPError) {
    try Self.expectOK(session.ask(request))
  }

  static func expectOK(_ reply: SFTPReply) throws(SFTPError) {
    guard case .status(let status) = reply else { throw .status(.failure) }
    guard status == .ok else { throw .status(status) }
  }

  static func handle(_ reply: SFTPReply) throws(SFTPError) -> [UInt8] {
    if case .handle(let handle) = reply { return handle }
    try expectOK(reply)
    throw .status(.failure)
  }

  /// Nil when there is nothing of that name.
  static func attributes(_ reply: SFTPReply) throws(SFTPError) -> SFTPAttributes? {
    switch reply {
    case .attributes(let attributes): return attributes
    case .status(.noSuchFile): return nil
    case .status(let status): throw .status(status)
    default: throw .status(.failure)
    }
  }

  // MARK: - Directories

  func requireRoot() throws(SFTPError) {
    guard !known.contains([]) else { return }
    // The root may be a link, as in a directory's path that somebody types.
    guard let attributes = try Self.attributes(session.ask(.status(path: root))) else {
      throw .noRoot
    }
    guard attributes.kind == .directory else { throw .rootIsNoDirectory(root) }
    known.insert([])
  }

  /// Whether a directory is there, no part of whose path is a link.
  func isThere(_ components: [String]) throws(SFTPError) -> Bool {
    let paths = components.indices.map { Array(components[...$0]) }.filter { !known.contains($0) }
    let replies = try session.exchange(paths.map { .linkStatus(path: path($0)) })
    for (components, reply) in zip(paths, replies) {
      guard let attributes = try Self.attributes(reply) else { return false }
      try see(components, attributes)
    }
    return true
  }

  private func see(_ components: [String], _ attributes: SFTPAttributes) throws(SFTPError) {
    guard attributes.kind == .directory else {
      throw .notADirectory(components.joined(separator: "/"))
    }
    // The name of an account's directory is a Unix user's id, and ownership is the proof.
    if components.count == 2, components[0] == "accounts",
      let user = AccountID(rawValue: components[1])?.userID, let owner = attributes.owner,
      owner != user
    {
      throw .impostor(.init(account: user, owner: owner))
    }
    known.insert(components)
  }

  /// The attributes of a directory; nil when it is not there.
  func attributes(of prefix: StorePrefix) throws(SFTPError) -> SFTPAttributes? {
    guard try isThere(prefix.components) else { return nil }
    return try Self.attributes(session.ask(.linkStatus(path: path(prefix.components))))
  }

  /// Makes a directory and those above it, where they are not there.
  func make(_ components: [String]) throws(SFTPError) {
    guard try !isThere(components) else { return }
    for end in components.indices {
      let part = Array(components[...end])
      guard !known.contains(part) else { continue }
      try requireOwn(part)
      let mode = try mode(of: part)
      let reply = try session.ask(.makeDirectory(path: path(part), permissions: mode))
      if case .status(.ok) = reply {
        // Not `mkdir`'s mode, from which the umask takes bits.
        try expectOK(.setPermissions(path: path(part), mode))
        try synchronizeNames(in: Array(part.dropLast()))
      }
      guard let made = try Self.attributes(session.ask(.linkStatus(path: path(part)))) else {
        try Self.expectOK(reply)
        throw .status(.failure)
      }
      try see(part, made)
    }
  }

  /// The name of an account says who may make its directory.
  private func requireOwn(_ components: [String]) throws(SFTPError) {
    guard components.count == 2, components[0] == "accounts",
      let user = AccountID(rawValue: components[1])?.userID,
      try self.user(in: CloudLayout.accounts) != user
    else { return }
    throw .status(.permissionDenied)
  }

  /// Who may do what in a new directory: as `DirectoryStore` has it.
  private func mode(of components: [String]) throws(SFTPError) -> UInt32 {
    switch components.count {
    case 1: try (Self.attributes(session.ask(.status(path: root)))?.mode ?? 0o700) & 0o7777
    case 2, 3: 0o711
    default: components.last == "stage" ? 0o1700 : 0o700
    }
  }

  func makeRoot() throws(SFTPError) {
    let isAbsolute = root.hasPrefix("/")
    var (path, parent) = ("", isAbsolute ? "/" : ".")
    for part in root.split(separator: "/") {
      path += (path.isEmpty && !isAbsolute ? "" : "/") + part
      if let found = try Self.attributes(session.ask(.status(path: path))) {
        guard found.kind == .directory else { throw .rootIsNoDirectory(path) }
      } else {
        do throws(SFTPError) {
          try expectOK(.makeDirectory(path: path, permissions: 0o700))
        } catch {
          // Of a directory that is not there nobody tells which disk it is on.
          throw explained(error, on: parent)
        }
      }
      parent = path
    }
  }

  /// Waits until the names in a directory are on the disk.
  func synchronizeNames(in prefix: StorePrefix) throws(SFTPError) {
    try synchronizeNames(in: prefix.components)
  }

  private func synchronizeNames(in components: [String]) throws(SFTPError) {
    try synchronizeNames(session.ask(openForNames(components)))
  }

  /// The request to open a directory whose names are waited for.
  func openForNames(_ components: [String]) -> SFTPRequest {
    .open(path: path(components), .read, permissions: nil)
  }

  /// Waits by what the server answered to `openForNames`.
  func synchronizeNames(_ opened: SFTPReply) throws(SFTPError) {
    // Somebody else's inbox, which may not be listed: there is nothing to wait by.
    if case .status(.permissionDenied) = opened { return }
    let handle = try Self.handle(opened)
    defer { session.closeLater(handle) }
    try expectOK(.synchronize(handle: handle))
  }

  /// Waits until all that is visible in a directory is on the disk, if there is one.
  func settleNames(in prefix: StorePrefix) throws(SFTPError) {
    guard try isThere(prefix.components) else { return }
    let reply = try session.ask(openForNames(prefix.components))
    if case .status(.noSuchFile) = reply { return }
    try synchronizeNames(reply)
  }

  /// Who owns the directory in which sessions begin: as far as is known here, the user.
  func homeOwner() throws(SFTPError) -> UInt32? {
    try Self.attributes(session.ask(.status(path: ".")))?.owner
  }

  /// All that is in a directory.
  func entries(of prefix: StorePrefix) throws(SFTPError) -> [StoreEntry] {
    guard try isThere(prefix.components) else { return [] }
    let handle = try Self.handle(session.ask(.openDirectory(path: path(prefix.components))))
    defer { session.closeLater(handle) }
    var entries: [StoreEntry] = []
    var isAtEnd = false
    while !isAtEnd {
      let requests = Array(repeating: SFTPRequest.readDirectory(handle: handle), count: Self.window)
      for reply in try session.exchange(requests) {
        switch reply {
        case .names(let names):
          entries += names.compactMap(StoreEntry.init)
          owners.formUnion(names.compactMap(\.attributes.owner))
        case .status(.endOfFile): isAtEnd = true
        case .status(let status): throw .status(status)
        default: throw .status(.failure)
        }
      }
    }
    return entries
  }

  /// Whether a directory is inside the one of a zone, which this user may read.
  func isInsideOpenZone(_ prefix: StorePrefix) throws(SFTPError) -> Bool {
    let zone = prefix.components.prefix(4)
    guard prefix.components.count > zone.count, zone.dropFirst(2).first == "zones" else {
      return false
    }
    let reply = try session.ask(.openDirectory(path: path(Array(zone))))
    guard case .handle(let handle) = reply else { return false }
    session.closeLater(handle)
    return true
  }

  /// When names in directories last changed, in seconds; nil for those that are not there.
  func stamps(of prefixes: [StorePrefix]) throws(SFTPError) -> [UInt32?] {
    let requests = prefixes.map { SFTPRequest.linkStatus(path: path($0.components)) }
    var stamps: [UInt32?] = []
    for reply in try session.exchange(requests) {
      guard case .attributes(let attributes) = reply else {
        stamps.append(nil)
        continue
      }
      stamps.append(attributes.modified)
    }
    return stamps
  }

  // MARK: - Files

  func delete(_ key: StoreKey) throws(SFTPError) {
    guard try isThere(key.prefix.components) else { return }
    let reply = try session.ask(.remove(path: path(key)))
    if case .status(.noSuchFile) = reply { return }
    try Self.expectOK(reply)
  }
}

extension StoreEntry {
  /// A name in a listing; nil for what is none of the cloud's.
  fileprivate init?(_ name: String?, _ attributes: SFTPAttributes) {
    guard let name, !name.isEmpty, name != ".", name != "..", !name.contains("/") else {
      return nil
    }
    self.init(
      name: name, byteCount: Int64(clamping: attributes.size ?? 0),
      modified: Int64(attributes.modified ?? 0) * 1_000, kind: attributes.kind,
      owner: attributes.user,
      permissionIssues: Set(mode: attributes.mode ?? 0, of: attributes.kind))
  }
}
