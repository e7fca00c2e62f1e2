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
}
