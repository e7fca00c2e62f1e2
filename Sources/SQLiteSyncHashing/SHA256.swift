import CSQLiteSyncNettle
import Foundation

/// SHA-256 (FIPS 180-4), by GNU Nettle: its library is on every Debian machine already, and nobody
/// who builds this package compiles a whole cryptography library for one function.
///
/// <https://www.lysator.liu.se/~nisse/nettle/nettle.html#Recommended-hash-functions>
public struct SHA256: Sendable {
  private var context = sha256_ctx()

  /// A hash of nothing yet.
  public init() {
    nettle_sha256_init(&context)
  }

  /// Takes more bytes in.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    nettle_sha256_update(
      &context, bytes.count, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
  }

  /// The hash of all bytes that were taken in: 32 bytes, as they lie in memory.
  ///
  /// It can go on with more afterwards.
  public var words: SIMD4<UInt64> {
    // Nettle begins anew when it gives the digest.
    var context = context
    var words = SIMD4<UInt64>()
    withUnsafeMutableBytes(of: &words) { digest in
      nettle_sha256_digest(
        &context, digest.count, digest.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }
    return words
  }

  /// The hash of `bytes`: 32 bytes, as they lie in memory.
  @inlinable
  public static func words(of bytes: some ContiguousBytes) -> SIMD4<UInt64> {
    var hash = SHA256()
    bytes.withUnsafeBytes { hash.update($0) }
    return hash.words
  }

  /// The hash of `bytes`: 32 bytes.
  public static func digest(of bytes: some ContiguousBytes) -> [UInt8] {
    withUnsafeBytes(of: words(of: bytes)) { Array($0) }
  }
}
