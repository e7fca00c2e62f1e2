import Foundation
import GRDB
import SQLiteSync

/// A database file that can be read although nothing can be written beside it: the disk is full, or
/// the directory belongs to somebody else.
///
/// What is there can be listed and exported; a write fails.
///
/// The usual way to open it makes two files, the log of what was written and an index of that
/// (https://www.sqlite.org/wal.html#read_only_databases).
enum UnwritableFile {
  /// Opens one that was migrated, given why it could not be opened as usual; nil for another
  /// reason, or where it cannot be read either.
  static func open(
    _ path: String, after error: DatabaseError, isCurrent: (Database) throws -> Bool
  ) -> DatabaseQueue? {
    guard error.isAboutWriting else { return nil }
    for open in [openAlone, openUnchanged] {
      do {
        if let queue = try open(path), try queue.read(isCurrent) { return queue }
      } catch {
        // Why it cannot be written is known; that it cannot be read in this way is not a reason.
      }
    }
    return nil
  }

  /// Keeps the index in memory: nobody else can use the file meanwhile.
  private static func openAlone(_ path: String) throws -> DatabaseQueue? {
    var configuration = Configuration.synchronized
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// Reads the file as if nobody could write it: right where nothing is in the log.
  private static func openUnchanged(_ path: String) throws -> DatabaseQueue? {
    var log = stat()
    guard stat(path + "-wal", &log) != 0 || log.st_size == 0 else { return nil }
    var configuration = Configuration.synchronized
    configuration.readonly = true
    var components = URLComponents()
    (components.scheme, components.path) = ("file", path)
    components.queryItems = [URLQueryItem(name: "immutable", value: "1")]
    return try components.string.map { try DatabaseQueue(path: $0, configuration: configuration) }
  }
}

extension DatabaseError {
  /// Whether there was no way to write, and perhaps one to read.
  fileprivate var isAboutWriting: Bool {
    isOfFullDisk
      || [.SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_IOERR].contains(resultCode)
  }
}
