import ArgumentParser
import CSQLiteSyncPosix
import Glibc
import RemindersCore

/// The program: without a command it shows the app, or a plain list where there is no terminal.
@main struct RemindersProgram: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reminders",
    abstract: "Lists, reminders and tags in the terminal, in step with your other devices.",
    usage: "reminders [<options>] [<command>]",
    discussion: """
      Without a command it opens the app. Everything is in a SQLite file in the data directory; \
      the cloud is what devices share: a directory, here or by ssh, a bucket, or a database. \
      --data-dir, --cloud, --account, --device and \
      --color may stand before the command or after it.

      \(Failure.help)
      """,
    version: "0.2.0-dev",
    groupedSubcommands: groups)

  /// The commands, as the help shows them.
  ///
  /// Apart from the configuration, whose text takes longer than to find a command.
  private static let groups = [
    CommandGroup(
      name: "Reminders",
      subcommands: [
        AddCommand.self, EditCommand.self, DoneCommand.self, UndoneCommand.self,
        SkipCommand.self, DeleteCommand.self, UndoCommand.self,
      ]),
    CommandGroup(name: "Reminding", subcommands: [NotifyCommand.self, SnoozeCommand.self]),
    CommandGroup(
      name: "Looking",
      subcommands: [
        ListCommand.self, SearchCommand.self, ShowCommand.self, AgendaCommand.self,
        StatsCommand.self, ListsCommand.self, TagsCommand.self, SearchesCommand.self,
        OpenCommand.self,
      ]),
    CommandGroup(
      name: "What was lost", subcommands: [HistoryCommand.self, RestoreCommand.self]),
    CommandGroup(
      name: "Devices and cloud",
      subcommands: [
        SyncCommand.self, StatusCommand.self, LogCommand.self, AccountCommand.self,
        CheckCommand.self, CloudCommand.self,
      ]),
    CommandGroup(
      name: "Sharing",
      subcommands: [
        ShareCommand.self, UnshareCommand.self, SharesCommand.self, AcceptCommand.self,
        DeclineCommand.self, LeaveCommand.self,
      ]),
    CommandGroup(
      name: "In and out",
      subcommands: [
        ExportCommand.self, ImportCommand.self, BackupCommand.self, RestoreBackupCommand.self,
        ImportLegacyCommand.self, ConfigCommand.self,
      ]),
    CommandGroup(name: "To try it", subcommands: [SeedCommand.self, DemoCommand.self]),
    // Last: the other commands are found without its long text.
    CommandGroup(name: "Help", subcommands: [KeysCommand.self]),
  ]

  /// From how many arenas all threads take their memory.
  ///
  /// Each thread that reads the database would keep one of its own, with what its largest query
  /// took: hundreds of megabytes after a while. The app and `sync` have two threads that work at
  /// once. Another command waits for itself alone, and for it the first arena is the better one:
  /// the others grow by the page, with a system call each, a tenth of what a short list takes.
  private static var arenas: Int32 {
    // Read where it lies: to take memory for it would settle the matter.
    guard CommandLine.argc > 1, let word = CommandLine.unsafeArgv[1] else { return 2 }
    let isOption = word[0] == CChar(bitPattern: UInt8(ascii: "-"))
    return isOption || strcmp(word, "open") == 0 || strcmp(word, "sync") == 0 ? 2 : 1
  }

  static func main() async {
    cposix_share_memory(arenas)
    cposix_open_standard_files()
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      let line = try CommandLineArguments(arguments)
      try await GlobalChoices.$beforeCommand.withValue(line.choices) {
        try await run(line.command)
      }
      try Output.finish()
    } catch {
      Failure.exit(with: error, asJSON: arguments.contains { ["--json", "-j"].contains($0) })
    }
  }

  private static func run(_ arguments: [String]) async throws {
    var command = try command(arguments)
    if var command = command as? any AsyncParsableCommand {
      try await command.run()
    } else {
      try command.run()
    }
  }

  /// The command that the arguments ask for.
  ///
  /// It is parsed alone. To plant the tree of all commands takes longer than to show a list, and is
  /// only needed to say what is wrong, or to help.
  private static func command(_ arguments: [String]) throws -> any ParsableCommand {
    guard let name = arguments.first, !name.hasPrefix("-") else {
      return try parse(OpenCommand.self, arguments, whole: arguments)
    }
    if name == "help" {
      try requireCommand(arguments.dropFirst())
      return try parseAsRoot(arguments)
    }
    guard let command = named(name, among: groups.flatMap(\.subcommands)) else {
      throw unknown(name)
    }
    let whole = command is any TakesMoments.Type ? HyphenWords.keep(arguments) : arguments
    return try parse(command, Array(whole.dropFirst()), whole: whole)
  }

  private static func parse(
    _ command: any ParsableCommand.Type, _ arguments: [String], whole: [String]
  ) throws -> any ParsableCommand {
    // Help names the whole command.
    guard !arguments.contains(where: ["-h", "--help", "--help-hidden"].contains) else {
      return try parseAsRoot(whole)
    }
    do {
      return try command.parseAsRoot(arguments)
    } catch {
      // The same again, so that its usage begins with the program's name.
      _ = try parseAsRoot(whole)
      throw error
    }
  }

  private static func requireCommand(_ path: ArraySlice<String>) throws {
    var commands = groups.flatMap(\.subcommands)
    for name in path where !name.hasPrefix("-") && name != "help" {
      guard let command = named(name, among: commands) else { throw unknown(name) }
      commands = command.configuration.subcommands
    }
  }

  private static func named(
    _ name: String, among commands: [any ParsableCommand.Type]
  ) -> (any ParsableCommand.Type)? {
    commands.first {
      $0.configuration.commandName == name || $0.configuration.aliases.contains(name)
    }
  }

  private static func unknown(_ name: String) -> AppError {
    AppError(
      .invalidInput, "There is no command “\(name)”.",
      hint: "`reminders --help` shows all commands; `reminders add` adds a reminder.")
  }
}

