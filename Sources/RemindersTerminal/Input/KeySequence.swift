/// What stands at the beginning of a terminal's bytes.
enum KeySequence: Equatable {
  /// An event of so many bytes; nil for a sequence that means nothing here.
  case found(TerminalEvent?, length: Int)
  /// What the terminal says of itself, in so many bytes.
  case answered(TerminalAnswer, length: Int)
  /// From here to the end mark, everything is pasted text.
  case pasteStart(length: Int)
  /// More bytes are needed to tell.
  case incomplete

  /// No sequence is as long as this; what is longer is noise.
  private static let longest = 64

  /// Reads what `bytes`, which must not be empty, begin with.
  ///
  /// With `isComplete`, no more bytes are expected, so the answer is never `incomplete`.
  static func first(in bytes: ArraySlice<UInt8>, isComplete: Bool) -> KeySequence {
    let start = bytes.startIndex
    guard bytes[start] == escape else { return character(in: bytes, isComplete: isComplete) }
    let loneEscape = found(.key(.escape), length: 1)
    guard bytes.count > 1 else { return isComplete ? loneEscape : .incomplete }
    let sequence =
      switch bytes[start + 1] {
      case UInt8(ascii: "["): control(bytes)
      case UInt8(ascii: "O"): applicationKey(bytes)
      case UInt8(ascii: "_") where bytes.count > 2: programCommand(bytes, isComplete: isComplete)
      case escape: loneEscape
      default: withAlt(bytes, isComplete: isComplete)
      }
    guard sequence == .incomplete, isComplete || bytes.count >= longest else { return sequence }
    return bytes.count == 2 ? withAlt(bytes, isComplete: true) : loneEscape
  }

  private static let escape: UInt8 = 0x1B

  /// Escape and a character at once: that character with alt.
  private static func withAlt(_ bytes: ArraySlice<UInt8>, isComplete: Bool) -> KeySequence {
    switch character(in: bytes.dropFirst(), isComplete: isComplete) {
    case .found(.key(let key), let length):
      .found(.key(Key(key.code, key.modifiers.union(.alt))), length: length + 1)
    case .found(_, let length): .found(nil, length: length + 1)
    case let other: other
    }
  }

  // MARK: - Characters

  private static func character(in bytes: ArraySlice<UInt8>, isComplete: Bool) -> KeySequence {
    guard let first = bytes.first else { return .incomplete }
    if first < 0x20 || first == 0x7F { return .found(.key(controlKey(first)), length: 1) }
    let length = utf8Length(first)
    let encoded = bytes.prefix(length)
    if let text = String(validating: encoded, as: UTF8.self), let character = text.first {
      let isControl = (0x80...0x9F).contains(character.unicodeScalars.first?.value ?? 0)
      return .found(isControl ? nil : .key(.character(character)), length: length)
    }
    if encoded.count < length, !isComplete { return .incomplete }
    return .found(.key(.character("\u{FFFD}")), length: 1)
  }

  private static func utf8Length(_ first: UInt8) -> Int {
    switch first {
    case 0xC0...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF7: 4
    default: 1
    }
  }

  private static func controlKey(_ byte: UInt8) -> Key {
    switch byte {
    case 0x09: .tab
    case 0x0A, 0x0D: .enter
    case 0x08, 0x7F: .backspace
    case 0x1B: .escape
    case 0x00: .control(" ")
    case 0x01...0x1A: .control(Character(Unicode.Scalar(byte + 0x60)))
    default: .control(Character(Unicode.Scalar(byte + 0x40)))
    }
  }

  // MARK: - Sequences

  /// `ESC _`, a text, `ESC \`: how terminals answer about pictures.
  private static func programCommand(
    _ bytes: ArraySlice<UInt8>, isComplete: Bool
  ) -> KeySequence {
    let body = bytes.dropFirst(2)
    guard body.first == UInt8(ascii: "G") else { return withAlt(bytes, isComplete: isComplete) }
    guard let end = body.firstRange(of: [escape, UInt8(ascii: "\\")]) else { return .incomplete }
    let isYes = body[..<end.lowerBound].elementsEqual(KittyGraphics.answer.utf8)
    let length = end.upperBound - bytes.startIndex
    return isYes ? .answered(.showsPNG, length: length) : .found(nil, length: length)
  }

  /// `ESC O` and a letter: arrows and F1 to F4 in application mode.
  private static func applicationKey(_ bytes: ArraySlice<UInt8>) -> KeySequence {
    guard bytes.count > 2 else { return .incomplete }
    let code = letterCodes[bytes[bytes.startIndex + 2]]
    return .found(code.map { .key(Key($0)) }, length: 3)
  }

