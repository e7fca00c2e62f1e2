import ArgumentParser
import RemindersCore

extension ReminderListQuery.Sort: ExpressibleByArgument {}

struct ListCommand: AsyncParsableCommand {
  enum Smart: String, ExpressibleByArgument, CaseIterable {
    case today, scheduled, all, flagged, completed

    fileprivate var kind: ReminderListQuery.Kind {
      switch self {
      case .today: .today
      case .scheduled: .scheduled
      case .all: .all
      case .flagged: .flagged
      case .completed: .completed
      }
    }
  }

  static let configuration = CommandConfiguration(
    command: "list", abstract: "Show reminders: those that are open, of all lists.",
    discussion: """
      For example: reminders list --list Work overdue; reminders list "due<+7d" -c; \
      reminders list tag:town or flagged; reminders list --saved Errands

      \(SearchCommand.language)
      """)

  @Argument(parsing: .allUnrecognized, help: "What they must meet; see below.")
  var query: [String] = []
  @Option(
    name: .shortAndLong, help: ArgumentHelp("Of one list, by title or id.", valueName: "list"),
    completion: .lists)
  var list: String?
  @Option(name: .shortAndLong, help: "Of a smart list.") var smart: Smart?
  @Option(
    help: ArgumentHelp("What a saved search finds.", valueName: "name"), completion: .searches)
  var saved: String?
  @Option(
    name: [.customShort("t"), .customLong("tag")],
    help: ArgumentHelp("With a tag; with all of several.", valueName: "tag"), completion: .tags)
  var tags: [String] = []
  @Option(
    name: [.customShort("o"), .long],
    help: "In which order; else by due date, and completed ones the latest first.")
  var sort: ReminderListQuery.Sort?
  @Flag(name: .shortAndLong, help: "Completed ones too.") var completed = false
  @Flag(name: .shortAndLong, help: "Print a JSON array.") var json = false
  @OptionGroup var options: GlobalOptions

  func validate() throws { _ = try SearchCommand.text(of: query) }

  func run() async throws {
    let session = try Session(options.choices)
    try await session.settleBeforeReading()
    let kinds = try kinds(session)
    var query = FilterQuery(
      kinds, filter: try Filter(SearchCommand.text(of: query), in: session.time),
      sort: sort ?? (kinds.contains(.completed) ? .completion : .due), showsCompleted: completed,
      time: session.time)
    // A program that asks for today is not to take tomorrow for it.
    query.previewsTomorrow = !json
    try session.print(query, asJSON: json)
  }

  private func kinds(_ session: Session) throws -> [ReminderListQuery.Kind] {
    let lists = try list.map {
      [ReminderListQuery.Kind.list(try session.database.list(named: $0).id)]
    }
    let tags = try tags.flatMap(session.database.tags(named:)).map {
      ReminderListQuery.Kind.tags([$0])
    }
    let saved = try saved.map { try session.database.savedSearch(named: $0) }
    // What cannot be understood is said, and not taken for a search that finds nothing.
    _ = try saved?.filter(in: session.time)
    return (lists ?? []) + tags + (smart.map { [$0.kind] } ?? [])
      + (saved.map { [.saved($0.id)] } ?? [])
  }
}

struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "search",
    abstract: "Find reminders by words in \(ReminderField.searchedWords), and more.",
    discussion: """
      For example: reminders search plumber; reminders search milk or bread -list:Work

      \(language)
      """)

  /// What can be typed.
  static let language = """
    Words are looked for in \(ReminderField.searchedWords); case and accents make no difference. \
    Besides: list:Work, tag:town or #town, overdue (due on a day that is over), flagged, \
    is:today, is:completed, has:\(FieldTest.Part.names[0]) \
    (\(FieldTest.Part.names.dropFirst().joined(separator: ", "))), due<+7d, created>-1w, \
    changed>-1d, completed>-7d, priority>=medium. What stands beside each other must all be true; \
    `or` is between what suffices, - before a part is its opposite, and brackets make one part of \
    several: 'list:Work (overdue or flagged)'. What is in quotation marks is text, \
    or one value: 'due<"fri 9am"'. After -- no word is taken for an option.
    """

  @Argument(parsing: .allUnrecognized, help: "What they must meet; see below.")
  var query: [String]
  @Flag(name: .shortAndLong, help: "Completed ones too.") var completed = false
  @Flag(name: .shortAndLong, help: "Print a JSON array.") var json = false
  @OptionGroup var options: GlobalOptions

  func validate() throws { _ = try Self.text(of: query) }

  /// What was typed to look for.
  ///
  /// A word with one `-` before it can be the opposite of a part of a search. With two, or of one
  /// letter, it is an option, and here one that there is not; after `--` nothing is.
  static func text(of query: [String]) throws -> String {
    let end = query.firstIndex(of: "--") ?? query.endIndex
    let isOption = { (word: String) in
      word.hasPrefix("--") || word.count == 2 && word.hasPrefix("-")
    }
    if let word = query[..<end].first(where: isOption) {
      throw ValidationError("Unknown option '\(word)'")
    }
    return (query[..<end] + query[end...].dropFirst()).joined(separator: " ")
  }

  func run() async throws {
    let session = try Session(options.choices)
    try await session.settleBeforeReading()
    let filter = try Filter(Self.text(of: query), in: session.time)
    let query = FilterQuery(
      [], filter: filter == .all([]) ? .any([]) : filter, showsCompleted: completed,
      time: session.time)
    try session.print(query, asJSON: json)
  }
}

struct SeedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "seed", abstract: "Fill an empty database with sample data.",
    shouldDisplay: false)

  @Flag(name: .shortAndLong, help: "Print how much was added as JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  private struct Added: Encodable { let lists: Int, reminders: Int, tags: Int }

  func run() async throws {
    let session = try Session(options.choices)
    guard try await session.database.addSampleData(in: session.time) != nil else {
      throw AppError(
        .failed, "There is data already, so no sample data was added.",
        hint: "Give another directory with --data-dir to try it there.")
    }
    Messages.write("Added sample data.")
    guard json else { return }
    let added = try session.database.fetch(SidebarQuery(time: session.time))
    try JSONOutput.print(
      Added(
        lists: added.lists.count, reminders: added.counts.all + added.counts.completed,
        tags: added.tags.count))
  }
}
