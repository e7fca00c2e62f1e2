#if canImport(CommonCrypto)
  import CommonCrypto

  // Darwin's own; never compiled yet: there was no Mac.

  /// A SHA-256 under way.
  struct SHA256State {
    private var context = CC_SHA256_CTX()

    init() {
      CC_SHA256_Init(&context)
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
      CC_SHA256_Update(&context, bytes.baseAddress, CC_LONG(bytes.count))
    }

    /// Writes the 32 bytes; the state is of nothing afterwards.
    mutating func finish(into digest: UnsafeMutableRawBufferPointer) {
      CC_SHA256_Final(digest.baseAddress?.assumingMemoryBound(to: UInt8.self), &context)
      self = SHA256State()
    }
  }

  /// Writes the 20 bytes of a SHA-1.
  func sha1(_ bytes: [UInt8], into digest: UnsafeMutableBufferPointer<UInt8>) {
    CC_SHA1(bytes, CC_LONG(bytes.count), digest.baseAddress)
  }
#endif