  /// `ESC [`, parameters, a final character.
  private static func control(_ bytes: ArraySlice<UInt8>) -> KeySequence {
    let body = bytes.dropFirst(2)
    // The Linux console's F1 to F5 have a second bracket and a letter.
    if body.first == UInt8(ascii: "[") {
      guard body.count > 1 else { return .incomplete }
      let number = Int(body[body.startIndex + 1]) - Int(UInt8(ascii: "A")) + 1
      return .found((1...5).contains(number) ? .key(.function(number)) : nil, length: 4)
    }
    guard let end = body.firstIndex(where: { !(0x20...0x3F).contains($0) }) else {
      return .incomplete
    }
    let length = end + 1 - bytes.startIndex
    // A byte that cannot stand in a sequence ends it, and is read by itself.
    guard (0x40...0x7E).contains(bytes[end]) else { return .found(nil, length: length - 1) }
    let mark = body.first.flatMap { (0x3C...0x3F).contains($0) ? $0 : nil }
    let text = String(decoding: body[..<end].drop { !(0x30...0x39).contains($0) }, as: UTF8.self)
    let numbers = text.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    if let answer = TerminalAnswer(mark: mark, numbers, final: bytes[end]) {
      return .answered(answer, length: length)
    }
    if let mark {
      let isMouse = mark == UInt8(ascii: "<")
      return .found(isMouse ? mouse(numbers, final: bytes[end]) : nil, length: length)
    }
    if bytes[end] == UInt8(ascii: "~"), numbers == [200] { return .pasteStart(length: length) }
    return .found(key(numbers, final: bytes[end]).map { .key($0) }, length: length)
  }

  private static func key(_ numbers: [Int], final: UInt8) -> Key? {
    let held = modifiers(numbers.count > 1 ? numbers[1] : 1)
    switch final {
    case UInt8(ascii: "Z"): return .backTab
    case UInt8(ascii: "u"): return key(scalar: numbers.first ?? 0, held)
    case UInt8(ascii: "~"):
      // xterm's form for keys that otherwise have none: 27, modifiers, scalar.
      if numbers.count == 3, numbers[0] == 27 { return key(scalar: numbers[2], held) }
      return numberCodes[numbers.first ?? 0].map { Key($0, held) }
    default: return letterCodes[final].map { Key($0, held) }
    }
  }

  private static func key(scalar: Int, _ held: Key.Modifiers) -> Key? {
    guard let value = UInt32(exactly: scalar), let scalar = Unicode.Scalar(value) else {
      return nil
    }
    if value < 0x20 || value == 0x7F {
      let key = controlKey(UInt8(value))
      return Key(key.code, key.modifiers.union(held))
    }
    let character = Character(scalar)
    guard held.contains(.shift) else { return Key(.character(character), held) }
    let upper = character.uppercased().first ?? character
    return Key(.character(upper), held.subtracting(.shift))
  }

  /// xterm's number: 1, plus 1 for shift, 2 for alt, 4 for control and 8 for meta.
  private static func modifiers(_ number: Int) -> Key.Modifiers {
    let bits = max(0, number - 1)
    var modifiers: Key.Modifiers = []
    if bits & 1 != 0 { modifiers.insert(.shift) }
    if bits & 10 != 0 { modifiers.insert(.alt) }
    if bits & 4 != 0 { modifiers.insert(.control) }
    return modifiers
  }

  /// Button, column and row, counted from 1; a capital M for a press.
  private static func mouse(_ numbers: [Int], final: UInt8) -> TerminalEvent? {
    guard numbers.count == 3, final == UInt8(ascii: "M"), numbers[1] > 0, numbers[2] > 0
    else { return nil }
    let kind: MouseEvent.Kind
    // Shift, alt and control add 4, 8 and 16.
    switch numbers[0] & ~28 {
    case 0: kind = .click
    case 64: kind = .wheelUp
    case 65: kind = .wheelDown
    default: return nil
    }
    return .mouse(MouseEvent(kind, at: Point(column: numbers[1] - 1, row: numbers[2] - 1)))
  }

  private static let letterCodes: [UInt8: Key.Code] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right,
    UInt8(ascii: "D"): .left, UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end,
    UInt8(ascii: "P"): .function(1), UInt8(ascii: "Q"): .function(2),
    UInt8(ascii: "R"): .function(3), UInt8(ascii: "S"): .function(4),
  ]

  private static let numberCodes: [Int: Key.Code] = [
    1: .home, 2: .insert, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
    11: .function(1), 12: .function(2), 13: .function(3), 14: .function(4), 15: .function(5),
    17: .function(6), 18: .function(7), 19: .function(8), 20: .function(9), 21: .function(10),
    23: .function(11), 24: .function(12),
  ]
}
