import Crypto
import Foundation

/// The SHA-256 of some bytes, written as 64 lower-case hexadecimal digits.
struct ContentHash: Hashable, Sendable, LosslessStringConvertible {
  private let words: SIMD4<UInt64>

  /// The hash of `bytes`.
  init(of bytes: some ContiguousBytes) {
    var hash = SHA256()
    bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
    words = hash.finalize().withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
  }

  /// A hash as written in a file; nil unless it is 64 lower-case hexadecimal digits.
  init?(_ description: String) {
    guard description.utf8.count == 64, description.isLowercaseHexadecimal else { return nil }
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in description.utf8 {
      let value =
        digit < UInt8(ascii: "a") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "a") + 10
      if let first = high { bytes.append(first << 4 | value) }
      high = high == nil ? value : nil
    }
    words = bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
  }

  var description: String {
    withUnsafeBytes(of: words) { $0.hexadecimal }
  }
}

extension Sequence<UInt8> {
  /// Two lower-case hexadecimal digits for each byte.
  var hexadecimal: String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * underestimatedCount)
    for byte in self {
      for digit in [byte >> 4, byte & 15] {
        text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension StringProtocol {
  var isLowercaseHexadecimal: Bool {
    utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }
}
