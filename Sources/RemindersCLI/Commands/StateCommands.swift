import ArgumentParser
import Reminders

/// The reminders that a command is about.
struct ReminderIDs: ParsableArguments {
  @Argument(help: "The beginnings of the reminders' ids.")
  var ids: [String]

  /// The whole ids.
  func resolved(_ session: Session) throws -> [Reminder.ID] {
    try ids.map(session.database.reminderID(matching:))
  }
}

struct DoneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "done", abstract: "Complete reminders.")

  @OptionGroup var reminders: ReminderIDs
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options)
    let step = try await session.database.setDone(true, try reminders.resolved(session))
    Messages.write(step.label.printable)
  }
}

struct UndoneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undone", abstract: "Make reminders incomplete again.")

  @OptionGroup var reminders: ReminderIDs
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options)
    let step = try await session.database.setDone(false, try reminders.resolved(session))
    Messages.write(step.label.printable)
  }
}

struct DeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete reminders.")

  @OptionGroup var reminders: ReminderIDs
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options)
    let step = try await session.database.deleteReminders(try reminders.resolved(session))
    Messages.write(step.label.printable)
  }
}
