/// Percent-encoding of RFC 3986: each byte but the unreserved ones.
///
/// Signatures of S3 need exactly this, and an address that is encoded so means the same to whoever
/// reads it, a shell between quotation marks among them.
enum PercentEncoding {
  /// A part of a query.
  static func part(_ text: String) -> String { encode(text) { _ in false } }

  /// A path, whose slashes stay.
  static func path(_ text: String) -> String { encode(text) { $0 == UInt8(ascii: "/") } }

  /// An address within the query of another one: what it is made of stays readable.
  static func address(_ text: String) -> String {
    encode(text) { "/:".utf8.contains($0) }
  }

  private static func encode(_ text: String, _ isKept: (UInt8) -> Bool) -> String {
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      if isUnreserved(byte) || isKept(byte) {
        encoded.append(byte)
      } else {
        let digits = Array("0123456789ABCDEF".utf8)
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
