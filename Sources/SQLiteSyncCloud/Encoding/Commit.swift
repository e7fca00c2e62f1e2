import Foundation

/// One file of the commit log: who, where in the log, and the operations.
struct Commit: Hashable, Sendable {
  /// The version of the format that this program writes and reads.
  static let version: Int64 = 1

  var origin: Origin
  /// The name of the zone.
  var zone: String
  var epoch: Int64
  /// The number of the commit in its epoch, from 1.
  var sequence: Int64
  /// The hash of the file before it.
  var previous: ContentHash
  var operations: [CloudChange]

  /// The bytes of the file, of which `operations` are the encoded lines.
  static func file(header commit: Commit, lines: [[UInt8]]) -> Data {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("app", commit.origin.app)
      writer.member("at", Timestamp.text(commit.origin.milliseconds))
      writer.member("author", commit.origin.author.rawValue)
      writer.member("device", commit.origin.device)
      writer.member("epoch", commit.epoch)
      writer.member("f", "commit")
      writer.member("id", commit.origin.id)
      writer.member("n", Int64(lines.count))
      writer.member("prev", commit.previous.description)
      writer.member("seq", commit.sequence)
      writer.member("v", version)
      writer.member("zone", commit.zone)
    }
    writer.newline()
    for line in lines {
      writer.verbatim(line)
      writer.newline()
    }
    return SealedFile.seal(writer, lines: lines.count)
  }

  /// The line of an operation.
  static func line(_ change: CloudChange) -> [UInt8] {
    var writer = JSONWriter()
    writer.operation(change)
    return writer.bytes
  }

  /// The bytes of the file.
  var encoded: Data {
    Self.file(header: self, lines: operations.map(Self.line))
  }

  /// Reads a file, of which `operation` sees each operation and the bytes of its line.
  static func read(
    _ file: SealedFile, operation: (CloudChange, Range<Int>) -> Void = { _, _ in }
  ) throws(FormatError) -> Commit {
    var file = try file.open(kind: "commit")
    guard file.version == version else {
      // A zone that needs a newer version says so in `meta`; a commit alone cannot demand it.
      throw FormatError("a version that the zone does not have")
    }
    var commit = try Commit(header: file.header, lines: file.lines)
    try file.readLines { (scanner) throws(FormatError) in
      let start = scanner.index
      let change = try OperationReader.read(&scanner)
      operation(change, start..<scanner.index)
      commit.operations.append(change)
    }
    return commit
  }

  private init(header: JSONValue, lines: Int) throws(FormatError) {
    guard let origin = Origin(header: header), let zone = header["zone"]?.string,
      let epoch = header["epoch"]?.integer, let sequence = header["seq"]?.integer,
      let previous = header["prev"]?.string.flatMap(ContentHash.init)
    else { throw FormatError("a header lacks author, device, epoch, id, prev, seq or zone") }
    guard header["n"]?.integer == Int64(lines), (1...CloudLimits.operationsPerCommit) ~= lines
    else { throw FormatError("not 1 to \(CloudLimits.operationsPerCommit) operations") }
    self.init(
      origin: origin, zone: zone, epoch: epoch, sequence: sequence, previous: previous,
      operations: [])
  }

  init(
    origin: Origin, zone: String, epoch: Int64, sequence: Int64, previous: ContentHash,
    operations: [CloudChange]
  ) {
    self.origin = origin
    self.zone = zone
    self.epoch = epoch
    self.sequence = sequence
    self.previous = previous
    self.operations = operations
  }
}

extension Origin {
  /// Reads what a header says of its writer; nil when author, device or id is missing.
  init?(header: JSONValue) {
    guard let author = header["author"]?.string.flatMap(AccountID.init(rawValue:)),
      let device = header["device"]?.string, let id = header["id"]?.string
    else { return nil }
    self.init(
      milliseconds: header["at"]?.string.flatMap(Timestamp.milliseconds) ?? 0,
      app: header["app"]?.string ?? "", author: author, device: device, id: id)
  }
}
