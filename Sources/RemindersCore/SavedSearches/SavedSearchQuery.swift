import GRDB

/// Finds the saved searches, and what each finds now.
public struct SavedSearchQuery: Query {
  /// A saved search with the number of its reminders.
  public struct Found: Identifiable, Equatable, Sendable {
    /// The search.
    public let search: SavedSearch
    /// How many reminders it finds; why it cannot be asked; nil where there are too many searches
    /// to ask them all.
    public let count: Result<Int, AppError>?
    /// The search's id.
    public var id: SavedSearch.ID { search.id }
  }

  /// Decides which day "today" is.
  public var time: LocalTime

  /// More searches than anybody looks at are not asked for their numbers.
  static let mostCounted = 20

  /// The query for whoever looks at this time.
  public init(time: LocalTime) {
    self.time = time
  }

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> [Found] {
    // What is watched is what this reads, whatever the searches will ask for.
    _ = try ReminderRow.fetch(
      db, RowRequest(condition: Condition("FALSE"), order: .manual), RowWindow(count: 0))
    return try SavedSearch.all(db).enumerated().map { index, search in
      Found(search: search, count: index < Self.mostCounted ? try count(of: search, db) : nil)
    }
  }

  private func count(of search: SavedSearch, _ db: Database) throws -> Result<Int, AppError> {
    do {
      let filter = try search.filter(in: time)
      let condition = try filter.condition(in: time, db)
      let shown = filter.isAboutCompletion ? condition : condition.open
      return .success(try shown.count(db))
    } catch let error as AppError {
      return .failure(error)
    }
  }
}

extension Filter {
  /// Which rows of `reminders` meet it.
  ///
  /// - Throws: `AppError` for a list or a tag that does not exist.
  func condition(in time: LocalTime, _ db: Database) throws -> Condition {
    try condition(db, in: time) { word in try SearchQuery(word: word, time: time).found(db) }
  }
}

extension AppDatabase {
  /// Throws when a query cannot be asked now: it is not understood, or it asks for a list or a tag
  /// that does not exist.
  public func requireAnswer(to query: String, in time: LocalTime) throws {
    try read { db in _ = try Filter(query, in: time).condition(in: time, db) }
  }

  /// The saved search with a name, whatever the case of its letters, or whose id begins so.
  ///
  /// - Throws: `AppError` when there is none, or more than one.
  public func savedSearch(named name: String) throws -> SavedSearch {
    try read { db in
      let all = try SavedSearch.all(db)
      let byID = all.filter { name.count >= 4 && $0.id.hasPrefix(name.lowercased()) }
      guard let found = try SavedSearch.named(name, among: all) ?? SavedSearch.only(byID, name)
      else {
        throw AppError(
          .noSuchItem, "There is no saved search “\(name)”.",
          hint: "`reminders searches` shows those there are.")
      }
      return found
    }
  }
}

extension SavedSearch {
  /// The one of a name, else the one of a name like it; nil where there is none.
  ///
  /// - Throws: `AppError` when there are several.
  static func named(_ name: String, among all: [SavedSearch]) throws -> SavedSearch? {
    let exact = all.filter { $0.title == name }
    let alike = all.filter { SearchFold.comparable($0.title) == SearchFold.comparable(name) }
    return try only(exact.isEmpty ? alike : exact, name)
  }

  fileprivate static func only(_ found: [SavedSearch], _ name: String) throws -> SavedSearch? {
    guard found.count < 2 else {
      throw AppError(
        .noSuchItem, "There are several saved searches “\(name)”.",
        hint: "Rename one, or name one, by the beginning of its id: "
          + found.map { String($0.id.prefix(8)) }.joined(separator: ", ") + ".")
    }
    return found.first
  }
}
