import Foundation

/// One file of a folded state: the lines of living records and tombstones, in the order of their
/// tags.
///
/// The operation's line is that of its commit, byte for byte, so keys that this version does not
/// know survive the folding.
enum CheckpointPart {
  /// A line to be: a version of a record, and the bytes of its operation.
  struct Line {
    let tag: ChangeTag
    let author: AccountID
    let device: String
    let operation: [UInt8]

    fileprivate var encoded: [UInt8] {
      var writer = JSONWriter()
      writer.object { writer in
        writer.member("author", author.rawValue)
        writer.member("device", device)
        writer.member("op") { $0.verbatim(operation) }
        writer.member("tag", tag.description)
      }
      return writer.bytes
    }
  }

  /// The files of a folded state and their names.
  static func files(
    _ lines: some Sequence<Line>, epoch: Int64, sequence: Int64
  ) -> [(part: Checkpoint.Part, bytes: Data)] {
    var files: [(Checkpoint.Part, Data)] = []
    var pending: [[UInt8]] = []
    var byteCount = 0
    func flush() {
      files.append(
        file(pending, number: files.count + 1, epoch: epoch, sequence: sequence))
      pending = []
      byteCount = 0
    }
    for line in lines {
      let bytes = line.encoded
      let isFull =
        pending.count == CloudLimits.recordsPerPart
        || byteCount + bytes.count > CloudLimits.partBytes
      if isFull, !pending.isEmpty { flush() }
      pending.append(bytes)
      byteCount += bytes.count + 1
    }
    if !pending.isEmpty { flush() }
    return files
  }

  private static func file(
    _ lines: [[UInt8]], number: Int, epoch: Int64, sequence: Int64
  ) -> (Checkpoint.Part, Data) {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("epoch", epoch)
      writer.member("f", "cp")
      writer.member("k", Int64(number))
      writer.member("seq", sequence)
      writer.member("v", Commit.version)
    }
    writer.newline()
    for line in lines {
      writer.verbatim(line)
      writer.newline()
    }
    let bytes = SealedFile.seal(writer, lines: lines.count)
    let hash = ContentHash(of: bytes)
    let part = Checkpoint.Part(
      name: Checkpoint.Part.name(sequence: sequence, hash: hash, number: number), hash: hash,
      byteCount: Int64(bytes.count), recordCount: Int64(lines.count))
    return (part, bytes)
  }

  /// Reads a file; each version comes with the bytes of its operation.
  static func read(
    _ part: SealedFile, _ line: (ServerCopy, ArraySlice<UInt8>) -> Void
  ) throws(FormatError) {
    var file = try part.open(kind: "cp")
    guard file.version == Commit.version else { throw FormatError("another version") }
    try file.readLines { (scanner) throws(FormatError) in
      var author: AccountID?
      var device: String?
      var tag: ChangeTag?
      var change: CloudChange?
      var range = 0..<0
      try scanner.object { (scanner, key) throws(FormatError) in
        switch key {
        case "author": author = AccountID(rawValue: try scanner.string())
        case "device": device = try scanner.string()
        case "tag": tag = ChangeTag(try scanner.string())
        case "op":
          let start = scanner.index
          change = try OperationReader.read(&scanner)
          range = start..<scanner.index
        default: _ = try scanner.value()
        }
      }
      guard let author, let device, let tag, let change else {
        throw scanner.failure("a line lacks author, device, op or tag")
      }
      let copy = ServerCopy(content: change.content, tag: tag, author: author, device: device)
      line(copy, part.bytes[range])
    }
  }
}

extension CloudChange {
  /// What the record is after the operation.
  var content: ServerCopy.Content {
    switch self {
    case .save(let record, _): .record(record)
    case .delete(let tombstone, _): .tombstone(tombstone)
    }
  }
}
