import SQLiteSync

/// What one line of the log says: what became of a record, or of something else.
enum SyncFact: Equatable, Sendable {
  case fetched(SyncEvent.Record, isDeletion: Bool)
  case sent(SyncEvent.Record, isDeletion: Bool)
  case refused(SyncEvent.Failure)
  case merged(SyncEvent.Conflict)
  case revived(SyncEvent.Record)
  case withdrawn(SyncEvent.Record)
  case waiting(SyncEvent.Record, needs: String)
  case quarantined(SyncEvent.Record, error: String)
  case ignored(SyncEvent.Ignored)
  /// What is about no record.
  case general(SyncEvent)

  /// The record that it is about.
  var record: SyncEvent.Record? {
    switch self {
    case .fetched(let record, _), .sent(let record, _), .revived(let record),
      .withdrawn(let record), .waiting(let record, _), .quarantined(let record, _):
      record
    case .refused(let failure): failure.record
    case .merged(let conflict): conflict.record
    case .ignored(let ignored): ignored.record
    case .general: nil
    }
  }
}

extension SyncEvent {
  /// What people want to know of it, line by line.
  ///
  /// Nothing of the steps by which the engine works; the file `sync.log` has them.
  var facts: [SyncFact] {
    switch self {
    case .stateUpdate, .willFetchChanges, .didFetchChanges, .willSendChanges, .didSendChanges,
      .nextRecordZoneChangeBatch:
      []
    case .fetchedRecordZoneChanges(let modified, let deleted, _):
      modified.map { .fetched($0, isDeletion: false) }
        + deleted.map { .fetched($0, isDeletion: true) }
    case .sentRecordZoneChanges(let saved, let deleted, let failed, _):
      saved.map { .sent($0, isDeletion: false) } + deleted.map { .sent($0, isDeletion: true) }
        + failed.map { .refused($0) }
    case .merged(let conflicts): conflicts.map { .merged($0) }
    case .revived(let records): records.map { .revived($0) }
    case .withdrawn(let records): records.map { .withdrawn($0) }
    case .waiting(let record, let needs): [.waiting(record, needs: needs)]
    case .quarantined(let record, let error): [.quarantined(record, error: error)]
    case .ignoredRecords(let ignored): ignored.map { .ignored($0) }
    case .started, .stopped, .runsElsewhere, .signIn, .signOut, .accountChanged,
      .sentDatabaseChanges, .fetchedDatabaseChanges, .assetMissing, .ignoredCommit, .maintained,
      .rebuiltTables, .adopted, .failed:
      [.general(self)]
    }
  }
}

/// Which lines of the log are shown.
enum SyncLogFilter: Int, CaseIterable, Sendable {
  case all, fetched, sent, conflicts, errors

  var name: String { "\(self)" }

  /// The next one, and after the last the first.
  var next: SyncLogFilter { Self.allCases[(rawValue + 1) % Self.allCases.count] }

  func admits(_ fact: SyncFact) -> Bool {
    switch self {
    case .all: true
    case .fetched: fact.isFetched
    case .sent: fact.isSent
    case .conflicts: fact.isConflict
    case .errors: fact.isError
    }
  }
}

extension SyncFact {
  fileprivate var isFetched: Bool {
    switch self {
    case .fetched, .revived, .waiting, .quarantined, .ignored: true
    case .general(.fetchedDatabaseChanges), .general(.assetMissing), .general(.ignoredCommit): true
    case .sent, .refused, .merged, .withdrawn, .general: false
    }
  }

  fileprivate var isSent: Bool {
    switch self {
    case .sent, .refused, .general(.sentDatabaseChanges): true
    default: false
    }
  }

  /// Whether edits of two devices met.
  var isConflict: Bool {
    switch self {
    case .merged, .revived, .withdrawn: true
    case .refused(let failure): failure.isConflict
    default: false
    }
  }

  /// Whether somebody may want to do something about it.
  var isError: Bool {
    switch self {
    case .refused(let failure): !failure.isConflict && !failure.isHeldBack
    case .quarantined, .ignored, .withdrawn: true
    case .general(let event):
      switch event {
      case .failed, .accountChanged, .assetMissing, .ignoredCommit: true
      default: false
      }
    case .fetched, .sent, .merged, .revived, .waiting: false
    }
  }
}
