import Foundation
import GRDB
import Glibc

/// One engine per database file: an advisory lock beside it, given back when the process ends.
final class EngineLock {
  private let descriptor: Int32?

  /// Takes the lock; nil when another process or engine has it.
  ///
  /// A database in memory needs none.
  init?(database: any DatabaseWriter) throws {
    guard database.path.hasPrefix("/") else {
      descriptor = nil
      return
    }
    let path = database.path + "-sync-lock"
    let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard opened >= 0 else {
      throw SyncError(
        .stopped, "The lock file \(path) cannot be opened: \(String(cString: strerror(errno))).",
        hint: "Check the permissions of the data directory.")
    }
    guard Self.lock(opened) else {
      let error = errno
      Glibc.close(opened)
      guard error == EWOULDBLOCK else {
        throw SyncError(
          .stopped, "\(path) cannot be locked: \(String(cString: strerror(error))).",
          hint: "Put the data into a directory whose file system has locks.")
      }
      return nil
    }
    descriptor = opened
  }

  private static func lock(_ descriptor: Int32) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }

  deinit {
    if let descriptor { Glibc.close(descriptor) }
  }
}
