import GRDB

/// Finds reminders whose texts or tags contain all the words of a text.
///
/// Case and accents make no difference. Tags are found with their `#` or without; what begins with
/// a `#` and is no tag yet may become one: it finds those that begin so. No text finds nothing.
public struct SearchQuery: Query {
  /// What the person typed.
  public let text: String
  /// Tags that a reminder must carry.
  public var tags: [Tag.ID]
  /// Words that must stand near each other, within a line or so.
  public var near: [String]
  /// In which order; within each list, where the hits are not very many.
  public var sort: ReminderListQuery.Sort
  /// Whether completed ones are shown.
  public var showsCompleted: Bool
  /// Decides what is due first.
  public let time: LocalTime
  /// Which of the rows.
  public var window: RowWindow
  /// What the text says; a word alone where it cannot be read, as a date that is typed on.
  private let filter: Filter
  /// Why it cannot be read.
  private let refusal: String?

  /// A search by whoever looks at this time.
  public init(
    _ text: String, tags: [Tag.ID] = [], near: [String] = [], sort: ReminderListQuery.Sort = .due,
    showsCompleted: Bool = false, time: LocalTime, window: RowWindow = RowWindow(count: 200)
  ) {
    self.text = text
    self.tags = tags
    self.near = near
    self.sort = sort
    self.showsCompleted = showsCompleted
    self.time = time
    self.window = window
    do {
      filter = try Filter(text, in: time)
      refusal = nil
    } catch {
      filter = .word(text)
      refusal = (error as? AppError)?.reason
    }
  }

  /// A search for one text, with its white space.
  init(word: String, time: LocalTime) {
    text = word
    tags = []
    near = []
    sort = .due
    showsCompleted = true
    self.time = time
    window = RowWindow(count: 200)
    filter = .word(word)
    refusal = nil
  }

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> SearchResult {
    var result = SearchResult()
    result.showsCompleted = showsAll
    let (matching, problem) = try matching(db)
    result.problem = refusal ?? problem
    let counts = try counts(matching, db)
    result.openCount = counts.open
    result.completedCount = counts.completed
    let order = try order(among: counts.all, db)
    result.isByList = order.isByList
    let request = RowRequest(
      condition: shown(matching, among: counts.all), order: order, notes: ReminderRow.shownNotes)
    let found = try request.rows(in: window, of: count(of: result), db)
    result.start = found.start
    let texts = try texts(of: found.rows, db)
    result.hits = found.rows.map { row in
      SearchResult.Hit(
        row: row, title: MatchedText(row.title, matching: matched), texts: texts[row.id] ?? [:],
        tags: row.tags.map { MatchedText("#" + $0, matching: matched + matchedTags) })
    }
    return result
  }

  /// How many reminders are shown in all, in the window and outside.
  public func count(of result: SearchResult) -> Int {
    result.openCount + (result.showsCompleted ? result.completedCount : 0)
  }

  /// Whether completed ones are shown: that is wanted, or asked for.
  private var showsAll: Bool { showsCompleted || filter.isAboutCompletion }

  /// The words to look for, as the index has them.
  private var words: [String] { filter.words.map(Self.indexed).filter { !$0.isEmpty } }

  private var nearWords: [String] { near.flatMap(Self.words) }

  private var hashtags: [String] { filter.hashtags.map { SearchFold.comparable("#" + $0) } }

  /// What is marked where it is found.
  private var matched: [String] { filter.mentions.map(Self.indexed) + nearWords }

  private var matchedTags: [String] { tags.map { SearchFold.comparable("#" + $0) } }

  private static func words(of text: String) -> [String] {
    indexed(text).split(whereSeparator: \.isWhitespace).map(String.init)
  }

  private static func indexed(_ text: String) -> String {
    SearchFold.comparable(text.filter { $0 != "\0" })
  }

  /// Which rows of `reminderTexts` have all the words, in themselves or in the reminder's tags; and
  /// what else that the text asks for does not exist, or is not typed to its end.
  private func matching(_ db: Database) throws -> (condition: Condition, problem: String?) {
    let texts = try SearchedTexts(db)
    let tags = try String.fetchAll(db, sql: "SELECT title FROM tags")
    var conditions: [Condition] = []
    var textOnly: [String] = []
    for word in words {
      let found = tags.filter { SearchFold.comparable("#" + $0).contains(word) }
      if found.isEmpty {
        textOnly.append(word)
      } else {
        conditions.append(Self.matching([word], in: texts, orTags: found))
      }
    }
    for word in hashtags {
      let names = tags.map { (title: $0, key: SearchFold.comparable("#" + $0)) }
      let begun = names.filter { $0.key.contains(word) }.map(\.title)
      let exact = names.first { $0.key == word }.map { Self.carrying($0.title) }
      conditions.append(exact ?? Self.matching([word], in: texts, orTags: begun))
    }
    if !textOnly.isEmpty { conditions.append(texts.having(textOnly)) }
    if !nearWords.isEmpty { conditions.append(try texts.having(near: nearWords, db)) }
    conditions += self.tags.map { Self.carrying($0) }
    var problem: String?
    do {
      if filter.hasFields { conditions.append(try fieldsCondition(db)) }
    } catch let error as AppError {
      problem = error.reason
      conditions.append(Condition("FALSE"))
    }
    return (Condition.joined(conditions, by: "AND", empty: "FALSE"), problem)
  }

