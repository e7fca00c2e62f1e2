import CSQLiteSyncNettle

/// SHA-1 (FIPS 180-4), by GNU Nettle: for names that standards make of it, and never for trust.
public enum SHA1 {
  /// The hash of `bytes`: 20 bytes.
  public static func digest(of bytes: [UInt8]) -> [UInt8] {
    var context = sha1_ctx()
    nettle_sha1_init(&context)
    nettle_sha1_update(&context, bytes.count, bytes)
    return [UInt8](unsafeUninitializedCapacity: Int(SHA1_DIGEST_SIZE)) { digest, count in
      count = Int(SHA1_DIGEST_SIZE)
      nettle_sha1_digest(&context, count, digest.baseAddress)
    }
  }
}
