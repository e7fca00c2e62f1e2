import ArgumentParser
import RemindersUI

struct KeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Show what all the keys of the app do.",
    discussion: """
      The names of the commands are those that `bind` in the configuration takes: bind gx toggleDone

      \(KeyTable.text)
      """)

  func run() throws {
    print(KeyTable.lines.joined(separator: "\n"))
  }
}
