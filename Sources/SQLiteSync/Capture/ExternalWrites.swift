import Foundation
import GRDB
import SQLiteSyncCloud

/// Notices what other processes write to the database file, and tells this process's observations.
///
/// inotify reports the write to the WAL before SQLite can see the commit in it, so a report starts
/// a short ladder of looks at `PRAGMA data_version`. On the writer's connection that number changes
/// only with commits of others. Nothing runs while nobody writes.
final class ExternalWrites {
  private let watch: StoreWatch

  /// Nil for a database in memory.
  ///
  /// Where inotify is not to be had, the engine's poll remains.
  init?(database: any DatabaseWriter, onWrite: @escaping @Sendable () -> Void) throws {
    guard let file = try database.mainFile() else { return nil }
    let directory = URL(fileURLWithPath: file).deletingLastPathComponent().path
    let queue = DispatchQueue(label: "SQLiteSync.foreignWrites", qos: .utility)
    let looks = Looks(database: database, queue: queue, onWrite: onWrite)
    watch = queue.sync {
      // At once: a report that came between would take what is remembered for another's write.
      defer { looks.remember() }
      return DirectoryWatcher.writes.watch([[directory]]) { queue.async { looks.begin() } }
    }
  }
}

/// The ladder of looks after a report.
///
/// `@unchecked Sendable`: `known`, `step` and `isLooking` are touched on `queue` only.
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
  }

  /// Remembers the version that others will differ from.
  ///
  /// While the database is watched, and before anybody reads what is in it: taken earlier or later,
  /// it could hide a write.
  func remember() { known = version() }

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
      try Int.fetchOne(db.cachedStatement(sql: "PRAGMA data_version"))
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
