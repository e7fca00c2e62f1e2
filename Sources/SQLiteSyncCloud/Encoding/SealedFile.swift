import Foundation

/// The frame of every file in a zone: a header line, body lines, and a trailer that seals them.
///
/// The trailer counts the body lines and holds the SHA-256 of every byte above it, so a file that
/// was torn, copied in part or altered is told from a whole one.
struct SealedFile {
  let bytes: [UInt8]
  /// The hash of all bytes: what the file after it in a chain names as the one before.
  let hash: ContentHash
  /// Where the trailer begins, if there is one, and the hash of what is above it.
  private let body: (end: Int, hash: ContentHash)?

  /// The bytes of a file, whatever they are.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    let newline = UInt8(ascii: "\n")
    guard bytes.last == newline, let previous = bytes.dropLast().lastIndex(of: newline) else {
      hash = ContentHash(of: bytes)
      body = nil
      return
    }
    let hashes = ContentHash.ofBeginning(previous + 1, andAllOf: bytes)
    hash = hashes.all
    body = (previous + 1, hashes.beginning)
  }

  /// Appends the trailer.
  static func seal(_ writer: JSONWriter, lines: Int) -> Data {
    var writer = writer
    let hash = ContentHash(of: writer.bytes)
    writer.object { trailer in
      trailer.member("end", Int64(lines))
      trailer.member("sha256", hash.description)
    }
    writer.newline()
    return Data(writer.bytes)
  }

  /// A whole file: its header, and a scanner that stands on the first body line.
  struct Contents {
    let header: JSONValue
    var scanner: JSONScanner
    /// The number of body lines.
    let lines: Int
    /// Where the trailer begins.
    let end: Int
  }

  /// Opens a file of the kind `f` and verifies its seal.
  func open(kind: String) throws(FormatError) -> Contents {
    guard bytes.count <= CloudLimits.readBytes else {
      throw FormatError("a file of too many bytes", at: CloudLimits.readBytes)
    }
    guard let (end, bodyHash) = body else {
      throw FormatError("a file without a trailer", at: bytes.count)
    }
    let (lines, hash) = try trailer(at: end)
    guard hash == bodyHash else {
      throw FormatError("the trailer's hash is not that of the file", at: end)
    }
    var scanner = JSONScanner(bytes)
    let header = try scanner.line()
    guard header["f"]?.string == kind else { throw FormatError("not a file of kind \(kind)") }
    guard (0...Int64(bytes.count)).contains(lines) else {
      throw FormatError("the trailer's count is not that of the file", at: end)
    }
    return Contents(header: header, scanner: scanner, lines: Int(lines), end: end)
  }

  /// What the trailer says: the number of body lines, and the hash if it is one.
  private func trailer(at end: Int) throws(FormatError) -> (lines: Int64, hash: ContentHash?) {
    var lines: JSONValue?
    var hash: JSONValue?
    var scanner = JSONScanner(bytes, from: end)
    try scanner.object { (scanner, key) throws(FormatError) in
      switch key {
      case "end": lines = try scanner.value()
      case "sha256": hash = try scanner.value()
      default: _ = try scanner.value()
      }
    }
    try scanner.expect("\n")
    guard let lines = lines?.integer, let hash = hash?.string else {
      throw FormatError("a file without a trailer", at: end)
    }
    return (lines, ContentHash(hash))
  }
}

extension SealedFile.Contents {
  /// The header's version, when it is one.
  var version: Int64? { header["v"]?.integer }

  /// Reads every body line with `line` and makes sure that there are as many as the trailer says.
  mutating func readLines(
    _ line: (inout JSONScanner) throws(FormatError) -> Void
  ) throws(FormatError) {
    var count = 0
    while scanner.index < end {
      try line(&scanner)
      try scanner.expect("\n")
      count += 1
    }
    guard count == lines else {
      throw FormatError("the trailer's count is not that of the file", at: end)
    }
  }
}

/// What identifies a file of a zone to people.
///
/// Nothing is decided by it.
struct Origin: Hashable, Sendable {
  /// Milliseconds since 1970 by the writer's clock.
  var milliseconds: Int64
  /// The name and version of the program.
  var app: String
  /// Whose commit it is.
  var author: AccountID
  /// The device.
  var device: String
  /// Unique to this attempt at writing: tells a writer its own file from another's.
  var id: String
}

/// Milliseconds since 1970 as `2026-11-21T01:23:45.678Z`.
enum Timestamp {
  private static let form: StaticString = "0000-00-00T00:00:00.000Z"

  static func text(_ milliseconds: Int64) -> String {
    let bounded = min(max(milliseconds, 0), FieldClock.limit.milliseconds)
    let (seconds, fraction) = bounded.quotientAndRemainder(dividingBy: 1_000)
    var (time, parts) = (time_t(seconds), tm())
    gmtime_r(&time, &parts)
    return String(unsafeUninitializedCapacity: form.utf8CodeUnitCount) { text in
      form.withUTF8Buffer { _ = text.update(fromContentsOf: $0) }
      text.write(Int64(parts.tm_year) + 1_900, in: 0..<4)
      text.write(Int64(parts.tm_mon) + 1, in: 5..<7)
      text.write(Int64(parts.tm_mday), in: 8..<10)
      text.write(Int64(parts.tm_hour), in: 11..<13)
      text.write(Int64(parts.tm_min), in: 14..<16)
      text.write(Int64(parts.tm_sec), in: 17..<19)
      text.write(fraction, in: 20..<23)
      return form.utf8CodeUnitCount
    }
  }

  /// Nil when it is no such text.
  ///
  /// By hand: every commit that is read has one, and a formatter takes longer than the rest.
  static func milliseconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    let isOfForm = form.withUTF8Buffer { form in
      bytes.count == form.count
        && bytes.indices.allSatisfy { index in
          form[index] == UInt8(ascii: "0")
            ? (48...57).contains(bytes[index]) : bytes[index] == form[index]
        }
    }
    guard isOfForm else { return nil }
    func number(_ range: Range<Int>) -> Int32 {
      bytes[range].reduce(0) { 10 * $0 + Int32($1 - UInt8(ascii: "0")) }
    }
    var parts = tm()
    parts.tm_year = number(0..<4) - 1_900
    parts.tm_mon = number(5..<7) - 1
    parts.tm_mday = number(8..<10)
    parts.tm_hour = number(11..<13)
    parts.tm_min = number(14..<16)
    parts.tm_sec = number(17..<19)
    let written = parts
    let seconds = timegm(&parts)
    // It makes the 31st of February the 3rd of March, and the 24th hour the next day.
    guard (parts.tm_mon, parts.tm_mday) == (written.tm_mon, written.tm_mday),
      (parts.tm_hour, parts.tm_min) == (written.tm_hour, written.tm_min)
    else { return nil }
    return Int64(seconds) * 1_000 + Int64(number(20..<23))
  }
}
