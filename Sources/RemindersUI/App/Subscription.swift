import RemindersCore
import RemindersImages

/// Something of the outside that the state wants to know, followed as long as it is wanted.
///
/// There is one of each type at a time: another one takes its place.
protocol Subscription: Equatable, Sendable {
  associatedtype Value: Equatable & Sendable

  /// Finds it, and reports it again whenever it changes.
  ///
  /// Returns when it will not change any more, or when the task was cancelled.
  func run(
    _ sources: SubscriptionSources, report: @escaping @MainActor (Reading<Value>) -> Void
  ) async throws
  /// Takes what was found into the state.
  func show(_ value: Value, in state: inout AppState)
  /// Whether keys wait for it, as the next one may be about it.
  func isAwaited(in state: AppState) -> Bool
}

extension Subscription {
  func isEqual(to other: any Subscription) -> Bool { self == other as? Self }
}

/// Where subscriptions find things.
struct SubscriptionSources: Sendable {
  let database: AppDatabase
  let environment: UIEnvironment
  /// The pictures that were drawn.
  let pictures: PictureCache

  init(_ database: AppDatabase, _ environment: UIEnvironment) {
    self.database = database
    self.environment = environment
    pictures = PictureCache(directory: environment.pictureCache)
  }
}

/// A query whose value is shown, as it is now and whenever it changes.
protocol ShownQuery: Subscription, Query {}

extension ShownQuery {
  func run(
    _ sources: SubscriptionSources, report: @escaping @MainActor (Reading<Value>) -> Void
  ) async throws {
    for try await reading in sources.database.values(of: self) { await report(reading) }
  }

  func isAwaited(in state: AppState) -> Bool { true }
}

/// Something that is made of a file, once.
protocol ShownFile: Subscription where Value == Result<Found, Problem> {
  associatedtype Found: Equatable & Sendable
  /// Reads the file, on a queue of its own.
  func find(_ sources: SubscriptionSources) throws -> Found
}

extension ShownFile {
  func run(
    _ sources: SubscriptionSources, report: @escaping @MainActor (Reading<Value>) -> Void
  ) async throws {
    let result = await Blocking.run { try find(sources) }
    await report(Reading(result.mapError { Problem($0) }))
  }

  /// The disk may never answer.
  func isAwaited(in state: AppState) -> Bool { false }
}

/// What a subscription found.
struct SubscriptionResult: Sendable {
  private let take: @Sendable (inout AppState) -> Void

  init<S: Subscription>(_ subscription: S, _ value: S.Value) {
    take = { subscription.show(value, in: &$0) }
  }

  func show(in state: inout AppState) { take(&state) }
}

// MARK: - What the state wants from the outside

extension AppState {
  /// What to follow; of several of a type the first.
  var subscriptions: [any Subscription] {
    let first = home.subscriptions(in: self)
    // What the first reminders do not need does not keep them waiting.
    guard home.shown != nil else { return first }
    let known: [any Subscription] = sync == nil ? [] : [SyncQuery(), SharesQuery()]
    let rollovers: [any Subscription] =
      schema.fields.contains(.recurrence) ? [OverdueRolloversQuery(time: day)] : []
    let announcements: [any Subscription] =
      schema.fields.contains(.alarms) ? [AnnouncementQuery(rules: announcing.rules, time: day)] : []
    return screens.reversed().flatMap { $0.subscriptions(in: self) } + first + known + rollovers
      + announcements
  }
}
