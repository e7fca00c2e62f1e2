import Crypto
import Foundation

/// The SHA-256 of some bytes, written as 64 lower-case hexadecimal digits.
struct ContentHash: Hashable, Sendable, LosslessStringConvertible {
  let description: String

  /// The hash of `bytes`.
  init(of bytes: some DataProtocol) {
    description = SHA256.hash(data: bytes).hexadecimal
  }

  /// A hash as written in a file; nil unless it is 64 lower-case hexadecimal digits.
  init?(_ description: String) {
    guard description.utf8.count == 64, description.isLowercaseHexadecimal else { return nil }
    self.description = description
  }
}

extension Sequence<UInt8> {
  /// Two lower-case hexadecimal digits for each byte.
  var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in self {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension StringProtocol {
  var isLowercaseHexadecimal: Bool {
    utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }
}
