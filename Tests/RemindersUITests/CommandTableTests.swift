import Foundation
import RemindersTerminal
import Testing

@testable import RemindersUI

struct CommandTableTests {
  @Test func everyNameHasOneRow() {
    #expect(Command.all.map(\.id.rawValue).sorted() == Command.ID.allCases.map(\.rawValue).sorted())
  }

  @Test(arguments: Command.all)
  func keysAreSpelledRight(command: Command) {
    #expect(!command.keys.isEmpty)
    for name in command.keys { #expect(Key.sequence(name) != nil, "\(command.id): \(name)") }
  }

  @Test(arguments: Command.all)
  func theManualPageHasEveryCommand(command: Command) {
    #expect(CommandReference.text.contains("\(command.id.rawValue): "))
    #expect(CommandReference.text.contains(command.help))
    #expect(CommandReference.lines.contains { $0.hasSuffix("(\(command.id.rawValue))") })
  }

  /// The generator of the manual page leaves all else out, and takes a full stop for a macro.
  @Test func theManualPageIsPlainText() {
    #expect(CommandReference.text.allSatisfy { $0.isASCII })
    for line in CommandReference.text.split(separator: "\n") {
      #expect(line.first?.isLetter == true)
    }
  }

  @Test func noKeyIsUsedTwiceInOneContext() {
    for context in Context.all {
      let keys = Command.all.filter { $0.context == context }.flatMap(\.keys)
      #expect(keys.count == Set(keys).count, "\(context): \(keys.sorted())")
    }
  }

  @Test func noKeyIsTheBeginningOfAnotherInOneContext() throws {
    for context in Context.all {
      let commands = Command.all.filter { $0.context == context }
      let sequences = commands.flatMap(\.keys).compactMap { Key.sequence($0) }
      for one in sequences {
        #expect(!sequences.contains { $0 != one && $0.starts(with: one) }, "\(context): \(one)")
      }
    }
  }

  @Test(arguments: Command.all)
  func helpIsASentence(command: Command) {
    #expect(command.help.first?.isUppercase == true && command.help.last?.isPunctuation == true)
    #expect(command.help.count <= 64, "It must fit beside its keys in 80 columns.")
    #expect(command.title.first?.isUppercase == true && command.title.last != ".")
  }

  @Test func noPlainLetterIsBoundWhileTextIsTyped() {
    let typing: Set<Context> = [
      .always, .form, .reminderForm, .line, .notes, .dueField, .prompt, .quickAdd, .searchField,
    ]
    for command in Command.all where typing.contains(command.context) {
      for name in command.keys {
        let keys = Key.sequence(name) ?? []
        #expect(keys.allSatisfy { $0.typed == nil }, "\(command.id): \(name)")
      }
    }
  }
}
