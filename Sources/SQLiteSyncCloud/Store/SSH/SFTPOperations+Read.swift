import Foundation

/// Reading objects, as many as wanted in the time of one.
extension SFTPOperations {
  func object(_ key: StoreKey, limit: Int) throws(SFTPError) -> StoredObject? {
    try objects([key], limit: limit)[0]
  }

  /// Several objects, in the order of their keys.
  ///
  /// Three ways there and back, however many they are. A file is looked at before it is opened: a
  /// FIFO in its place would keep the server waiting, and a link would be followed.
  func objects(_ keys: [StoreKey], limit: Int) throws(SFTPError) -> [StoredObject?] {
    var objects = [StoredObject?](repeating: nil, count: keys.count)
    var files: [File] = []
    for (index, attributes) in try attributes(of: keys) {
      objects[index] = StoredObject(bytes: Data(), owner: attributes.user)
      if let owner = attributes.owner { owners.insert(owner) }
      guard attributes.kind == .file else { continue }
      let count = Int(clamping: min(attributes.size ?? 0, UInt64(clamping: max(0, limit))))
      files.append(File(index: index, count: count))
    }
    defer { for file in files { file.handle.map(session.closeLater) } }
    try open(&files, keys)
    try read(&files)
    for file in files {
      let owner = objects[file.index]?.owner
      objects[file.index] =
        file.handle == nil ? nil : StoredObject(bytes: file.bytes, owner: owner)
    }
    return objects
  }

  /// A file while it is read.
  private struct File {
    /// Of its key.
    let index: Int
    /// How many bytes of it are wanted.
    let count: Int
    /// Nil when it has gone since it was looked at.
    var handle: [UInt8]?
    var bytes = Data()
    /// Whether it has become shorter.
    var isAtEnd = false
  }

  /// What there is of these names, by the index of the key.
  private func attributes(
    of keys: [StoreKey]
  ) throws(SFTPError) -> [(index: Int, attributes: SFTPAttributes)] {
    var there: [StorePrefix: Bool] = [:]
    for prefix in keys.map(\.prefix) where there[prefix] == nil {
      there[prefix] = try isThere(prefix.components)
    }
    let asked = keys.indices.filter { there[keys[$0].prefix] == true }
    let replies = try session.exchange(asked.map { .linkStatus(path: path(keys[$0])) })
    var found: [(index: Int, attributes: SFTPAttributes)] = []
    for (index, reply) in zip(asked, replies) {
      if let attributes = try Self.attributes(reply) { found.append((index, attributes)) }
    }
    return found
  }

  private func open(_ files: inout [File], _ keys: [StoreKey]) throws(SFTPError) {
    let replies = try session.exchange(
      files.map { .open(path: path(keys[$0.index]), .read, permissions: nil) })
    // All of them first: what was opened is closed, whatever is wrong with the others.
    for (number, reply) in replies.enumerated() {
      if case .handle(let handle) = reply { files[number].handle = handle }
    }
    for (file, reply) in zip(files, replies) where file.handle == nil {
      switch reply {
      case .status(.noSuchFile): break
      case .status(.permissionDenied): throw .unreadable(keys[file.index].description)
      default: _ = try Self.handle(reply)
      }
    }
  }

  private func read(_ files: inout [File]) throws(SFTPError) {
    while true {
      var pieces: [(file: Int, handle: [UInt8], offset: Int, count: Int)] = []
      for (number, file) in files.enumerated() where !file.isAtEnd {
        guard let handle = file.handle else { continue }
        pieces += stride(from: file.bytes.count, to: file.count, by: Self.pieceSize)
          .prefix(Self.window - pieces.count)
          .map { (number, handle, $0, min(Self.pieceSize, file.count - $0)) }
      }
      guard !pieces.isEmpty else { return }
      let replies = try session.exchange(
        pieces.map {
          .read(handle: $0.handle, offset: UInt64($0.offset), count: UInt32($0.count))
        })
      for (piece, reply) in zip(pieces, replies) {
        // The server may have given less of the piece before: on from there, next time.
        guard files[piece.file].bytes.count == piece.offset, !files[piece.file].isAtEnd else {
          continue
        }
        switch reply {
        case .data(let data) where !data.isEmpty && data.count <= piece.count:
          files[piece.file].bytes += data
        case .status(.endOfFile), .data: files[piece.file].isAtEnd = true
        case .status(let status): throw .status(status)
        default: throw .status(.failure)
        }
      }
    }
  }
  // MARK: - Users

  /// The login names that the server has for some of its users, where it tells them.
  func names(of users: [UInt32]) throws(SFTPError) -> [UInt32: String] {
    guard !users.isEmpty, session.offers(.names),
      case .extended(let answer) = try session.ask(.names(users: users))
    else { return [:] }
    var reader = PacketReader(answer)
    var list = PacketReader(reader.string() ?? [])
    var names: [UInt32: String] = [:]
    for user in users {
      guard let name = list.string() else { break }
      // A user who has none is called nothing; and nobody is called what cannot be shown.
      guard !name.isEmpty, name.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else { continue }
      names[user] = String(validating: name, as: UTF8.self)
    }
    return names
  }
}
