import Foundation

/// SHA-256 (FIPS 180-4), by the system's library.
public struct SHA256: Sendable {
  private var state = SHA256State()

  /// A hash of nothing yet.
  public init() {}

  /// Takes more bytes in.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    state.update(bytes)
  }

  /// The hash of all bytes that were taken in: 32 bytes, as they lie in memory.
  ///
  /// It can go on with more afterwards.
  public var words: SIMD4<UInt64> {
    var state = state
    var words = SIMD4<UInt64>()
    withUnsafeMutableBytes(of: &words) { state.finish(into: $0) }
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
