import ArgumentParser
import Reminders

extension ReminderListQuery.Sort: ExpressibleByArgument {}

struct ListCommand: AsyncParsableCommand {
  enum Smart: String, ExpressibleByArgument, CaseIterable {
    case today, scheduled, all, flagged, completed
  }

  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Show reminders: those that are open, of all lists.")

  @Option(help: ArgumentHelp("Of one list, by title or id.", valueName: "list"))
  var list: String?
  @Option(help: "Of a smart list.") var smart: Smart?
  @Option(help: "With a tag.") var tag: String?
  @Option(help: "In which order; else by due date, and completed ones the latest first.")
  var sort: ReminderListQuery.Sort?
  @Flag(help: "Completed ones too.") var completed = false
  @Flag(help: "Print a JSON array.") var json = false
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if [list, smart?.rawValue, tag].compactMap({ $0 }).count > 1 {
      throw ValidationError("--list, --smart and --tag exclude each other.")
    }
  }

  func run() async throws {
    let session = try Session(options)
    let kind = try kind(session)
    var query = ReminderListQuery(
      kind, sort: sort ?? (kind == .completed ? .completion : .due), showsCompleted: completed,
      time: session.time)
    // A program that asks for today is not to take tomorrow for it.
    query.previewsTomorrow = !json
    try session.print(
      session.database.fetch(WholeRemindersQuery(.list(query))), asJSON: json,
      isDim: query.isPreview)
  }

  private func kind(_ session: Session) throws -> ReminderListQuery.Kind {
    if let list { return .list(try session.database.list(named: list).id) }
    if let tag { return .tags([try Tag.title(from: tag)]) }
    return switch smart ?? .all {
    case .today: .today
    case .scheduled: .scheduled
    case .all: .all
    case .flagged: .flagged
    case .completed: .completed
    }
  }
}

struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find reminders by words in title, notes and tags.")

  @Argument(help: "The words; case and accents make no difference.")
  var query: [String]
  @Flag(help: "Completed ones too.") var completed = false
  @Flag(help: "Print a JSON array.") var json = false
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options)
    let search = SearchQuery(
      query.joined(separator: " "), showsCompleted: completed, time: session.time)
    try session.print(session.database.fetch(WholeRemindersQuery(.search(search))), asJSON: json)
  }
}

struct SeedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seed", abstract: "Fill an empty database with sample data.")

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options)
    guard try await session.database.addSampleData(in: session.time) != nil else {
      throw AppError(
        .failed, "There is data already, so no sample data was added.",
        hint: "Give another directory with --data-dir to try it there.")
    }
    Messages.write("Added sample data.")
  }
}
