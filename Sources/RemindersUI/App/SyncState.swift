import Foundation
import Reminders
import SQLiteSync

/// What the screens know of synchronization.
struct SyncState: Equatable, Sendable {
  /// A fact of the log with its moment.
  struct Entry: Equatable, Sendable {
    var number: Int
    var moment: Date
    var event: SyncEvent
  }

  /// Where the cloud is.
  var place: String
  /// How it stands.
  var status: SyncStatus
  /// What the database says; nil before it was asked.
  var known: SyncQuery.Value?
  /// The latest facts, the newest last.
  private(set) var log: [Entry] = []
  /// How much it takes to keep them.
  private var weight = 0

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

  mutating func append(_ event: SyncEvent, at moment: Date) {
    log.append(Entry(number: (log.last?.number ?? 0) + 1, moment: moment, event: event))
    weight += event.weight
    guard weight > Self.maximumWeight + Self.slack else { return }
    var excess = 0
    for entry in log.dropLast() where weight > Self.maximumWeight {
      weight -= entry.event.weight
      excess += 1
    }
    log.removeFirst(excess)
  }

  /// So many records are named by the facts that are kept, each of which counts as one more; the
  /// log beside the data has the rest.
  private static let maximumWeight = 2000
  /// The log is cut in steps, so that not every new fact moves all others.
  private static let slack = 1000
}

extension SyncEvent {
  /// How much it takes to keep it.
  fileprivate var weight: Int {
    switch self {
    case .fetchedRecordZoneChanges(let modified, let deleted): 1 + modified.count + deleted.count
    case .nextRecordZoneChangeBatch(let changes): 1 + changes.count
    case .sentRecordZoneChanges(let saved, let deleted, let failed):
      1 + saved.count + deleted.count + failed.count
    case .merged(let conflicts): 1 + conflicts.count
    case .revived(let records): 1 + records.count
    default: 1
    }
  }
}
