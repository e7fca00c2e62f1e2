import ArgumentParser
import Foundation
import Reminders

struct ExportCommand: AsyncParsableCommand {
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case json
  }

  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print everything: lists with covers, tags and reminders.",
    discussion: "What the cloud does not have yet is named under “unsent”.")

  @Option(help: "In which format.") var format: Format = .json
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options)
    switch format {
    case .json:
      let export = try session.database.fetch(ExportQuery(time: session.time))
      try Output.write(export.json())
    }
  }
}

extension Session {
  /// Writes everything to a new file, and says so.
  func export(to path: String) throws {
    let file = URL(filePath: path)
    try database.fetch(ExportQuery(time: time)).write(to: file)
    Messages.write("Exported everything to \(file.path.printable).")
  }

  /// A file in the working directory that is not there yet: `reminders-20261121-143200.json`.
  var newExportFile: String { Export.fileName(at: time) }
}
