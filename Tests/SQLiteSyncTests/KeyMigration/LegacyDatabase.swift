import Foundation
import GRDB
import RemindersTestSupport

@testable import SQLiteSync

/// A database of before synchronization, in a file, and its migration.
final class LegacyDatabase {
  let queue: DatabaseQueue
  private let directory: TemporaryDirectory
  private let path: String

  /// Makes the database with SQL.
  init(_ sql: String) throws {
    directory = try TemporaryDirectory()
    path = directory.url.appending(path: "legacy.sqlite").path
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  /// What every key is derived from in these tests.
  static let namespace = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

  /// The key that takes the place of an integer.
  static func key(_ integer: Int64, _ table: String) -> String {
    DerivedKey(namespace: namespace).key(integer, table: table)
  }

  /// Migrates the keys, whether or not an engine would accept the tables.
  func migrate(_ tables: [String], dropUniqueConstraints: Bool = false) throws {
    try queue.write { db in
      try SyncEngine.migratePrimaryKeys(
        db, tableNames: tables, uuid: { Self.namespace },
        dropUniqueConstraints: dropUniqueConstraints, validates: false)
    }
  }

  /// The rows of a query as text, columns separated by `|`.
  func rows(_ sql: String) throws -> [String] {
    try queue.read { db in
      try Row.fetchAll(db, sql: sql).map { row in
        row.databaseValues.map { $0.isNull ? "NULL" : String.fromDatabaseValue($0) ?? "\($0)" }
          .joined(separator: "|")
      }
    }
  }

  func execute(_ sql: String) throws {
    try queue.write { try $0.execute(sql: sql) }
  }

  /// The file, byte for byte.
  func bytes() throws -> Data {
    try Data(contentsOf: URL(filePath: path))
  }

  func sql(of name: String) throws -> String {
    try rows("SELECT sql FROM sqlite_schema WHERE name = '\(name)'").first ?? ""
  }
}
