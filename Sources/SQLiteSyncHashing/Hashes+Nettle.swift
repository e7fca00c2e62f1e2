#if canImport(CSQLiteSyncNettle)
  import CSQLiteSyncNettle

  // GNU Nettle is on every Debian machine already, and nobody who builds this package compiles a
  // whole cryptography library for two functions.
  // https://www.lysator.liu.se/~nisse/nettle/nettle.html#Recommended-hash-functions

  /// A SHA-256 under way.
  struct SHA256State {
    private var context = sha256_ctx()

    init() {
      nettle_sha256_init(&context)
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
      nettle_sha256_update(
        &context, bytes.count, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }

    /// Writes the 32 bytes; the state is of nothing afterwards.
    mutating func finish(into digest: UnsafeMutableRawBufferPointer) {
      nettle_sha256_digest(
        &context, digest.count, digest.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }
  }

  /// Writes the 20 bytes of a SHA-1.
  func sha1(_ bytes: [UInt8], into digest: UnsafeMutableBufferPointer<UInt8>) {
    var context = sha1_ctx()
    nettle_sha1_init(&context)
    nettle_sha1_update(&context, bytes.count, bytes)
    nettle_sha1_digest(&context, digest.count, digest.baseAddress)
  }
#endif
