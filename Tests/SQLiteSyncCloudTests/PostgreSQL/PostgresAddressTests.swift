import Testing

@testable import SQLiteSyncCloud

@Suite struct PostgresAddressTests {
  @Test(
    arguments: [
      ("postgres://example.org/cloud", "postgres://example.org/cloud", nil),
      ("postgresql://ann@example.org:5433/cloud", "postgres://ann@example.org:5433/cloud", "ann"),
      ("postgres://ann:se%20same@[::1]:5433/cloud", "postgres://ann@[::1]:5433/cloud", "ann"),
      ("postgres://ann:a:b@one:1,two:2/cloud", "postgres://ann@one:1,two:2/cloud", "ann"),
      ("postgres://ann:p%40q@host/cloud", "postgres://ann@host/cloud", "ann"),
      (
        "postgres://h/c?sslrootcert=/etc/ca&sslpassword=sesame",
        "postgres://h/c?sslrootcert=/etc/ca", nil
      ),
      (
        "Postgres:///cloud?host=/run/pg&user=a%6En", "postgres:///cloud?host=/run/pg&user=a%6En",
        "ann"
      ),
      ("postgres://h/c?password=sesame&sslmode=require", "postgres://h/c?sslmode=require", nil),
      ("postgres://?service=cloud", "postgres://?service=cloud", nil),
    ] as [(String, String, String?)])
  func whatIsSecretIsNotShown(typed: String, shown: String, role: String?) throws {
    let address = try #require(PostgresAddress(typed))
    #expect(address.description == shown)
    #expect(address.role == role)
  }

  @Test(arguments: [
    "", "postgres:cloud", "http://example.org", "postgres://host/c d", "postgres://ann:sesame",
    "postgres://ann:se/same", "postgres://ann:se/same@host/c", "postgres://ann:se?same@host/cloud",
    "postgres://host/c?sesame",
    "postgres://ann:top@sesame@host/c", "postgres://ann@home@host/c",
    "postgres://host/c\u{0}", "postgres://host/c/d",
  ])
  func whatIsNoAddressIsRefused(typed: String) {
    #expect(PostgresAddress(typed) == nil)
  }

  /// libpq says the whole address when it does not understand it.
  @Test(arguments: [
    "postgres://ann:ses%ame@host/c",
    "postgres://ann:sesame@host/c?unheard=of", "postgres://ann:sesame@host/c%zz",
    "postgres://ann@host/c?password=sesame&unheard=of", "postgres://ann:sesame@host/c?sslmode=ame",
  ])
  func nothingSecretIsInWhatIsWrongWithAnAddress(typed: String) throws {
    let address = try #require(PostgresAddress(typed))
    let error = try #require(throws: CloudError.self) {
      try PostgresStore(address, patience: .seconds(5)).makeSchema()
    }
    #expect(!"\(error)".contains("ses"), "\(error)")
    #expect(!"\(address)".contains("ses"))
    #expect(error.hint != nil)
  }
}
