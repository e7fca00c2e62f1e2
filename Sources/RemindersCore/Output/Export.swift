import Foundation
import GRDB
import SQLiteSync

/// Everything that a person has put into the app, as a JSON document for other programs.
///
/// It is written as it is read, in one snapshot of the database: no part of it is in memory for
/// long.
public enum Export {
  /// Of the shape of the document.
  static let version = 1

  static func write(_ db: Database, in time: LocalTime, to output: OutputBuffer) throws {
    var document = JSONDocument(to: output)
    let searches = try SavedSearch.all(db)
    try document.object { document in
      document.key("lists")
      try writeLists(db, to: &document)
      document.key("reminders")
      try document.array { document in
        let all = RowRequest(condition: Condition("TRUE"), order: .manual)
        let series = try ExportedSeries.all(db)
        let json = ReminderJSON(with: [
          ReminderJSON.Member("occurrence") { details, _, document in
            document.value(series[details.reminder.id]?.stored)
          },
          ReminderJSON.Member("seriesTime") { details, _, document in
            document.value(series[details.reminder.id]?.seriesTime)
          },
        ])
        try ReminderRow.forEach(db, all) { details, _ in
          document.element()
          try json.write(details, in: time, to: &document)
          try document.flushIfLong()
        }
      }
      document.key("searches")
      document.array { document in
        for search in searches {
          document.element()
          document.object { document in
            for (key, value) in [
              ("id", search.id), ("query", search.query), ("title", search.title),
            ] {
              document.key(key)
              document.value(value)
            }
          }
        }
      }
      document.key("tags")
      document.value(try String.fetchAll(db, sql: "SELECT title FROM tags").inAlphabeticalOrder)
      document.key("unsent")
      try writeUnsent(db, to: &document)
      document.key("version")
      document.value(version)
    }
    try document.end()
  }

  /// The lists in manual order, with their covers in Base64.
  private static func writeLists(_ db: Database, to document: inout JSONDocument) throws {
    let hasCovers = try db.schemaVersion.hasCovers
    let lists = try ListsQuery().fetch(db)
    try document.array { document in
      for list in lists {
        let cover = try hasCovers ? cover(of: list.id, db) : nil
        document.element()
        document.object { document in
          document.key("color")
          document.value(list.color)
          if let cover {
            document.key("coverImage")
            document.value(cover.base64EncodedString())
          }
          document.key("id")
          document.value(list.id)
          if let position = list.position.finite {
            document.key("position")
            document.value(position)
          }
          document.key("title")
          document.value(list.title)
        }
        try document.flushIfLong()
      }
    }
  }

  private static func cover(of list: RemindersList.ID, _ db: Database) throws -> Data? {
    try Data.fetchOne(
      db.cachedStatement(
        sql: "SELECT coverImage FROM remindersListAssets WHERE remindersListID = ?"),
      arguments: [list])
  }

  /// What only this device has, and what only it has deleted.
  private static func writeUnsent(_ db: Database, to document: inout JSONDocument) throws {
    try document.array { document in
      try SyncPendingChange.forEach(db) { change in
        document.element()
        document.object { document in
          document.key("id")
          document.value(change.key)
          document.key("isDeletion")
          document.value(change.isDeletion)
          document.key("table")
          document.value(change.table)
        }
        try document.flushIfLong()
      }
    }
  }
}

extension Export {
  /// A name that no other export has: `reminders-20261121-143200.json`.
  public static func fileName(at time: LocalTime) -> String {
    NewFile.name("reminders", "json", at: time)
  }
}

extension AppDatabase {
  /// Writes everything, with times in the zone of whoever looks.
  ///
  /// - Parameter output: Where the document goes.
  package func export(in time: LocalTime, to output: OutputBuffer) throws {
    try read { db in
      try db.readingOnce { try Export.write(db, in: time, to: output) }
    }
  }

  /// Writes everything to a new file.
  ///
  /// It waits for its turn and for the disk: not for a task.
  ///
  /// - Throws: `AppError` when it cannot be written, or when there is a file already.
  public func export(in time: LocalTime, to file: URL) throws {
    try NewFile.write(to: file) { try export(in: time, to: $0) }
  }
}

extension Database {
  /// Reads all that there is, each page once: few are kept.
  ///
  /// The connection of a command may keep 16 MB of them, for what it writes
  /// (`Configuration.synchronized`).
  func readingOnce<Value>(_ read: () throws -> Value) throws -> Value {
    let size = try Int.fetchOne(self, sql: "PRAGMA cache_size") ?? 0
    try execute(sql: "PRAGMA cache_size = -4096")
    // Without it what comes later would only be slower.
    defer { try? execute(sql: "PRAGMA cache_size = \(size)") }
    return try read()
  }
}
