extension Collection<UInt8> {
  /// Two lower-case hexadecimal digits for each byte.
  @inlinable public var hexadecimal: String {
    String(unsafeUninitializedCapacity: 2 * count) { text in
      var end = 0
      for byte in self {
        text[end] = (byte >> 4).hexadecimalDigit
        text[end + 1] = (byte & 15).hexadecimalDigit
        end += 2
      }
      return end
    }
  }
}

extension UInt8 {
  /// The lower-case digit of a number below 16.
  @inlinable public var hexadecimalDigit: UInt8 {
    self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: "a") + self - 10
  }
}
