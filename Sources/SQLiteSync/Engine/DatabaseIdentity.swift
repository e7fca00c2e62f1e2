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
