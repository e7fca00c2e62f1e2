import Reminders
import Terminal

/// Shows the app on a terminal until the person quits.
///
/// The terminal is given back when this returns. What was written by then is in the database; the
/// grace period of what was completed last is over.
@MainActor
public func runRemindersUI(
  database: AppDatabase, device: any TerminalDevice, sync: SyncControl?,
  environment: UIEnvironment = UIEnvironment()
) async {
  await App(database: database, device: device, sync: sync, environment: environment).run()
}
