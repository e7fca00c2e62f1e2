import Foundation
import SQLiteSyncHashing

/// Signature Version 4
/// (https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html).
struct AWSSignature {
  /// What is signed.
  struct Request {
    let method: String
    /// Encoded.
    let path: String
    /// In any order, not encoded.
    var query: [(name: String, value: String)] = []
    /// With the host, and with lower-case names.
    var headers: [String: String]
    /// The SHA-256 of the body.
    let bodyHash: String
  }

  let keys: AWSSettings.Keys
  let region: String
  let service: String
  /// Milliseconds since 1970.
  let time: Int64

  private static let algorithm = "AWS4-HMAC-SHA256"

  /// Seconds since 1970 as `20150830T123600Z`.
  static func timestamp(_ milliseconds: Int64) -> String {
    let time = CalendarTime(seconds: Int64((Double(milliseconds) / 1_000).rounded(.down)))
    return time.digits(year: 4) + "T" + time.timeDigits + "Z"
  }

  private var date: String { String(Self.timestamp(time).prefix(8)) }
  private var scope: String { "\(date)/\(region)/\(service)/aws4_request" }

  /// The value of the header `Authorization`.
  func authorization(for request: Request) -> String {
    let text = [Self.algorithm, Self.timestamp(time), scope, Self.hash(canonical(request))]
      .joined(separator: "\n")
    let key = [date, region, service, "aws4_request"].reduce(Array("AWS4\(keys.secret)".utf8)) {
      HMAC.code(of: Array($1.utf8), key: $0)
    }
    let signature = HMAC.code(of: Array(text.utf8), key: key).hexadecimal
    return "\(Self.algorithm) Credential=\(keys.id)/\(scope), "
      + "SignedHeaders=\(signedHeaders(request)), Signature=\(signature)"
  }

  func canonical(_ request: Request) -> String {
    let headers = request.headers.sorted { $0.key < $1.key }
      .map { "\($0.key):\($0.value.trimmingCharacters(in: .whitespaces))\n" }
    return [
      request.method, request.path, Self.query(request.query), headers.joined(),
      signedHeaders(request), request.bodyHash,
    ].joined(separator: "\n")
  }

  private func signedHeaders(_ request: Request) -> String {
    request.headers.keys.sorted().joined(separator: ";")
  }

  /// A query as it is signed and sent.
  static func query(_ items: [(name: String, value: String)]) -> String {
    items.map { (PercentEncoding.part($0.name), PercentEncoding.part($0.value)) }
      .sorted { $0 < $1 }
      .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
  }

  static func hash(_ text: String) -> String { SHA256.digest(of: Array(text.utf8)).hexadecimal }
}
