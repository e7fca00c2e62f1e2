import ArgumentParser
import RemindersCore

/// The fields of a reminder as options of `add` and `edit`.
struct ReminderFields: ParsableArguments {
  @Option(
    name: [.customShort("l", allowingJoined: true), .long],
    help: ArgumentHelp("The list, by title or id.", valueName: "list"),
    completion: .lists)
  var list: String?

  @Option(
    name: [.customShort("d", allowingJoined: true), .long], parsing: .unconditional,
    help: ArgumentHelp(
      "When: today, fri 9am, +3d, next week, 25 dec, 2026-12-25 18:00.", valueName: "when"))
  var due: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "When it is announced; again for another: 10m before, the day before 20:00, 8am, none for as "
        + "is usual.", valueName: "when"))
  var alarm: [String] = []

  @Option(
    name: [.customShort("r", allowingJoined: true), .customLong("repeat")],
    help: ArgumentHelp(
      "How it comes again, and from when: every mon 9am, every 2 weeks starting 7 dec, monthly on "
        + "the last fri, every! 3 days from completion, none.", valueName: "rule"))
  var recurrence: String?

  @Option(
    help: ArgumentHelp(
      "The reminder that it is a part of, by the beginning of its id; or none.", valueName: "id"),
    completion: .reminders)
  var parent: String?

  @Option(name: [.customShort("p", allowingJoined: true), .long], help: "How much it matters.")
  var priority: PriorityChoice?

  @Flag(name: .shortAndLong, help: "Flag it.")
  var flag = false

  @Option(
    name: [.customShort("t"), .customLong("tag")],
    help: ArgumentHelp("Add a tag; or several, with commas between.", valueName: "tag"),
    completion: .tags)
  var tags: [String] = []

  @Option(name: .shortAndLong, help: "More about it.")
  var notes: String?

  @Option(name: .shortAndLong, help: "A link.")
  var url: String?

  /// What the words may still say: what an option says is not looked for in them.
  var openParts: QuickAddLine.Parts {
    var parts = QuickAddLine.Parts.all
    if due != nil { parts.remove(.due) }
    if recurrence != nil { parts.remove(.recurrence) }
    if list != nil { parts.remove(.list) }
    if !alarm.isEmpty { parts.remove(.alarms) }
    if priority != nil { parts.remove(.priority) }
    return parts
  }

  /// The alarms that the options ask for; nil when they ask for none.
  ///
  /// `isDue`: whether there will be a due date: a time alone is one of that day then.
  func alarms(isDue: Bool, _ session: Session) throws -> [Alarm]? {
    guard !alarm.isEmpty else { return nil }
    return try alarm.flatMap { try Alarm.parseList($0, isDue: isDue, in: session.time) }
  }

  /// Refuses an empty text where it would take something away: that of a variable which is empty by
  /// mistake.
  func validate() throws {
    let values = [
      ("--due", due.map { [$0] } ?? []), ("--alarm", alarm),
      ("--repeat", recurrence.map { [$0] } ?? []), ("--parent", parent.map { [$0] } ?? []),
    ]
    for (name, typed) in values where typed.contains(where: { $0.oneLine.isEmpty }) {
      throw ValidationError("\(name) needs a value; \(name) none takes it away.")
    }
  }

  /// When a reminder is due for the first time by what `--repeat` says.
  ///
  /// `due`: when it is due without it, which counts where `--repeat` says nothing of that.
  ///
  /// - Throws: `AppError` when `--due` says it as well.
  func firstDue(from due: DueDate?, _ session: Session) throws -> DueDate? {
    guard let recurrence else { return due }
    let series = try TypedSeries(recurrence, in: session.time)
    guard self.due != nil else { return series.firstDue(from: due, in: session.time) }
    guard !series.saysDue else {
      throw AppError(
        .invalidInput, "--due and --repeat “\(recurrence.oneLine)” both say when it is due.",
        hint: "Say it in one of them.")
    }
    return due
  }

  /// Whether `--repeat` says when it is due.
  func saysDueInRepeat(_ session: Session) throws -> Bool {
    try recurrence.map { try TypedSeries($0, in: session.time).saysDue } ?? false
  }

  /// The edits that the options ask for, besides the alarms.
  func edits(_ session: Session) throws -> [ReminderEdit] {
    var edits: [ReminderEdit] = []
    if let list, try !session.database.isToBeMade(listNamed: list) {
      edits.append(.set(\.listID, try session.database.list(named: list).id))
    }
    if let due { edits.append(.set(\.due, try DueDate.parse(due, in: session.time))) }
    if let recurrence {
      let rule = try Recurrence.parse(recurrence, in: session.time)
      if case .until(let last)? = rule?.end, last < session.time.today {
        throw AppError(
          .invalidInput, "“\(recurrence.oneLine)” ends before today.",
          hint: "Name a later day; or none, for what does not come again.")
      }
      edits.append(.set(\.recurrence, rule))
    }
    if let parent {
      let id = parent == "none" ? nil : try session.database.reminderID(matching: parent)
      edits.append(.set(\.parentID, id))
    }
    if let priority { edits.append(.set(\.priority, priority.priority)) }
    if flag { edits.append(.set(\.isFlagged, true)) }
    if !tags.isEmpty { edits.append(.addTags(try tags.flatMap(Tag.titles(from:)))) }
    if let notes { edits.append(.set(\.notes, notes)) }
    if let url { edits.append(.set(\.url, url)) }
    return edits
  }
}

/// A priority, or none, as typed.
enum PriorityChoice: String, ExpressibleByArgument, CaseIterable {
  case none, low, medium, high

  var priority: Reminder.Priority? { Reminder.Priority(name: rawValue) }
}
