import ArgumentParser
import Foundation
import Reminders

/// The options that every command has; each may also stand before the command.
struct GlobalOptions: ParsableArguments {
  @OptionGroup var paths: PathOptions

  @Option(help: "Colours in the output: auto, always or never.")
  var color: ColorChoice?

  /// When output is coloured.
  var colorChoice: ColorChoice { color ?? paths.outputColor ?? .auto }
}

/// Where things are and who is asking.
struct PathOptions: ParsableArguments {
  @Option(
    name: .customLong("data-dir"),
    help: ArgumentHelp(
      """
      Where the data is (REMINDERS_DATA_DIR; else reminders in XDG_DATA_HOME or ~/.local/share). A \
      directory that is named also holds the configuration, the log and the pictures.
      """, valueName: "dir"))
  var dataDirectory: String?

  @Option(
    help: ArgumentHelp(
      "The directory that devices share, or ssh://[user@]host/path (REMINDERS_CLOUD; else cloud in "
        + "the data directory).", valueName: "dir"))
  var cloud: String?

  @Option(
    help: ArgumentHelp(
      "Whose cloud account it is (REMINDERS_ACCOUNT; else the Unix user's).", valueName: "name"))
  var account: String?

  @Option(
    help: ArgumentHelp(
      "What this device is called (REMINDERS_DEVICE; else the host's name).", valueName: "name"))
  var device: String?

  @Option(
    help: ArgumentHelp(
      "Run an earlier schema on purpose, to see how an old app gets on with a new one: 1 has no "
        + "links and no covers.", valueName: "version"))
  var schema: SchemaVersion?

  // `--color` before the command, also before one whose own `--color` is that of a list.
  @Option(name: .customLong("output-color"), help: .hidden)
  var outputColor: ColorChoice?

  /// The arguments with the global options that stand before the command moved behind it, where the
  /// parser looks for them.
  static func moved(_ arguments: [String]) -> [String] {
    let names = ["--data-dir", "--cloud", "--account", "--device", "--schema", "--color"]
    var rest = arguments[...]
    var moved: [String] = []
    while let first = rest.first, names.contains(String(first.prefix { $0 != "=" })) {
      let count = first.contains("=") ? 1 : min(2, rest.count)
      moved += rest.prefix(count).map {
        $0.hasPrefix("--color") ? "--output-color" + $0.dropFirst("--color".count) : $0
      }
      rest = rest.dropFirst(count)
    }
    let end = rest.firstIndex(of: "--") ?? rest.endIndex
    return CheckCommand.spelledOut(Array(rest[..<end])) + moved + rest[end...]
  }
}

/// When output is coloured.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, always, never
}

extension SchemaVersion: ExpressibleByArgument {}
