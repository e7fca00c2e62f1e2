import SQLiteSyncCloud

/// What came of a batch of fetched records: for the log, the status and the tests.
struct ApplyReport: Sendable {
  /// A record that was written or deleted.
  struct Item: Hashable, Sendable {
    let type: String
    let name: String
    var fields: [String] = []
  }

  /// A record with unsent edits that met another version.
  struct Conflict: Hashable, Sendable {
    let type: String
    let name: String
    /// Fields where the cloud's edit was later.
    let theirs: [String]
    /// Fields where this device's edit is later and is still to be sent.
    let mine: [String]
  }

  /// Records whose version was known: a full fetch mentions them too.
  var known: Set<String> = []
  /// Records whose version lost against what is here, and changed nothing.
  var lost: Set<String> = []
  var modified: [Item] = []
  var deleted: [Item] = []
  var revived: [Item] = []
  /// Rows with unsent edits that nobody takes any more.
  var withdrawn: [Item] = []
  var conflicts: [Conflict] = []
  /// Records that wait, with the record that they need.
  var waiting: [(name: String, needs: String)] = []
  /// Records that a constraint refused, with SQLite's message.
  var quarantined: [(name: String, error: String)] = []
  /// Assets whose bytes were not there.
  var missingAssets: [String] = []
  /// What others put where it does not belong.
  var ignored: [SyncEvent.Ignored] = []

  /// Adds what came of a later transaction.
  mutating func append(_ later: ApplyReport) {
    known.formUnion(later.known)
    lost.formUnion(later.lost)
    modified += later.modified
    deleted += later.deleted
    revived += later.revived
    withdrawn += later.withdrawn
    conflicts += later.conflicts
    waiting += later.waiting
    quarantined += later.quarantined
    missingAssets += later.missingAssets
    ignored += later.ignored
    guard !waiting.isEmpty, !later.modified.isEmpty else { return }
    let arrived = Set(later.modified.map(\.name))
    waiting.removeAll { arrived.contains($0.name) }
  }
}

extension Applier {
  /// Does something that may be undone: of what throws, or is not kept, nothing is reported.
  ///
  /// What was reported before is put aside and not copied: it grows with the batch, and this may be
  /// done for each record of it.
  mutating func reporting<Outcome>(
    _ work: (inout Applier) throws -> (outcome: Outcome, isKept: Bool)
  ) rethrows -> Outcome {
    var earlier = ApplyReport()
    swap(&earlier, &report)
    var isKept = false
    defer {
      if isKept { earlier.append(report) }
      report = earlier
    }
    let outcome: Outcome
    (outcome, isKept) = try work(&self)
    return outcome
  }
}

extension ApplyReport.Conflict {
  /// Nil unless unsent edits met another version.
  init?(_ change: RowChange, written: Set<String>) {
    guard change.pending?.kind == .save else { return nil }
    let mine = (change.merge.pending?.fields ?? []).union(change.mergedFields)
    guard !mine.isEmpty || !written.isEmpty else { return nil }
    self.init(
      type: change.table.name, name: change.record.name, theirs: written.sorted(),
      mine: mine.sorted())
  }
}
