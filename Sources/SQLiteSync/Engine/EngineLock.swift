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
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      Glibc.close(opened)
      return nil
    }
    descriptor = opened
  }

  deinit {
    if let descriptor { Glibc.close(descriptor) }
  }
}
