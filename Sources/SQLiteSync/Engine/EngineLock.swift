import CSQLiteSyncPosix
import Foundation
import GRDB
import Synchronization

/// One engine per database: a lock on the database itself, given back when the process ends.
///
/// Two engines would take each other's commits for breaches of the rules. So the lock is on the
/// file, by whatever name it is reached, and on a database in memory within the process.
final class EngineLock {
  private let identity: DatabaseIdentity
  /// The lock of former versions, which know only the file beside the database.
  private let former: Descriptor?

  /// Takes the lock; nil when another process or engine has it.
  init?(database: any DatabaseWriter) throws {
    // The properties are set once the lock is this one's: an initializer that fails after that runs
    // `deinit`, which would give back another engine's.
    guard let path = try database.mainFile() else {
      let taken = DatabaseIdentity(inMemory: database)
      guard Self.table.withLock({ $0.held.insert(taken).inserted }) else { return nil }
      (identity, former) = (taken, nil)
      return
    }
    guard let taken = try Self.table.withLock({ try $0.take(path) }) else { return nil }
    do {
      guard let beside = try Self.formerLock(path + "-sync-lock") else {
        Self.table.withLock { $0.release(taken) }
        return nil
      }
      (identity, former) = (taken, beside)
    } catch {
      Self.table.withLock { $0.release(taken) }
      throw error
    }
  }

  deinit {
    Self.table.withLock { $0.release(identity) }
  }

  private static let table = Mutex(LockTable())

  private static func formerLock(_ path: String) throws -> Descriptor? {
    let file = try Descriptor(path, O_RDWR | O_CREAT)
    while flock(file.number, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK: return nil
      default: throw SyncError.noLock(path, errno)
      }
    }
    return file
  }
}

/// The databases that this process has locked.
private struct LockTable {
  /// Those with an engine.
  var held: Set<DatabaseIdentity> = []
  /// A descriptor for each file that ever had one.
  ///
  /// They stay open. To close any descriptor of a file gives back the locks that SQLite has on it
  /// in this process (https://sqlite.org/howtocorrupt.html, 2.2), and then another process may take
  /// its log away while it is in use.
  private var files: [DatabaseIdentity: Int32] = [:]

  /// Locks a file; nil when it is locked.
  mutating func take(_ path: String) throws -> DatabaseIdentity? {
    var status = stat()
    guard stat(path, &status) == 0 else { throw SyncError.noLock(path, errno) }
    let identity = DatabaseIdentity(status)
    guard !held.contains(identity) else { return nil }
    let file = try files[identity] ?? open(path, identity)
    guard try Self.setLock(Int16(F_WRLCK), on: file, path) else { return nil }
    held.insert(identity)
    return identity
  }

  mutating func release(_ identity: DatabaseIdentity) {
    guard held.remove(identity) != nil, let file = files[identity] else { return }
    // To give a lock back cannot fail but by a wrong descriptor.
    _ = try? Self.setLock(Int16(F_UNLCK), on: file, "")
  }

  private mutating func open(_ path: String, _ identity: DatabaseIdentity) throws -> Int32 {
    let file = Foundation.open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { throw SyncError.noLock(path, errno) }
    files[identity] = file
    return file
  }

  /// Sets the lock of one byte, far behind every database and the bytes that SQLite locks; returns
  /// whether nobody else has it.
  ///
  /// It belongs to the open file, not to the process, so that nothing that SQLite does gives it
  /// back.
  private static func setLock(_ kind: Int16, on file: Int32, _ path: String) throws -> Bool {
    var range = flock()
    range.l_type = kind
    range.l_whence = Int16(SEEK_SET)
    range.l_start = 1 << 62
    range.l_len = 1
    while fcntl(file, cposix_lock_command(), &range) != 0 {
      switch errno {
      case EINTR: continue
      case EAGAIN, EACCES: return false
      default: throw SyncError.noLock(path, errno)
      }
    }
    return true
  }
}

/// An open file that is closed when nobody needs it.
private final class Descriptor {
  let number: Int32

  init(_ path: String, _ flags: Int32) throws {
    number = open(path, flags | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw SyncError.noLock(path, errno) }
  }

  deinit {
    // A child that was forked a moment ago may have the open file, and with it the lock, until it
    // runs its program. Neither call can fail but by a wrong descriptor.
    _ = flock(number, LOCK_UN)
    close(number)
  }
}

extension SyncError {
  fileprivate static func noLock(_ path: String, _ error: Int32) -> SyncError {
    SyncError(
      .stopped, "\(path) cannot be locked: \(String(cString: strerror(error))).",
      hint: "Check its permissions, and that its file system has locks.")
  }
}
