import Foundation
import Testing

@testable import SQLiteSyncCloud

/// How buckets are named, and where keys and places come from.
@Suite struct S3AddressTests {
  @Test(arguments: [
    "s3://bucket", "s3://my.bucket/reminders", "s3://bucket/a/b",
    "s3://bucket/a?endpoint=http://127.0.0.1:9000&region=eu-central-1&style=path",
  ])
  func anAddressIsWhatWasTyped(text: String) throws {
    #expect(try #require(S3Address(text)).description == text)
  }

  @Test(arguments: [
    "s3://", "s3:///prefix", "s3://KEY:SECRET@bucket", "s3://bucket:80/a", "s3://bucket#a",
    "s3://bucket/../other", "s3://bucket?secret=x", "s3://bucket?style=other", "s3://ab",
    "s3://bucket?endpoint=ftp://host", "s3://bucket?endpoint=https://user:secret@host",
    "s3://bucket?region=a/b", "s3://bucket?region=a&region=b", "s3://.bucket", "http://bucket",
    "s3://bucket/a&endpoint=https://host",
  ])
  func whatIsNoAddressIsRefused(text: String) {
    #expect(S3Address(text) == nil)
  }

  @Test(arguments: [
    ("s3://bucket/a", [:], "https://bucket.s3.us-east-1.amazonaws.com", ""),
    ("s3://bucket", ["AWS_REGION": "eu-west-1"], "https://bucket.s3.eu-west-1.amazonaws.com", ""),
    ("s3://my.bucket", [:], "https://s3.us-east-1.amazonaws.com", "/my.bucket"),
    ("s3://bucket?style=path", [:], "https://s3.us-east-1.amazonaws.com", "/bucket"),
    (
      "s3://bucket", ["AWS_ENDPOINT_URL": "http://nas:9000/s3/"], "http://nas:9000", "/s3/bucket"
    ),
    (
      "s3://bucket?endpoint=https://minio.example:443&style=virtual",
      ["AWS_ENDPOINT_URL_S3": "http://nas:9000"], "https://bucket.minio.example", ""
    ),
  ])
  func requestsGoWhereTheAddressAndTheEnvironmentSay(
    text: String, environment: [String: String], host: String, path: String
  ) throws {
    let settings = AWSSettings(environment: environment) { _ in nil }
    let endpoint = try S3Endpoint(#require(S3Address(text)), settings)
    #expect("\(endpoint.scheme)://\(endpoint.host)" == host)
    #expect(endpoint.path == path)
  }

  @Test func anEndpointOfTheEnvironmentThatIsNoneIsRefused() throws {
    let settings = AWSSettings(environment: ["AWS_ENDPOINT_URL": "nas:9000"]) { _ in nil }
    let error = try #require(throws: CloudError.self) {
      try S3Endpoint(#require(S3Address("s3://bucket")), settings)
    }
    #expect(error.code == .badContainer && error.reason.contains("nas:9000"))
    #expect(error.hint?.contains("AWS_ENDPOINT_URL") == true)
  }

  private let files = [
    "/home/ann/.aws/credentials": """
    # Written by hand.
    [default]
    aws_access_key_id = AKIADEFAULT
    aws_secret_access_key=secret/+=

    [work]
    aws_access_key_id = AKIAWORK
    aws_secret_access_key = other
    aws_session_token = token
    """,
    "/home/ann/.aws/config": """
    [default]
    region = eu-north-1
    s3 =
      endpoint_url = http://wrong
    [profile work]
    region = us-west-2
    ca_bundle = /etc/minio.pem
    endpoint_url = https://minio.example
    """,
  ]

  private func settings(_ environment: [String: String]) -> AWSSettings {
    AWSSettings(environment: environment.merging(["HOME": "/home/ann"]) { own, _ in own }) {
      files[$0]
    }
  }

  @Test func keysComeFromTheEnvironmentElseFromTheFilesOfTheProfile() {
    let usual = settings([:])
    #expect(usual.keys == .init(id: "AKIADEFAULT", secret: "secret/+=", token: nil))
    #expect(usual.region == "eu-north-1" && usual.endpoint == nil)
    let work = settings(["AWS_PROFILE": "work"])
    #expect(work.keys == .init(id: "AKIAWORK", secret: "other", token: "token"))
    #expect(work.region == "us-west-2" && work.endpoint == "https://minio.example")
    #expect(work.certificates == "/etc/minio.pem" && usual.certificates == nil)
    let trusting = settings(["AWS_PROFILE": "work", "AWS_CA_BUNDLE": "/own.pem"])
    #expect(trusting.certificates == "/own.pem")
    let own = settings(["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "B"])
    #expect(own.keys == .init(id: "A", secret: "B", token: nil))
    #expect(usual.source == "/home/ann/.aws/credentials under [default]")
    #expect(work.source == "/home/ann/.aws/credentials under [work]")
    #expect(own.source == "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
    #expect(settings(["AWS_PROFILE": "nobody"]).keys == nil)
    #expect(settings(["HOME": "/nowhere"]).keys == nil)
  }

  @Test func aKeyIsNeverShown() {
    let keys = AWSSettings.Keys(id: "AKIA", secret: "hidden", token: "hidden")
    var dumped = ""
    dump(keys, to: &dumped)
    for text in ["\(keys)", String(reflecting: keys), dumped] {
      #expect(!text.contains("hidden"))
    }
  }

  @Test(arguments: [
    ("<a><b>x</b></a>", true), ("<?xml version=\"1.0\"?>\n<a/>", true),
    ("<a>&lt;&#65;&#x42;</a>", true),
    ("<a><b></a></b>", false), ("<a", false), ("", false), ("<a>&x;</a>", false),
    ("<!DOCTYPE a><a/>", false), ("<a>", false), ("hello", false),
  ])
  func onlyWholeDocumentsAreRead(text: String, isRead: Bool) {
    #expect((S3XML(Data(text.utf8)) != nil) == isRead)
  }

  @Test func aPageOfAListingIsRead() throws {
    let page = try #require(
      S3Listing(
        Data(
          """
          <?xml version="1.0" encoding="UTF-8"?>
          <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
            <Name>bucket</Name><Prefix>p/</Prefix><IsTruncated>true</IsTruncated>
            <NextContinuationToken>a&amp;b</NextContinuationToken>
            <Contents><Key>p/</Key><Size>0</Size></Contents>
            <Contents><Key>p/1.json</Key><LastModified>2024-02-29T12:00:01.000Z</LastModified>
              <ETag>&quot;x&quot;</ETag><Size>12</Size></Contents>
            <CommonPrefixes><Prefix>p/e1/</Prefix></CommonPrefixes>
          </ListBucketResult>
          """.utf8), prefix: "p/"))
    #expect(page.next == "a&b" && page.hasDirectories)
    #expect(
      page.entries == [
        StoreEntry(name: "1.json", byteCount: 12, modified: 1_709_208_001_000),
        StoreEntry(name: "e1", byteCount: 0, modified: 0, kind: .directory),
      ])
  }
}
