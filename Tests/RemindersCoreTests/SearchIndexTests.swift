import GRDB
import RemindersTestSupport
import Testing

@testable import RemindersCore

/// The newest texts wait for the full-text index; whatever becomes of rows, it has the others.
@Suite struct SearchIndexTests {
  private let fixture: Fixture

  init() throws {
    fixture = try Fixture()
    try fixture.execute("INSERT INTO remindersLists (id) VALUES ('a')")
  }

  private func write(_ sql: String, _ arguments: StatementArguments = []) throws {
    try fixture.database.writer.write { try $0.execute(sql: sql, arguments: arguments) }
  }

  private func add(_ ids: ClosedRange<Int>, title: String = "Word") throws {
    for id in ids {
      try write(
        "INSERT INTO reminders (id, title, remindersListID) VALUES (?, ?, 'a')",
        ["\(id)", "\(title) \(id)"])
    }
  }

  /// How many texts wait.
  private func waiting() throws -> Int? {
    try fixture.database.writer.read { db in
      try Int.fetchOne(
        db, sql: "SELECT count(*) FROM reminderTexts WHERE id > \(SearchIndex.lastID)")
    }
  }

  private func found(_ text: String, near: [String] = []) throws -> Set<String> {
    let query = SearchQuery(
      text, near: near, showsCompleted: true, time: berlin(), window: RowWindow(count: 10_000))
    return Set(try fixture.database.fetch(query).hits.map(\.id))
  }

  @Test func `a page of texts goes to the index at once`() throws {
    try add(1...63)
    #expect(try waiting() == 63)
    try add(64...64)
    #expect(try waiting() == 0)
    try add(65...200)
    #expect(try waiting() == 8)
    #expect(try found("word").count == 200)
    #expect(try found("word 150") == ["150"])
    #expect(try fixture.database.check() == [])
  }

  @Test func `a long text does not wait, nor do those before it`() throws {
    let long = String(repeating: "long ", count: 2_001)
    try add(1...3)
    try add(4...4, title: long)
    #expect(try waiting() == 0)
    try add(5...6)
    try write("UPDATE reminders SET notes = ? WHERE id = '5'", [long])
    #expect(try waiting() == 0)
    #expect(try found("long") == ["4", "5"])
    try add(7...7)
    try write("UPDATE reminders SET notes = char(0) || ? WHERE id = '7'", [long])
    #expect(try waiting() == 0)
    try write("UPDATE reminders SET notes = '' WHERE id IN ('5', '7')")
    #expect(try found("long") == ["4"])
    #expect(try fixture.database.check() == [])
  }

  @Test func `a number that is given again is that of a text that waits`() throws {
    try add(1...64)
    try add(65...66)
    try write("DELETE FROM reminders WHERE id IN ('30', '62', '63', '64', '65', '66')")
    #expect(try waiting() == 0)
    try add(70...72, title: "Other")
    #expect(try waiting() == 3)
    #expect(try found("other") == ["70", "71", "72"])
    #expect(try found("word").count == 60)
    #expect(try fixture.database.check() == [])
  }

  @Test func `a file whose index had every text at once lets new ones wait`() throws {
    try add(1...3)
    try write(
      """
      DROP TRIGGER reminderTextsIndexInsert;
      DROP TRIGGER reminderTextsIndexDelete;
      DROP TRIGGER reminderTextsIndexUpdate;
      DROP TABLE reminderIndexed;
      INSERT INTO reminderIndex (reminderIndex) VALUES ('rebuild');
      CREATE TRIGGER reminderTextsIndexInsert AFTER INSERT ON reminderTexts BEGIN SELECT 1; END;
      CREATE TRIGGER reminderTextsIndexDelete AFTER DELETE ON reminderTexts BEGIN SELECT 1; END;
      DELETE FROM grdb_migrations WHERE identifier = 'new texts wait for the index';
      """)
    let again = try AppDatabase(directory: fixture.directory)
    #expect(try waiting() == 0)
    try add(4...5)
    #expect(try waiting() == 2)
    #expect(try found("word").count == 5)
    #expect(try again.check() == [])
  }

