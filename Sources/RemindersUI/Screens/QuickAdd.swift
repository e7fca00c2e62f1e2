import Foundation
import RemindersCore
import RemindersTerminal

/// One line in which a new reminder is typed, with its date, tags and priority.
struct QuickAdd: LinePrompt {
  var line: TextField
  /// Whether words at the end may be the due date.
  var readsDates = true
  /// Which of the earlier lines is recalled, counted from the newest; nil for none.
  private var recalled: Int?
  /// What was typed before one was recalled.
  private var typed = ""
  /// Where it was to go when the prompt was opened.
  fileprivate(set) var list: RemindersList?
  /// Whether all that is there was kept from before.
  private var isKept = false
  let acceptHint = "add"

  let contexts: [Context] = [.quickAdd, .prompt, .always]
  let hints: [Command.ID] = [.accept, .cancel, .ignoreDate, .helpInText]

  /// - Parameters:
  ///   - text: What is in it.
  ///   - list: Where the reminder goes, unless the line says so.
  ///   - isKept: Whether the text was typed before, and left.
  init(_ text: String = "", in list: RemindersList?, isKept: Bool = false) {
    line = TextField(text)
    self.list = list
    self.isKept = isKept && !text.isEmpty
  }

  /// Whether lines that are pasted go on with what is there: they are other reminders than one that
  /// was kept.
  fileprivate var goesOnWithPaste: Bool { !isKept }

  mutating func paste(_ text: String, in state: AppState) {
    line.paste(isKept && line.text.last?.isWhitespace == false ? " " + text : text)
    isKept = false
  }

  mutating func type(_ key: Key, in state: AppState) {
    isKept = false
    switch key {
    case .up: recall(by: 1, in: state.quickAddMemory)
    case .down: recall(by: -1, in: state.quickAddMemory)
    default: line.type(key)
    }
  }

  private mutating func recall(by step: Int, in memory: QuickAddMemory) {
    let index = (recalled ?? -1) + step
    guard index < memory.added.count else { return }
    if recalled == nil { typed = line.text }
    recalled = index < 0 ? nil : index
    line.text = index < 0 ? typed : memory.added[index]
  }

  func cancel(in state: inout AppState) { state.quickAddMemory.unfinished = line.text }

  /// What the line means.
  private func meaning(in state: AppState) -> QuickAddLine {
    QuickAddLine(
      line.text, parts: state.quickParts.subtracting(readsDates ? [] : [.due, .alarms]),
      lists: state.lists, in: state.time)
  }

  func accept(in state: inout AppState) -> [Effect] {
    let meaning = meaning(in: state)
    guard !meaning.title.isEmpty else {
      return state.refuse(Problem("A reminder needs a title."))
    }
    if meaning.list == nil, let list, !state.lists.contains(where: { $0.id == list.id }) {
      let other = state.listForNewReminder
      state.screens[top: QuickAdd.self]?.list = other
      return state.refuse(
        Problem(
          "The list \(state.appearance.glyphs.quoted(list.title)) was deleted.",
          hint: "\(state.keymap.keyName(of: .accept)) adds the reminder to "
            + "\(state.appearance.glyphs.quoted(other?.title ?? RemindersList.defaultTitle))."))
    }
    var draft = meaning.draft(in: state.listForNewReminder?.id)
    state.home.adopt(&draft, in: state.time)
    state.quickAddMemory.add(line.text)
    return state.leave(for: .add([draft]))
  }

  func surroundings(in state: AppState) -> LineSurroundings {
    let line = meaning(in: state)
    let glyphs = state.appearance.glyphs
    return LineSurroundings(
      columns: 72, title: "New reminder",
      note: (line.list ?? state.listForNewReminder)?.title ?? RemindersList.defaultTitle,
      placeholder: "Call the plumber fri 9am #home !!",
      explanation: line.title.isEmpty
        ? [StyledRun("A date, remind 10m before, #tags, !!! and @list are understood.", .dim)]
        : [StyledRun(glyphs.quoted(line.title))],
      details: line.title.isEmpty ? [] : details(of: line, in: state.time, glyphs),
      isExplainedApart: false)
  }