extension CommandConfiguration {
  /// What a command below the program says of itself.
  ///
  /// With the program named above it, it does not look for `--generate-completion-script`, for
  /// which it would plant and parse two more commands each time.
  init(
    command name: String, abstract: String, usage: String? = nil, discussion: String = "",
    subcommands: [any ParsableCommand.Type] = [],
    defaultSubcommand: (any ParsableCommand.Type)? = nil, aliases: [String] = [],
    shouldDisplay: Bool = true
  ) {
    self.init(
      commandName: name, _superCommandName: "reminders", abstract: abstract, usage: usage,
      discussion: discussion, shouldDisplay: shouldDisplay, subcommands: subcommands,
      defaultSubcommand: defaultSubcommand, aliases: aliases)
  }
}

/// The arguments as they fall apart: options of the program, and then a command with its own.
private struct CommandLineArguments {
  private(set) var choices = GlobalChoices()
  private(set) var command: [String]

  /// - Throws: `AppError` for an option without a value, or with one that it cannot have.
  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let first = rest.first, first.hasPrefix("--") {
      let parts = first.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let option = GlobalChoices.options[String(parts[0])] else { break }
      rest = rest.dropFirst()
      guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
        throw AppError(.invalidInput, "\(first) needs a value.")
      }
      guard option(&choices, value) else {
        throw AppError(.invalidInput, "“\(value)” is not a valid value for \(parts[0]).")
      }
    }
    command = Array(rest)
  }
}

extension GlobalChoices {
  /// The options that may stand before the command: each takes its value, if it is one.
  fileprivate static let options: [String: @Sendable (inout GlobalChoices, String) -> Bool] = [
    "--data-dir": text(\.dataDirectory), "--cloud": text(\.cloud), "--account": text(\.account),
    "--device": text(\.device),
    "--schema": { choices, value in
      choices.schema = SchemaVersion(argument: value)
      return choices.schema != nil
    },
    "--color": { choices, value in
      choices.color = ColorChoice(argument: value)
      return choices.color != nil
    },
  ]

  private static func text(
    _ path: WritableKeyPath<GlobalChoices, String?> & Sendable
  ) -> @Sendable (inout GlobalChoices, String) -> Bool {
    { choices, value in
      choices[keyPath: path] = value
      return true
    }
  }
}
