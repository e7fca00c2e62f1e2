import Foundation
import GRDB

/// What is told of the work: counts, times, failures.
extension EngineCore {
  func succeed() {
    let now = Date(millisecondsSince1970: setup.configuration.now())
    let (fetched, sent) = (synchronizer?.fetchedCount ?? 0, synchronizer?.sentCount ?? 0)
    let failure = (synchronizer?.zoneFailures.error ?? synchronizer?.assetFailures.error)
      .map(SyncEvent.explanation)
    update { status in
      status.lastError = failure?.message
      status.hint = failure?.hint
      status.lastFetch = now
      if sent > status.sent { status.lastSend = now }
      status.fetched = fetched
      status.sent = sent
    }
    updateCounts()
  }

  func fail(_ error: any Error) {
    let (message, hint) = SyncEvent.explanation(of: error)
    update { status in
      status.lastError = message
      status.hint = hint
    }
    hear(.failed(message: message, hint: hint))
    updateCounts()
  }

  /// Counts while the work goes on, and lets that have nine tenths of the time.
  ///
  /// To count a million unsent records after each batch takes as long as to send the batch.
  func updateCountsMeanwhile() {
    let start = ContinuousClock.now
    guard start >= nextCount else { return }
    updateCounts()
    let end = ContinuousClock.now
    let isShort = end - start < .milliseconds(2)
    nextCount = isShort ? end : end + (end - start) * 9
  }

  func updateCounts() {
    do {
      let (counts, known, unlisted) = try setup.database.readSnapshot { db in
        (try SyncCounts(db), try SyncAccount(db), try setup.unlistedTables(in: db))
      }
      update { status in
        status.account = known.isSignedOut ? nil : known.id?.displayName
        status.pending = max(counts.pending, hasNewEdits.withLock { $0 ? 1 : 0 })
        status.waiting = counts.waiting
        status.quarantined = counts.quarantined
        status.notSynchronized = counts.notSynchronized
        status.unlistedTables = unlisted
      }
    } catch {
      tell(.failed(error))
    }
  }

  func update(_ change: (inout SyncStatus) -> Void) {
    status.update(change)
  }
}
