import GRDB

extension AppDatabase {
  /// The reminder whose id begins with what was typed, four characters at least.
  ///
  /// - Throws: `AppError` when there is none, or more than one.
  public func reminderID(matching prefix: String) throws -> Reminder.ID {
    guard prefix.count >= Lookup.shortestPrefix else {
      throw AppError(
        .invalidInput, "“\(prefix)” is too short for an id.",
        hint: "Give \(Lookup.shortestPrefix) characters or more, as `reminders list --json` shows.")
    }
    let ids = try fetch(Lookup(table: .reminders, prefix: prefix))
    guard let id = ids.first else {
      throw AppError(
        .noSuchItem, "There is no reminder “\(prefix)”.",
        hint: "`reminders list` shows the ids of those there are.")
    }
    guard ids.count == 1 || id == prefix.lowercased() else {
      throw AppError(
        .noSuchItem, "“\(prefix)” is the beginning of several ids.",
        hint: "Give more characters of it.")
    }
    return id
  }

  /// The list with a title, whatever the case of its letters, or whose id begins so.
  ///
  /// - Throws: `AppError` when there is none, or more than one.
  public func list(named name: String) throws -> RemindersList {
    try read { db in try RemindersList.named(name, in: ListsQuery().fetch(db)) }
  }

  /// Whether a title is that of the list that is made with the first reminder, and there is none.
  public func isToBeMade(listNamed name: String) throws -> Bool {
    try SearchFold.comparable(name) == SearchFold.comparable(RemindersList.defaultTitle)
      && read { db in try ListsQuery().fetch(db).isEmpty }
  }

  /// The tag of a name as it was made, with `#` or without, whatever the case of its letters.
  ///
  /// - Throws: `AppError` when there is none.
  public func tag(named name: String) throws -> Tag.ID {
    try read { db in try Tag.named(name, db) }
  }

  /// The tags that are typed: one of this name, or several with commas between.
  ///
  /// - Throws: `AppError` when there is none of a name.
  public func tags(named typed: String) throws -> [Tag.ID] {
    try read { db in
      // Another program may have made one with a comma in its name.
      if let tag = try? Tag.named(typed, db) { return [tag] }
      return try Tag.titles(from: typed).map { try Tag.named($0, db) }
    }
  }
}

extension RemindersList {
  /// The one of some lists with a name, or whose id begins so.
  ///
  /// - Throws: `AppError` when there is none, or more than one.
  static func named(_ name: String, in lists: [RemindersList]) throws -> RemindersList {
    let names = ListNames(lists)
    let byID = lists.filter {
      name.count >= Lookup.shortestPrefix && $0.id.hasPrefix(name.lowercased())
    }
    let found = [names.lists(called: name), byID].first { !$0.isEmpty }
    guard let found else {
      throw AppError(
        .noSuchItem, "There is no list “\(name)”.",
        hint: "`reminders lists` shows those there are."
      )
    }
    guard found.count == 1 else {
      let choices = zip(found, names.names(called: name)).map {
        "“\($1)” (\($0.id.prefix(8)))"
      }
      throw AppError(
        .noSuchItem, "There are several lists “\(name)”.",
        hint: "In the order of `reminders lists`: \(choices.joined(separator: ", ")).")
    }
    return found[0]
  }
}

extension Tag {
  /// The tag of a name as it was made.
  ///
  /// - Throws: `AppError` when there is none.
  static func named(_ typed: String, _ db: Database) throws -> Tag.ID {
    let title = try asMade([title(from: typed)], db)[0]
    // The column does not distinguish the case of ASCII letters.
    let sql = "SELECT title FROM tags WHERE title = ?"
    guard let tag = try String.fetchOne(db, sql: sql, arguments: [title]) else {
      throw AppError(
        .noSuchItem, "There is no tag #\(title).", hint: "`reminders tags` shows those there are.")
    }
    return tag
  }
}

/// Finds at most two ids that begin with some characters: enough to tell whether it is one.
private struct Lookup: Query {
  static let shortestPrefix = 4

  var table: AppTable
  var prefix: String

  func fetch(_ db: Database) throws -> [String] {
    let prefix = prefix.lowercased()
    return try String.fetchAll(
      db,
      sql: """
        SELECT id FROM \(table.name) WHERE id = :prefix OR (
          id >= :prefix AND id < :prefix || char(0x10FFFF)
        ) ORDER BY id <> :prefix, id LIMIT 2
        """, arguments: ["prefix": prefix])
  }
}

/// Finds ids and titles of reminders by the beginning of the id, the first ones that are due.
public struct ReminderNamesQuery: Query {
  /// An id and the title.
  public struct Name: Equatable, Sendable {
    /// The whole id.
    public let id: Reminder.ID
    /// What is to be done.
    public let title: String
  }

  /// What the ids begin with.
  public var idPrefix: String
  /// Whether those that are completed are meant, or those that are not; nil for both.
  public var isCompleted: Bool?

  /// As many as a shell can show.
  static let most = 200

  /// The query.
  public init(idPrefix: String, isCompleted: Bool? = nil) {
    self.idPrefix = idPrefix
    self.isCompleted = isCompleted
  }

  /// Finds them, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> [Name] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT id, title FROM reminders
        WHERE id >= :prefix AND id < :prefix || char(0x10FFFF)
          AND \(SQL.isCompleted) IS coalesce(:isCompleted, \(SQL.isCompleted))
        ORDER BY \(SQL.isCompleted), dueDate IS NULL, dueDate, id LIMIT \(Self.most)
        """,
      arguments: ["prefix": idPrefix.lowercased(), "isCompleted": isCompleted]
    ).map { try Name(id: $0.read(0), title: $0.read(1)) }
  }
}

/// Finds all lists in manual order.
public struct ListsQuery: Query {
  /// The query.
  public init() {}

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> [RemindersList] {
    let lists = SQL.lists(in: try db.schemaVersion)
    return try RemindersList.fetchAll(
      db, sql: "SELECT * FROM \(lists) AS remindersLists ORDER BY \(SQL.orderOfLists)")
  }
}
