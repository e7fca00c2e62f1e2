import Foundation

/// HMAC-SHA-256 (RFC 2104): proves that whoever made a code knows a key.
public enum HMAC {
  private static let blockSize = 64

  /// The code of `bytes` under a key: 32 bytes.
  public static func code(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    let short = key.count > blockSize ? SHA256.digest(of: key) : key
    let block = short + Array(repeating: 0, count: blockSize - short.count)
    let inner = SHA256.digest(of: block.map { $0 ^ 0x36 } + bytes)
    return SHA256.digest(of: block.map { $0 ^ 0x5c } + inner)
  }
}
