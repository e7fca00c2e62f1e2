import RemindersCore

extension Command {
  /// What can be done in the agenda, besides what can be done with reminders.
  static let agendaCommands: [Command] = [
    Command(
      .openAgenda, .home, ["gA"], "Go to the agenda", hint: "agenda",
      help: "Show what is due day by day, beside a month.",
      perform: { $0.open(AgendaScreen()) }),
    Command(
      .openEntry, .agenda, ["<enter>"], "Open", hint: "open",
      help: "Edit the reminder, or the one that comes again on this day.",
      unless: { $0.agendaScreen?.current == nil ? "There is no reminder here." : nil },
      perform: { state in state.agendaScreen?.current.map { state.openForm(of: $0.row) } ?? [] }),
    Command(
      .laterDay, .agenda, ["J"], "A day later", hint: "day later",
      help: "Move the reminder to the next day; what is overdue, to today.",
      unless: needsWritableReminder, perform: { $0.moveEntry(by: 1) }),
    Command(
      .earlierDay, .agenda, ["K"], "A day earlier", hint: "day earlier",
      help: "Move the reminder to the day before.",
      unless: needsWritableReminder, perform: { $0.moveEntry(by: -1) }),
    Command(
      .laterMonth, .agenda, ["]"], "Next month", hint: "next month", help: "Show the next month.",
      perform: { $0.showMonth(by: 1) }),
    Command(
      .earlierMonth, .agenda, ["["], "Month before", hint: "month before",
      help: "Show the month before.", perform: { $0.showMonth(by: -1) }),
    Command(
      .thisMonth, .agenda, ["gt"], "Today", hint: "today", help: "Show today and what is overdue.",
      perform: { state in
        state.agendaScreen?.showToday()
        return []
      }),
    Command(
      .leaveAgenda, .agenda, ["<esc>"], "Leave the agenda", hint: "back",
      help: "Leave the agenda.", perform: { $0.closeScreen() }),
  ]
}

extension AppState {
  fileprivate mutating func showMonth(by step: Int) -> [Effect] {
    let time = time
    agendaScreen?.showMonth(by: step, in: time)
    return []
  }

  /// Moves the reminder under the cursor to another day, at the same time of it.
  fileprivate func moveEntry(by step: Int) -> [Effect] {
    guard let entry = agendaScreen?.current, let row = targets.row else { return [] }
    let day = entry.due.day(in: time)
    let isLate = step > 0 && day < time.today
    let due = entry.due.moved(to: isLate ? time.today : day.adding(days: step), in: time)
    return [.write(.edit([row.id], [.set(\.due, due)]))]
  }
}
