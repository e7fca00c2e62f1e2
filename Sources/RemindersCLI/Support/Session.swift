import ArgumentParser
import Cloud
import Foundation
import Reminders
import SQLiteSync

/// What a command works with: the paths, the database, and the present moment.
struct Session {
  let paths: Paths
  let database: AppDatabase
  let time: LocalTime
  let style: TextStyle

  init(_ options: GlobalOptions) throws {
    try self.init(options.paths, color: options.colorChoice)
  }

  /// - Throws: also when the data belongs to another account than the one that was named.
  init(_ options: PathOptions, color: ColorChoice = .auto) throws {
    try self.init(open: options, color: color)
    if let chosen = paths.chosenAccount { try require(chosen) }
  }

  /// Whoever the data belongs to: for commands that are about that.
  init(open options: PathOptions, color: ColorChoice = .auto) throws {
    paths = try Paths(options)
    database = try AppDatabase(
      directory: paths.dataDirectory, schema: options.schema ?? .current)
    time = LocalTime(
      now: Date(), localeFormat: LocaleFormat(environment: ProcessInfo.processInfo.environment))
    style = TextStyle(color)
  }

  private func require(_ chosen: AccountID) throws {
    let known = try database.fetch(SyncQuery()).account
    guard let id = known.id, chosen != id, known.hasData || !known.isSignedOut else { return }
    throw AppError(
      .notPermitted,
      "This data belongs to the account \(id.displayName), not to \(chosen.displayName).",
      hint: "Leave out --account and REMINDERS_ACCOUNT; or sign out first, with: "
        + "reminders account sign-out")
  }

  /// Whose data it is or will be: who signed in, else who was named, else the Unix user.
  func account(_ known: SyncAccount) -> AccountID {
    known.isSignedOut
      ? paths.chosenAccount ?? known.id ?? paths.cloud.defaultAccount
      : known.id ?? paths.chosenAccount ?? paths.cloud.defaultAccount
  }

  /// The reminder with an id or the beginning of one, whole.
  func details(_ id: String) throws -> ReminderRow {
    guard let details = try database.fetch(ReminderQuery(database.reminderID(matching: id)))
    else {
      throw AppError(.noSuchItem, "The reminder “\(id)” has just been deleted.")
    }
    return details
  }

  /// Prints a reminder: as JSON, or as its line in a list.
  func print(_ id: Reminder.ID, asJSON: Bool) throws {
    let details = try details(id)
    if asJSON {
      try JSONOutput.print(ReminderJSON(details, in: time))
    } else {
      Swift.print(ReminderText(details, in: time, style: style).line)
    }
  }

  /// Prints reminders: as a JSON array, or a line for each.
  func print(_ reminders: [ReminderRow], asJSON: Bool) throws {
    if asJSON {
      try JSONOutput.print(reminders.map { ReminderJSON($0, in: time) })
    } else {
      for details in reminders {
        Swift.print(ReminderText(details, in: time, style: style).line)
      }
    }
  }
}
