import ArgumentParser
import Foundation
import RemindersCore

extension ImportFormat: ExpressibleByArgument {}

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "import", abstract: "Import reminders from a file of this or another program.",
    discussion: """
      For example: reminders import tasks.ics --list Family; task export > t.json; reminders \
      import t.json; reminders import todo.txt --dry-run

      The formats are json (what `reminders export` writes), ics (iCalendar: its VTODOs), todotxt, \
      and taskwarrior (what `task export` writes); which it is, the file says itself, or its name: \
      todo.txt, or another that ends in .txt. Everything arrives at once, or nothing. What was \
      imported before stays as it is. What has no place here is in the notes, or named. Of a \
      calendar that was cut comes what is whole, and it ends with 1.
      """)

  @Argument(help: "The file; - reads standard input.", completion: .file()) var file: String
  @Option(help: "What it is: \(ImportFormat.names).") var format: ImportFormat?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The list for what names none, by title or id.", valueName: "list"),
    completion: .lists)
  var list: String?
  @Flag(name: [.customShort("n"), .long], help: "Say what would come, and change nothing.")
  var dryRun = false
  @Flag(name: .shortAndLong, help: "Print what came as JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  private struct Report: Encodable {
    let lists: Int
    let reminders: Int
    let known: Int
    let notCarried: [String]
  }

  func run() async throws {
    let session = try Session(options.choices)
    let list = try list.map { try session.database.list(named: $0).id }
    let batch = try read(in: session.time)
    let (result, undo) = try await write(batch, into: list, session.database)
    if !dryRun { try session.keep(undo) }
    try tell(result)
    guard batch.isCut else { return }
    throw AppError(
      .cannotRead, "\(name) is cut: it has no END:VCALENDAR.",
      hint: "What is whole was read. Have it written or copied again, and import it again: what is "
        + "here already stays as it is.")
  }

  private func tell(_ result: ImportResult) throws {
    if json {
      let report = Report(
        lists: result.lists, reminders: result.reminders, known: result.known,
        notCarried: result.problems)
      return try JSONOutput.print(report)
    }
    for problem in result.problems { Messages.write("Not carried over: \(problem)".printable) }
    let known = result.known > 0 ? "; \(counted(result.known, "row")) known already" : ""
    Messages.write("\(dryRun ? "Would import" : "Imported") \(result.summary)\(known).")
  }

  private var name: String { StandardInput.isMeant(by: file) ? "standard input" : file }

  private func read(in time: LocalTime) throws -> ImportBatch {
    let line = ProgressLine()
    defer { line.end() }
    let show: ImportFormat.Progress = { line.show("Reading", $0, of: $1) }
    guard StandardInput.isMeant(by: file) else {
      return try ImportFormat.read(URL(filePath: file), as: format, in: time, progress: show)
    }
    let data = try StandardInput.data(upTo: ImportFormat.maximumBytes)
    return try ImportFormat.read(
      data, as: format, name: name, in: time, progress: show)
  }

  private func write(
    _ batch: ImportBatch, into list: RemindersList.ID?, _ database: AppDatabase
  ) async throws -> (result: ImportResult, undo: UndoStep) {
    let line = ProgressLine()
    defer { line.end() }
    return try await database.addImported(batch, into: list, isRehearsal: dryRun) {
      completed, total in
      line.show("Importing", completed, of: total)
    }
  }
}

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "backup", abstract: "Write a copy of the data to a new file, also while in use.",
    discussion: "For example: reminders backup ~/reminders-monday.sqlite")

  @Argument(help: "The new file.", completion: .file()) var file: String
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options.choices)
    let url = URL(filePath: file)
    try session.database.backUp(to: url)
    Messages.write("The backup is in \(url.path).".printable)
  }
}

struct RestoreBackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "restore-backup", abstract: "Bring back what a backup has.",
    discussion: """
      For example: reminders restore-backup ~/reminders-monday.sqlite

      What is gone comes back, and what has changed becomes what it was; what was added since \
      stays. These are edits like all others: they reach the other devices, and `reminders undo` \
      undoes them.
      """)

  @Argument(help: "The file.", completion: .file()) var file: String
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options.choices)
    try session.finish(try await session.database.restoreBackup(URL(filePath: file)))
  }
}
