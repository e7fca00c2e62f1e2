import Foundation
import SQLiteSyncHashing

/// The SHA-256 of some bytes, written as 64 lower-case hexadecimal digits.
struct ContentHash: Hashable, Sendable, LosslessStringConvertible {
  private let words: SIMD4<UInt64>

  /// The hash of `bytes`.
  init(of bytes: some ContiguousBytes) {
    self.init(SHA256.words(of: bytes))
  }

  private init(_ words: SIMD4<UInt64>) {
    self.words = words
  }

  /// The hash of the first `count` bytes, and that of all of them, in one pass.
  static func ofBeginning(
    _ count: Int, andAllOf bytes: [UInt8]
  ) -> (beginning: ContentHash, all: ContentHash) {
    bytes.withUnsafeBytes { bytes in
      var hash = SHA256()
      hash.update(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      let beginning = ContentHash(hash.words)
      hash.update(UnsafeRawBufferPointer(rebasing: bytes[count...]))
      return (beginning, ContentHash(hash.words))
    }
  }

  /// A hash as written in a file; nil unless it is 64 lower-case hexadecimal digits.
  init?(_ description: String) {
    var description = description
    guard let words = description.withUTF8(Self.words) else { return nil }
    self.words = words
  }

  private static func words(_ digits: UnsafeBufferPointer<UInt8>) -> SIMD4<UInt64>? {
    guard digits.count == 64 else { return nil }
    var words = SIMD4<UInt64>()
    for index in words.indices {
      var word: UInt64 = 0
      for digit in digits[(16 * index)..<(16 * index + 16)] {
        switch digit {
        case 48...57: word = word << 4 | UInt64(digit - 48)
        case 97...102: word = word << 4 | UInt64(digit - 87)
        default: return nil
        }
      }
      words[index] = UInt64(bigEndian: word)
    }
    return words
  }

  var description: String {
    withUnsafeBytes(of: words) { $0.hexadecimal }
  }
}

extension StringProtocol {
  var isLowercaseHexadecimal: Bool {
    utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }
}
