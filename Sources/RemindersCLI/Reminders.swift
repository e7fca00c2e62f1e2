import ArgumentParser
import CPosix

/// The program: without a subcommand it shows the app, or a plain list where there is no terminal.
@main struct RemindersProgram: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reminders",
    abstract: "Lists, reminders and tags in the terminal, in step with your other devices.",
    discussion: """
      Everything is in a SQLite file in the data directory; the cloud is a directory that \
      devices share.

      \(Failure.help)
      """,
    version: "0.1.0",
    subcommands: [
      AddCommand.self, EditCommand.self, DoneCommand.self, UndoneCommand.self,
      DeleteCommand.self, RestoreCommand.self, HistoryCommand.self, ListCommand.self,
      ShowCommand.self, SearchCommand.self,
      ListsCommand.self, TagsCommand.self, SyncCommand.self, StatusCommand.self, LogCommand.self,
      AccountCommand.self, ExportCommand.self,
      ShareCommand.self, UnshareCommand.self, SharesCommand.self, AcceptCommand.self,
      LeaveCommand.self,
      CheckCommand.self, SeedCommand.self, ImportLegacyCommand.self, DemoCommand.self,
      ConfigCommand.self,
      OpenCommand.self,
    ], defaultSubcommand: OpenCommand.self)

  /// Each thread that reads the database would keep an arena of its own, with what its largest
  /// query took: hundreds of megabytes after a while.
  private static let arenas: Int32 = 2

  /// The command that opens the app, found without the tree of all commands, which takes longer to
  /// plant than a list to show.
  private static func openCommand(_ arguments: [String]) -> OpenCommand? {
    guard arguments.first?.hasPrefix("-") != false else { return nil }
    // What is wrong with it, or that it asks for help, is said with all commands at hand.
    return try? OpenCommand.parse(arguments)
  }

  static func main() async {
    cposix_share_memory(arenas)
    let arguments = PathOptions.moved(Array(CommandLine.arguments.dropFirst()))
    do {
      if let command = openCommand(arguments) {
        try await command.run()
        return
      }
      var command = try parseAsRoot(arguments)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      Failure.exit(with: error, asJSON: arguments.contains("--json"))
    }
  }
}
