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
    /// Started, but nobody is signed in.
    case signedOut
    /// The data here is of another cloud than the one that is there.
    case accountChanged
  }

  enum Event: Equatable {
    case start
    case stop
    case opened
    case lockIsTaken
    /// Nobody is signed in: found when opening, or somebody signed out just now.
    case signedOut
    case signedIn
    case accountChanged
    /// Something was written here, or came into the cloud, or a poll is due.
    case wake
    /// The cloud says that something has changed, or that it is there again.
    case called
    /// The work is done, and whether anything was sent or fetched.
    case finished(isNew: Bool)
    case failed
    /// The back-off, or the wait for the lock, is over.
    case retry
  }

  enum Action: Equatable {
    /// Take the lock, open the cloud, watch it.
    case open
    /// Fetch, then send.
    case sync
    /// Look again after a while, and later the more often nothing was new.
    case schedulePoll(quiet: Int)
    /// Look after the cloud's log, if it is time to.
    case maintain
    case scheduleRetry(attempts: Int)
    /// Cancel timers, give the lock back; the watch of the cloud goes on, to hear when it is back.
    case rest
    /// Cancel timers and watches, give the lock back.
    case close
  }

  private(set) var phase: Phase = .stopped
  /// Failures in a row.
  private(set) var attempts = 0
  /// How often in a row nothing was new.
  private(set) var quiet = 0

  /// From so many failures on the wait for the next try is ended when the cloud calls.
  ///
  /// Before, it is a few seconds.
  private static let patience = 3

  /// Moves on and returns what is to be done.
  mutating func handle(_ event: Event) -> [Action] {
    switch (phase, event) {
    case (.stopped, .start): return enter(.starting, [.open])
    case (.starting, .opened):
      quiet = 0
      return enter(.syncing, [.sync])
    case (.starting, .lockIsTaken): return enter(.elsewhere, [.scheduleRetry(attempts: 1)])
    case (.starting, .failed), (.syncing, .failed): return retry(in: .backingOff)
    case (.syncing, .finished(let isNew)):
      attempts = 0
      quiet = isNew ? 0 : quiet + 1
      return enter(.idle, [.schedulePoll(quiet: quiet), .maintain])
    case (.idle, .wake): return enter(.syncing, [.sync])
    case (_, .called): return hearCloud()
    case (.backingOff, .retry), (.elsewhere, .retry), (.accountChanged, .retry),
      (.signedOut, .signedIn):
      return enter(.starting, [.open])
    // The right disk may come back.
    case (.starting, .accountChanged): return retry(in: .accountChanged)
    case (.starting, .signedOut), (.idle, .signedOut), (.syncing, .signedOut),
      (.backingOff, .signedOut), (.elsewhere, .signedOut), (.accountChanged, .signedOut):
      attempts = 0
      return enter(.signedOut, [.close])
    case (.starting, .stop), (.idle, .stop), (.syncing, .stop), (.backingOff, .stop),
      (.elsewhere, .stop), (.signedOut, .stop), (.accountChanged, .stop):
      attempts = 0
      return enter(.stopped, [.close])

    // Already so.
    case (.stopped, .stop), (.starting, .start), (.idle, .start), (.syncing, .start),
      (.backingOff, .start), (.elsewhere, .start), (.signedOut, .start), (.accountChanged, .start),
      (.signedOut, .signedOut):
      return []
    // A wake-up that comes while there is work is part of that work; while there can be none, it
    // waits.
    case (.stopped, .wake), (.starting, .wake), (.syncing, .wake), (.backingOff, .wake),
      (.elsewhere, .wake), (.signedOut, .wake), (.accountChanged, .wake):
      return []
    // The next attempt to open reads which account is signed in.
    case (.stopped, .signedOut), (.stopped, .signedIn), (.starting, .signedIn), (.idle, .signedIn),
      (.syncing, .signedIn), (.backingOff, .signedIn), (.elsewhere, .signedIn),
      (.accountChanged, .signedIn):
      return []
    // Late news of work or of a timer that was cancelled.
    case (.stopped, .opened), (.stopped, .lockIsTaken), (.stopped, .finished), (.stopped, .failed),
      (.stopped, .retry), (.stopped, .accountChanged), (.starting, .finished), (.starting, .retry),
      (.idle, .opened), (.idle, .lockIsTaken), (.idle, .finished), (.idle, .failed),
      (.idle, .retry), (.syncing, .opened), (.syncing, .lockIsTaken), (.syncing, .retry),
      (.backingOff, .opened), (.backingOff, .lockIsTaken), (.backingOff, .finished),
      (.backingOff, .failed), (.elsewhere, .opened), (.elsewhere, .lockIsTaken),
      (.elsewhere, .finished), (.elsewhere, .failed), (.idle, .accountChanged),
      (.syncing, .accountChanged), (.backingOff, .accountChanged), (.elsewhere, .accountChanged):
      return []
    case (.signedOut, .opened), (.signedOut, .lockIsTaken), (.signedOut, .accountChanged),
      (.signedOut, .finished), (.signedOut, .failed), (.signedOut, .retry),
      (.accountChanged, .opened), (.accountChanged, .lockIsTaken),
      (.accountChanged, .accountChanged), (.accountChanged, .finished), (.accountChanged, .failed):
      return []
    }
  }

  private mutating func hearCloud() -> [Action] {
    switch phase {
    case .idle: return enter(.syncing, [.sync])
    // A call that this very attempt has caused does not end the back-off.
    case .backingOff where attempts >= Self.patience:
      attempts = 0
      return enter(.starting, [.open])
    case .stopped, .starting, .syncing, .backingOff, .elsewhere, .signedOut, .accountChanged:
      return []
    }
  }

  private mutating func enter(_ next: Phase, _ actions: [Action]) -> [Action] {
    phase = next
    return actions
  }

  private mutating func retry(in phase: Phase) -> [Action] {
    attempts += 1
    return enter(phase, [.rest, .scheduleRetry(attempts: attempts)])
  }
}
