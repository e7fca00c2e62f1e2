/// What a terminal says of itself when it is asked.
enum TerminalAnswer: Hashable, Sendable {
  /// It shows PNG files by kitty's protocol.
  case showsPNG
  /// What it can do, by DEC's numbers; 4 is sixels.
  case attributes([Int])
  /// The extent of a cell in pixels.
  case cell(width: Int, height: Int)
  /// How many colours a picture in sixels has.
  case colors(Int)
  /// How many pixels a picture in sixels has at most.
  case maximum(width: Int, height: Int)

  /// The answer that a control sequence is: its mark (`?`, or none), numbers and final character.
  init?(mark: UInt8?, _ numbers: [Int], final: UInt8) {
    switch (mark, final) {
    case (UInt8(ascii: "?"), UInt8(ascii: "c")): self = .attributes(numbers)
    case (UInt8(ascii: "?"), UInt8(ascii: "S")):
      // What was asked for, 0 for success, and the values.
      switch (numbers.first, numbers.count) {
      case (1, 3) where numbers[1] == 0: self = .colors(numbers[2])
      case (2, 4) where numbers[1] == 0: self = .maximum(width: numbers[2], height: numbers[3])
      default: return nil
      }
    case (nil, UInt8(ascii: "t")) where numbers.count == 3 && numbers[0] == 6:
      self = .cell(width: numbers[2], height: numbers[1])
    default: return nil
    }
  }
}

/// What is read from a terminal: what somebody does, or what it says of itself.
enum TerminalInput: Hashable, Sendable {
  case event(TerminalEvent)
  case answer(TerminalAnswer)
}
