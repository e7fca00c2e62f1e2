import ArgumentParser
import RemindersUI

struct KeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    command: "keys", abstract: "Show what all the keys of the app do.",
    discussion: """
      For example: reminders keys | less

      The names of the commands are those that `bind` in the configuration takes: bind gx toggleDone

      \(CommandReference.text)
      """)

  @OptionGroup var options: GlobalOptions

  func run() throws {
    try Output.write(CommandReference.lines)
  }
}
