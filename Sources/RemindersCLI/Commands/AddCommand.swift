import ArgumentParser
import RemindersCore

struct AddCommand: AsyncParsableCommand, TakesMoments {
  static let configuration = CommandConfiguration(
    command: "add", abstract: "Add a reminder, or one for each line of standard input.",
    discussion: """
      For example: reminders add Call the plumber fri 9am '#home' !! @Family

      A date at the end, `remind 10m before`, #tags, ! to !!! and @list are understood, as in the \
      app; #12 is not a tag. Of two lists of one name @Family#2 is the second, as for --list; \
      where a list is called so itself, it is that one, and @Family#3 the second. What an option \
      says is not looked for in the words. A backslash keeps a word as it is: '\\#home'; --literal \
      keeps them all. With - each line that is read becomes a reminder: all of them, or none.
      """)

  @Argument(help: "What to do; - reads lines from standard input.")
  var words: [String]

  @OptionGroup var fields: ReminderFields
  @Flag(help: "The words are the title, and nothing else.") var literal = false
  @Flag(name: .shortAndLong, help: "Print the reminder as JSON; with - an array.") var json = false
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session(options.choices)
    let edits = try fields.edits(session)
    let isMany = words == ["-"]
    let typed = HyphenWords.read(words).joined(separator: " ")
    let lines = try isMany ? StandardInput.lines() : [typed]
    guard !lines.isEmpty else {
      throw AppError(.invalidInput, "Nothing was read from standard input.")
    }
    let names = ListNames(try session.database.fetch(ListsQuery()))
    let drafts = try lines.map { line in
      var draft = try draft(of: line, names, session)
      for edit in edits { draft.apply(edit) }
      draft.due = try fields.firstDue(from: draft.due, session)
      if let alarms = try fields.alarms(isDue: draft.due != nil, session) { draft.alarms = alarms }
      if isMany { try validate(draft, of: line, session) }
      return draft
    }
    let added = try await session.database.addReminders(drafts)
    try session.keep(added.undo)
    if isMany {
      try session.print(session.database.details(of: added.ids), asJSON: json)
    } else {
      for id in added.ids { try session.print(id, asJSON: json) }
    }
  }

  /// Names the line that nothing can be made of: it is one of many, of which none is added then.
  private func validate(_ draft: ReminderDraft, of line: String, _ session: Session) throws {
    do {
      try draft.validate(in: session.time)
    } catch let error as AppError {
      throw AppError(error.kind, "\(error.reason) It says: \(line.printable)", hint: error.hint)
    }
  }

  private func draft(
    of line: String, _ names: ListNames, _ session: Session
  ) throws -> ReminderDraft {
    guard !literal else { return ReminderDraft(title: line) }
    let meaning = QuickAddLine(
      line, parts: fields.openParts.known(to: session.database.schema), names: names,
      in: session.time)
    if let name = meaning.unknownList {
      let choices = names.names(called: name)
      throw AppError(
        .noSuchItem,
        "There \(choices.count > 1 ? "are several lists" : "is no list") “\(name)” for: \(line)",
        hint: choices.count > 1
          ? "In the order of `reminders lists`: "
            + "\(choices.map { "@\($0)" }.joined(separator: ", "))."
          : "`reminders lists` shows those there are; \\@\(name) keeps it as text.")
    }
    return meaning.draft()
  }
}

struct EditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "edit", abstract: "Change the fields that are named.",
    discussion: "For example: reminders edit 1f0c --due \"fri 9am\" --tag home --no-flag")

  @Argument(help: "The beginning of the reminder's id.", completion: .reminders)
  var id: String

  @Option(help: "What to do.")
  var title: String?

  @OptionGroup var fields: ReminderFields
  @Flag(help: "Not due any more.") var noDue = false
  @Flag(help: "Not flagged any more.") var noFlag = false
  @Option(
    name: .customLong("untag"),
    help: ArgumentHelp("Remove a tag; or several, with commas between.", valueName: "tag"),
    completion: .tags)
  var untags: [String] = []
  @Flag(name: .shortAndLong, help: "Print the reminder as JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if noDue, fields.due != nil { throw ValidationError("--due and --no-due exclude each other.") }
    if noFlag, fields.flag { throw ValidationError("--flag and --no-flag exclude each other.") }
  }

  func run() async throws {
    let session = try Session(options.choices)
    var edits = try fields.edits(session)
    if let title { edits.append(.set(\.title, title)) }
    if noDue { edits.append(.set(\.due, nil)) }
    if noFlag { edits.append(.set(\.isFlagged, false)) }
    if !untags.isEmpty {
      edits.append(.removeTags(try untags.flatMap(session.database.tags(named:))))
    }
    guard !edits.isEmpty || !fields.alarm.isEmpty else {
      throw AppError(
        .invalidInput, "Nothing to change was named.",
        hint: "For example: reminders edit ID --due fri")
    }
    let former = try session.details(id)
    if try fields.saysDueInRepeat(session) {
      guard !noDue else {
        throw AppError(
          .invalidInput, "--repeat says when it is due, and --no-due that it is not.",
          hint: "Leave out one of them.")
      }
      edits.append(.set(\.due, try fields.firstDue(from: former.due, session)))
    }
    if !fields.alarm.isEmpty {
      let isDue = fields.due != nil || !noDue && former.due != nil
      edits += try fields.alarms(isDue: isDue, session).map { [.set(\.alarms, $0)] } ?? []
    }
    try session.keep(try await session.database.editReminders([former.id], edits))
    let edited = try session.details(former.id)
    if let note = note(former, edited, in: session.time) { Messages.write(note) }
    try session.print(former.id, asJSON: json)
  }

  /// What an edit of one occurrence made of those that follow, or an edit of the rule of this one.
  private func note(
    _ former: ReminderRow, _ edited: ReminderRow, in time: LocalTime
  ) -> String? {
    if let rule = former.recurrence, edited.recurrence == nil, fields.recurrence == nil {
      return "Without a due date it comes no more: it was \(rule.text(in: time))."
    }
    if fields.due == nil, let rule = edited.recurrence, rule != former.recurrence,
      let due = edited.due, former.due != nil, due != former.due
    {
      return "It is due \(due.dateText(in: time)) now, the first of \(rule.text(in: time))."
    }
    guard let due = edited.due, former.due != nil, edited.recurrence != nil,
      edited.recurrence == former.recurrence,
      due.minutes(in: time) != former.due?.minutes(in: time)
    else { return nil }
    let clock = due.minutes(in: time).map { "at " + time.localeFormat.text(ofClock: $0) }
    return "Those that follow are \(clock ?? "without a time"), too."
  }
}
