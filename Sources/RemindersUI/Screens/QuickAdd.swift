import Foundation
import Reminders
import Terminal

/// One line in which a new reminder is typed, with its date, tags and priority.
struct QuickAdd: LinePrompt {
  var line: TextField
  /// Whether words at the end may be the due date.
  var readsDates = true
  let acceptHint = "add"

  let contexts: [Context] = [.quickAdd, .prompt, .always]
  let hints: [Command.ID] = [.accept, .cancel, .ignoreDate, .helpInText]

  init(_ text: String = "") {
    line = TextField(text)
  }

  /// What the line means.
  private func meaning(in state: AppState) -> QuickLine {
    QuickLine(
      line.text, parts: readsDates ? .all : .all.subtracting(.due), lists: state.lists,
      in: state.time)
  }

  func accept(in state: inout AppState) -> [Effect] {
    let meaning = meaning(in: state)
    guard !meaning.title.isEmpty else {
      return state.refuse(Problem("A reminder needs a title."))
    }
    var draft = ReminderDraft(
      title: meaning.title, due: meaning.due, priority: meaning.priority,
      listID: (meaning.list ?? state.listForNewReminder)?.id, tags: meaning.tags)
    state.home.adopt(&draft, in: state.time)
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
    let line = meaning(in: state)
    guard !line.title.isEmpty else {
      return [StyledRun("A date, #tags, !!! and @list are understood.", .dim)]
    }
    var runs = [StyledRun(state.appearance.glyphs.quoted(line.title))]
    if let due = line.due {
      let text = state.appearance.glyphs.adapted(due.fullText(in: state.time))
      runs.append(StyledRun("  due " + text, .dim))
    }
    if let priority = line.priority { runs.append(StyledRun("  \(priority.marks)", .priority)) }
    runs += line.tags.map { StyledRun("  #\($0)", .tag) }
    if let list = line.list { runs.append(StyledRun("  @\(list.title)", .dim)) }
    return runs
  }
}

extension AppState {
  mutating func toggleDateReading() -> [Effect] {
    screens[top: QuickAdd.self]?.readsDates.toggle()
    return []
  }

  /// The lists that a line can name.
  fileprivate var lists: [RemindersList] { home.sidebar?.lists.map(\.list) ?? [] }

  /// What is pasted outside of a field becomes reminders, once the person has seen them.
  mutating func openAdd(pasted text: String) {
    let lines = text.split(whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    guard lines.count > 1 else {
      screens.append(QuickAdd(text))
      return
    }
    let drafts = lines.map { line in
      let meaning = QuickLine(line, lists: self.lists, in: time)
      var draft = ReminderDraft(
        title: meaning.title.isEmpty ? line : meaning.title, due: meaning.due,
        priority: meaning.priority, listID: (meaning.list ?? listForNewReminder)?.id,
        tags: meaning.tags)
      home.adopt(&draft, in: time)
      return draft
    }
    screens.append(
      Question(
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