  /// Which rows of `reminderTexts` are of reminders that have what the text says of other fields.
  private func fieldsCondition(_ db: Database) throws -> Condition {
    let condition = try filter.withoutWords.condition(db, in: time) { word in
      try SearchQuery(word: word, time: time).found(db)
    }
    return Condition(
      "reminderID IN (SELECT id FROM reminders WHERE \(condition.sql))", condition.arguments)
  }

  private static func matching(
    _ words: [String], in texts: SearchedTexts, orTags tags: [Tag.ID]
  ) -> Condition {
    let text = texts.having(words)
    return Condition(
      """
      (\(text.sql)) OR reminderID IN (
        SELECT reminderID FROM reminderTags
        WHERE tagTitle IN (\(databaseQuestionMarks(count: tags.count)))
      )
      """, text.arguments + StatementArguments(tags))
  }

  /// Which rows of `reminderTexts` are of reminders with a tag.
  private static func carrying(_ tag: Tag.ID) -> Condition {
    Condition(
      "reminderID IN (SELECT reminderID FROM reminderTags WHERE tagTitle = ?)", [tag])
  }

  private func counts(
    _ matching: Condition, _ db: Database
  ) throws -> (open: Int, completed: Int, all: Int) {
    let row = try Row.fetchOne(
      db,
      sql: "SELECT count(*), total(isCompleted) FROM reminderTexts WHERE \(matching.sql)",
      arguments: matching.arguments)
    let all: Int = row?[0] ?? 0
    let completed: Int = row?[1] ?? 0
    return (all - completed, completed, all)
  }

  /// Which reminders are shown.
  private func shown(_ matching: Condition, among count: Int) -> Condition {
    let found = found(matching, among: count)
    return showsAll ? found : found.open
  }

  /// Which reminders match.
  ///
  /// - Parameter count: How many match. Many are met soon enough along the index by due date; few
  ///   are better looked up one by one and sorted.
  private func found(_ matching: Condition, among count: Int) -> Condition {
    let isNarrow = count <= Self.fewHits
    let found =
      isNarrow
      ? "id IN (SELECT reminderID FROM reminderTexts WHERE \(matching.sql))"
      : "EXISTS (SELECT 1 FROM reminderTexts WHERE reminderID = reminders.id AND (\(matching.sql)))"
    return Condition(found, matching.arguments, isNarrow: isNarrow)
  }

  private static let fewHits = 2000

  /// In which order hits come: list after list where they are sorted anyway, and not met along an
  /// index of all reminders.
  private func order(among count: Int, _ db: Database) throws -> RowOrder {
    var order = try sort.order(in: time, db)
    order.isByList = count <= Self.fewHits
    order.foldsTitles = order.isByList
    return order
  }

  /// Which reminders match, completed or not.
  func found(_ db: Database) throws -> Condition {
    let matching = try matching(db).condition
    return found(matching, among: try counts(matching, db).all)
  }

  /// Which reminders are shown and in which order, for other queries.
  func shown(_ db: Database) throws -> (condition: Condition, order: RowOrder) {
    let matching = try matching(db).condition
    let count = try counts(matching, db).all
    return (shown(matching, among: count), try order(among: count, db))
  }

  /// Where words were found in the fields of rows besides their titles, not far from the beginning:
  /// to look through notes of megabytes again with each letter takes longer than to type it.
  private func texts(
    of rows: [ReminderRow], _ db: Database
  ) throws -> [Reminder.ID: [ReminderField: MatchedText]] {
    let fields = try db.schemaVersion.searchedFields.filter { $0 != .title }
    let columns = fields.map { "substr(\($0.column), 1, \(Self.readCharacters)) AS \($0.column)" }
    let found = try Row.fetchCursor(
      db,
      sql: """
        SELECT id, \(columns.joined(separator: ", ")) FROM reminders
        WHERE id IN (\(databaseQuestionMarks(count: rows.count)))
        """, arguments: StatementArguments(rows.map(\.id)))
    var texts: [Reminder.ID: [ReminderField: MatchedText]] = [:]
    while let row = try found.next() {
      for field in fields {
        let written: String? = try row.read(field.column)
        let text = MatchedText((written ?? "").oneLine, matching: matched)
        if text.hasMatch { try texts[row.read(0), default: [:]][field] = text.excerpt(length: 100) }
      }
    }
    return texts
  }

  private static let readCharacters = 1 << 14
}

/// What a search found.
public struct SearchResult: Equatable, Sendable {
  /// A reminder and where the words were found in it.
  public struct Hit: Identifiable, Equatable, Sendable {
    /// The reminder.
    public var row: ReminderRow
    /// Its title.
    public var title: MatchedText
    /// The stretch around the first match in other fields, in one line; only where there is one.
    public var texts: [ReminderField: MatchedText]
    /// Its tags, each with its matches.
    public var tags: [MatchedText]
    /// The reminder's id.
    public var id: Reminder.ID { row.id }
  }

  /// The reminders in the query's window in its order, those that are not completed first: of each
  /// list, where they come list after list.
  public var hits: [Hit] = []
  /// Whether they come list after list.
  public var isByList = false
  /// How many come before them.
  public var start = 0
  /// How many that are not completed match.
  public var openCount = 0
  /// How many completed ones match, shown or not.
  public var completedCount = 0
  /// Whether completed ones are shown.
  public var showsCompleted = false
  /// Why not all that was typed could be looked for, in a sentence.
  public var problem: String?

  /// A result with nothing found.
  public init() {}
}
