import Foundation
import Hashing

/// The SHA-256 of some bytes, written as 64 lower-case hexadecimal digits.
struct ContentHash: Hashable, Sendable, LosslessStringConvertible {
  private let words: SIMD4<UInt64>

  /// The hash of `bytes`.
  init(of bytes: some ContiguousBytes) {
    self.init(digest: SHA256.digest(of: bytes))
  }

  private init(digest: [UInt8]) {
    words = digest.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
  }

  /// The hash of the first `count` bytes, and that of all of them, in one pass.
  static func ofBeginning(
    _ count: Int, andAllOf bytes: [UInt8]
  ) -> (beginning: ContentHash, all: ContentHash) {
    bytes.withUnsafeBytes { bytes in
      var hash = SHA256()
      hash.update(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      let beginning = ContentHash(digest: hash.digest())
      hash.update(UnsafeRawBufferPointer(rebasing: bytes[count...]))
      return (beginning, ContentHash(digest: hash.digest()))
    }
  }

  /// A hash as written in a file; nil unless it is 64 lower-case hexadecimal digits.
  init?(_ description: String) {
    guard description.utf8.count == 64 else { return nil }
    var words = SIMD4<UInt64>()
    var digits = description.utf8.makeIterator()
    for index in words.indices {
      var word: UInt64 = 0
      for _ in 0..<16 {
        switch digits.next() {
        case let digit? where (48...57).contains(digit): word = word << 4 | UInt64(digit - 48)
        case let digit? where (97...102).contains(digit): word = word << 4 | UInt64(digit - 87)
        default: return nil
        }
      }
      words[index] = UInt64(bigEndian: word)
    }
    self.words = words
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
