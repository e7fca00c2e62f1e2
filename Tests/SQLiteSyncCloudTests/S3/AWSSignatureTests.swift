import Foundation
import SQLiteSyncHashing
import Testing

@testable import SQLiteSyncCloud

/// Signatures and codes that others have published.
@Suite struct AWSSignatureTests {
  /// The examples of Amazon S3's documentation of Signature Version 4
  /// (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
  struct Example: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var method = "GET"
    var path = "/"
    var query: [String: String] = [:]
    var headers: [String: String] = [:]
    var body = ""
    let signature: String
  }

  static let examples = [
    Example(
      testDescription: "get object", path: "/test.txt", headers: ["range": "bytes=0-9"],
      signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
    Example(
      testDescription: "put object", method: "PUT", path: PercentEncoding.path("/test$file.text"),
      headers: [
        "date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY",
      ], body: "Welcome to Amazon S3.",
      signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
    Example(
      testDescription: "get bucket lifecycle", query: ["lifecycle": ""],
      signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
    Example(
      testDescription: "list objects", query: ["prefix": "J", "max-keys": "2"],
      signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
  ]

  @Test(arguments: examples)
  func signaturesAreAmazons(example: Example) {
    let keys = AWSSettings.Keys(
      id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", token: nil)
    let hash = SHA256.digest(of: Array(example.body.utf8)).hexadecimal
    var headers = example.headers
    headers["host"] = "examplebucket.s3.amazonaws.com"
    headers["x-amz-date"] = "20130524T000000Z"
    headers["x-amz-content-sha256"] = hash
    let signature = AWSSignature(
      keys: keys, region: "us-east-1", service: "s3", time: 1_369_353_600_000)
    let authorization = signature.authorization(
      for: .init(
        method: example.method, path: example.path,
        query: example.query.map { (name: $0.key, value: $0.value) }, headers: headers,
        bodyHash: hash))
    #expect(authorization.hasSuffix("Signature=" + example.signature))
    #expect(
      authorization.hasPrefix(
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "))
  }

  /// `get-vanilla` and `get-vanilla-query-order-key-case` of aws-sig-v4-test-suite.
  @Test(arguments: [
    ([:], "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    (
      ["Param2": "value2", "Param1": "value1"],
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
    ),
  ])
  func signaturesAreThoseOfTheTestSuite(query: [String: String], wanted: String) {
    let keys = AWSSettings.Keys(
      id: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", token: nil)
    let signature = AWSSignature(
      keys: keys, region: "us-east-1", service: "service", time: 1_440_938_160_000)
    let authorization = signature.authorization(
      for: .init(
        method: "GET", path: "/", query: query.map { (name: $0.key, value: $0.value) },
        headers: ["host": "example.amazonaws.com", "x-amz-date": "20150830T123600Z"],
        bodyHash: AWSSignature.hash("")))
    #expect(
      authorization
        == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
        + "SignedHeaders=host;x-amz-date, Signature=\(wanted)")
  }

  /// RFC 4231, 4.2, 4.3 and 4.7.
  @Test(arguments: [
    (
      [UInt8](repeating: 0x0b, count: 20), "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xaa, count: 131),
      "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ])
  func codesAreThoseOfTheStandard(key: [UInt8], text: String, wanted: String) {
    #expect(HMAC.code(of: Array(text.utf8), key: key).hexadecimal == wanted)
  }

  @Test func everyByteButTheUnreservedOnesIsEncoded() {
    #expect(PercentEncoding.path("/a b/é+@~-._(*)") == "/a%20b/%C3%A9%2B%40~-._%28%2A%29")
    #expect(PercentEncoding.part("a/b=c&d") == "a%2Fb%3Dc%26d")
  }

  @Test func momentsAreReadAndWritten() {
    #expect(CalendarTime.milliseconds(httpDate: "Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777_000)
    #expect(CalendarTime.milliseconds(httpDate: "Sunday, 06-Nov-94 08:49:37 GMT") == nil)
    #expect(CalendarTime.milliseconds(iso8601: "2024-02-29T12:00:01.250Z") == 1_709_208_001_250)
    #expect(CalendarTime.milliseconds(iso8601: "1970-01-01T00:00:00Z") == 0)
    #expect(CalendarTime.milliseconds(iso8601: "2024-02-29T12:00:01") == nil)
    for (time, text) in [
      (0, "19700101T000000Z"), (1_709_208_001_250, "20240229T120001Z"),
      (951_782_400_000, "20000229T000000Z"), (-1, "19691231T235959Z"),
    ] as [(Int64, String)] {
      #expect(AWSSignature.timestamp(time) == text)
    }
  }
}
