import ArgumentParser
import RemindersCore

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "show",
    abstract: "Show one reminder with everything about it, and the history of its fields.",
    discussion: "For example: reminders show 1f0c")

  @Argument(help: "The beginning of the reminder's id.", completion: .reminders)
  var id: String
  @Flag(name: .shortAndLong, help: "Print JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options.choices)
    try await session.settleBeforeReading()
    let details = try session.details(id)
    let history = try session.database.fetch(HistoryQuery(of: details.id))
    if json {
      let shape = ReminderJSON(with: [
        ReminderJSON.Member("fields") { _, time, document in
          try document.value(encoding: history.fields.map { FieldEditJSON($0, in: time) })
        },
        ReminderJSON.Member("history") { _, time, document in
          try document.value(encoding: history.entries.map { HistoryJSON($0, in: time) })
        },
      ])
      try JSONOutput.write { try shape.write(details, in: session.time, to: &$0) }
    } else {
      let text = ReminderText(in: session.time, style: session.style)
      try Output.write(
        text.lines(details)
          + HistoryText(history, in: session.time, style: session.style).lines)
    }
  }
}
