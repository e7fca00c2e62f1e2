/// A token of SQL text; white space and comments lie between tokens.
struct SQLToken: Equatable {
  enum Kind {
    /// A keyword or a name without quotes.
    case word
    /// `"…"`, `` `…` `` or `[…]`.
    case quotedName
    /// `'…'`, which SQLite also takes for a name.
    case string
    /// A number or a blob.
    case literal
    /// One character of punctuation.
    case symbol
  }

  let kind: Kind
  /// The token as it is written.
  let text: String
  /// Where it stands, in UTF-8 bytes.
  let range: Range<Int>

  /// Whether the token is this keyword, in whatever case.
  func isWord(_ keyword: String) -> Bool {
    kind == .word && text.asciiLowercased == keyword.asciiLowercased
  }

  /// Whether the token is this character.
  func isSymbol(_ symbol: String) -> Bool { kind == .symbol && text == symbol }

  /// What the token is as a name, or nil when it cannot be one.
  var name: String? {
    switch kind {
    case .word: return text
    case .quotedName, .string:
      let inner = String(text.dropFirst().dropLast())
      guard let quote = text.first, quote != "[" else { return inner }
      return inner.replacing("\(quote)\(quote)", with: String(quote))
    case .literal, .symbol: return nil
    }
  }
}

/// Cuts SQL text into tokens as SQLite does (`tokenize.c`), as far as a schema can have them.
struct SQLTokenizer {
  private let bytes: [UInt8]
  private var position = 0

  /// The tokens of a text.
  ///
  /// Nil when a quote is not closed.
  static func tokens(of sql: String) -> [SQLToken]? {
    var tokenizer = SQLTokenizer(bytes: Array(sql.utf8))
    return tokenizer.tokens()
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  private mutating func tokens() -> [SQLToken]? {
    var tokens: [SQLToken] = []
    skipBlanks()
    while position < bytes.count {
      let start = position
      guard let kind = next() else { return nil }
      tokens.append(
        SQLToken(
          kind: kind, text: String(decoding: bytes[start..<position], as: UTF8.self),
          range: start..<position))
      skipBlanks()
    }
    return tokens
  }

  private func byte(_ offset: Int = 0) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  private func isNext(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[position...].starts(with: $0) }
  }

  private mutating func skipBlanks() {
    while let byte = byte() {
      if [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(byte) {
        position += 1
      } else if isNext("\u{FEFF}") {
        // Where a token may begin, SQLite passes over a byte order mark.
        position += 3
      } else if isNext("--") {
        position = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
      } else if isNext("/*") {
        position += 2
        while position < bytes.count, !isNext("*/") { position += 1 }
        position = min(position + 2, bytes.count)
      } else {
        return
      }
    }
  }

  /// Moves behind the next token.
  private mutating func next() -> SQLToken.Kind? {
    switch byte() {
    case UInt8(ascii: "'"): return skipQuoted() ? .string : nil
    case UInt8(ascii: "\""), UInt8(ascii: "`"): return skipQuoted() ? .quotedName : nil
    case UInt8(ascii: "["):
      guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "]")) else { return nil }
      position = end + 1
      return .quotedName
    case UInt8(ascii: "x"), UInt8(ascii: "X"):
      guard byte(1) == UInt8(ascii: "'") else { return skipWord() }
      position += 1
      return skipQuoted() ? .literal : nil
    case let byte? where Self.isDigit(byte): return skipNumber()
    case UInt8(ascii: "."): return byte(1).map(Self.isDigit) == true ? skipNumber() : skipSymbol()
    case let byte? where Self.isNameByte(byte) && byte != UInt8(ascii: "$"): return skipWord()
    default: return skipSymbol()
    }
  }

  private mutating func skipSymbol() -> SQLToken.Kind {
    position += 1
    return .symbol
  }

  private mutating func skipWord() -> SQLToken.Kind {
    while let byte = byte(), Self.isNameByte(byte) { position += 1 }
    return .word
  }

  private mutating func skipNumber() -> SQLToken.Kind {
    let isHexadecimal = isNext("0x") || isNext("0X")
    while let byte = byte() {
      let isExponent = !isHexadecimal && (byte | 0x20) == UInt8(ascii: "e")
      let sign = self.byte(1)
      if isExponent, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        position += 2
      } else if Self.isNameByte(byte) || byte == UInt8(ascii: ".") {
        position += 1
      } else {
        break
      }
    }
    return .literal
  }

  /// A quote within is doubled.
  private mutating func skipQuoted() -> Bool {
    let quote = bytes[position]
    position += 1
    while let byte = byte() {
      position += 1
      guard byte == quote else { continue }
      guard self.byte() == quote else { return true }
      position += 1
    }
    return false
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte >= 0x80 || isDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
      || (0x61...0x7A).contains(byte | 0x20)
  }
}
