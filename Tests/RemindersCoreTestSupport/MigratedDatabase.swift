import Foundation
import GRDB
import RemindersCore
import RemindersTestSupport
import SQLiteSync
import Synchronization

extension AppDatabase {
  /// The app's file with all its tables and nothing in them, in a directory that may not be there
  /// yet.
  ///
  /// The tables are made once in a process and copied from then on: a tenth of the work.
  public static func migrated(
    in directory: URL, schema: SchemaVersion = .current,
    makeID: @escaping @Sendable () -> String = { UUID().uuidString.lowercased() },
    now: @escaping @Sendable () -> Date = { Date() },
    timeZone: @escaping @Sendable () -> TimeZone = { .current }
  ) throws -> AppDatabase {
    let files = FileManager.default
    try files.createDirectory(at: directory, withIntermediateDirectories: true)
    try files.copyItem(
      at: template(of: schema).url.appending(path: fileName),
      to: directory.appending(path: fileName))
    let database = try AppDatabase(
      directory: directory, schema: schema, makeID: makeID, now: now, timeZone: timeZone)
    // Each copy is a device of its own, and need not notice that itself.
    try database.writer.write { db in
      try db.execute(sql: "UPDATE sync_state SET device = \(SyncEngine.randomUUID), file = NULL")
    }
    return database
  }

  private static func template(of schema: SchemaVersion) throws -> TemporaryDirectory {
    try templates.withLock { templates in
      if let template = templates[schema] { return template }
      let template = try TemporaryDirectory()
      let writer = try AppDatabase(directory: template.url, schema: schema).writer
      // One file is copied, so everything must be in it and nothing in its log.
      _ = try writer.writeWithoutTransaction { try $0.checkpoint(.truncate) }
      try writer.close()
      templates[schema] = template
      return template
    }
  }

  private static let templates = Mutex<[SchemaVersion: TemporaryDirectory]>([:])
}
