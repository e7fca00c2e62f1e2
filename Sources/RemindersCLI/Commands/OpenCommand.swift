import ArgumentParser
import Reminders

/// What happens without a command.
struct OpenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open",
    abstract: "Open the app, or print the list where there is no terminal (the default).")

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options)
    let query = DetailQuery(.all, time: session.time)
    try session.print(session.database.fetch(WholeRemindersQuery(query)), asJSON: false)
  }
}
