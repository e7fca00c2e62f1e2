import GRDB

/// Finds reminders whose title, notes or tags contain all the words of a text.
///
/// Every character of the text is just text; case and accents make no difference. Tags are found
/// with their `#` or without. No text finds nothing.
public struct SearchQuery: Query {
  /// What the person typed.
  public var text: String
  /// Whether completed ones are shown.
  public var showsCompleted: Bool
  /// Decides what is due first.
  public var time: LocalTime
  /// At most so many rows.
  public var limit: Int

  /// A search by whoever looks at this time.
  public init(_ text: String, showsCompleted: Bool = false, time: LocalTime, limit: Int = 200) {
    self.text = text
    self.showsCompleted = showsCompleted
    self.time = time
    self.limit = limit
  }

  public func fetch(_ db: Database) throws -> SearchResult {
    var result = SearchResult()
    let rows = try DetailRow.fetch(db, where: shown, order: .due(time), limit: limit)
    let notes = try notes(of: rows, db)
    result.hits = rows.map { row in
      let notes = MarkedText((notes[row.id] ?? "").oneLine, marking: words)
      return SearchResult.Hit(
        row: row, title: MarkedText(row.title, marking: words),
        notes: notes.hasMatch ? notes.excerpt(length: 100) : nil,
        tags: row.tags.map { MarkedText("#" + $0, marking: words) })
    }
    result.openCount = try (matching && .open).count(db)
    result.completedCount = try (matching && .completed).count(db)
    return result
  }

  /// Which reminders are shown.
  var shown: Condition { showsCompleted ? matching : matching && .open }

  /// The words to look for, as the index has them.
  private var words: [String] {
    SearchFold.comparable(text.filter { $0 != "\0" }).split(whereSeparator: \.isWhitespace)
      .map(String.init)
  }

  private var matching: Condition {
    // The index knows words by groups of three letters; shorter ones are looked up in the texts.
    let long = words.filter { $0.unicodeScalars.count >= 3 }
    let short = words.filter { $0.unicodeScalars.count < 3 }
    guard !words.isEmpty else { return Condition("FALSE") }
    var conditions = short.map { word in
      Condition("instr(lower(title || char(10) || notes || char(10) || tags), ?)", [word])
    }
    if !long.isEmpty {
      let phrases = long.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }
      conditions.append(
        Condition(
          "id IN (SELECT rowid FROM reminderIndex WHERE reminderIndex MATCH ?)",
          [phrases.joined(separator: " ")]))
    }
    let found = conditions.dropFirst().reduce(conditions[0]) { $0 && $1 }
    return Condition(
      "id IN (SELECT reminderID FROM reminderTexts WHERE \(found.sql))", found.arguments)
  }

  private func notes(of rows: [DetailRow], _ db: Database) throws -> [Reminder.ID: String] {
    let found = try Row.fetchAll(
      db,
      sql: """
        SELECT id, notes FROM reminders WHERE id IN (\(databaseQuestionMarks(count: rows.count)))
        """, arguments: StatementArguments(rows.map(\.id)))
    return Dictionary(uniqueKeysWithValues: found.map { ($0["id"], $0["notes"]) })
  }
}

/// What a search found.
public struct SearchResult: Equatable, Sendable {
  /// A reminder and where the words were found in it.
  public struct Hit: Identifiable, Equatable, Sendable {
    /// The reminder.
    public var row: DetailRow
    /// Its title.
    public var title: MarkedText
    /// The stretch of its notes around the first match, in one line; nil when none is there.
    public var notes: MarkedText?
    /// Its tags, each with its marks.
    public var tags: [MarkedText]
    /// The reminder's id.
    public var id: Reminder.ID { row.id }
  }

  /// The reminders by due date, those that are not completed first.
  public var hits: [Hit] = []
  /// How many that are not completed match.
  public var openCount = 0
  /// How many completed ones match, shown or not.
  public var completedCount = 0

  /// A result with nothing found.
  public init() {}
}
