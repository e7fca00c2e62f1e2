import GRDB

/// Which rows of `reminderTexts` have words: by the full-text index, and among the newest texts,
/// which wait for it, by looking through them.
///
/// Those are short and of ASCII alone (`SearchIndex`), so that both find the same.
struct SearchedTexts {
  private let fields: [ReminderField]

  /// The texts of a file.
  init(_ db: Database) throws {
    fields = try db.schemaVersion.searchedFields
  }

  /// Which rows have all the words, wherever.
  func having(_ words: [String]) -> Condition {
    // The index knows words by groups of three letters; shorter ones are looked up in the texts.
    let short = words.filter { !Self.isIndexed($0) }
    let long = words.filter(Self.isIndexed)
    return Condition.joined(
      short.map(containing) + (long.isEmpty ? [] : [indexed(long)]), by: "AND", empty: "TRUE")
  }

  /// Which rows have the words near each other in one field.
  func having(near words: [String], _ db: Database) throws -> Condition {
    // The index knows nothing of shorter words, so it cannot say where they stand.
    guard words.allSatisfy(Self.isIndexed) else { return having(words) }
    let letters = words.map { Array($0.utf8) }
    let waiting = try Row.fetchAll(
      db, sql: "SELECT id, \(columns) FROM reminderTexts WHERE id > \(SearchIndex.lastID)")
    let near = try waiting.filter { row in
      try fields.indices.contains {
        try Self.areNear(letters, in: Array((row.read($0 + 1) as String? ?? "").utf8))
      }
    }
    let phrases = words.map(Self.phrase).joined(separator: " ")
    return Condition(
      "\(Self.matching) OR id IN (\(databaseQuestionMarks(count: near.count)))",
      ["NEAR(\(phrases), \(Self.nearDistance))"]
        + StatementArguments(try near.map { try $0.read(0) as Int64 }))
  }

  private var columns: String { fields.map(\.column).joined(separator: ", ") }

  private static let matching =
    "id IN (SELECT rowid FROM reminderIndex WHERE reminderIndex MATCH ?)"

  /// The index knows these words; whether they are in a text that waits is looked up there.
  private func indexed(_ words: [String]) -> Condition {
    let waiting = Condition.joined(words.map(containing), by: "AND", empty: "TRUE")
    return Condition(
      "\(Self.matching) OR id > \(SearchIndex.lastID) AND (\(waiting.sql))",
      [words.map(Self.phrase).joined(separator: " ")] + waiting.arguments)
  }

  private func containing(_ word: String) -> Condition {
    Condition(
      fields.map { "instr(\($0.column), ?)" }.joined(separator: " OR "),
      StatementArguments(fields.map { _ in word }))
  }

  /// In letters: the index counts its groups of three, one for each letter.
  private static let nearDistance = 40

  /// Whether words stand as near each other as the index asks: from the end of each to the
  /// beginning of the last one (`fts5ExprNearTest` in SQLite's `fts5_expr.c`).
  private static func areNear(_ words: [[UInt8]], in text: [UInt8]) -> Bool {
    var latest = [Int?](repeating: nil, count: words.count)
    return text.indices.contains { place in
      for (index, word) in words.enumerated() where text[place...].starts(with: word) {
        latest[index] = place
      }
      return zip(words, latest).allSatisfy { word, start in
        start.map { place - $0 <= word.count - 2 + nearDistance } ?? false
      }
    }
  }

  private static func isIndexed(_ word: String) -> Bool { word.unicodeScalars.count >= 3 }

  private static func phrase(_ word: String) -> String {
    "\"" + word.replacing("\"", with: "\"\"") + "\""
  }
}
