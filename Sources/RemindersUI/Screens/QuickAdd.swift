import Foundation
import Reminders
import Terminal

/// One line in which a new reminder is typed, with its date, tags and priority.
struct QuickAdd: LinePrompt {
  var line: TextField
  /// Whether words at the end may be the due date.
  var readsDates = true
  /// Whether there is a place for how a reminder comes again.
  let readsRules: Bool
  /// Which of the earlier lines is recalled, counted from the newest; nil for none.
  private var recalled: Int?
  let acceptHint = "add"

  let contexts: [Context] = [.quickAdd, .prompt, .always]
  let hints: [Command.ID] = [.accept, .cancel, .ignoreDate, .helpInText]

  init(_ text: String = "", with schema: SchemaVersion) {
    line = TextField(text)
    readsRules = schema.fields.contains(.recurrence)
  }

  mutating func type(_ key: Key, in state: AppState) {
    switch key {
    case .up: recall(by: 1, in: state.quickAddMemory)
    case .down: recall(by: -1, in: state.quickAddMemory)
    default: line.type(key)
    }
  }

  private mutating func recall(by step: Int, in memory: QuickAddMemory) {
    let index = (recalled ?? -1) + step
    guard index < memory.added.count else { return }
    recalled = index < 0 ? nil : index
    line.text = index < 0 ? memory.unfinished : memory.added[index]
  }

  func cancel(in state: inout AppState) { state.quickAddMemory.unfinished = line.text }

  /// What the line means.
  private func meaning(in time: LocalTime) -> QuickLine {
    QuickLine(line.text, readsDates: readsDates, readsRules: readsRules, in: time)
  }

  func accept(in state: inout AppState) -> [Effect] {
    let meaning = meaning(in: state.time)
    guard !meaning.title.isEmpty else {
      return state.refuse(Problem("A reminder needs a title."))
    }
    var draft = ReminderDraft(
      title: meaning.title, due: meaning.due, priority: meaning.priority,
      listID: state.listForNewReminder?.id, tags: meaning.tags, recurrence: meaning.recurrence)
    state.home.adopt(&draft, in: state.time)
    state.quickAddMemory.add(line.text)
    return state.leave(for: .add([draft]))
  }

  func surroundings(in state: AppState) -> LineSurroundings {
    LineSurroundings(
      columns: 72, title: "New reminder",
      note: state.listForNewReminder?.title ?? RemindersList.defaultTitle,
      placeholder: "Call the plumber fri 9am #home !!", explanation: explanation(in: state),
      isExplainedApart: false)
  }

  /// How the line is understood.
  private func explanation(in state: AppState) -> [StyledRun] {
    let line = meaning(in: state.time)
    guard !line.title.isEmpty else {
      return [StyledRun("A date, #tags and !!! at the end are understood.", .dim)]
    }
    var runs = [StyledRun(state.appearance.glyphs.quoted(line.title))]
    if let due = line.due {
      let text = state.appearance.glyphs.adapted(due.fullText(in: state.time))
      runs.append(StyledRun("  due " + text, .dim))
    }
    if let rule = line.recurrence { runs.append(StyledRun("  \(rule.text(in: state.time))", .dim)) }
    if let priority = line.priority {
      runs.append(StyledRun("  \(priority.exclamationMarks)", .priority))
    }
    runs += line.tags.map { StyledRun("  #\($0)", .tag) }
    return runs
  }
}

/// What was typed to add reminders in one line, as long as the app runs.
struct QuickAddMemory: Equatable, Sendable {
  /// What was typed and not added.
  var unfinished = ""
  /// What was added, the newest first.
  private(set) var added: [String] = []

  mutating func add(_ line: String) {
    unfinished = ""
    added.removeAll { $0 == line }
    added = Array(([line] + added).prefix(Self.mostLines))
  }

  private static let mostLines = 100
}

/// What a line such as `Call the plumber fri 9am #home !!` means.
struct QuickLine: Equatable, Sendable {
  var title: String
  var due: DueDate?
  var recurrence: Recurrence?
  var priority: Reminder.Priority?
  var tags: [Tag.ID] = []

