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

  /// `UPDATE_SCREENS=1` writes the table between the marks instead.
  @Test func theReadmeHasTheTable() throws {
    let file = URL(filePath: #filePath).appending(path: "../../../README.md").standardized
    let readme = try String(contentsOf: file, encoding: .utf8)
    let begin = try #require(readme.range(of: "<!-- keys -->\n"), "README has no mark for keys.")
    let end = try #require(readme.range(of: "<!-- end of keys -->"))
    let table = begin.upperBound..<end.lowerBound
    if ProcessInfo.processInfo.environment["UPDATE_SCREENS"] == "1" {
      let updated = readme.replacingCharacters(in: table, with: KeyTable.markdown())
      try Data(updated.utf8).write(to: file)
    } else {
      #expect(String(readme[table]) == KeyTable.markdown(), "UPDATE_SCREENS=1 writes the table.")
    }
  }

  @Test func noKeyIsUsedTwiceInOneContext() {
    for context in Context.allCases {
      let keys = Command.all.filter { $0.context == context }.flatMap(\.keys)
      #expect(keys.count == Set(keys).count, "\(context): \(keys.sorted())")
    }
  }

  @Test func noKeyIsTheBeginningOfAnotherInOneContext() throws {
    for context in Context.allCases {
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
