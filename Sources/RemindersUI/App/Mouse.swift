import RemindersCore
import RemindersTerminal

extension AppState {
  /// A click selects, and opens what is selected; the wheel scrolls and leaves the cursor.
  mutating func handle(_ event: MouseEvent) -> [Effect] {
    let layout = layout
    if event.kind == .click, let command = command(at: event.position) { return perform(command) }
    guard screens.isEmpty else {
      return event.kind == .click ? click(event.position) : scroll(event)
    }
    if let rect = layout.lists, rect.contains(event.position) {
      return handle(event, atListRow: event.position.row - rect.origin.row)
    }
    if let rect = layout.reminders, rect.contains(event.position) {
      return handle(event, inReminders: layout.lines)
    }
    return []
  }

  /// The wheel in lists of other screens.
  private mutating func scroll(_ event: MouseEvent) -> [Effect] {
    let step: Int
    switch event.kind {
    case .wheelUp: step = -Self.wheelStep
    case .wheelDown: step = Self.wheelStep
    case .click: return []
    }
    let state = self
    screens[screens.count - 1].scroll(by: step, in: state)
    return []
  }

  /// A click in the list of another screen, where it does on what is selected what Enter does; or
  /// in a form, where it leaves no field that makes no sense.
  private mutating func click(_ point: Point) -> [Effect] {
    let state = self
    if let form = screens.last as? any Form, form.isInOtherField(point, in: state),
      let problem = form.problem(in: time)
    {
      return refuse(problem)
    }
    let isCurrent = screens[screens.count - 1].click(point, in: state)
    return isCurrent == true ? press(.enter) : []
  }

  private mutating func handle(_ event: MouseEvent, atListRow row: Int) -> [Effect] {
    switch event.kind {
    case .wheelUp: home.lists.scroll(by: -Self.wheelStep)
    case .wheelDown: home.lists.scroll(by: Self.wheelStep)
    case .click:
      guard let item = home.lists.id(atRow: row) else { return [] }
      if home.focus == .lists, item == home.lists.current { return perform(.openList) }
      home.lists.moveCursor(to: item)
      return focus(.lists)
    }
    return []
  }

  private mutating func handle(_ event: MouseEvent, inReminders area: Rect) -> [Effect] {
    let row = event.position.row - area.origin.row
    switch event.kind {
    case .wheelUp: home.reminders.scroll(by: -Self.wheelStep)
    case .wheelDown: home.reminders.scroll(by: Self.wheelStep)
    case .click:
      guard let id = home.reminders.id(atRow: row) else { return [] }
      if isStatusSign(of: id, at: event.position, in: area) { return toggleDone(byClickOn: id) }
      if home.focus == .reminders, id == home.reminders.current { return perform(.editReminder) }
      home.reminders.moveCursor(to: id)
      return focus(.reminders)
    }
    return []
  }

  /// Whether a point is on the sign that says whether a reminder is done.
  private func isStatusSign(of id: Reminder.ID, at point: Point, in area: Rect) -> Bool {
    guard let shown = home.shown, home.reminders.row(of: id) == point.row - area.origin.row else {
      return false
    }
    return rowColumns(of: shown, in: area).status.contains(point.column - area.origin.column)
  }

  /// Completes what was clicked on; the others that are selected only if it is one of them.
  private mutating func toggleDone(byClickOn id: Reminder.ID) -> [Effect] {
    if !home.selection.contains(id) { home.selection.ids = [] }
    home.reminders.moveCursor(to: id)
    return focus(.reminders) + perform(.toggleDone)
  }

  private static let wheelStep = 3
}
