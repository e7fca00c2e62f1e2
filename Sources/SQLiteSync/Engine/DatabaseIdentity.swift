import CSQLiteSyncPosix
import Foundation
import GRDB

/// What a database is, however it is reached: by another spelling of its path, by a link, or by a
/// second connection.
enum DatabaseIdentity: Hashable {
  /// The file that holds it.
  case file(device: UInt64, inode: UInt64)
  /// The name of a database in memory that the connections of this process share.
  case sharedMemory(String)
  /// A database in memory that nobody has but this connection.
  case connection(ObjectIdentifier)

  /// The identity of a database in memory.
  init(inMemory database: any DatabaseReader) {
    self = Self.sharedName(database.path).map { .sharedMemory($0) } ?? .connection(.init(database))
  }

  /// The identity of an open file.
  init(_ status: stat) {
    self = .file(device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
  }

  /// The name by which connections share a database in memory, as SQLite reads it in a URI
  /// (https://sqlite.org/uri.html); nil when they do not.
  static func sharedName(_ path: String) -> String? {
    guard path.hasPrefix("file:"), path.contains("cache=shared") || path.contains("vfs=memdb")
    else { return nil }
    var name = path.dropFirst("file:".count).prefix { $0 != "?" && $0 != "#" }
    // An authority, which is empty or this machine.
    if name.hasPrefix("//") { name = name.dropFirst(2).drop { $0 != "/" } }
    return name.removingPercentEncoding ?? String(name)
  }
}

extension SyncEngine {
  /// Refuses a database whose file has several names: hard links, or a place where it alone is
  /// mounted.
  ///
  /// SQLite keeps the log of a database beside the name by which it was opened. Whoever opens it by
  /// another name does not see that log, and the next checkpoint overwrites what the other wrote
  /// (https://sqlite.org/howtocorrupt.html, 2.5). Every initializer of an engine does this; an app
  /// may do it before it opens the database. A file that is not there yet has no name to lose.
  ///
  /// - Throws: `SyncError` with the reason `severalNames`.
  public static func requireOneName(ofFileAt path: String) throws {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    guard cposix_is_mounted(path) == 0 else {
      throw SyncError(
        .severalNames,
        "\(path) alone is mounted there, and changes made by its other name would be lost.",
        hint: "Mount its directory instead.")
    }
    guard status.st_nlink > 1 else { return }
    throw SyncError(
      .severalNames,
      "\(path) has \(status.st_nlink) names (hard links), and changes made by one would be lost.",
      hint: "Keep one: find the others with find -samefile and remove them. A copy is safe.")
  }
}

extension DatabaseReader {
  /// The absolute path of the file that SQLite has open, whatever `path` says of it: a relative
  /// path, or a URI; nil for a database in memory.
  func mainFile() throws -> String? {
    try unsafeRead { try $0.mainFile() }
  }
}

extension Database {
  /// See `DatabaseReader.mainFile`.
  func mainFile() throws -> String? {
    try Row.fetchAll(self, sql: "PRAGMA database_list")
      .first { $0["name"] == "main" }
      .flatMap { ($0["file"] as String?).flatMap { $0.isEmpty ? nil : $0 } }
  }
}
