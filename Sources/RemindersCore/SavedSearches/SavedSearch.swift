import Foundation
import GRDB

/// What somebody looks for again and again, under a name: a smart list of their own.
///
/// It is synchronized among the devices of a person, and never shared.
public struct SavedSearch: Identifiable, Hashable, Sendable {
  /// A lower-case UUID.
  public typealias ID = String

  /// The primary key.
  public let id: ID
  /// What the person calls it.
  public let title: String
  /// What is looked for, in the language of `Filter`; another version may write what this one does
  /// not understand.
  public let query: String
}

extension SavedSearch: TableRecord, FetchableRecord {
  /// The table.
  public static var databaseTableName: String { "savedSearches" }

  /// Reads a row of the table.
  public init(row: Row) throws {
    try self.init(id: row.read("id"), title: row.read("title"), query: row.read("query"))
  }
}

extension Migrations {
  /// The table of saved searches.
  static func addSavedSearches(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE savedSearches (
          id TEXT PRIMARY KEY NOT NULL ON CONFLICT REPLACE DEFAULT (\(SQL.uuid)),
          title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
          query TEXT NOT NULL ON CONFLICT REPLACE DEFAULT ''
        ) STRICT;
        """)
    try AppTriggers.createKeyRule(db, on: .savedSearches)
  }
}

extension SavedSearch {
  /// All of them by title; none where the schema has no table for them.
  static func all(_ db: Database) throws -> [SavedSearch] {
    guard try db.schemaVersion.hasSavedSearches else { return [] }
    return try fetchAll(db, sql: "SELECT * FROM savedSearches")
      .sorted {
        (SearchFold.comparable($0.title), $0.id) < (SearchFold.comparable($1.title), $1.id)
      }
  }

  /// What a search asks for, or why it cannot be asked.
  ///
  /// - Throws: `AppError`, also when the search is gone.
  static func filter(_ id: ID, in time: LocalTime, _ db: Database) throws -> Filter {
    guard let search = try all(db).first(where: { $0.id == id }) else {
      throw AppError(.noSuchItem, "That saved search is not there any more.")
    }
    return try search.filter(in: time)
  }

  /// What it asks for.
  ///
  /// - Throws: `AppError` when that cannot be understood.
  public func filter(in time: LocalTime) throws -> Filter {
    guard query.utf8.count <= Self.mostBytes,
      query.split(whereSeparator: \.isWhitespace).count <= Self.mostParts
    else {
      throw AppError(
        .invalidInput, "“\(title)” has more than \(Self.mostParts) parts.",
        hint: "Save it with fewer words.")
    }
    return try Filter(query, in: time)
  }

  /// SQLite has no room for conditions of any depth.
  static let (mostParts, mostBytes) = (60, 4000)
}
