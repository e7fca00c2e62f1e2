/// Blanks the contents of strings and comments, and keeps every line in its place.
///
/// It knows nested comments, interpolation, and strings of several lines, with any number of `#`.
/// It does not know regular expressions between slashes: write them between `#/` and `/#`.
struct CodeScanner {
  private let bytes: [UInt8]
  private var position = 0
  private var output: [UInt8] = []

  init(_ text: String) {
    bytes = Array(text.utf8)
    output.reserveCapacity(bytes.count)
  }

  /// The text with everything but code blanked.
  mutating func code() -> String {
    while position < bytes.count { scanCode() }
    return String(decoding: output, as: UTF8.self)
  }

  private mutating func scanCode() {
    if startsWith("//") {
      while position < bytes.count, bytes[position] != newline { blank() }
    } else if startsWith("/*") {
      scanComment()
    } else if let hashes = openingHashes(before: quote) {
      scanString(hashes: hashes)
    } else if let hashes = openingHashes(before: UInt8(ascii: "/")), hashes > 0 {
      scanRegex(hashes: hashes)
    } else {
      keep()
    }
  }

  private mutating func scanComment() {
    var depth = 0
    repeat {
      if startsWith("/*") {
        depth += 1
        blank(2)
      } else if startsWith("*/") {
        depth -= 1
        blank(2)
      } else {
        blank()
      }
    } while depth > 0 && position < bytes.count
  }

  private mutating func scanString(hashes: Int) {
    keep(hashes)
    let quotes = startsWith("\"\"\"") ? 3 : 1
    keep(quotes)
    let hash = [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
    let end = [UInt8](repeating: quote, count: quotes) + hash
    let escape = [UInt8(ascii: "\\")] + hash
    while position < bytes.count, !bytes[position...].starts(with: end) {
      // A string of one line ends with the line; otherwise one mistake would hide the whole file.
      if quotes == 1, bytes[position] == newline { return }
      guard bytes[position...].starts(with: escape) else {
        blank()
        continue
      }
      blank(escape.count)
      if position < bytes.count, bytes[position] == UInt8(ascii: "(") {
        scanInterpolation()
      } else {
        blank()
      }
    }
    keep(end.count)
  }

  /// What is interpolated is code.
  private mutating func scanInterpolation() {
    var depth = 0
    repeat {
      if bytes[position] == UInt8(ascii: "(") { depth += 1 }
      if bytes[position] == UInt8(ascii: ")") { depth -= 1 }
      scanCode()
    } while depth > 0 && position < bytes.count
  }

  private mutating func scanRegex(hashes: Int) {
    keep(hashes + 1)
    let end = [UInt8(ascii: "/")] + [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
    while position < bytes.count, !bytes[position...].starts(with: end) { blank() }
    keep(end.count)
  }

  // MARK: - Bytes

  private let newline = UInt8(ascii: "\n")
  private let quote = UInt8(ascii: "\"")

  private func startsWith(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[position...].starts(with: $0) }
  }

  /// How many `#` stand here before `byte`, or nil when it does not follow them.
  private func openingHashes(before byte: UInt8) -> Int? {
    let hashes = bytes[position...].prefix { $0 == UInt8(ascii: "#") }.count
    let next = position + hashes
    return next < bytes.count && bytes[next] == byte ? hashes : nil
  }

  private mutating func keep(_ count: Int = 1) {
    output += bytes[position..<min(position + count, bytes.count)]
    position += count
  }

  private mutating func blank(_ count: Int = 1) {
    for byte in bytes[position..<min(position + count, bytes.count)] {
      // One space for a character of several bytes, so that columns stay where they are.
      if byte == newline {
        output.append(newline)
      } else if byte & 0xC0 != 0x80 {
        output.append(0x20)
      }
    }
    position += count
  }
}
