import SQLiteSyncHashing

/// Writes the cloud's JSON in the one spelling that `JSONScanner` reads.
struct JSONWriter {
  /// The escapes of two characters.
  ///
  /// `longEscape` spells the other control characters.
  static let shortEscapes: [(character: UInt8, letter: UInt8)] = [
    (0x08, UInt8(ascii: "b")), (0x09, UInt8(ascii: "t")), (0x0A, UInt8(ascii: "n")),
    (0x0C, UInt8(ascii: "f")), (0x0D, UInt8(ascii: "r")),
    (UInt8(ascii: "\""), UInt8(ascii: "\"")), (UInt8(ascii: "\\"), UInt8(ascii: "\\")),
  ]

  private(set) var bytes: [UInt8]
  /// Whether the next element or member needs a comma before it.
  private var needsComma = false

  init() {
    bytes = []
    // More than most lines have, and than most files of one.
    bytes.reserveCapacity(512)
  }

  /// The four digits after `\u` of a control character; none for those with a short escape.
  static func longEscape(_ character: UInt8) -> [UInt8] {
    guard !shortEscapes.contains(where: { $0.character == character }) else { return [] }
    return Array("00".utf8) + Array([character].hexadecimal.utf8)
  }

  mutating func object(_ members: (inout JSONWriter) -> Void) {
    enclose("{", "}", members)
  }

  mutating func array(_ elements: (inout JSONWriter) -> Void) {
    enclose("[", "]", elements)
  }

  /// Writes a member.
  ///
  /// The caller writes them in ascending order of their keys.
  mutating func member(_ key: String, _ value: (inout JSONWriter) -> Void) {
    separate()
    append(key)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
    value(&self)
  }

  mutating func member(_ key: String, _ text: String) {
    member(key) { $0.string(text) }
  }

  mutating func member(_ key: String, _ number: Int64) {
    member(key) { $0.integer(number) }
  }

  mutating func string(_ text: String) {
    separate()
    append(text)
  }

  mutating func integer(_ number: Int64) {
    separate()
    bytes.append(contentsOf: String(number).utf8)
  }

  /// Writes a finite real: the shortest digits that read back as the same number.
  mutating func real(_ number: Double) {
    separate()
    bytes.append(contentsOf: number.description.utf8)
  }

  mutating func null() {
    literal("null")
  }

  mutating func literal(_ text: StaticString) {
    separate()
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Writes a value whose bytes are known to be valid.
  mutating func verbatim(_ value: some Collection<UInt8>) {
    separate()
    bytes.append(contentsOf: value)
  }

  /// Ends a line of a file of several documents.
  mutating func newline() {
    bytes.append(UInt8(ascii: "\n"))
    needsComma = false
  }

  private mutating func enclose(
    _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ content: (inout JSONWriter) -> Void
  ) {
    separate()
    bytes.append(UInt8(ascii: open))
    needsComma = false
    content(&self)
    bytes.append(UInt8(ascii: close))
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  private mutating func append(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { buffer in
      guard buffer.contains(where: Self.needsEscape) else {
        bytes.append(contentsOf: buffer)
        return
      }
      for byte in buffer {
        if let escape = Self.shortEscapes.first(where: { $0.character == byte }) {
          bytes.append(UInt8(ascii: "\\"))
          bytes.append(escape.letter)
        } else if byte < 0x20 {
          bytes.append(contentsOf: "\\u".utf8)
          bytes.append(contentsOf: Self.longEscape(byte))
        } else {
          bytes.append(byte)
        }
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }
}
