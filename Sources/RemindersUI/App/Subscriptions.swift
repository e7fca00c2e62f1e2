import Foundation
import RemindersCore

/// Follows what the state wants, and reports what is found.
@MainActor
final class Subscriptions {
  private let sources: SubscriptionSources
  private let report: @MainActor (Action) -> Void
  private let noticed: @MainActor () -> Void
  private var followers: [ObjectIdentifier: any Following] = [:]

  /// Follows nothing yet.
  ///
  /// - Parameters:
  ///   - report: Hears what is found.
  ///   - noticed: Is called when `nextRetry` or `isEnding` are not what they were.
  init(
    _ sources: SubscriptionSources, report: @escaping @MainActor (Action) -> Void,
    noticed: @escaping @MainActor () -> Void
  ) {
    self.sources = sources
    self.report = report
    self.noticed = noticed
  }

  /// Follows other things; those that stay the same go on undisturbed.
  func follow(_ wanted: [any Subscription]) {
    var ended = followers
    for subscription in wanted {
      let id = ObjectIdentifier(type(of: subscription))
      let isFirst = ended.removeValue(forKey: id) != nil || followers[id] == nil
      if isFirst { follow(subscription, as: id) }
    }
    for follower in ended.values { follower.stop() }
  }

  private func follow<S: Subscription>(_ subscription: S, as id: ObjectIdentifier) {
    let follower =
      followers[id] as? Follower<S> ?? Follower(sources, report: report, noticed: noticed)
    followers[id] = follower
    follower.follow(subscription)
  }

  /// Whether the screen shows something else than what the last key asked for, or nothing yet of
  /// what a key typed ahead at the start is about.
  func isBehindKeys(in state: AppState) -> Bool {
    followers.values.contains { $0.isPending && $0.isAwaited(in: state) }
  }

  /// When one that failed is to be tried again; nil when none is.
  var nextRetry: Date? { followers.values.compactMap(\.nextRetry).min() }

  /// Whether something that is in the database, or was asked for, has not been reported.
  var isBehind: Bool { followers.values.contains(where: \.isBehind) }

  /// Whether something goes on that nobody wants any more.
  var isEnding: Bool { followers.values.contains(where: \.isEnding) }

  /// Returns when all that is in the database now has been reported.
  ///
  /// - Parameter isIncluded: Whose reports are waited for.
  func catchUp(_ isIncluded: (any Subscription) -> Bool = { _ in true }) async {
    for follower in followers.values where follower.wanted.map(isIncluded) == true {
      await follower.catchUp()
    }
  }

  /// Follows nothing any more.
  func stop() {
    for follower in followers.values { follower.stop() }
  }
}

@MainActor
private protocol Following {
  associatedtype Followed: Subscription
  var wanted: Followed? { get }
  var isPending: Bool { get }
  var isBehind: Bool { get }
  var isEnding: Bool { get }
  var nextRetry: Date? { get }
  func catchUp() async
  func stop()
}

extension Following {
  func isAwaited(in state: AppState) -> Bool { wanted?.isAwaited(in: state) == true }
}

/// Follows one subscription at a time, the one that was wanted last.
///
/// One begins when the one before has ended. What is slow for a whole series, as while the cursor
/// moves over photographs, is so done for the last of them only.
@MainActor
private final class Follower<S: Subscription>: Following {
  private let sources: SubscriptionSources
  private let report: @MainActor (Action) -> Void
  private let noticed: @MainActor () -> Void
  private(set) var wanted: S?
  private var latest: Reading<S.Value>?
  /// How often in a row it has failed.
  private var failures = 0
  /// When it is tried again after a failure.
  private(set) var nextRetry: Date?
  private var task: Task<Void, Never>?
  private var endingCount = 0
  private var waiters: [CheckedContinuation<Void, Never>] = []

  init(
    _ sources: SubscriptionSources, report: @escaping @MainActor (Action) -> Void,
    noticed: @escaping @MainActor () -> Void
  ) {
    self.sources = sources
    self.report = report
    self.noticed = noticed
  }

  deinit { task?.cancel() }

  /// Whether nothing was found yet.
  var isPending: Bool { wanted != nil && latest == nil && failures == 0 }
  /// One that failed is behind again as soon as it is being tried again.
  var isBehind: Bool { wanted != nil && latest?.isCurrent != true && nextRetry == nil }
  var isEnding: Bool { endingCount > 0 }

  func follow(_ subscription: S) {
    if subscription != wanted {
      stop()
      wanted = subscription
    } else if let retry = nextRetry, retry <= sources.environment.now() {
      nextRetry = nil
    } else {
      return
    }
    let (before, sources) = (task, sources)
    task = Task { [weak self] in
      await before?.value
      if Task.isCancelled { return }
      do {
        try await subscription.run(sources) { self?.receive($0, of: subscription) }
      } catch {
        self?.fail(error, of: subscription)
      }
    }
  }

  func stop() {
    (wanted, latest, nextRetry, failures) = (nil, nil, nil, 0)
    resumeWaiters()
    guard let task, !task.isCancelled else { return }
    task.cancel()
    endingCount += 1
    Task {
      await task.value
      endingCount -= 1
      noticed()
    }
  }

  func catchUp() async {
    while isBehind {
      latest?.hurry()
      await withCheckedContinuation { waiters.append($0) }
    }
  }

  private func receive(_ reading: Reading<S.Value>, of subscription: S) {
    // What is not wanted any more may still have been under way.
    guard subscription == wanted else { return }
    let isNew = reading.value != latest?.value
    (latest, failures) = (reading, 0)
    defer { resumeWaiters() }
    if isNew { report(.received(SubscriptionResult(subscription, reading.value))) }
  }

  private func fail(_ error: any Error, of subscription: S) {
    guard subscription == wanted else { return }
    failures += 1
    // A second, two, four … at most a minute.
    nextRetry = sources.environment.now()
      .addingTimeInterval(TimeInterval(min(1 << min(failures - 1, 6), 60)))
    defer { resumeWaiters() }
    // It goes on being so: it was said once.
    if failures == 1 { report(.failed(Problem(error))) }
    noticed()
  }

  private func resumeWaiters() {
    let resumed = waiters
    waiters = []
    for waiter in resumed { waiter.resume() }
  }
}
