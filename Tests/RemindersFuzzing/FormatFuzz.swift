import Foundation

@testable import SQLiteSyncCloud

/// What must hold for any bytes at all: the readers of the cloud's files do not trap, and what one
/// of them accepts is written back as it was read.
///
/// `make fuzz` lets libFuzzer choose the bytes; `make test` takes some of its own.
public enum FormatFuzz {
  /// Reads an input in every way; traps when a promise is broken.
  ///
  /// The first byte chooses what the rest is taken for. Where a file needs a seal, it is made here:
  /// no fuzzer finds a SHA-256.
  public static func run(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let bytes = Array(input.dropFirst())
    switch choice % 5 {
    case 0: readRaw(bytes)
    case 1: readCommit(sealed(bytes))
    case 2: readMeta(sealed(bytes))
    case 3: readPart(sealed(bytes))
    default: readOperation(bytes)
    }
  }

  /// Inputs to begin with: one of each kind that is right.
  public static var corpus: [[UInt8]] {
    let body: (Data) -> [UInt8] = { file in
      // Without the trailer, which `run` makes.
      let lines = file.split(separator: 10, omittingEmptySubsequences: true).dropLast()
      return lines.flatMap { Array($0) + [10] }
    }
    return [
      [0] + Array(commit.encoded), [0] + Array(CloudFile(id: "i").encoded),
      [0] + Array("-1.5e+300,\"\\u001f\\n\\\"é\u{10FFFF}\"".utf8),
      [1] + body(commit.encoded),
    ] + parts.map { [3] + body($0.bytes) } + metaEntries.map { [2] + body($0.encoded) }
      + commit.operations.map { [4] + Commit.line($0) }
  }

  // MARK: Readers

  private static func readRaw(_ bytes: [UInt8]) {
    var scanner = JSONScanner(bytes)
    if let value = try? scanner.value() {  // Anything may be refused.
      check(scanner.index <= bytes.count, "the scanner stays in its bytes")
      if !value.holdsReal {
        var writer = JSONWriter()
        writer.value(value)
        check(writer.bytes == Array(bytes[..<scanner.index]), "a value has one spelling")
      }
    }
    readCommit(bytes)
    readMeta(bytes)
    readPart(bytes)
    _ = try? CloudFile.read(bytes)  // Anything may be refused.
    _ = ShareMessage.read(bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    check(ChangeToken(text).map { $0.description == text } ?? true, "a token has one spelling")
    check(ChangeTag(text).map { $0.description == text } ?? true, "a tag has one spelling")
    _ = AccountID(rawValue: text)
    _ = ShareLink(text)
  }

  private static func readCommit(_ bytes: [UInt8]) {
    var cursor = LogCursor(zone: zone, from: token, view: nil)
    do {
      try cursor.append(CommitFile(bytes: bytes, owner: nil))
    } catch {
      check(false, "a commit is applied or void: \(error)")
    }
    check(cursor.token.sequence == token.sequence + 1, "every commit takes its number")
    // Anything may be refused.
    guard let commit = try? Commit.read(SealedFile(bytes)) else { return }
    check(commit.operations.count <= CloudLimits.operationsPerCommit, "a commit is bounded")
    let again = try? Commit.read(SealedFile(Array(commit.encoded)))  // Nil is caught below.
    check(again?.operations == commit.operations, "a commit comes back as it was")
  }

  private static func readMeta(_ bytes: [UInt8]) {
    _ = MetaEntry.version(bytes)
    if var manifest = try? ZoneManifest(first: bytes, zone: zone) {  // Anything may be refused.
      manifest.append(bytes)
      check(manifest.number == 2, "every entry takes its number")
    }
    guard let first = try? ZoneManifest(first: Array(metaEntries[0].encoded), zone: zone)
    else { return check(false, "a right entry is read") }
    var manifest = first
    manifest.append(bytes)
    check(manifest.epoch >= first.epoch && manifest.floor >= 0, "a manifest goes forward")
    _ = manifest.start.description
    // Anything may be refused.
    guard let entry = try? MetaEntry.read(SealedFile(bytes)) else { return }
    let again = try? MetaEntry.read(SealedFile(Array(entry.encoded)))  // Nil is caught below.
    check(again?.kind == entry.kind && again?.number == entry.number, "an entry comes back")
  }

  private static func readPart(_ bytes: [UInt8]) {
    let zone = FoldedZone()
    var lines: [ArraySlice<UInt8>] = []
    do {
      try CheckpointPart.read(SealedFile(bytes)) { copy, line in
        zone.put(copy, lineHash: ContentHash(of: line))
        lines.append(line)
      }
    } catch {}  // Anything may be refused.
    for line in lines {
      var scanner = JSONScanner(Array(line))
      check((try? OperationReader.read(&scanner)) != nil, "a line that was read is read again")
    }
  }

  private static func readOperation(_ bytes: [UInt8]) {
    var scanner = JSONScanner(bytes)
    guard let change = try? OperationReader.read(&scanner) else { return }  // May be refused.
    check(Validity.objection(to: change) == nil, "what is read is valid")
    let line = Commit.line(change)
    var again = JSONScanner(line)
    check((try? OperationReader.read(&again)) == change, "an operation comes back as it was")
    check(again.isAtEnd, "an operation is one line")
  }

  private static func check(_ holds: Bool, _ promise: String) {
    precondition(holds, promise)
  }

  /// A body with the trailer that fits it.
  private static func sealed(_ body: [UInt8]) -> [UInt8] {
    let lines = body.count { $0 == 10 } - 1
    let seal = #"{"end":\#(max(0, lines)),"sha256":"\#(ContentHash(of: body))"}"# + "\n"
    return body + Array(seal.utf8)
  }
}

// MARK: - Right files

extension FormatFuzz {
  private static let zone = ZoneID(name: "z", owner: AccountID(userID: 1))
  private static let token = ChangeToken(
    zone: ContentHash(of: [0]), epoch: 1, sequence: 0, hash: ContentHash(of: [1]))
  private static let origin = Origin(
    milliseconds: 1_763_688_225_678, app: "a", author: AccountID(userID: 1), device: "d", id: "i")
  private static let clock = FieldClock(milliseconds: 1_763_688_225_678, device: 7)
  private static let asset = AssetReference(
    name: "\(ContentHash(of: [2]))-01234567", byteCount: 3)

