import ArgumentParser
import Foundation
import RemindersCore

struct ImportLegacyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "import-legacy",
    abstract: "Import the database of an app from before synchronization.",
    discussion: """
      For example: reminders import-legacy ~/old/reminders.sqlite

      The file has lists, reminders and tags with integer keys. It is only read. Everything in it
      arrives at once and reaches your other devices. The same file can be named again: what is
      here already stays as it is. Reminders whose list is not there come in a list of their own,
      and what is left out is named.
      """)

  @Argument(help: "The SQLite file.", completion: .file()) var file: String
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options.choices)
    let result = try await takeOver(into: session.database)
    let facts = [
      (result.lists, "list"), (result.reminders, "reminder"), (result.tags, "tag"),
      (result.covers, "cover"),
    ].filter { $0.0 > 0 }.map { counted($0.0, $0.1) }
    let new = facts.isEmpty ? "nothing new" : facts.joined(separator: ", ")
    let known = "\(counted(result.known, "row")) \(result.known == 1 ? "was" : "were") here"
    Messages.write("Took over \(new)\(result.known > 0 ? "; \(known)" : "").")
    if result.withoutList > 0 {
      let isOne = result.withoutList == 1
      let count = "\(counted(result.withoutList, "reminder")) whose list is not there"
      Messages.write("\(count) \(isOne ? "is" : "are") in “\(LegacyImport.listOfOthers)”.")
    }
    for left in result.leftOut { Messages.write("Left out: \(left)".printable) }
    if !result.unknown.isEmpty {
      Messages.write("No place for: \(result.unknown.joined(separator: ", ").printable).")
    }
  }

  private func takeOver(into database: AppDatabase) async throws -> LegacyImport {
    let line = ProgressLine()
    defer { line.end() }
    // Reading the file is the beginning of it.
    line.show("Taking over", 0, of: 1)
    return try await database.importLegacy(URL(filePath: file)) { completed, total in
      line.show("Taking over", completed, of: total)
    }
  }
}