  /// How the line is understood besides the title, what matters most first: it may be cut.
  private func details(
    of line: QuickAddLine, in time: LocalTime, _ glyphs: GlyphSet
  ) -> [[StyledRun]] {
    var runs: [StyledRun] = line.isDone ? [StyledRun("done", .dim)] : []
    if let due = line.due {
      runs.append(StyledRun("due " + glyphs.adapted(due.fullText(in: time)), .dim))
    }
    if let rule = line.recurrence { runs.append(StyledRun(rule.text(in: time), .dim)) }
    if let list = line.list { runs.append(StyledRun("@\(list.title)", .dim)) }
    if let name = line.unknownList { runs.append(StyledRun("no list \(name)", .warning)) }
    if !line.alarms.isEmpty {
      runs.append(StyledRun("alarm \(Alarm.text(line.alarms, in: time))", .dim))
    }
    if let priority = line.priority { runs.append(StyledRun(priority.exclamationMarks, .priority)) }
    runs += line.tags.map { StyledRun("#\($0)", .tag) }
    return runs.map { [$0] }
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

extension AppState {
  mutating func toggleDateReading() -> [Effect] {
    screens[top: QuickAdd.self]?.readsDates.toggle()
    return []
  }

  /// What a line can say.
  fileprivate var quickParts: QuickAddLine.Parts { .all.known(to: schema) }

  /// The lists that a line can name.
  fileprivate var lists: [RemindersList] { home.sidebar?.lists.map(\.list) ?? [] }

  /// Several lines that are pasted where one is typed are reminders; says whether they are several.
  ///
  /// The first goes on with what was typed, which stays until the answer is yes.
  mutating func openAdd(pasted text: String, into prompt: QuickAdd) -> Bool {
    let lines = pastedLines(of: text)
    guard lines.count > 1 else { return false }
    guard prompt.goesOnWithPaste else {
      openAdd(pasted: text)
      return true
    }
    var typed = prompt.line
    typed.paste(lines[0])
    openAdd(pasted: ([typed.text] + lines.dropFirst()).joined(separator: "\n"))
    return true
  }

  private func pastedLines(of text: String) -> [String] {
    text.split(whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  /// What is pasted outside of a field becomes reminders, once the person has seen them.
  mutating func openAdd(pasted text: String) {
    let lines = pastedLines(of: text)
    guard lines.count > 1 else {
      screens.append(QuickAdd(text, in: listForNewReminder))
      return
    }
    let names = ListNames(self.lists)
    let meanings = lines.map { QuickAddLine($0, parts: quickParts, names: names, in: time) }
    let list = listForNewReminder?.id
    let drafts = meanings.map { meaning in
      var draft = meaning.draft(in: list)
      home.adopt(&draft, in: time)
      return draft
    }
    if let index = drafts.firstIndex(where: \.title.isEmpty) {
      return notify(Problem("A reminder needs a title: \(lines[index])"))
    }
    let unknown = Set(meanings.compactMap(\.unknownList)).inAlphabeticalOrder
    screens.append(
      ConfirmationScreen(
        title: "Add \(drafts.count) reminders?",
        text: Self.warning(ofLists: unknown) + "One for each line: \(lines[0])",
        answer: .add(drafts)))
  }
}

extension AppState {
  /// That there are no lists of these names, in a sentence; empty for none.
  private static func warning(ofLists names: [String]) -> String {
    switch names.count {
    case 0: ""
    case 1: "There is no list \(names[0]); the title keeps it. "
    default: "There are no lists \(names.joined(separator: ", ")); the titles keep them. "
    }
  }
}

extension HomeState {
  /// Gives a draft what makes it appear in the list that is shown: a new reminder in Today is due
  /// today, one in a tag carries the tag.
  fileprivate func adopt(_ draft: inout ReminderDraft, in time: LocalTime) {
    switch kind {
    case .today, .scheduled: draft.due = draft.due ?? .day(time.today)
    case .flagged: draft.isFlagged = true
    case .tags(let tags): draft.tags += tags.subtracting(draft.tags).inAlphabeticalOrder
    case .list, .all, .completed, .saved, nil: break
    }
  }
}