  private static var record: CloudRecord {
    let values: [CloudValue] = [
      .null, .integer(.min), .real(0.1), .real(.infinity), .text("é\u{1}\"\\"),
      .bytes(Data([0, 255])), .asset(asset),
    ]
    let fields = values.enumerated().map { ("f\($0)", CloudField($1, clock)) }
    return CloudRecord(
      name: "a:t", type: "t", parent: "p:u", life: clock,
      fields: Dictionary(uniqueKeysWithValues: fields))
  }

  private static var commit: Commit {
    let parent = CloudRecord(name: "p:u", type: "u", life: clock)
    let tombstone = Tombstone(name: "b:t", type: "t", clock: clock)
    return Commit(
      origin: origin, zone: zone.name, epoch: 1, sequence: 1, previous: token.hash,
      operations: [
        .save(parent, base: nil), .save(record, base: ChangeTag("1.2.3")),
        .delete(tombstone, base: nil),
      ])
  }

  private static var parts: [CheckpointPart.File] {
    let line = CheckpointPart.Line(
      tag: ChangeTag(epoch: 1, sequence: 9, index: 0), author: origin.author, device: "d",
      operation: Commit.line(.save(record, base: nil))[...])
    var writer = CheckpointPart.Writer(epoch: 1, sequence: 9)
    return [writer.add(line.encoded), writer.finish()].compactMap { $0 }
  }

  private static var metaEntries: [MetaEntry] {
    let needs = MetaEntry.Needs(read: ["x"], write: ["y"])
    let kinds: [MetaEntry.Kind] = [
      .zoneCreated(name: zone.name, needs: .init()), .reset(reason: "r"),
      .checkpoint(Checkpoint(sequence: 9, hash: token.hash, parts: parts.map(\.part), floor: 7)),
      .zoneDeleted(reason: "r"), .upgrade(needs: needs),
    ]
    var previous: ContentHash?
    return kinds.enumerated().map { index, kind in
      let entry = MetaEntry(
        origin: origin, number: Int64(index + 1), previous: index == 0 ? nil : previous,
        epoch: index == 1 ? 2 : 1, kind: kind)
      if index == 0 { previous = ContentHash(of: entry.encoded) }
      return entry
    }
  }
}

extension JSONValue {
  /// Whether a real is in it: readers take any spelling of those.
  fileprivate var holdsReal: Bool {
    switch self {
    case .real: true
    case .array(let elements): elements.contains(where: \.holdsReal)
    case .object(let members): members.contains { $0.value.holdsReal }
    case .null, .boolean, .integer, .string: false
    }
  }
}

extension JSONWriter {
  fileprivate mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .boolean(let isTrue): literal(isTrue ? "true" : "false")
    case .integer(let number): integer(number)
    case .real(let number): real(number)
    case .string(let text): string(text)
    case .array(let elements):
      array { writer in
        for element in elements { writer.value(element) }
      }
    case .object(let members):
      object { writer in
        for member in members { writer.member(member.key) { $0.value(member.value) } }
      }
    }
  }
}
