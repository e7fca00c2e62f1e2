import ArgumentParser

struct CloudCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cloud", abstract: "Set up a cloud.",
    subcommands: [CloudInitCommand.self])
}
