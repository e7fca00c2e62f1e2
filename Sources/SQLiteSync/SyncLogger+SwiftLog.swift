// For packages that switch the trait on; others do not resolve swift-log.
#if SwiftLog
  import Logging

  extension SyncLogger {
    /// To a logger of [swift-log](https://github.com/apple/swift-log): a message for each event,
    /// with the event's name as metadata.
    ///
    /// Failures are errors; what was not taken, or waits, is a warning; what came, went or was
    /// merged is information; and the steps on the way are for debugging.
    public init(_ logger: Logger) {
      self.init { event, _ in
        let lines = SyncLog.lines(for: event)
        logger.log(
          level: event.level, "\(lines.joined(separator: "\n"))",
          metadata: ["event": "\(event.name)"], source: "SQLiteSync")
      }
    }
  }

  extension SyncEvent {
    fileprivate var level: Logger.Level {
      switch self {
      case .failed: .error
      case .runsElsewhere, .rebuiltTables, .adopted, .waiting, .quarantined, .assetMissing,
        .ignoredCommit, .ignoredRecords:
        .warning
      case .sentRecordZoneChanges(_, _, let failed, _) where !failed.isEmpty: .warning
      case .started, .stopped, .signIn, .signOut, .accountChanged, .sentDatabaseChanges,
        .fetchedDatabaseChanges, .fetchedRecordZoneChanges, .sentRecordZoneChanges, .merged,
        .revived, .withdrawn, .maintained:
        .info
      case .stateUpdate, .willFetchChanges, .didFetchChanges, .willSendChanges, .didSendChanges,
        .nextRecordZoneChangeBatch:
        .debug
      }
    }

    /// The first word of its lines.
    fileprivate var name: Substring {
      SyncLog.lines(for: self).first?.prefix { $0.isLetter } ?? ""
    }
  }
#endif
