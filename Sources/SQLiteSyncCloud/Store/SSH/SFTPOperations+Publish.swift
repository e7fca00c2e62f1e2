import Foundation

/// Creating an object: as `DirectoryStore` does it, with the server's own calls.
extension SFTPOperations {
  /// A file with all bytes, on the disk, under a name that nobody reads.
  struct Staged {
    let path: String
    /// Whether the name that the file is to get is taken already.
    let isNameTaken: Bool
  }

  /// Writes the bytes of an object.
  func stage(_ bytes: Data, for key: StoreKey) throws(SFTPError) -> Staged {
    let stage = key.prefix.stage ?? key.prefix.components
    try make(key.prefix.components)
    try make(stage)
    let hidden = key.prefix.stage == nil ? "." : ""
    let temporary = path(stage + [hidden + UUID().uuidString.lowercased()])
    let replies = try session.exchange([
      .linkStatus(path: path(key)),
      .open(path: temporary, [.write, .create, .exclusive], permissions: 0o444),
    ])
    let handle = try Self.handle(replies[1])
    let isTaken = try Self.attributes(replies[0]) != nil
    if isTaken {
      _ = try session.ask(.close(handle: handle))
      return Staged(path: temporary, isNameTaken: true)
    }
    do throws(SFTPError) {
      try write(bytes, to: handle)
    } catch {
      if case .status = error { _ = try session.ask(.remove(path: temporary)) }
      throw try isFull(path(stage), error) ? .full : error
    }
    return Staged(path: temporary, isNameTaken: false)
  }

  /// The server's time, in milliseconds: that of a file which is made and removed again.
  func now(in prefix: StorePrefix) throws(SFTPError) -> Int64? {
    let stage = prefix.stage ?? prefix.components
    return try newFile(in: stage)?.modified.map { Int64($0) * 1_000 }
  }

  /// The number of the user who logs in: whoever owns a file that is made and removed again.
  func user(in prefix: StorePrefix) throws(SFTPError) -> UInt32? {
    try newFile(in: prefix.components)?.owner
  }

  private func newFile(in directory: [String]) throws(SFTPError) -> SFTPAttributes? {
    try make(directory)
    let temporary = path(directory + ["." + UUID().uuidString.lowercased()])
    let handle = try Self.handle(
      session.ask(.open(path: temporary, [.write, .create, .exclusive], permissions: 0o600)))
    let replies = try session.exchange([
      .linkStatus(path: temporary), .remove(path: temporary), .close(handle: handle),
    ])
    return try Self.attributes(replies[0])
  }

  private func write(_ bytes: Data, to handle: [UInt8]) throws(SFTPError) {
    let bytes = [UInt8](bytes)
    let pieces = stride(from: 0, to: bytes.count, by: Self.pieceSize).map {
      SFTPRequest.write(
        handle: handle, offset: UInt64($0),
        bytes[$0..<min($0 + Self.pieceSize, bytes.count)])
    }
    // Not `open`'s mode, from which the umask takes bits.
    let end: [SFTPRequest] = [
      .setHandlePermissions(handle: handle, 0o444), .synchronize(handle: handle),
      .close(handle: handle),
    ]
    for reply in try session.exchange(pieces + end) { try Self.expectOK(reply) }
  }

  /// SFTP has no status of its own for a full disk.
  private func isFull(_ directory: String, _ error: SFTPError) throws(SFTPError) -> Bool {
    guard case .status(.failure) = error, session.offers(.diskStatus),
      case .extended(let numbers) = try session.ask(.diskStatus(path: directory))
    else { return false }
    var reader = PacketReader(numbers)
    // Block size, fragment size, blocks, free ones, and those that are free for users.
    let fields = (0..<5).compactMap { _ in reader.number64() }
    return fields.count == 5 && fields[4] == 0
  }

  /// Gives a staged file its own name, which fails if it is taken, and makes the name durable.
  func publish(_ staged: Staged, as key: StoreKey, _ bytes: Data) throws(SFTPError) -> CreateOutcome
  {
    guard !staged.isNameTaken else {
      _ = try session.ask(.remove(path: staged.path))
      return .exists
    }
    let replies = try session.exchange([
      .hardLink(existing: staged.path, new: path(key)), .remove(path: staged.path),
    ])
    switch replies[0] {
    case .status(.ok): break
    // Also for a name that is taken: only a look tells.
    case .status(.failure):
      guard let found = try object(key, limit: bytes.count + 1) else {
        throw .status(.failure)
      }
      guard found.bytes == bytes else { return .exists }
    case .status(let status):
      return .failed(
        SFTPError.status(status).cloudError("Creating", key.description, place: "the server"))
    default: throw .status(.failure)
    }
    try synchronizeNames(in: key.prefix)
    return .created
  }
}
