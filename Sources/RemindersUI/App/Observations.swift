import Foundation
import Reminders

/// Follows the queries that the state wants, and reports what they find.
@MainActor
final class Observations {
  private let sidebar: Observation<SidebarQuery>
  private let reminders: Observation<DetailQuery>
  private let marked: Observation<MarkedQuery>
  private let current: Observation<StripQuery>
  private let edited: Observation<ReminderQuery>
  private let search: Observation<SearchQuery>
  private let sync: Observation<SyncQuery>
  private let shares: Observation<SharesQuery>
  private let cover: Observation<CoverQuery>
  private let deleted: Observation<DeletedQuery>
  private let history: Observation<HistoryQuery>
  private let syncDetails: Observation<SyncDetailsQuery>
  private let recordTitles: Observation<RecordTitlesQuery>

  /// Follows nothing yet.
  ///
  /// - Parameters:
  ///   - now: The present moment.
  ///   - report: Hears what is found.
  ///   - failed: Is called when `nextRetry` is another.
  init(
    _ database: AppDatabase, now: @escaping () -> Date,
    report: @escaping @MainActor (Action) -> Void, failed: @escaping @MainActor () -> Void
  ) {
    func observation<Q: Query>(
      _ finding: @escaping (Q, Q.Value) -> Finding
    ) -> Observation<Q> {
      Observation(database, now: now) { query, result in
        switch result {
        case .success(let value): report(.found(finding(query, value)))
        case .failure(let error): report(.failed(Problem(error)))
        }
      } failed: {
        failed()
      }
    }
    sidebar = observation { .sidebar($1) }
    reminders = observation { .reminders($0, $1) }
    marked = observation { .marked($0, $1) }
    current = observation { .current($1) }
    edited = observation { .edited($0.id, $1) }
    search = observation { .hits($0, $1) }
    sync = observation { .sync($1) }
    shares = observation { .shares($1) }
    cover = observation { .cover($0.listID, $1) }
    deleted = observation { .deleted($1) }
    history = observation { .history($0, $1) }
    syncDetails = observation { .syncDetails($1) }
    recordTitles = observation { .recordTitles($1) }
  }

  /// Follows other queries; those that stay the same go on undisturbed.
  func follow(_ wanted: Subscriptions) {
    sidebar.follow(wanted.sidebar)
    reminders.follow(wanted.reminders)
    marked.follow(wanted.marked)
    current.follow(wanted.current)
    edited.follow(wanted.edited)
    search.follow(wanted.search)
    sync.follow(wanted.sync)
    shares.follow(wanted.shares)
    cover.follow(wanted.cover)
    deleted.follow(wanted.deleted)
    history.follow(wanted.history)
    syncDetails.follow(wanted.syncDetails)
    recordTitles.follow(wanted.recordTitles)
  }

  /// Whether the screen still shows something else than what the last key asked for, or nothing yet
  /// of what a key typed ahead at the start is about.
  var isBehindKeys: Bool {
    [
      sidebar.isPending, reminders.isPending, marked.isPending, edited.isPending,
      deleted.isPending, history.isPending,
    ].contains(true)
  }

  /// When one that failed is to be tried again; nil when none is.
  var nextRetry: Date? { ([sidebar] + others).compactMap(\.nextRetry).min() }

  /// Whether a search has not found anything yet; typing goes on meanwhile.
  var isSearchPending: Bool { search.isPending }

  /// Returns when all that is in the database now has been reported.
  ///
  /// - Parameter withSidebar: whether that includes the counts beside the lists, which take long
  ///   where there are very many reminders.
  func catchUp(withSidebar: Bool = true) async {
    if withSidebar { await sidebar.catchUp() }
    for observation in others {
      await observation.catchUp()
    }
  }

  private var others: [any CatchingUp] {
    [
      reminders, marked, current, edited, search, sync, shares, cover, deleted, history,
      syncDetails, recordTitles,
    ]
  }

  /// Follows nothing any more.
  func stop() {
    sidebar.stop()
    for observation in others {
      observation.stop()
    }
  }
}

@MainActor
private protocol CatchingUp {
  var nextRetry: Date? { get }
  func catchUp() async
  func stop()
}

/// Follows one query.
@MainActor
private final class Observation<Q: Query>: CatchingUp {
  private let database: AppDatabase
  private let report: @MainActor (Q, Result<Q.Value, any Error>) -> Void
  private var query: Q?
  private var values: QueryValues<Q.Value>?
  private var latest: Q.Value?
  /// How often in a row it has failed.
  private var failures = 0
  /// When it is tried again after a failure.
  private(set) var nextRetry: Date?
  private let now: () -> Date
  private let failed: @MainActor () -> Void
  private var valueCount = 0
  private var task: Task<Void, Never>?
  private var waiters: [CheckedContinuation<Void, Never>] = []

  init(
    _ database: AppDatabase, now: @escaping () -> Date,
    report: @escaping @MainActor (Q, Result<Q.Value, any Error>) -> Void,
    failed: @escaping @MainActor () -> Void
  ) {
    self.database = database
    self.failed = failed
    self.now = now
    self.report = report
  }

  deinit { task?.cancel() }

  /// Whether the query has not found anything yet.
  var isPending: Bool { query != nil && latest == nil && failures == 0 }

  func follow(_ wanted: Q?) {
    if wanted != query {
      stop()
      query = wanted
    } else if let retry = nextRetry, retry <= now() {
      nextRetry = nil
    } else {
      return
    }
    guard let wanted else { return }
    let values = database.values(of: wanted)
    self.values = values
    task = Task { [weak self] in
      do {
        for try await value in values { self?.receive(.success(value), of: wanted) }
      } catch {
        self?.receive(.failure(error), of: wanted)
      }
    }
  }

  func stop() {
    task?.cancel()
    (task, query, latest, nextRetry, failures) = (nil, nil, nil, nil, 0)
    resumeWaiters()
  }

  /// Waits for the value that the query finds now.
  ///
  /// What came before the fetch began cannot be newer than what it finds. So when both differ and
  /// nothing came meanwhile, something is still to come.
  func catchUp() async {
    while let query, failures == 0 {
      let count = valueCount
      let database = database
      let fetch = Task.detached { try await database.value(of: query) }
      // An error reaches the person through the observation, which fails for the same reason.
      guard case .success(let value) = await fetch.result, query == self.query else { return }
      if value == latest { return }
      guard count == valueCount else { continue }
      values?.hurry()
      await withCheckedContinuation { waiters.append($0) }
    }
  }

  private func receive(_ result: Result<Q.Value, any Error>, of query: Q) {
    // A value of a query that is not wanted any more may still have been under way.
    guard query == self.query else { return }
    valueCount += 1
    defer { resumeWaiters() }
    switch result {
    case .success(let value):
      failures = 0
      guard value != latest else { return }
      latest = value
    case .failure:
      failures += 1
      // A second, two, four … at most a minute.
      defer { failed() }
      nextRetry = now().addingTimeInterval(TimeInterval(min(1 << min(failures - 1, 6), 60)))
      // It goes on being so: it was said once.
      guard failures == 1 else { return }
    }
    report(query, result)
  }

  private func resumeWaiters() {
    let resumed = waiters
    waiters = []
    for waiter in resumed { waiter.resume() }
  }
}
