import Foundation

// Decimal digits, byte by byte: most files have a number as their name and dozens of them inside,
// and to make a string of each takes longer than all the rest.

extension Collection<UInt8> where SubSequence == Self {
  /// Takes the number that begins here, in its only spelling: no sign, no leading zero.
  ///
  /// Nil when there is none, another spelling, or one of more than 63 bits; digits may be taken
  /// then, too.
  mutating func takeNumber() -> Int64? {
    let leading = first
    var number: Int64 = 0
    var count = 0
    while let byte = first, (48...57).contains(byte) {
      let (tens, isTooGreat) = number.multipliedReportingOverflow(by: 10)
      let (sum, isStillTooGreat) = tens.addingReportingOverflow(Int64(byte - 48))
      guard !isTooGreat, !isStillTooGreat else { return nil }
      number = sum
      count += 1
      removeFirst()
    }
    let isPadded = leading == UInt8(ascii: "0") && count > 1
    return count == 0 || isPadded ? nil : number
  }
}

extension UnsafeMutableBufferPointer<UInt8> {
  /// Writes a number that is not negative and fits, with zeros before it.
  func write(_ number: Int64, in range: Range<Int>) {
    var (rest, index) = (UInt64(clamping: number), range.upperBound)
    while rest > 0, index > range.lowerBound {
      index -= 1
      self[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    while index > range.lowerBound {
      index -= 1
      self[index] = UInt8(ascii: "0")
    }
  }
}
