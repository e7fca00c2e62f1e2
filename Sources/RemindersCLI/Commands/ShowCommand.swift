import ArgumentParser
import Reminders

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show one reminder with everything about it, and the history of its fields.")

  @Argument(help: "The beginning of the reminder's id.")
  var id: String
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options)
    let details = try session.details(id)
    let history = try session.database.fetch(HistoryQuery(of: details.id))
    if json {
      try JSONOutput.print(ShownJSON(details, history, in: session.time))
    } else {
      let text = ReminderText(details, in: session.time, style: session.style)
      for line in text.lines + HistoryText(history, in: session.time, style: session.style).lines {
        print(line)
      }
    }
  }
}

/// A reminder with the history of its fields; scripts rely on its shape.
private struct ShownJSON: Encodable {
  private let reminder: ReminderJSON
  private let fields: [FieldEditJSON]
  private let history: [HistoryJSON]

  private enum Key: String, CodingKey {
    case fields, history
  }

  init(_ details: ReminderRow, _ history: HistoryQuery.Value, in time: LocalTime) {
    reminder = ReminderJSON(details, in: time)
    fields = history.fields.map { FieldEditJSON($0, in: time) }
    self.history = history.entries.map { HistoryJSON($0, in: time) }
  }

  func encode(to encoder: any Encoder) throws {
    try reminder.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(fields, forKey: .fields)
    try container.encode(history, forKey: .history)
  }
}
