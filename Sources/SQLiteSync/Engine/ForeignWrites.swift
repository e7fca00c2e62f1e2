import Foundation
import GRDB
import Glibc

/// Notices what other processes write to the database file, and tells this process's observations.
///
/// inotify reports the write to the WAL before SQLite can see the commit in it, so a report starts
/// a short ladder of looks at `PRAGMA data_version`. On the writer's connection that number changes
/// only with commits of others. Nothing runs while nobody writes.
final class ForeignWrites {
  private let source: any DispatchSourceRead
  private let looks: Looks

  /// Nil for a database in memory, and where inotify is not to be had: then the engine's poll
  /// remains.
  init?(database: any DatabaseWriter, onWrite: @escaping @Sendable () -> Void) {
    guard database.path.hasPrefix("/") else { return nil }
    let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    let directory = URL(fileURLWithPath: database.path).deletingLastPathComponent().path
    guard inotify_add_watch(descriptor, directory, UInt32(IN_MODIFY)) >= 0 else {
      Glibc.close(descriptor)
      return nil
    }
    let queue = DispatchQueue(label: "SQLiteSync.foreignWrites", qos: .utility)
    let looks = Looks(database: database, queue: queue, onWrite: onWrite)
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    self.looks = looks
    source.setEventHandler { @Sendable in
      Self.drain(descriptor)
      looks.begin()
    }
    source.setCancelHandler { @Sendable in _ = Glibc.close(descriptor) }
    source.activate()
  }

  deinit {
    source.cancel()
  }

  private static func drain(_ descriptor: Int32) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while read(descriptor, &buffer, buffer.count) > 0 {}
  }
}

/// The ladder of looks after a report.
///
/// `@unchecked Sendable`: once made, `known`, `step` and `isLooking` are touched on `queue` only.
// Confined to `queue`: see above.
private final class Looks: @unchecked Sendable {
  private let database: any DatabaseWriter
  private let queue: DispatchQueue
  private let onWrite: @Sendable () -> Void
  private var known: Int?
  private var step = 0
  private var isLooking = false

  /// Microseconds between looks: twice as long each time, more than a second in all, because on a
  /// busy machine the other process may be kept waiting just before its commit can be seen.
  private static let first = 400
  private static let steps = 12

  init(database: any DatabaseWriter, queue: DispatchQueue, onWrite: @escaping @Sendable () -> Void)
  {
    self.database = database
    self.queue = queue
    self.onWrite = onWrite
    // At once: what is written from now on must differ from it. Read later, it could hide a write.
    known = version()
  }

  func begin() {
    step = 0
    guard !isLooking else { return }
    isLooking = true
    look()
  }

  private func look() {
    if let now = version(), now != known {
      known = now
      notify()
    }
    guard step < Self.steps else {
      isLooking = false
      return
    }
    let wait = Self.first << step
    step += 1
    queue.asyncAfter(deadline: .now() + .microseconds(wait)) { [weak self] in self?.look() }
  }

  /// Nil when the database cannot be asked now; the next report asks again.
  private func version() -> Int? {
    // See above: a failure is asked about again.
    try? database.writeWithoutTransaction { db in
      try Int.fetchOne(db, sql: "PRAGMA data_version")
    }
  }

  /// Makes observations read again: GRDB sees only what this process writes.
  private func notify() {
    // A failure here is one of the database itself, which the engine's own work meets and reports.
    try? database.write { db in
      try db.notifyChanges(in: .fullDatabase)
    }
    onWrite()
  }
}
