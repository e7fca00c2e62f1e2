import Testing

@testable import SQLiteSync

/// Checks, generated columns and indexes that speak of integer keys, when these become text.
struct KeyExpressionTests {
  private static func tables(made: String? = nil, check: String? = nil) -> String {
    let parts = [made.map { ", made AS (\($0))" }, check.map { ", CHECK (\($0))" }]
    return """
      CREATE TABLE lists (id INTEGER PRIMARY KEY);
      CREATE TABLE items (
        id INTEGER PRIMARY KEY, title TEXT,
        listID INTEGER REFERENCES lists (id) ON DELETE CASCADE,
        other INTEGER REFERENCES lists (id) ON DELETE CASCADE\(parts.compactMap { $0 }.joined()));
      INSERT INTO lists VALUES (1), (2);

      """
  }

  /// With the column that is named.
  static let wrong: [(expression: String, column: String)] = [
    ("listID = 1", "listID"), ("listID > 5", "listID"), ("2 <> \"LISTID\"", "LISTID"),
    ("abs(listID) = abs(other)", "listID"), ("items.listID IN (1, 2)", "listID"),
    ("title <> '' AND listID BETWEEN 1 AND 5", "listID"), ("listID = '1'", "listID"),
    ("typeof(id) = 'integer'", "id"), ("listID IS title", "listID"), ("listID", "listID"),
    ("CASE listID WHEN 1 THEN 0 ELSE 1 END", "listID"), ("listID = other + 1", "other"),
    ("coalesce(listID, 0) = 0", "listID"), ("(listID) = (1)", "listID"),
    ("listID COLLATE NOCASE = 1", "listID"), ("title || id <> 'a1'", "id"),
    ("listID IS DISTINCT FROM 1", "listID"), ("title IS NOT DISTINCT FROM other", "other"),
  ]

  static let right = [
    "listID IS NULL", "listID NOTNULL OR other ISNULL", "items.listID NOT NULL",
    "(listID IS NULL) <> (other IS NULL)", "listID = other", "(listID) IS NOT other",
    "coalesce(listID, other) IS NOT NULL", "listID <> ''", "title <> 'listID = 1'",
    "listID = other COLLATE NOCASE AND length(title) < 9",
    "CASE WHEN listID IS NULL THEN title ELSE 1 END", "listID IS DISTINCT FROM other",
    "(listID) IS NOT DISTINCT FROM (other) OR listID IS DISTINCT FROM NULL",
  ]

  private func refusal(_ sql: String) throws -> SyncError? {
    let legacy = try LegacyDatabase(sql)
    let before = try legacy.bytes()
    let error = #expect(throws: SyncError.self) { try legacy.migrate(["lists", "items"]) }
    #expect(error?.reason == .keysNotMigrated && error?.table == "items")
    #expect(error?.others == [] && error?.hint?.isEmpty == false)
    #expect(try legacy.bytes() == before)
    return error
  }

  @Test(arguments: wrong)
  func whatComputesWithAKeyIsRefused(_ expression: String, column: String) throws {
    // Only a CHECK may name the table.
    let bare = expression.replacing("items.", with: "")
    let check = try refusal(Self.tables(check: expression))
    #expect(check?.column == column && check?.message.contains("CHECK") == true)
    let generated = try refusal(Self.tables(made: bare))
    #expect(generated?.column == column && generated?.message.contains("made") == true)
    for unique in ["", "UNIQUE"] {
      let index = try refusal(
        Self.tables() + "CREATE \(unique) INDEX one ON items (title) WHERE \(bare)")
      #expect(index?.column == column && index?.message.contains("The index one") == true)
    }
  }

  @Test(arguments: ["abs(listID)", "title, listID + 1 DESC", "other, listID = 1"])
  func indexOverAnExpressionOfAKeyIsRefused(_ terms: String) throws {
    let error = try refusal(Self.tables() + "CREATE INDEX one ON items (\(terms))")
    #expect(error?.column == "listID" && error?.message.contains("The index one") == true)
  }

  @Test(arguments: right)
  func whatOnlyComparesKeysStays(_ expression: String) throws {
    let bare = expression.replacing("items.", with: "")
    let legacy = try LegacyDatabase(
      Self.tables(made: bare, check: expression) + """
        CREATE INDEX one ON items (listID COLLATE NOCASE DESC, other ASC, title) WHERE \(bare);
        CREATE INDEX two ON items (lower(title), \(bare));
        """)
    try legacy.migrate(["lists", "items"])
    #expect(try legacy.sql(of: "one").hasSuffix("WHERE \(bare)"))
    #expect(try legacy.sql(of: "items").contains("CHECK (\(expression))"))
  }

  @Test func allThatAreWrongAreNamedAtOnce() throws {
    let legacy = try LegacyDatabase(
      Self.tables(made: "other = 1", check: "listID <> 0") + """
        CREATE INDEX one ON items (title) WHERE listID = 1;
        CREATE UNIQUE INDEX two ON items (abs(other));
        CREATE INDEX fine ON items (listID, other);
        """)
    let error = try #require(
      #expect(throws: SyncError.self) { try legacy.migrate(["lists", "items"]) })
    #expect(([error] + error.others).map(\.column) == ["other", "listID", "listID", "other"])
  }
}
