import Foundation

/// Reads ISO 8601 byte by byte: every row that is shown or exported has two or three such texts.
struct ISOScanner {
  private var rest: UnsafeBufferPointer<UInt8>.SubSequence

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    rest = bytes[...]
  }

  var isAtEnd: Bool { rest.isEmpty }

  /// Takes exactly so many decimal digits.
  mutating func number(digits count: Int) -> Int? {
    guard rest.count >= count else { return nil }
    var number = 0
    for byte in rest.prefix(count) {
      guard (0x30...0x39).contains(byte) else { return nil }
      number = number * 10 + Int(byte - 0x30)
    }
    rest = rest.dropFirst(count)
    return number
  }

  /// Takes one of these characters of ASCII, and says which.
  mutating func character(of characters: StaticString) -> UInt8? {
    guard let byte = rest.first, characters.withUTF8Buffer({ $0.contains(byte) }) else {
      return nil
    }
    rest = rest.dropFirst()
    return byte
  }

  /// `2026-12-25`.
  mutating func day() -> CalendarDay? {
    guard let year = number(digits: 4), character(of: "-") != nil,
      let month = number(digits: 2), character(of: "-") != nil, let day = number(digits: 2)
    else { return nil }
    return CalendarDay(year: year, month: month, day: day)
  }

  /// `18:00`, with or without seconds: seconds since midnight.
  mutating func clock() -> Int? {
    guard let hour = number(digits: 2), hour < 24, character(of: ":") != nil,
      let minute = number(digits: 2), minute < 60
    else { return nil }
    let upToMinutes = hour * 3600 + minute * 60
    guard character(of: ":") != nil else { return upToMinutes }
    guard let second = number(digits: 2), second < 60 else { return nil }
    return upToMinutes + second
  }

  /// A day and a time of it, as a clock on the wall shows them: seconds since 1970.
  ///
  /// - Parameter separators: The characters of which one stands between the two.
  mutating func wall(separators: StaticString = "T") -> Int? {
    guard let day = day(), character(of: separators) != nil, let clock = clock() else {
      return nil
    }
    return day.number * 86_400 + clock
  }

  /// `.789`, which no date here keeps; false when there is a point and no digit.
  mutating func fraction() -> Bool {
    guard character(of: ".") != nil else { return true }
    guard number(digits: 1) != nil else { return false }
    while number(digits: 1) != nil {}
    return true
  }

  /// `Z`, or `+01:00`: seconds to add to UTC.
  mutating func offset() -> Int? {
    switch character(of: "Z+-") {
    case UInt8(ascii: "Z"): 0
    case UInt8(ascii: "+"): clock()
    case UInt8(ascii: "-"): clock().map { -$0 }
    default: nil
    }
  }

  /// What a text means when nothing is left over.
  static func read<Value>(_ text: String, _ body: (inout ISOScanner) -> Value?) -> Value? {
    var text = text
    return text.withUTF8 { bytes in
      var scanner = ISOScanner(bytes)
      guard let value = body(&scanner), scanner.isAtEnd else { return nil }
      return value
    }
  }
}

extension CalendarDay: CustomStringConvertible, LosslessStringConvertible {
  /// `2026-12-25`.
  public var description: String {
    let date = components
    guard (0...9999).contains(date.year) else {
      return [date.year.padded(to: 4), date.month.padded(to: 2), date.day.padded(to: 2)]
        .joined(separator: "-")
    }
    return String(unsafeUninitializedCapacity: 10) { bytes in
      bytes.write(date.year, digits: 4, at: 0)
      bytes[4] = UInt8(ascii: "-")
      bytes.write(date.month, digits: 2, at: 5)
      bytes[7] = UInt8(ascii: "-")
      bytes.write(date.day, digits: 2, at: 8)
      return 10
    }
  }

  /// The day written as `2026-12-25`.
  public init?(_ text: String) {
    guard let day = ISOScanner.read(text, { $0.day() }) else { return nil }
    self = day
  }
}

extension Date {
  /// `2026-12-25T17:00:00Z`.
  var iso8601UTC: String { wallText(offset: 0) + "Z" }

  /// `2026-12-25T18:00:00+01:00`.
  public func iso8601(offset: Int) -> String {
    let minutes = abs(offset) / 60
    let text = String(unsafeUninitializedCapacity: 6) { bytes in
      bytes[0] = UInt8(ascii: offset < 0 ? "-" : "+")
      bytes.write(minutes / 60, digits: 2, at: 1)
      bytes[3] = UInt8(ascii: ":")
      bytes.write(minutes % 60, digits: 2, at: 4)
      return 6
    }
    return wallText(offset: offset) + text
  }

  private func wallText(offset: Int) -> String {
    let seconds = wholeSeconds + offset
    let (day, second) = seconds.quotientAndRemainderFlooring(by: 86_400)
    let clock = String(unsafeUninitializedCapacity: 9) { bytes in
      bytes[0] = UInt8(ascii: "T")
      bytes.write(second / 3600, digits: 2, at: 1)
      bytes[3] = UInt8(ascii: ":")
      bytes.write(second / 60 % 60, digits: 2, at: 4)
      bytes[6] = UInt8(ascii: ":")
      bytes.write(second % 60, digits: 2, at: 7)
      return 9
    }
    return CalendarDay(number: day).description + clock
  }

  /// The moment written as `2026-12-25T18:00`, with or without seconds, ending in `Z` or an offset
  /// from UTC.
  init?(iso8601 text: String) {
    let seconds = ISOScanner.read(text) { scanner -> Int? in
      guard let wall = scanner.wall(), let offset = scanner.offset() else { return nil }
      return wall - offset
    }
    guard let seconds else { return nil }
    self.init(timeIntervalSince1970: Double(seconds))
  }
}

extension UnsafeMutableBufferPointer<UInt8> {
  /// Writes a number with leading zeros.
  fileprivate func write(_ number: Int, digits: Int, at index: Int) {
    var rest = number
    for place in stride(from: index + digits - 1, through: index, by: -1) {
      self[place] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
  }
}
