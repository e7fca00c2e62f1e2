import ArgumentParser
import Foundation
import Glibc
import RemindersCore
import SQLiteSync
import Synchronization

struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "sync", abstract: "Send and fetch until nothing is left, then exit.",
    discussion: """
      For example: reminders sync

      With edits that stay unsent the exit code is 1. While another process keeps this device in \
      sync, such as the app, it is waited for a few seconds.
      """)

  @Flag(help: "Go on until interrupted, showing the log.") var watch = false
  @Flag(name: .shortAndLong, help: "Print what happened as JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if watch, json { throw ValidationError("--watch and --json exclude each other.") }
  }

  func run() async throws {
    let session = try Session(options.choices, connections: .many)
    try session.requireSignedIn()
    try session.paths.makeStateDirectory()
    let log = session.log
    if watch {
      try await follow(try session.engine(), log)
    } else {
      let notes = SyncNotes(try session.database.fetch(SharesQuery()))
      let summary = try await synchronize(session, log, notes)
      if json {
        try JSONOutput.print(summary)
      } else {
        print(summary.text)
        notes.tell()
      }
      if let unsent = summary.unsentElsewhere, !json { throw unsent }
      // Not everything of the user's is in the cloud.
      if summary.notSynchronized + summary.pending > 0 { throw ExitCode.failure }
    }
  }

  /// Runs the engine until the process ends.
  private func follow(_ engine: SyncEngine, _ log: LogFile) async throws {
    let news = engine.news
    engine.start()
    for await event in news {
      let text = logText(event)
      print(text)
      fflush(nil)
      try log.append(text)
      try log.failure?.note(event)
    }
  }

  /// Fetches and sends until nothing is left that could be.
  private func synchronize(
    _ session: Session, _ log: LogFile, _ notes: SyncNotes
  ) async throws -> SyncSummary {
    let tally = EventTally()
    let status: SyncStatus
    var elsewhere: String?
    do {
      status = try await Self.run(session) { events, statuses in
        [
          Task {
            for await event in events {
              tally.count(event)
              notes.hear(event)
              try log.failure?.note(event)
              if let event = event.withoutEnginesRecords { try log.append(logText(event)) }
            }
          },
          Task { await Self.showProgress(statuses) },
        ]
      }
    } catch let error as SyncError where error.reason == .runsElsewhere {
      let reason = AppError(error).reason
      Messages.write(reason)
      try await Self.waitForOther(session)
      (status, elsewhere) = (SyncStatus(), reason)
    } catch {
      try log.failure?.note(failure: AppError(error).reason)
      throw error
    }
    return SyncSummary(
      status: status, counts: try session.database.fetch(SyncQuery()).counts, tally: tally,
      ended: notes.ended, elsewhere: elsewhere)
  }

  /// Waits until the process that synchronizes has sent everything, but not for long: it may be
  /// suspended.
  private static func waitForOther(_ session: Session) async throws {
    for _ in 0..<20 {
      if try session.database.fetch(SyncQuery()).counts.pending == 0 { return }
      try await Task.sleep(for: .milliseconds(200))
    }
  }

  /// What hears what an engine tells, until the engine goes.
  private typealias Listening = [Task<Void, any Error>]

  /// Shows how far it is while it takes long.
  private static func showProgress(_ statuses: AsyncStream<SyncStatus>) async {
    let line = ProgressLine()
    for await status in statuses {
      if let progress = status.progress {
        let title = status.phase == .sending ? "Sending" : "Fetching"
        line.show(title, progress.completed, of: progress.total)
      } else {
        line.end()
      }
    }
    line.end()
  }

  /// Runs an engine until it has nothing to do; everything it told has been heard then.
  private static func run(
    _ session: Session,
    listen: (AsyncStream<SyncEvent>, AsyncStream<SyncStatus>) -> Listening
  ) async throws -> SyncStatus {
    let (listening, result) = try await syncUntilQuiet(session, listen: listen)
    // The line of the progress goes also when the log cannot be written.
    var heard: [Result<Void, any Error>] = []
    for task in listening { heard.append(await task.result) }
    for result in heard { try result.get() }
    return try result.get()
  }

  /// The engine goes when this returns, and with it ends what it tells.
  private static func syncUntilQuiet(
    _ session: Session,
    listen: (AsyncStream<SyncEvent>, AsyncStream<SyncStatus>) -> Listening
  ) async throws -> (Listening, Result<SyncStatus, any Error>) {
    let engine = try session.engine()
    let listening = listen(engine.events, engine.statuses)
    do {
      var before = Int.max
      while true {
        try await engine.syncChanges()
        let rolledOver =
          try await session.settleCompletions() + session.database.placeSharedLists()
          + session.database.joinDefaultLists()
        let pending = try session.database.fetch(SyncQuery()).counts.pending
        if rolledOver == 0, pending == 0 || pending >= before { break }
        before = rolledOver == 0 ? pending : .max
      }
      return (listening, .success(engine.status))
    } catch {
      return (listening, .failure(error))
    }
  }
}

