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
    let operation: ArraySlice<UInt8>

    var encoded: [UInt8] {
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

  /// A file, and what a checkpoint says of it.
  typealias File = (part: Checkpoint.Part, bytes: Data)

  /// Makes the files of a folded state, of which it holds one.
  struct Writer {
    private let epoch: Int64
    private let sequence: Int64
    private var file = JSONWriter()
    private var number = 1
    private var lines = 0
    private var byteCount = 0

    init(epoch: Int64, sequence: Int64) {
      (self.epoch, self.sequence) = (epoch, sequence)
    }

    /// Adds the next line; returns the file before, if the line did not fit.
    mutating func add(_ line: some Collection<UInt8>) -> File? {
      let isFull =
        lines == CloudLimits.recordsPerPart || byteCount + line.count > CloudLimits.partBytes
      let full = isFull ? finish() : nil
      if lines == 0 { begin() }
      file.verbatim(line)
      file.newline()
      lines += 1
      byteCount += line.count + 1
      return full
    }

    /// The last file; nil when there are no lines in it.
    mutating func finish() -> File? {
      guard lines > 0 else { return nil }
      let bytes = SealedFile.seal(file, lines: lines)
      let hash = ContentHash(of: bytes)
      let part = Checkpoint.Part(
        name: Checkpoint.Part.name(sequence: sequence, hash: hash, number: number), hash: hash,
        byteCount: Int64(bytes.count), recordCount: Int64(lines))
      (number, lines, byteCount, file) = (number + 1, 0, 0, JSONWriter())
      return (part, bytes)
    }

    private mutating func begin() {
      file.object { writer in
        writer.member("epoch", epoch)
        writer.member("f", "cp")
        writer.member("k", Int64(number))
        writer.member("seq", sequence)
        writer.member("v", Commit.version)
      }
      file.newline()
    }
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
