/// SHA-1 (FIPS 180-4): for names that standards make of it, and never for trust.
public enum SHA1 {
  private static let size = 20

  /// The hash of `bytes`: 20 bytes.
  public static func digest(of bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: size) { digest, count in
      sha1(bytes, into: UnsafeMutableBufferPointer(rebasing: digest[..<size]))
      count = size
    }
  }
}
