/// The lifecycle of an engine: a pure machine that says what to do next.
///
/// The engine performs the actions in order and reports back with further events. Pairs of state
/// and event that mean nothing are listed, so that a new state or event is a compile error here.
struct EngineState: Equatable {
  enum Phase: Equatable {
    case stopped
    case starting
    case idle
    case syncing
    case backingOff
    /// Another process holds the lock.
    case elsewhere
  }

  enum Event: Equatable {
    case start
    case stop
    case opened
    case lockIsTaken
    /// Something was written here, or came into the cloud, or a poll is due.
    case wake
    case finished
    case failed
    /// The back-off, or the wait for the lock, is over.
    case retry
  }

  enum Action: Equatable {
    /// Take the lock, open the cloud, watch it.
    case open
    /// Fetch, then send.
    case sync
    case schedulePoll
    /// Look after the cloud's log, if it is time to.
    case maintain
    case scheduleRetry(attempts: Int)
    /// Cancel timers and watches, give the lock back.
    case close
  }

  private(set) var phase: Phase = .stopped
  /// Failures in a row.
  private(set) var attempts = 0

  /// Moves on and returns what is to be done.
  mutating func handle(_ event: Event) -> [Action] {
    switch (phase, event) {
    case (.stopped, .start): return enter(.starting, [.open])
    case (.starting, .opened): return enter(.syncing, [.sync])
    case (.starting, .lockIsTaken): return enter(.elsewhere, [.scheduleRetry(attempts: 1)])
    case (.starting, .failed), (.syncing, .failed): return backOff()
    case (.syncing, .finished):
      attempts = 0
      return enter(.idle, [.schedulePoll, .maintain])
    case (.idle, .wake): return enter(.syncing, [.sync])
    case (.backingOff, .retry), (.elsewhere, .retry): return enter(.starting, [.open])
    case (.starting, .stop), (.idle, .stop), (.syncing, .stop), (.backingOff, .stop),
      (.elsewhere, .stop):
      attempts = 0
      return enter(.stopped, [.close])

    // Already so.
    case (.stopped, .stop), (.starting, .start), (.idle, .start), (.syncing, .start),
      (.backingOff, .start), (.elsewhere, .start):
      return []
    // A wake-up that comes while there is work is part of that work; while there can be none, it
    // waits.
    case (.stopped, .wake), (.starting, .wake), (.syncing, .wake), (.backingOff, .wake),
      (.elsewhere, .wake):
      return []
    // Late news of work or of a timer that was cancelled.
    case (.stopped, .opened), (.stopped, .lockIsTaken), (.stopped, .finished), (.stopped, .failed),
      (.stopped, .retry):
      return []
    case (.starting, .finished), (.starting, .retry), (.idle, .opened), (.idle, .lockIsTaken),
      (.idle, .finished), (.idle, .failed), (.idle, .retry), (.syncing, .opened),
      (.syncing, .lockIsTaken), (.syncing, .retry), (.backingOff, .opened),
      (.backingOff, .lockIsTaken), (.backingOff, .finished), (.backingOff, .failed),
      (.elsewhere, .opened), (.elsewhere, .lockIsTaken), (.elsewhere, .finished),
      (.elsewhere, .failed):
      return []
    }
  }

  private mutating func enter(_ next: Phase, _ actions: [Action]) -> [Action] {
    phase = next
    return actions
  }

  private mutating func backOff() -> [Action] {
    attempts += 1
    return enter(.backingOff, [.close, .scheduleRetry(attempts: attempts)])
  }
}
