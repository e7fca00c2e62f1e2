import Foundation
import RemindersCore
import SQLiteSync
import SQLiteSyncCloud

extension Session {
  /// The engine of this database, not started.
  func engine() throws -> SyncEngine {
    let known = try database.fetch(IdentityQuery())
    // A cloud that was there before and is not now is not mounted; a new one would part the
    // devices.
    if known.account.cloud == nil, !known.account.isSignedOut { try paths.cloud.make() }
    return try database.engine(for: container(known))
  }

  /// The log of what engines tell.
  var log: LogFile { LogFile(url: paths.logFile, failure: LastFailure(in: paths)) }

  /// Does something with an engine that is not started, and writes into the log what it tells.
  func logging<Value: Sendable>(
    _ makeEngine: () throws -> SyncEngine, _ body: (SyncEngine) async throws -> Value
  ) async throws -> Value {
    try paths.makeStateDirectory()
    let (listening, result) = try await telling(log, makeEngine, body)
    let notes = await listening.value
    let value = try result.get()
    notes.tell()
    return value
  }

  /// The engine goes when this returns, and with it ends what it tells.
  private func telling<Value: Sendable>(
    _ log: LogFile, _ makeEngine: () throws -> SyncEngine,
    _ body: (SyncEngine) async throws -> Value
  ) async throws -> (Task<SyncNotes, Never>, Result<Value, any Error>) {
    let notes = SyncNotes(try database.fetch(SharesQuery()))
    let engine = try makeEngine()
    let (news, events) = (engine.news, engine.events)
    let writing = Task { await log.append(news) }
    let hearing = Task { for await event in events { notes.hear(event) } }
    let listening = Task {
      await writing.value
      await hearing.value
      return notes
    }
    do {
      return (listening, .success(try await body(engine)))
    } catch {
      return (listening, .failure(error))
    }
  }

  /// The cloud as this device sees it, not opened.
  func container(_ known: IdentityQuery.Value) throws -> CloudContainer {
    try container(of: ownAccount(known.account), device: known.device)
  }

  /// The cloud as an account sees it on this device, not opened.
  func container(of account: AccountID, device: UUID) -> CloudContainer {
    CloudContainer(
      store: paths.cloud.store, account: account, device: device,
      deviceName: paths.deviceName,
      app: "reminders \(RemindersProgram.configuration.version) on \(paths.deviceName)")
  }
}
