import Foundation

/// The frame of every file in a zone: a header line, body lines, and a trailer that seals them.
///
/// The trailer counts the body lines and holds the SHA-256 of every byte above it, so a file that
/// was torn, copied in part or altered is told from a whole one.
enum SealedFile {
  /// Appends the trailer.
  static func seal(_ writer: JSONWriter, lines: Int) -> Data {
    var trailer = JSONWriter()
    trailer.object { trailer in
      trailer.member("end", Int64(lines))
      trailer.member("sha256", ContentHash(of: writer.bytes).description)
    }
    trailer.newline()
    return Data(writer.bytes + trailer.bytes)
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
  static func open(_ bytes: [UInt8], kind: String) throws(FormatError) -> Contents {
    guard bytes.count <= CloudLimits.readBytes else {
      throw FormatError("a file of too many bytes", at: CloudLimits.readBytes)
    }
    guard bytes.last == UInt8(ascii: "\n"),
      let previous = bytes.dropLast().lastIndex(of: UInt8(ascii: "\n"))
    else { throw FormatError("a file without a trailer", at: bytes.count) }
    let end = previous + 1
    var trailer = JSONScanner(bytes, from: end)
    let seal = try trailer.line()
    guard let lines = seal["end"]?.integer, let hash = seal["sha256"]?.string else {
      throw FormatError("a file without a trailer", at: end)
    }
    guard ContentHash(of: bytes[..<end]).description == hash else {
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
  static func text(_ milliseconds: Int64) -> String {
    let bounded = min(max(milliseconds, 0), FieldClock.limit.milliseconds)
    let (seconds, fraction) = bounded.quotientAndRemainder(dividingBy: 1_000)
    let date = Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
    let digits = String(1_000 + fraction).dropFirst()
    return "\(date.dropLast()).\(digits)Z"
  }

  static func milliseconds(_ text: String) -> Int64? {
    let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    // A time that cannot be read is unknown; it only informs people.
    guard let date = try? format.parse(text) else { return nil }
    return Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded())
  }
}
