import GRDB

/// Which rows of `reminderTexts` have words: by the full-text index, and among the newest texts,
/// which wait for it (`SearchIndex`), by looking through them.
struct SearchedTexts {
  private let fields: [ReminderField]
  private let waiting: [Waiting]

  /// A text that is not in the index, field by field.
  private struct Waiting {
    let id: Int64
    let texts: [[Unicode.Scalar]]
  }

  /// The texts as they are.
  init(_ db: Database) throws {
    let fields = try db.schemaVersion.searchedFields
    self.fields = fields
    waiting = try Row.fetchAll(
      db,
      sql: """
        SELECT id, \(fields.map(\.column).joined(separator: ", ")) FROM reminderTexts
        WHERE id > (SELECT lastID FROM reminderIndexed)
        """
    ).map { row in
      Waiting(
        id: row[0],
        texts: fields.indices.map { Self.scalars(row[$0 + 1] as String? ?? "") })
    }
  }

  /// Which rows have all the words, wherever.
  func having(_ words: [String]) -> Condition {
    // The index knows words by groups of three letters; shorter ones are looked up in the texts.
    let short = words.filter { !Self.isIndexed($0) }
    let long = words.filter(Self.isIndexed)
    let isFound = fields.map { "instr(\($0.column), ?)" }.joined(separator: " OR ")
    var sql = short.map { _ in "(\(isFound))" }
    var arguments = StatementArguments(short.flatMap { word in fields.map { _ in word } })
    if !long.isEmpty {
      let scalars = long.map(Self.scalars)
      let found = found(by: long.map(Self.phrase).joined(separator: " ")) { texts in
        scalars.allSatisfy { word in texts.contains { $0.firstRange(of: word) != nil } }
      }
      sql.append("(\(found.sql))")
      arguments += found.arguments
    }
    return Condition(sql.joined(separator: " AND "), arguments)
  }

  /// Which rows have the words near each other in one field.
  func having(near words: [String]) -> Condition {
    // The index knows nothing of shorter words, so it cannot say where they stand.
    guard words.allSatisfy(Self.isIndexed) else { return having(words) }
    let scalars = words.map(Self.scalars)
    let phrases = words.map(Self.phrase).joined(separator: " ")
    return found(by: "NEAR(\(phrases), \(Self.nearDistance))") { texts in
      texts.contains { Self.areNear(scalars, in: $0) }
    }
  }

  /// What the index finds, and what those that wait have by themselves.
  private func found(
    by match: String, orWaiting isFound: ([[Unicode.Scalar]]) -> Bool
  ) -> Condition {
    let indexed = "id IN (SELECT rowid FROM reminderIndex WHERE reminderIndex MATCH ?)"
    let found = waiting.filter { isFound($0.texts) }.map(\.id)
    guard !found.isEmpty else { return Condition(indexed, [match]) }
    return Condition(
      "\(indexed) OR id IN (\(databaseQuestionMarks(count: found.count)))",
      [match] + StatementArguments(found))
  }

  /// In letters: the index counts its groups of three, one for each letter.
  private static let nearDistance = 40

  /// Whether words stand as near each other as the index asks: from the end of each to the
  /// beginning of the last one.
  private static func areNear(_ words: [[Unicode.Scalar]], in text: [Unicode.Scalar]) -> Bool {
    let places = words.map { word in
      text.indices.filter { text[$0...].starts(with: word) }
    }
    return places.joined().contains { last in
      zip(words, places).allSatisfy { word, places in
        places.contains { $0 <= last && last - $0 <= word.count - 2 + nearDistance }
      }
    }
  }

  private static func isIndexed(_ word: String) -> Bool { word.unicodeScalars.count >= 3 }

  private static func phrase(_ word: String) -> String {
    "\"" + word.replacing("\"", with: "\"\"") + "\""
  }

  /// The index makes no difference of case in any alphabet.
  private static func scalars(_ text: String) -> [Unicode.Scalar] {
    Array(text.lowercased().unicodeScalars)
  }
}
