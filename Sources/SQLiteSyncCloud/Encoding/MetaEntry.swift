import Foundation

/// One file of a zone's `meta` log: what happened to the zone itself.
///
/// Never truncated.
struct MetaEntry: Hashable, Sendable {
  /// What happened.
  enum Kind: Hashable, Sendable {
    /// The zone came into being, or again after it was deleted. Always entry 1.
    case zoneCreated(name: String, needs: Needs)
    /// The log up to a commit was folded; commits up to `floor` are about to be deleted.
    case checkpoint(Checkpoint)
    /// The log begins anew; every token of the epochs before expires.
    case reset(reason: String)
    /// The zone and everything in it was deleted.
    case zoneDeleted(reason: String)
    /// From here on a program must have these features.
    case upgrade(needs: Needs)
  }

  /// The features that a program must have to read or to write a zone.
  struct Needs: Hashable, Sendable {
    var read: [String] = []
    var write: [String] = []
  }

  var origin: Origin
  /// The number of the entry, from 1.
  var number: Int64
  /// The hash of the entry before; nil in the first.
  var previous: ContentHash?
  /// The epoch of the log that this entry begins or speaks of.
  var epoch: Int64
  var kind: Kind

  /// The bytes of the file.
  var encoded: Data {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("app", origin.app)
      writer.member("at", Timestamp.text(origin.milliseconds))
      writer.member("author", origin.author.rawValue)
      if case .checkpoint(let checkpoint) = kind {
        writer.member("checkpoint") { $0.checkpoint(checkpoint) }
      }
      writer.member("device", origin.device)
      writer.member("epoch", epoch)
      writer.member("f", "meta")
      writer.member("id", origin.id)
      writer.member("kind", kind.name)
      if case .zoneCreated(let name, _) = kind { writer.member("name", name) }
      switch kind {
      case .zoneCreated(_, let needs), .upgrade(let needs):
        writer.member("needRead") { $0.strings(needs.read) }
        writer.member("needWrite") { $0.strings(needs.write) }
      case .checkpoint, .reset, .zoneDeleted: break
      }
      writer.member("prev") { writer in
        if let previous { writer.string(previous.description) } else { writer.null() }
      }
      switch kind {
      case .reset(let reason), .zoneDeleted(let reason): writer.member("reason", reason)
      case .zoneCreated, .checkpoint, .upgrade: break
      }
      writer.member("seq", number)
      writer.member("v", Commit.version)
    }
    writer.newline()
    return SealedFile.seal(writer, lines: 0)
  }

  /// Reads a file.
  ///
  /// A kind that this version does not know is an error like any other: the entry changes nothing.
  /// What must not be overlooked is announced by an upgrade.
  static func read(_ file: SealedFile) throws(FormatError) -> MetaEntry {
    var file = try file.open(kind: "meta")
    try file.readLines { (scanner) throws(FormatError) in _ = try scanner.value() }
    guard file.version == Commit.version else { throw FormatError("another version") }
    let header = file.header
    guard let origin = Origin(header: header), let number = header["seq"]?.integer,
      let epoch = header["epoch"]?.integer, (1...CloudLimits.number) ~= epoch,
      let previous = header["prev"],
      let kind = Kind(header: header)
    else { throw FormatError("a header lacks author, device, epoch, id, kind, prev or seq") }
    var hash: ContentHash?
    if previous != .null {
      hash = previous.string.flatMap(ContentHash.init)
      guard hash != nil else { throw FormatError("prev is not a hash") }
    }
    return MetaEntry(origin: origin, number: number, previous: hash, epoch: epoch, kind: kind)
  }

  /// The version that an entry claims, whole or not: a newer one must not be taken for a broken
  /// one.
  static func version(_ bytes: [UInt8]) -> Int64? {
    var scanner = JSONScanner(bytes)
    // What is not even a header has no version.
    guard let header = try? scanner.line(), header["f"]?.string == "meta" else {
      return nil  // Not even a header: the entry is void, whatever it is.
    }
    return header["v"]?.integer
  }
}

extension MetaEntry.Kind {
  var name: String {
    switch self {
    case .zoneCreated: "zoneCreated"
    case .checkpoint: "checkpoint"
    case .reset: "reset"
    case .zoneDeleted: "zoneDeleted"
    case .upgrade: "upgrade"
    }
  }

  init?(header: JSONValue) {
    guard let needs = MetaEntry.Needs(header) else { return nil }
    switch header["kind"]?.string {
    case "zoneCreated":
      guard let name = header["name"]?.string else { return nil }
      self = .zoneCreated(name: name, needs: needs)
    case "checkpoint":
      guard let value = header["checkpoint"], let checkpoint = Checkpoint(value) else { return nil }
      self = .checkpoint(checkpoint)
    case "reset": self = .reset(reason: header["reason"]?.string ?? "")
    case "zoneDeleted": self = .zoneDeleted(reason: header["reason"]?.string ?? "")
    case "upgrade": self = .upgrade(needs: needs)
    default: return nil
    }
  }
}

extension MetaEntry.Needs {
  /// Reads `needRead` and `needWrite`; nil when one is there and is not a list of features: then
  /// nobody knows what is needed.
  init?(_ document: JSONValue) {
    let none = JSONValue.array([])
    guard let read = (document["needRead"] ?? none).strings,
      let write = (document["needWrite"] ?? none).strings
    else { return nil }
    self.init(read: read, write: write)
  }
}

extension JSONWriter {
  mutating func strings(_ strings: [String]) {
    array { writer in
      for string in strings { writer.string(string) }
    }
  }
}
