import ArgumentParser
import RemindersCore

struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "history", abstract: "Show what was overwritten or deleted in the last 30 days.",
    discussion: """
      For example: reminders history 1f0c

      The number of an entry is for `reminders restore --entry`.
      """)

  @Argument(
    help: "The beginning of a reminder's id, there or deleted; else of everything.",
    completion: .reminders)
  var id: String?
  @Flag(name: .shortAndLong, help: "Print a JSON array.") var json = false
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options.choices)
    let id = try id.map(session.database.reminderID(everMatching:))
    let history = try session.database.fetch(HistoryQuery(of: id, limit: .max))
    if json {
      try JSONOutput.print(history.entries.map { HistoryJSON($0, in: session.time) })
    } else {
      let text = HistoryText(history, in: session.time, style: session.style)
      try Output.write(history.entries.map(text.line))
    }
  }
}

struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "restore", abstract: "Bring back what was deleted or overwritten.",
    discussion: """
      For example: reminders restore 1f0c

      A list comes back with the reminders that were deleted with it, a reminder with its tags. \
      A value that was overwritten is restored by the number of its entry in the history; an id \
      beside it says whose entry that is.
      """)

  @Argument(help: "The beginnings of the ids of deleted reminders or lists, or #tag.")
  var ids: [String] = []
  @Option(
    name: .customLong("entry"),
    help: ArgumentHelp("An entry of the history.", valueName: "number"))
  var entries: [Int64] = []
  @Flag(name: .shortAndLong, help: "Print what was restored as JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if ids.isEmpty, entries.isEmpty {
      throw ValidationError("What is to be restored? Give an id, or --entry with a number.")
    }
  }

  func run() async throws {
    let session = try Session(options.choices)
    let wanted =
      try entries.isEmpty
      ? ids.map { try session.database.deletedItem(matching: $0).id }
      : session.database.entries(entries, of: ids)
    let step = try await session.database.restore(wanted)
    try session.finish(step)
    if json { try JSONOutput.print(["restored": step.isEmpty ? nil : step.label]) }
  }
}