  /// FTS5 compares letters of other alphabets by its own rules.
  @Test(arguments: [
    ("Привет", "привет"), ("Մարտ", "մարտ"), ("µmeter", "μmeter"), ("ſunny", "sunny"),
    ("牛乳を買う", "牛乳を"),
  ])
  func `only short texts of ASCII wait`(title: String, text: String) throws {
    try write("INSERT INTO reminders (title, remindersListID) VALUES ('plain Ü', 'a')")
    #expect(try waiting() == 1)
    try write("INSERT INTO reminders (id, title, remindersListID) VALUES ('x', ?, 'a')", [title])
    #expect(try waiting() == 0)
    #expect(try found(text).contains("x"))
    #expect(try fixture.database.check() == [])
  }

  /// Rows that come, go and change in every way, one by one and many at once.
  @Test(arguments: [UInt64(1), 2, 3, 4])
  func `whatever becomes of rows, a search finds what they say`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for step in 1...120 {
      try change(step, &random)
      guard step.isMultiple(of: 10) else { continue }
      try expectAllIsFound("seed \(seed), step \(step)")
      if step.isMultiple(of: 60) { #expect(try fixture.database.check() == []) }
    }
  }

  private static let words = [
    "apple", "apricot", "Birne", "Ärger", "cherry pie", "kiwi", "Մարտ", "Ёлка",
  ]

  private func change(_ step: Int, _ random: inout SplitMix64) throws {
    let text = (0..<Int.random(in: 0...3, using: &random))
      .map { _ in Self.words[Int.random(in: 0..<Self.words.count, using: &random)] }
      .joined(
        separator: " " + String(repeating: "-", count: Int.random(in: 0...45, using: &random)))
    let row = "(SELECT id FROM reminders ORDER BY id LIMIT 1 OFFSET \(step % 7))"
    switch Int.random(in: 0...9, using: &random) {
    case 0...3:
      try write(
        "INSERT INTO reminders (title, notes, remindersListID) VALUES (?, ?, 'a')",
        [text, step.isMultiple(of: 9) ? String(repeating: text + ".", count: 600) : ""])
    case 4:
      try write(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
        INSERT INTO reminders (title, remindersListID) SELECT ? || i, 'a' FROM n
        """, [Int.random(in: 1...90, using: &random), text])
    case 5: try write("UPDATE reminders SET title = ? WHERE id = \(row)", [text])
    case 6:
      try write("UPDATE reminders SET notes = ? WHERE rowid % 5 = ?", [text, step % 5])
    case 7:
      try write(
        """
        INSERT OR REPLACE INTO reminders (id, title, remindersListID)
        SELECT id, ?, 'a' FROM reminders WHERE id = \(row)
        """, [text])
    case 8:
      try write(
        "DELETE FROM reminders WHERE rowid > (SELECT max(rowid) - ? FROM reminders)",
        [Int.random(in: 0...70, using: &random)])
    default: try write("UPDATE reminders SET id = 'new \(step)' WHERE id = \(row)")
    }
  }

  /// Compares what is found with what the rows say.
  private func expectAllIsFound(_ place: String) throws {
    let rows = try fixture.database.writer.read { db in
      try Row.fetchAll(db, sql: "SELECT id, title, notes FROM reminders").map { row in
        (id: row[0] as String, texts: [row[1] as String, row[2]].map(SearchFold.comparable))
      }
    }
    for word in Self.words + ["ri", "kiwi apple"] {
      let parts = SearchFold.comparable(word).split(separator: " ")
      let expected = rows.filter { row in
        parts.allSatisfy { part in row.texts.contains { $0.contains(part) } }
      }
      #expect(try found(word) == Set(expected.map(\.id)), "\(place): \(word)")
    }
    let near = try found("", near: ["apple", "kiwi"])
    try fixture.indexTexts()
    #expect(try found("", near: ["apple", "kiwi"]) == near, "\(place)")
  }
}
