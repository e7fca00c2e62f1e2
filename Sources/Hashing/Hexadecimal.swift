extension Collection<UInt8> {
  /// Two lower-case hexadecimal digits for each byte.
  public var hexadecimal: String {
    func digit(_ value: UInt8) -> UInt8 {
      value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
    return String(unsafeUninitializedCapacity: 2 * count) { text in
      var end = 0
      for byte in self {
        text[end] = digit(byte >> 4)
        text[end + 1] = digit(byte & 15)
        end += 2
      }
      return end
    }
  }
}
