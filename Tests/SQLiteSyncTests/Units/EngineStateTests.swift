import Testing

@testable import SQLiteSync

/// The lifecycle, pair by pair.
struct EngineStateTests {
  typealias Phase = EngineState.Phase
  typealias Event = EngineState.Event
  typealias Action = EngineState.Action

  static let phases: [Phase] = [
    .stopped, .starting, .idle, .syncing, .backingOff, .elsewhere, .signedOut, .accountChanged,
  ]
  static let events: [Event] = [
    .start, .stop, .opened, .lockIsTaken, .signedOut, .signedIn, .accountChanged, .wake, .called,
    .finished(isNew: true), .failed, .retry,
  ]

  /// Every pair that means something; the others change nothing.
  static let transitions: [(Phase, Event, Phase, [Action])] = [
    (.stopped, .start, .starting, [.open]),
    (.starting, .opened, .syncing, [.sync]),
    (.starting, .lockIsTaken, .elsewhere, [.scheduleRetry(attempts: 1)]),
    (.starting, .failed, .backingOff, [.rest, .scheduleRetry(attempts: 1)]),
    (.starting, .stop, .stopped, [.close]),
    (.starting, .signedOut, .signedOut, [.close]),
    (.starting, .accountChanged, .accountChanged, [.rest, .scheduleRetry(attempts: 1)]),
    (.syncing, .finished(isNew: true), .idle, [.schedulePoll(quiet: 0), .maintain]),
    (.syncing, .finished(isNew: false), .idle, [.schedulePoll(quiet: 1), .maintain]),
    (.syncing, .failed, .backingOff, [.rest, .scheduleRetry(attempts: 1)]),
    (.syncing, .stop, .stopped, [.close]),
    (.syncing, .signedOut, .signedOut, [.close]),
    (.idle, .wake, .syncing, [.sync]),
    (.idle, .called, .syncing, [.sync]),
    (.idle, .stop, .stopped, [.close]),
    (.idle, .signedOut, .signedOut, [.close]),
    (.backingOff, .retry, .starting, [.open]),
    (.backingOff, .stop, .stopped, [.close]),
    (.backingOff, .signedOut, .signedOut, [.close]),
    (.elsewhere, .retry, .starting, [.open]),
    (.elsewhere, .stop, .stopped, [.close]),
    (.elsewhere, .signedOut, .signedOut, [.close]),
    (.signedOut, .signedIn, .starting, [.open]),
    (.signedOut, .stop, .stopped, [.close]),
    (.accountChanged, .retry, .starting, [.open]),
    (.accountChanged, .signedOut, .signedOut, [.close]),
    (.accountChanged, .stop, .stopped, [.close]),
  ]

  /// A machine in a phase, reached by events.
  ///
  /// Back-off has one failure behind it.
  static func machine(in phase: Phase) -> EngineState {
    let path: [Event] =
      switch phase {
      case .stopped: []
      case .starting: [.start]
      case .syncing: [.start, .opened]
      case .idle: [.start, .opened, .finished(isNew: true)]
      case .backingOff: [.start, .failed]
      case .elsewhere: [.start, .lockIsTaken]
      case .signedOut: [.start, .signedOut]
      case .accountChanged: [.start, .accountChanged]
      }
    var state = EngineState()
    for event in path { _ = state.handle(event) }
    return state
  }

  @Test(arguments: transitions)
  func aPairThatMeansSomethingMovesOn(
    from: Phase, event: Event, to: Phase, actions: [Action]
  ) {
    var state = Self.machine(in: from)
    #expect(state.phase == from)
    #expect(state.handle(event) == actions)
    #expect(state.phase == to)
  }

  @Test func everyOtherPairIsIgnored() {
    for phase in Self.phases {
      for event in Self.events
      where !Self.transitions.contains(where: { $0.0 == phase && $0.1 == event }) {
        var state = Self.machine(in: phase)
        let before = state
        #expect(state.handle(event) == [], "\(phase), \(event)")
        #expect(state == before, "\(phase), \(event)")
      }
    }
  }

  @Test func failuresInARowAreCounted() {
    var state = Self.machine(in: .backingOff)
    for attempts in 2...5 {
      _ = state.handle(.retry)
      #expect(state.handle(.failed).last == .scheduleRetry(attempts: attempts))
    }
    #expect(state.attempts == 5)
  }

  /// A watch whose server is back ends a wait of minutes; what calls again and again does not end
  /// the first waits, which are short.
  @Test func aCallOfTheCloudEndsALongBackOff() {
    var state = Self.machine(in: .backingOff)
    #expect(state.handle(.called) == [])
    for _ in 2...3 { for event in [Event.retry, .failed] { _ = state.handle(event) } }
    #expect(state.handle(.wake) == [], "an edit does not bring the cloud back")
    #expect(state.handle(.called) == [.open])
    #expect(state.phase == .starting)
    #expect(state.handle(.failed) == [.rest, .scheduleRetry(attempts: 1)])
    #expect(state.handle(.called) == [])
  }

  @Test func looksThatFindNothingAreCountedUntilSomethingIsNew() {
    var state = Self.machine(in: .idle)
    for quiet in 1...3 {
      _ = state.handle(.wake)
      #expect(state.handle(.finished(isNew: false)).first == .schedulePoll(quiet: quiet))
    }
    _ = state.handle(.wake)
    #expect(state.handle(.finished(isNew: true)).first == .schedulePoll(quiet: 0))
  }

  @Test func theLooksAtAQuietCloudComeLaterAndLaterUpToAMinute() {
    let waits = (0...6).map { SyncConfiguration().pollWait(quiet: $0) }
    #expect(waits == [5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000])
    #expect(SyncConfiguration().pollWait(quiet: .max) == 60_000)
    var rare = SyncConfiguration()
    rare.pollMilliseconds = 86_400_000
    #expect(rare.pollWait(quiet: 3) == 86_400_000)
  }

  @Test(arguments: [[Event.retry, .opened, .finished(isNew: true)], [.stop]])
  func successOrAStopForgetsTheFailures(events: [Event]) {
    var state = Self.machine(in: .backingOff)
    for event in events { _ = state.handle(event) }
    #expect(state.attempts == 0)
  }
}
