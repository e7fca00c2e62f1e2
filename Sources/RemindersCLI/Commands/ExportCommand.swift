import ArgumentParser
import Foundation
import RemindersCore

extension ExportFormat: ExpressibleByArgument {}

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "export", abstract: "Print everything, for this or another program.",
    discussion: """
      For example: reminders export > all.json; reminders export --format ics > tasks.ics

      json has everything: lists with covers, tags and reminders; `reminders import` reads it. \
      What the cloud does not have yet is named under “unsent”. The other formats have the \
      reminders; what one has no place for is named on standard error.
      """)

  @Option(help: "In which format.") var format: ExportFormat = .json
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options.choices)
    let missing = try session.database.export(
      as: format, in: session.time, to: Output.buffer())
    if !missing.isEmpty {
      Messages.write(
        "Not in \(format.rawValue): \(missing.joined(separator: ", ")). "
          + "`reminders export` without --format has everything.")
    }
    try session.warnOfCutTexts()
  }
}

extension Session {
  /// Writes everything to a new file, and says so.
  func export(to path: String) throws {
    let file = URL(filePath: path)
    try database.export(in: time, to: file)
    Messages.write("Exported everything to \(file.path.printable).")
    try warnOfCutTexts()
  }

  fileprivate func warnOfCutTexts() throws {
    let count = try database.countOfCutTexts()
    guard count > 0 else { return }
    Messages.write(
      "\(counted(count, "text")) with NUL in \(count == 1 ? "it is" : "them are") cut there: "
        + "`reminders check` names the rows.")
  }

  /// A file in the working directory that is not there yet: `reminders-20261121-143200.json`.
  var newExportFile: String { Export.fileName(at: time) }
}
