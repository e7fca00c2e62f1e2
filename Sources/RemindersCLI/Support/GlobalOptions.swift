import ArgumentParser
import Foundation
import RemindersCore

/// What the options that every command has say.
struct GlobalChoices: Sendable {
  var dataDirectory: String?
  var cloud: String?
  var account: String?
  var device: String?
  var schema: SchemaVersion?
  var color: ColorChoice?

  /// What was said before the command.
  @TaskLocal static var beforeCommand = GlobalChoices()

  /// What these say, and for what they leave open, others.
  func or(_ others: GlobalChoices) -> GlobalChoices {
    GlobalChoices(
      dataDirectory: dataDirectory ?? others.dataDirectory, cloud: cloud ?? others.cloud,
      account: account ?? others.account, device: device ?? others.device,
      schema: schema ?? others.schema, color: color ?? others.color)
  }
}

/// The options that every command has; each may also stand before the command.
struct GlobalOptions: ParsableArguments {
  @OptionGroup var paths: PathOptions

  @Option(help: "Colours in the output: auto, always or never.")
  var color: ColorChoice?

  /// What stands here or before the command.
  var choices: GlobalChoices {
    var choices = paths.ownChoices
    choices.color = color
    return choices.or(.beforeCommand)
  }
}

/// Where things are and who is asking.
struct PathOptions: ParsableArguments {
  @OptionGroup var device: DeviceOptions

  @Option(
    help: ArgumentHelp(
      "The directory that devices share, ssh://[user@]host/path, s3://bucket/prefix or "
        + "postgres://[role@]host/database "
        + "(REMINDERS_CLOUD; else cloud in the data directory).", valueName: "dir"),
    completion: .directory)
  var cloud: String?

  /// What stands here.
  fileprivate var ownChoices: GlobalChoices {
    var choices = device.ownChoices
    choices.cloud = cloud
    return choices
  }

  /// What stands here or before the command.
  var choices: GlobalChoices { ownChoices.or(.beforeCommand) }
}

/// Which device this is.
struct DeviceOptions: ParsableArguments {
  @Option(
    name: .customLong("data-dir"),
    help: ArgumentHelp(
      """
      Where the data is (REMINDERS_DATA_DIR; else reminders in XDG_DATA_HOME or ~/.local/share). A \
      directory that is named also holds the configuration, the log and the pictures.
      """, valueName: "dir"), completion: .directory)
  var dataDirectory: String?

  @Option(
    help: ArgumentHelp(
      "Whose cloud account it is (REMINDERS_ACCOUNT; else the Unix user's, by ssh the one there).",
      valueName: "name"))
  var account: String?

  @Option(
    help: ArgumentHelp(
      "What this device is called (REMINDERS_DEVICE; else the host's name).", valueName: "name"))
  var device: String?

  @Option(
    help: ArgumentHelp(
      "Run an earlier schema on purpose, to see how an old app gets on with a new one: 2 has no "
        + "recurrence, 1 no links and no covers either.", valueName: "version", visibility: .hidden)
  )
  var schema: SchemaVersion?

  /// What stands here.
  var ownChoices: GlobalChoices {
    GlobalChoices(
      dataDirectory: dataDirectory, account: account, device: device, schema: schema)
  }
}

/// When output is coloured.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, always, never
}

extension SchemaVersion: ExpressibleByArgument {}
