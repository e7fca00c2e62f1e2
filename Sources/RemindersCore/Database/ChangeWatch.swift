import GRDB
import Synchronization

/// Tells whoever follows a query that what it reads may have changed.
///
/// GRDB's `ValueObservation` would run a query a second time when it begins, on the connection that
/// writes: it waits there for the sync engine, and the engine for it. Here nothing but names of
/// tables is noted while something is written, and queries run beside it. Commits that come while a
/// query runs come to one change.
final class ChangeWatch: TransactionObserver, Sendable {
  /// The changes that one follower hears of.
  struct Changes: AsyncSequence, Sendable {
    fileprivate let number: Int
    fileprivate let stream: AsyncStream<Void>

    func makeAsyncIterator() -> AsyncStream<Void>.Iterator { stream.makeAsyncIterator() }
  }

  private struct Follower {
    /// What it reads: everything, until that is known.
    var region = DatabaseRegion.fullDatabase
    /// The number of the last commit that changed any of it.
    var lastChange = 0
    let continuation: AsyncStream<Void>.Continuation

    func reads(_ table: String) -> Bool {
      region.isModified(byEventsOfKind: .delete(tableName: table))
    }
  }

  private struct State {
    var followers: [Int: Follower] = [:]
    var followerCount = 0
    var commitCount = 0
    /// The tables that the present transaction has changed.
    var tables: Set<String> = []
    /// Whether it may have changed any other.
    var changedAnything = false
  }

  private let state = Mutex(State())

  /// The changes from now on: one at once, then one after every commit that changed what is read.
  func changes() -> Changes {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    continuation.yield()
    let number = state.withLock { state in
      state.followerCount += 1
      state.followers[state.followerCount] = Follower(continuation: continuation)
      return state.followerCount
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.followers.removeValue(forKey: number) }
    }
    return Changes(number: number, stream: stream)
  }

  /// How many commits there were: what is read from now on has seen them all.
  var commitCount: Int { state.withLock { $0.commitCount } }

  /// The number of the last commit that changed what a follower reads; 0 before there was one.
  func lastChange(of changes: Changes) -> Int {
    state.withLock { $0.followers[changes.number]?.lastChange ?? 0 }
  }

  /// Leaves out of `changes` those outside of a region.
  func limit(_ changes: Changes, to region: DatabaseRegion) {
    state.withLock { $0.followers[changes.number]?.region = region }
  }

  // MARK: - Transactions

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }

  /// Another process has written.
  func databaseDidChange() {
    state.withLock { $0.changedAnything = true }
  }

  func databaseDidChange(with event: DatabaseEvent) {
    state.withLock { _ = $0.tables.insert(event.tableName) }
  }

  func databaseDidCommit(_ db: Database) {
    let followers = state.withLock { state in
      let (tables, changedAnything) = (state.tables, state.changedAnything)
      (state.tables, state.changedAnything) = ([], false)
      state.commitCount += 1
      let concerned = state.followers.filter {
        changedAnything || tables.contains(where: $0.value.reads)
      }
      for number in concerned.keys { state.followers[number]?.lastChange = state.commitCount }
      return concerned.values.map(\.continuation)
    }
    for follower in followers { follower.yield() }
  }

  func databaseDidRollback(_ db: Database) {
    state.withLock { ($0.tables, $0.changedAnything) = ([], false) }
  }
}

extension Database {
  /// Runs something, and says what statements it has run.
  func recordingStatements<Value>(_ body: () throws -> Value) throws -> (Value, Set<String>) {
    var statements: Set<String> = []
    trace { event in
      guard case .statement(let statement) = event else { return }
      // What the full-text index runs inside comes as a comment; the statement around it counts.
      if !statement.sql.hasPrefix("--") { statements.insert(statement.sql) }
    }
    defer { trace(options: []) }
    return (try body(), statements)
  }

  /// What statements read.
  func region(of statements: Set<String>) throws -> DatabaseRegion {
    try statements.reduce(into: DatabaseRegion()) {
      try $0.formUnion(makeStatement(sql: $1).databaseRegion)
    }
  }
}
