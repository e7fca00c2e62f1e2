import Foundation
import Testing

@testable import SQLiteSyncCloud

/// Addresses that are shown, so that somebody can type them again.
@Suite struct AddressTests {
  /// Names that mean something in addresses, or look as if they did.
  private static let names = [
    "cloud", "new copy#%", "a#b%c", "%2520", "100%", "a?b=c&d", "a+b", "ü", "облако", "雲", "it's",
    "\"", "$(id)", "a;b", "a:b", "a@b", "~", "...", "\\", "[x]", "a=b", "-R", "*",
  ]

  private static let paths = names + names.flatMap { one in names.map { "\(one)/\($0)" } }

  private func encoded(_ text: String) throws -> String {
    try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["/"])))
  }

  @Test func addressesOfSSHCanBeTypedAgain() throws {
    for (path, start) in Self.paths.flatMap({ path in ["/", "/srv/", "/~/"].map { (path, $0) } }) {
      // `/~` is the home of the user, and no directory of that name.
      guard !(start == "/" && path.hasPrefix("~")) else { continue }
      let typed = start == "/~/" ? "/~/" + (try encoded(path)) : try encoded(start + path)
      let address = try #require(SSHAddress("ssh://a%40b@[::1]:22\(typed)"), "\(typed)")
      #expect(address.path == (start == "/~/" ? path : start + path))
      #expect(SSHAddress(address.description) == address, "\(address)")
      #expect(address.description.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x27 })
    }
  }

  @Test func addressesOfBucketsCanBeTypedAgain() throws {
    for path in Self.paths {
      let endpoint = try encoded("http://minio.example:9000/\(try encoded(path))")
      let address = try #require(
        S3Address("s3://bucket/\(try encoded(path))?endpoint=\(endpoint)&region=eu-west-1"))
      #expect(address.prefix == path)
      #expect(S3Address(address.description) == address, "\(address)")
      #expect(address.description.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x27 })
    }
  }

  @Test func addressesOfDatabasesCanBeTypedAgain() throws {
    for name in Self.names {
      let part = PercentEncoding.part(name)
      let address = try #require(
        PostgresAddress("postgres://\(part):\(part)@[::1]:5432/\(part)?host=/run/\(part)"))
      #expect(address.role == name)
      let again = try #require(PostgresAddress(address.description))
      #expect((again.description, again.role) == (address.description, name))
      #expect(address.description.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x27 })
    }
  }

  // MARK: - What is wrong with one

  /// Which part of an address is wrong.
  static let wrong = [
    ("s3:bucket", "begin with s3://"), ("s3://", "name of a bucket"),
    ("s3://ab", "name of a bucket"), ("s3://KEY:sesame@bucket", "There is a key"),
    ("s3://bucket:99/a", "a port after the bucket"), ("s3://bucket#sesame", "a # in it"),
    ("s3://bucket/../a", "the path"), ("s3://bucket?nonsense=sesame", "no option nonsense"),
    ("s3://bucket?se+same", "not such an option"), ("s3://bucket?region", "region has no value"),
    ("s3://bucket?region=a&region=b", "region is there twice"),
    ("s3://bucket?endpoint=localhost:1", "The endpoint is none"),
    ("s3://bucket?endpoint=http://host:99999", "The endpoint is none"),
    ("s3://bucket?region=a/b", "The region is none"), ("s3://bucket?style=x", "The style is"),
    ("ssh:host/srv", "begin with ssh://"), ("ssh://", "name of a host"),
    ("ssh://-x/srv", "name of a host"), ("ssh://-l@host/srv", "name of a user"),
    ("ssh://ann:sesame@host/srv", "a password in it"), ("ssh://host:99999/srv", "The port"),
    ("ssh://host", "no directory after the host"), ("ssh://host/~", "no directory in your home"),
    ("ssh://host/~/", "no directory in your home"), ("ssh://host/~ben/a", "nobody else's"),
    ("ssh://host/a?port=2", "a ? or a #"), ("ssh://host/a%0Ab", "control character"),
    ("postgres:cloud", "begin with postgres://"), ("postgres://host/c d", "a space"),
    ("postgres://ann:sesame", "is not a port"), ("postgres://a:b@sesame@host/c", "more than one @"),
    ("postgres://ann:ses/ame@host/c", "a / before the @"),
    ("postgres://host/c/sesame", "a / in the name"), ("postgres://host/c?sesame", "has no value"),
  ]

  @Test(arguments: wrong)
  func thePartThatIsWrongIsNamedWithAnExample(text: String, part: String) throws {
    let error = try #require(throws: CloudError.self) {
      switch text.prefix(2) {
      case "s3": _ = try S3Address(typed: text)
      case "ss": _ = try SSHAddress(typed: text)
      default: _ = try PostgresAddress(typed: text)
      }
    }
    #expect(error.code == .badContainer && error.reason.contains(part), "\(error)")
    #expect(error.hint?.contains("Such as ") == true)
    #expect(!"\(error)".contains("sesame"), "\(error)")
  }

  @Test func slashesAtTheEndDoNotMatter() throws {
    #expect(SSHAddress("ssh://host/srv/cloud//") == SSHAddress("ssh://host/srv/cloud"))
    #expect(SSHAddress("ssh://host/~/cloud/") == SSHAddress("ssh://host/~/cloud"))
    #expect(S3Address("s3://bucket/a/?style=path") == S3Address("s3://bucket/a?style=path"))
    #expect(S3Address("s3://bucket/") == S3Address("s3://bucket"))
    for place in ["ann@host/cloud", "/cloud"] {
      let address = PostgresAddress("postgres://\(place)/?sslmode=require")
      #expect(address == PostgresAddress("postgres://\(place)?sslmode=require"))
    }
    #expect(PostgresAddress("postgres://host/")?.description == "postgres://host/")
  }
}
