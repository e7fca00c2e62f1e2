/// Reads the cloud's strict JSON from bytes: what one reader accepts, every reader accepts.
///
/// Foundation's readers disagree with each other on duplicate keys, trailing commas and `1.0` for
/// an integer, and a difference between two readers is a difference between two devices. So there
/// is one spelling: keys in strictly ascending byte order (which rules out duplicates), no white
/// space, only the necessary escapes, UTF-8, no NUL. Numbers are bounded in length, nesting in
/// depth.
struct JSONScanner {
  /// No number that can be read is longer: a double has at most 17 digits, an exponent, and signs.
  static let numberBytes = 32

  let bytes: [UInt8]
  private(set) var index: Int
  private(set) var depth = 0
  /// Whether a text may hold NUL: only in what a device has written for itself.
  var takesNUL = false

  init(_ bytes: [UInt8], from index: Int = 0) {
    self.bytes = bytes
    self.index = index
  }

  var isAtEnd: Bool { index >= bytes.count }

  /// The next byte; 0, which is never valid, at the end.
  var peek: UInt8 { index < bytes.count ? bytes[index] : 0 }

  func failure(_ reason: String) -> FormatError { FormatError(reason, at: index) }

  @inline(__always)
  mutating func expect(_ character: Unicode.Scalar) throws(FormatError) {
    guard take(character) else { throw failure(toFind: character) }
  }

  // Apart from what is called for every character.
  @inline(never)
  private func failure(toFind character: Unicode.Scalar) -> FormatError {
    failure("expected \(character.debugDescription)")
  }

  /// Takes the next byte if it is `character`.
  @inline(__always)
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  mutating func takeLiteral(_ literal: StaticString) -> Bool {
    let count = literal.utf8CodeUnitCount
    guard index + count <= bytes.count,
      literal.withUTF8Buffer({ $0.elementsEqual(bytes[index..<(index + count)]) })
    else { return false }
    index += count
    return true
  }

  /// Reads an object, handing each key to `member`, which must read its value.
  mutating func object(
    _ member: (inout JSONScanner, String) throws(FormatError) -> Void
  ) throws(FormatError) {
    try enter("{")
    var previous: ExactString?
    if peek != UInt8(ascii: "}") {
      repeat {
        let start = index
        let key = try string()
        if let previous, !(previous < ExactString(key)) {
          throw FormatError("keys must ascend", at: start)
        }
        previous = ExactString(key)
        try expect(":")
        try member(&self, key)
      } while take(",")
    }
    try leave("}")
  }

  /// Reads an array, calling `element` for each of its elements.
  mutating func array(
    _ element: (inout JSONScanner) throws(FormatError) -> Void
  ) throws(FormatError) {
    try enter("[")
    if peek != UInt8(ascii: "]") {
      repeat {
        try element(&self)
      } while take(",")
    }
    try leave("]")
  }

  /// Reads an integer of 64 bits in its only spelling.
  mutating func integer() throws(FormatError) -> Int64 {
    guard case .integer(let value) = try number() else { throw failure("expected an integer") }
    return value
  }

  /// Reads an integer without fraction and exponent, or a finite real with one of them.
  mutating func number() throws(FormatError) -> JSONValue {
    let start = index
    var isReal = false
    if peek == UInt8(ascii: "-") { index += 1 }
    let leading = index
    try digits()
    if bytes[leading] == UInt8(ascii: "0"), index > leading + 1 {
      throw FormatError("a number with a leading zero", at: start)
    }
    if take(".") {
      isReal = true
      try digits()
    }
    if take("e") {
      isReal = true
      if !take("+") { _ = take("-") }
      try digits()
    }
    guard index - start <= Self.numberBytes else {
      throw FormatError("a number of too many digits", at: start)
    }
    var digits = bytes[leading..<index]
    if !isReal, leading == start, let value = digits.takeNumber() { return .integer(value) }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    if isReal {
      guard let value = Double(text), value.isFinite else {
        throw FormatError("a number out of range", at: start)
      }
      return .real(value)
    }
    guard let value = Int64(text), text != "-0" else {
      throw FormatError("not an integer of 64 bits", at: start)
    }
    return .integer(value)
  }

  mutating func enter(_ character: Unicode.Scalar) throws(FormatError) {
    try expect(character)
    depth += 1
    guard depth <= CloudLimits.jsonDepth else { throw failure("nested too deeply") }
  }

  mutating func leave(_ character: Unicode.Scalar) throws(FormatError) {
    try expect(character)
    depth -= 1
  }

  private mutating func digits() throws(FormatError) {
    let start = index
    while (48...57).contains(peek) { index += 1 }
    guard index > start else { throw failure("expected a digit") }
  }
}

// MARK: - Strings

extension JSONScanner {
  /// Reads a string.
  mutating func string() throws(FormatError) -> String {
    try expect("\"")
    let start = index
    let plain = bytes.withUnsafeBufferPointer { Self.plainText(in: $0, from: start) }
    index = plain.end
    if let text = plain.text {
      index += 1
      return text
    }
    switch peek {
    case UInt8(ascii: "\""):
      index += 1
      return try decode(bytes[start..<plain.end], at: start)
    case UInt8(ascii: "\\"): return try escapedString(from: start)
    default: throw failure(isAtEnd ? "a string without an end" : "a control character in a string")
    }
  }

  /// Where the characters end that stand for themselves; the text, if that is its end and it is
  /// ASCII.
  ///
  /// Most texts are, and to validate others takes longer than all the rest.
  private static func plainText(
    in bytes: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> (end: Int, text: String?) {
    var end = start
    var all: UInt8 = 0
    while end < bytes.count, bytes[end] != UInt8(ascii: "\""), bytes[end] != UInt8(ascii: "\\"),
      bytes[end] >= 0x20
    {
      all |= bytes[end]
      end += 1
    }
    guard end < bytes.count, bytes[end] == UInt8(ascii: "\""), all < 0x80 else {
      return (end, nil)
    }
    let text = UnsafeBufferPointer(rebasing: bytes[start..<end])
    return (end, String(decoding: text, as: UTF8.self))
  }

  private mutating func escapedString(from start: Int) throws(FormatError) -> String {
    var unescaped = Array(bytes[start..<index])
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return try decode(unescaped[...], at: start)
      case UInt8(ascii: "\\"): unescaped.append(try escape())
      case 0x20...: unescaped.append(byte)
      default: throw failure("a control character in a string")
      }
    }
    throw failure("a string without an end")
  }

  /// The character of an escape, in the only spelling that the writer uses for it.
  private mutating func escape() throws(FormatError) -> UInt8 {
    let byte = peek
    index += 1
    if let index = JSONWriter.shortEscapes.firstIndex(where: { $0.letter == byte }) {
      return JSONWriter.shortEscapes[index].character
    }
    guard byte == UInt8(ascii: "u"), index + 4 <= bytes.count else {
      throw failure("an unknown escape")
    }
    let text = bytes[index..<(index + 4)]
    for character in UInt8(takesNUL ? 0 : 1)..<0x20
    where JSONWriter.longEscape(character).elementsEqual(text) {
      index += 4
      return character
    }
    throw failure("an escape that is not needed")
  }

  private func decode(
    _ text: ArraySlice<UInt8>, at offset: Int
  ) throws(FormatError) -> String {
    guard let string = String(validating: text, as: UTF8.self) else {
      throw FormatError("not UTF-8", at: offset)
    }
    return string
  }
}