  init(_ text: String, readsDates: Bool, readsRules: Bool = true, in time: LocalTime) {
    var words: [Substring] = []
    for word in text.split(whereSeparator: \.isWhitespace) {
      if let tag = Self.tag(word) {
        if !tags.contains(tag) { tags.append(tag) }
      } else if let priority = Self.priority(word) {
        self.priority = priority
      } else {
        words.append(word)
      }
    }
    if readsDates, readsRules, let (count, rule, due) = Self.rule(endingIn: words, time) {
      (recurrence, self.due) = (rule, due)
      words.removeLast(count)
    } else if readsDates, let (count, due) = Self.dueDate(endingIn: words, time) {
      self.due = due
      words.removeLast(count)
    }
    title = words.joined(separator: " ")
  }

  private static func tag(_ word: Substring) -> Tag.ID? {
    guard word.hasPrefix("#") else { return nil }
    return try? Tag.title(from: String(word))  // A lone # is text.
  }

  private static func priority(_ word: Substring) -> Reminder.Priority? {
    guard word.hasPrefix("!") else { return nil }
    let rest = word.dropFirst()
    if rest.allSatisfy({ $0 == "!" }) { return Reminder.Priority(rawValue: word.count) }
    return Reminder.Priority(name: rest.lowercased())
  }

  /// The longest run of words at the end that says how it comes again, and its first due date.
  private static func rule(
    endingIn words: [Substring], _ time: LocalTime
  ) -> (count: Int, rule: Recurrence, due: DueDate)? {
    for start in words.indices.dropFirst() {
      let text = words[start...].joined(separator: " ")
      guard let (rule, due) = Recurrence.parseWithDue(text, in: time) else { continue }
      return (words.count - start, rule, due)
    }
    return nil
  }

  /// The longest run of words at the end that is a date, not counting a preposition before it.
  ///
  /// The first word is never part of it: something must be left for the title.
  private static func dueDate(
    endingIn words: [Substring], _ time: LocalTime
  ) -> (count: Int, due: DueDate)? {
    for count in stride(from: min(maximumDateWords, words.count - 1), to: 0, by: -1) {
      let date = words.suffix(count).joined(separator: " ")
      // A bare number is more often an amount.
      guard !date.allSatisfy(\.isNumber),
        let due = try? DueDate.parse(date, in: time)  // Most words are no date.
      else { continue }
      let before = words.dropLast(count)
      let isIntroduced = before.count > 1 && prepositions.contains(before.last?.lowercased() ?? "")
      return (isIntroduced ? count + 1 : count, due)
    }
    return nil
  }

  private static let maximumDateWords = 5
  private static let prepositions: Set = ["on", "at", "by", "due"]
}

extension AppState {
  mutating func toggleDateReading() -> [Effect] {
    screens[top: QuickAdd.self]?.readsDates.toggle()
    return []
  }

  /// What is pasted outside of a field becomes reminders, once the person has seen them.
  mutating func openAdd(pasted text: String) {
    let lines = text.split(whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    guard lines.count > 1 else {
      screens.append(QuickAdd(text, with: schema))
      return
    }
    let drafts = lines.map { line in
      var draft = ReminderDraft(title: line, listID: listForNewReminder?.id)
      home.adopt(&draft, in: time)
      return draft
    }
    screens.append(
      ConfirmationScreen(
        title: "Add \(drafts.count) reminders?", text: "One for each line: \(lines[0])",
        answer: .add(drafts)))
  }
}

extension HomeState {
  /// Gives a draft what makes it appear in the list that is shown: a new reminder in Today is due
  /// today, one in a tag carries the tag.
  fileprivate func adopt(_ draft: inout ReminderDraft, in time: LocalTime) {
    switch kind {
    case .today, .scheduled: draft.due = draft.due ?? .day(time.today)
    case .flagged: draft.isFlagged = true
    case .tags(let tags): draft.tags += tags.subtracting(draft.tags).sorted()
    case .list, .all, .completed, nil: break
    }
  }
}
