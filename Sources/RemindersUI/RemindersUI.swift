import RemindersCore
import RemindersTerminal

/// Shows the app on a terminal until the person quits.
///
/// The terminal is given back when this returns. What was written by then is in the database; the
/// grace period of what was completed last is over.
///
/// `makeSync`: makes what synchronizes, after the first reminders are shown; nil without
/// a cloud.
///
/// - Throws: what `makeSync` throws: then the app ends.
@MainActor
public func runRemindersUI(
  database: AppDatabase, device: any TerminalDevice,
  environment: UIEnvironment = UIEnvironment(), makeSync: SyncMaker?
) async throws {
  let app = App(
    database: database, device: device, makeSync: makeSync, environment: environment)
  await app.run()
  if let failure = app.failure { throw failure }
}
