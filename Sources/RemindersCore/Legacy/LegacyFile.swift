import Foundation
import GRDB
import RemindersFiles
import SQLiteSyncHashing

/// A file of an app of before synchronization: lists, reminders and tags with integer keys, and a
/// join table that may have none: see `LegacyTables`.
///
/// Columns that later versions of such an app added may be missing. The file is only read.
struct LegacyFile {
  /// A row by column.
  typealias Columns = [String: DatabaseValue]

  private static let hint = "Name the database file of an app of before synchronization."

  /// The tables and columns that have a place here.
  private static let known: [String: Set<String>] = [
    "remindersLists": ["id", "title", "color", "position"],
    "remindersListAssets": ["remindersListID", "coverImage"],
    "reminders": [
      "id", "title", "notes", "dueDate", "isFlagged", "priority", "status", "isCompleted",
      "position", "url", "remindersListID", "createdAt", "updatedAt",
    ],
    "tags": ["id", "title"],
    "reminderTags": ["id", "reminderID", "tagID"],
    "remindersTags": ["id", "reminderID", "tagID"],
  ]

  /// The rows by table, with text keys, in the order in which they were made.
  let rows: [String: [Columns]]
  /// Tables and columns that hold something and have no place here.
  let unknown: [String]
  /// The reminders whose list is not there: they are in `LegacyTables.listOfOthers`.
  let withoutList: Int
  /// Values that are none, and rows about what is not there.
  let leftOut: [String]

  /// Reads a file.
  ///
  /// - Throws: `AppError` when it is no such file.
  init(_ file: URL) throws {
    do {
      let copy = try Self.copy(of: file)
      let namespace = try Self.namespace(of: file)
      let (read, unknown) = try copy.read { db in
        let tables = try Self.tables(in: db)
        let known = tables.filter { Self.known[$0] != nil }
        guard known.contains("remindersLists"), known.contains("reminders") else {
          throw AppError(
            .cannotRead, "\(file.path) has no lists and reminders.",
            hint: Self.hint)
        }
        return try (
          LegacyTables(known, ofFile: namespace, in: db), Self.unknown(of: tables, in: db)
        )
      }
      self.unknown = unknown
      (rows, withoutList, leftOut) = (read.rows, read.withoutList, read.leftOut)
    } catch let error as DatabaseError {
      throw AppError(error, ofFile: file.path, hint: Self.hint)
    }
  }

  /// The whole file in memory, where nobody changes it.
  private static func copy(of file: URL) throws -> DatabaseQueue {
    guard FileManager.default.isReadableFile(atPath: file.path) else {
      throw AppError(.cannotRead, "\(file.path) is not there, or cannot be read.")
    }
    // A pipe would be waited for.
    guard
      ![file.path, file.path + "-wal", file.path + "-shm"].contains(
        where: OrdinaryFile.isImpossible)
    else { throw AppError(.cannotRead, "\(file.path) is not an ordinary file.") }
    var readOnly = Configuration()
    readOnly.readonly = true
    let copy = try DatabaseQueue()
    try DatabaseQueue(path: file.path, configuration: readOnly).backup(to: copy)
    return copy
  }

  /// One file gives the same keys each time, so that nothing is taken over twice.
  private static func namespace(of file: URL) throws -> UUID {
    let digest = SHA256.digest(of: try Data(contentsOf: file, options: .mappedIfSafe))
    return digest.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  /// Ordinary tables, without those of SQLite and of a migrator.
  private static func tables(in db: Database) throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        SELECT name FROM pragma_table_list
        WHERE schema = 'main' AND type = 'table'
          AND name NOT GLOB 'sqlite_*' AND name <> 'grdb_migrations'
        ORDER BY name
        """)
  }

  private static func unknown(of tables: [String], in db: Database) throws -> [String] {
    try tables.flatMap { table in
      let columns = try db.columns(in: table).map(\.name)
      guard let known = known[table] else {
        let isEmpty = try Row.fetchOne(db, sql: "SELECT 1 FROM \(quoted(table))") == nil
        return isEmpty ? [] : [table]
      }
      return try columns.filter { column in
        try !known.contains(column)
          && Row.fetchOne(
            db, sql: "SELECT 1 FROM \(quoted(table)) WHERE \(quoted(column)) IS NOT NULL") != nil
      }.map { "\(table).\($0)" }
    }
  }

  private static func quoted(_ name: String) -> String {
    "\"" + name.replacing("\"", with: "\"\"") + "\""
  }
}
