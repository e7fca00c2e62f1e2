import Foundation
import SQLiteSyncHashing

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
    let temporary = path(stage + [hidden + UUID().lowercaseString])
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
      // Before what was written is removed, which makes room for the next attempt.
      let reason = explained(error, writing: bytes.count)
      if case .status = error { _ = try session.ask(.remove(path: temporary)) }
      throw reason
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
    let temporary = path(directory + ["." + UUID().lowercaseString])
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

  /// What a status means: SFTP has none of its own for a full disk, one that can only be read, or a
  /// cloud whose directory was taken away.
  ///
  /// - Parameters:
  ///   - error: What the server answered.
  ///   - byteCount: How many bytes were to be written.
  ///   - path: Something on the disk; nil for the cloud's directory.
  func explained(
    _ error: SFTPError, writing byteCount: Int = 0, on path: String? = nil
  ) -> SFTPError {
    switch error {
    case .status(.noSuchFile):
      let reply = try? session.ask(.status(path: root))  // Unanswered, nothing more is known.
      if case .status(.noSuchFile) = reply { return .noRoot }
    case .status(.failure):
      guard let disk = try? disk(of: path ?? root) else { break }  // Not every server tells of it.
      if disk.isReadOnly { return .readOnly }
      if disk.isFull || disk.free < UInt64(byteCount) { return .full }
    default: break
    }
    return error
  }

  /// What is known of the cloud's disk.
  struct Disk {
    /// The bytes that users may still write.
    let free: UInt64
    let isFull: Bool
    let isReadOnly: Bool

    /// - Parameter fields: As statvfs@openssh.com has them.
    fileprivate init?(_ fields: [UInt64]) {
      guard fields.count == 11 else { return nil }
      free = fields[4].multipliedReportingOverflow(by: fields[1]).partialValue
      // No block that users may have, or no file.
      isFull = fields[4] == 0 || fields[5] > 0 && fields[7] == 0
      isReadOnly = fields[9] & 1 != 0
    }
  }

  /// The cloud's disk; nil where the server does not tell.
  func disk() throws(SFTPError) -> Disk? { try disk(of: root) }

  private func disk(of path: String) throws(SFTPError) -> Disk? {
    guard session.offers(.diskStatus),
      case .extended(let numbers) = try session.ask(.diskStatus(path: path))
    else { return nil }
    var reader = PacketReader(numbers)
    return Disk((0..<11).compactMap { _ in reader.number64() })
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
      openForNames(key.prefix.components),
    ])
    if case .handle(let handle) = replies[2], case .status(let status) = replies[0], status != .ok {
      session.closeLater(handle)
    }
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
    try synchronizeNames(replies[2])
    return .created
  }
}
