import Foundation
import GRDB
import Glibc
import Synchronization

/// One engine per database, in this process and beside others.
///
/// A database is told by what it is and not by how its path is spelled: relative, as a `file:` URI
/// or by a symbolic link, it is the same file. Other processes are kept out by an advisory lock on
/// a file beside it, given back when the process ends. Other engines of this process are kept out
/// by a table of what is in use, also of databases in memory.
///
/// The database's own file is never opened for that: closing it would release the locks that SQLite
/// has on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
final class EngineLock {
  private enum Identity: Hashable {
    case file(device: UInt64, inode: UInt64)
    /// A database in memory is told by the device that it is.
    case memory(device: String)
  }

  private static let inUse = Mutex<Set<Identity>>([])

  private let identity: Identity
  private let descriptor: Int32?

  /// Takes the lock; nil when another process or engine has it.
  ///
  /// Throws `stopped` where there can be no lock.
  init?(database: any DatabaseWriter) throws {
    let file = try database.readSnapshot(DatabaseFile.path)
    let identity = try Self.identity(of: database, file: file)
    guard Self.inUse.withLock({ $0.insert(identity).inserted }) else { return nil }
    do {
      descriptor = try file.map { try Self.lockFile(beside: $0) }
    } catch {
      Self.release(identity)
      guard error is IsTaken else { throw error }
      return nil
    }
    self.identity = identity
  }

  deinit {
    if let descriptor { Glibc.close(descriptor) }
    Self.release(identity)
  }

  private static func release(_ identity: Identity) {
    inUse.withLock { _ = $0.remove(identity) }
  }

  private static func identity(
    of database: any DatabaseWriter, file: String?
  ) throws -> Identity {
    guard let file else {
      return .memory(
        device: try database.readSnapshot { try SyncEngine.device(of: $0) }.uuidString)
    }
    var status = stat()
    guard stat(file, &status) == 0 else {
      throw SyncError(
        .stopped, "The database \(file) is not there any more: \(reason(errno)).",
        hint: "Open the database again.")
    }
    guard status.st_nlink <= 1 else {
      throw SyncError(
        .stopped, "The database \(file) has \(status.st_nlink) names (hard links).",
        hint:
          "SQLite keeps its journal under one of them only: remove the others, or copy the file.")
    }
    return .file(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }

  /// Another process has the lock.
  private struct IsTaken: Error {}

  private static func lockFile(beside file: String) throws -> Int32 {
    let path = file + "-sync-lock"
    let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard opened >= 0 else {
      throw SyncError(
        .stopped, "The lock file \(path) cannot be opened: \(reason(errno)).",
        hint: "Check the permissions of the data directory.")
    }
    guard lock(opened) else {
      let error = errno
      Glibc.close(opened)
      guard error == EWOULDBLOCK else {
        throw SyncError(
          .stopped, "\(path) cannot be locked: \(reason(error)).",
          hint: "Put the data into a directory whose file system has locks.")
      }
      throw IsTaken()
    }
    return opened
  }

  private static func lock(_ descriptor: Int32) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }

  private static func reason(_ number: Int32) -> String { String(cString: strerror(number)) }
}
