import ArgumentParser
import RemindersCore

/// The reminders that a command is about.
struct ReminderIDs: ParsableArguments {
  @Argument(
    help: "The beginnings of the reminders' ids; - reads them, each the first word of a line.",
    completion: .reminders)
  var ids: [String]

  @Flag(name: .shortAndLong, help: "Print the reminders as a JSON array.") var json = false

  /// The whole ids, each once.
  fileprivate func resolved(_ session: Session) throws -> [Reminder.ID] {
    let typed = try ids == ["-"] ? StandardInput.lines().map(StandardInput.firstWord) : ids
    guard !typed.isEmpty else {
      throw AppError(.invalidInput, "No id was read from standard input.")
    }
    var seen: Set<Reminder.ID> = []
    return try typed.map(session.database.reminderID(matching:)).filter {
      seen.insert($0).inserted
    }
  }
}

struct DoneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "done", abstract: "Complete reminders.",
    discussion: "For example: reminders done 1f0c 7be2")

  @OptionGroup var reminders: ReminderIDs
  @OptionGroup var options: GlobalOptions

  func run() async throws { try await reminders.setDone(true, Session(options.choices)) }
}

struct UndoneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undone", abstract: "Make reminders incomplete again.",
    discussion: "For example: reminders undone 1f0c")

  @OptionGroup var reminders: ReminderIDs
  @OptionGroup var options: GlobalOptions

  func run() async throws { try await reminders.setDone(false, Session(options.choices)) }
}

extension ReminderIDs {
  fileprivate func setDone(_ isDone: Bool, _ session: Session) async throws {
    let ids = try resolved(session)
    try session.finish(try await session.database.setDone(isDone, ids))
    if json { try session.print(ids.map(session.details), asJSON: true) }
  }
}

struct DeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete reminders.",
    discussion: "For example: reminders delete 1f0c. `reminders undo` brings them back.")

  @OptionGroup var reminders: ReminderIDs
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options.choices)
    let ids = try reminders.resolved(session)
    let deleted = try ids.map(session.details)
    try session.finish(try await session.database.deleteReminders(ids))
    if reminders.json { try session.print(deleted, asJSON: true) }
  }
}

struct UndoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Undo the last change that a command made on this device.",
    discussion: """
      Again for the one before; the last 20 are kept. What was edited since, here or elsewhere, \
      stays. The app undoes its own changes, with u.
      """)

  @Flag(name: .shortAndLong, help: "Print what was undone as JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  private struct Undone: Encodable {
    let undone: String
  }

  func run() async throws {
    let session = try Session(options.choices)
    guard let last = try session.undoStack.last() else {
      throw AppError(.noSuchItem, "There is nothing to undo.")
    }
    let step = try await session.database.undo(last.step)
    try last.remove()
    guard !step.isEmpty else {
      throw AppError(
        .noSuchItem, "Nothing is left to undo of this: \(last.step.label).",
        hint: "It was edited or deleted since. `reminders undo` again undoes what was before it.")
    }
    if json {
      try JSONOutput.print(Undone(undone: last.step.label))
    } else {
      Messages.write(last.step.textWhenUndone(by: step).printable)
    }
  }
}
