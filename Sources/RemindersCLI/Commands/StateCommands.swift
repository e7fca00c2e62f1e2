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
    command: "done", abstract: "Complete reminders.",
    discussion: "For example: reminders done 1f0c 7be2")

  @OptionGroup var reminders: ReminderIDs
  @OptionGroup var options: GlobalOptions

  func run() async throws { try await reminders.setDone(true, Session(options.choices)) }
}

struct UndoneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "undone", abstract: "Make reminders incomplete again.",
    discussion: """
      For example: reminders undone 1f0c. What is part of one stays done; `reminders undo` takes \
      back all that `done` did.
      """)

  @OptionGroup var reminders: ReminderIDs
  @OptionGroup var options: GlobalOptions

  func run() async throws { try await reminders.setDone(false, Session(options.choices)) }
}

struct SkipCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "skip", abstract: "Go on to the next occurrence of what comes again, not done.",
    discussion: "For example: reminders skip 1f0c")

  @OptionGroup var reminders: ReminderIDs
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options.choices)
    try await reminders.change(session) { try await session.database.skip($0) }
  }
}

extension ReminderIDs {
  fileprivate func setDone(_ isDone: Bool, _ session: Session) async throws {
    try await change(session) { try await session.database.setDone(isDone, $0) }
  }

  private func sayWhatComesAgain(_ ids: [Reminder.ID], _ session: Session) throws {
    for id in ids {
      let details = try session.details(id)
      // The last occurrence is completed itself.
      guard details.recurrence != nil, details.status == .incomplete, let due = details.due else {
        continue
      }
      let title = details.title.shortened(to: 60)
      Messages.write("“\(title)” comes again: \(due.relativeText(in: session.time))".printable)
    }
  }

  /// Changes the reminders, and prints what became of them where that is asked for.
  fileprivate func change(
    _ session: Session, _ write: ([Reminder.ID]) async throws -> UndoStep
  ) async throws {
    let ids = try resolved(session)
    let step = try await write(ids)
    try session.finish(step)
    if !step.isEmpty { try sayWhatComesAgain(ids, session) }
    if json { try session.print(ids.map(session.details), asJSON: true) }
  }
}

struct DeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "delete", abstract: "Delete reminders.",
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
