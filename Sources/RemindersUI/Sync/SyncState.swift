import Foundation
import RemindersCore
import SQLiteSync

/// What the screens know of synchronization.
struct SyncState: Equatable, Sendable {
  /// One line of the log.
  struct LogLine: Equatable, Sendable {
    /// Lines are numbered in their order.
    let number: Int
    let moment: Date
    let fact: SyncFact
    /// What the engine told: the line is a part of it.
    let event: SyncEvent
  }

  /// Where the cloud is.
  var place: String
  /// How it stands.
  var status: SyncStatus
  /// What the database says; nil before it was asked.
  var known: SyncQuery.Value?
  /// What happened last, the newest at the end; the file `sync.log` has the rest.
  private(set) var log: [LogLine] = []
  /// How many facts were told, those without a line, too.
  private(set) var factCount = 0

  init(place: String, status: SyncStatus) {
    self.place = place
    self.status = status
  }

  /// What is known before there is an engine.
  static var beginning: SyncState {
    var status = SyncStatus()
    status.phase = .starting
    return SyncState(place: "", status: status)
  }

  /// Who is signed in; nil while nobody is.
  var account: String? { status.account }

  /// Records with edits that the cloud does not have yet.
  ///
  /// By the database while the engine does not look.
  var pending: Int {
    let isLooking = ![.stopped, .signedOut, .accountChanged].contains(status.phase)
    return isLooking ? status.pending : known?.counts.pending ?? status.pending
  }

  /// What is said after quitting: edits stay here until somebody starts synchronization again.
  var parting: String? {
    guard status.phase == .stopped, account != nil, pending > 0 else { return nil }
    return "\(counted(pending, "edit")) not sent: synchronization is stopped."
      + " `reminders sync` sends them once."
  }

  mutating func append(_ event: SyncEvent, at moment: Date) {
    factCount += 1
    let next = (log.last?.number ?? 0) + 1
    log += event.facts.suffix(Self.maximumLineCount).enumerated().map { place, fact in
      LogLine(number: next + place, moment: moment, fact: fact, event: event)
    }
    guard log.count > Self.maximumLineCount + Self.slack else { return }
    log.removeFirst(log.count - Self.maximumLineCount)
  }

  private static let maximumLineCount = 2000
  /// The log is cut in steps, so that not every new line moves all others.
  private static let slack = 1000
}

extension SyncQuery: ShownQuery {
  func show(_ known: Value, in state: inout AppState) { state.sync?.known = known }
  func isAwaited(in state: AppState) -> Bool { false }
}