/// What the events of one sync amount to.
final class EventTally: Sendable {
  private let state = Mutex((conflicts: 0, withdrawn: 0, ignored: 0, errors: [String]()))

  var conflicts: Int { state.withLock { $0.conflicts } }
  var withdrawn: Int { state.withLock { $0.withdrawn } }
  var ignored: Int { state.withLock { $0.ignored } }
  var errors: [String] { state.withLock { $0.errors } }

  func count(_ event: SyncEvent) {
    state.withLock { state in
      switch event {
      case .merged(let conflicts): state.conflicts += conflicts.count
      case .withdrawn(let records): state.withdrawn += records.count
      case .failed(let message, _): state.errors.append(message)
      case .ignoredCommit(let zone, let number, let reason):
        state.ignored += 1
        state.errors.append("commit \(number) of \(zone) cannot be read: \(reason)")
      case .quarantined(let record, let error): state.errors.append("\(record.name): \(error)")
      case .sentRecordZoneChanges(_, _, let failed, _):
        // A changed record is merged and sent again; the others stay.
        state.errors += failed.filter { $0.error.code != .serverRecordChanged }
          .map { "\($0.record.name): \($0.error.reason)" }
      default: break
      }
    }
  }
}

/// What one sync did; scripts rely on its shape in JSON.
private struct SyncSummary: Encodable {
  let sent: Int
  let fetched: Int
  let conflicts: Int
  /// Rows whose unsent edits nobody takes any more: they are in the history.
  let withdrawn: Int
  let pending: Int
  let waiting: Int
  let quarantined: Int
  let notSynchronized: Int
  /// Commits that cannot be read.
  let ignored: Int
  /// The lists that others do not share any more.
  let ended: [String]
  let errors: [String]
  /// What another process has not sent that keeps this device in sync; nil when it has, and when
  /// there is none.
  let unsentElsewhere: AppError?

  private enum CodingKeys: CodingKey {
    case sent, fetched, conflicts, withdrawn, pending, waiting, quarantined, notSynchronized,
      ignored, ended, errors
  }

  init(
    status: SyncStatus, counts: SyncCounts, tally: EventTally, ended: [String], elsewhere: String?
  ) {
    self.ended = ended
    sent = status.sent
    fetched = status.fetched
    conflicts = tally.conflicts
    withdrawn = tally.withdrawn
    ignored = tally.ignored
    pending = counts.pending
    waiting = counts.waiting
    quarantined = counts.quarantined
    notSynchronized = counts.notSynchronized
    let edits = counts.pending == 1 ? "1 edit is" : "\(counts.pending) edits are"
    unsentElsewhere = elsewhere.flatMap { reason in
      counts.pending == 0
        ? nil
        : AppError(
          "\(edits) not sent. \(reason)",
          hint: "Is it suspended, or its cloud away? Go on with it, by fg; "
            + "or end it, and sync again.")
    }
    errors = tally.errors + (unsentElsewhere.map { [$0.description] } ?? [])
  }

  var text: String {
    let more = [
      (conflicts, "merged"), (withdrawn, "taken back (see `reminders history`)"),
      (pending, "pending"), (waiting, "incomplete"),
      (quarantined, "quarantined"), (notSynchronized, "cannot be sent"),
      (
        ignored,
        (ignored == 1 ? "commit" : "commits")
          + " cannot be read (see `reminders check --cloud`)"
      ),
    ].filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
    return "Sent \(sent), fetched \(fetched)\(more)."
  }
}
