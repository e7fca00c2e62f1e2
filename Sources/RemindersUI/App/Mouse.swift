import Terminal

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
      return handle(event, atReminderRow: event.position.row - layout.lines.origin.row)
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

  /// A click in the list of another screen; on what is selected it does what Enter does.
  private mutating func click(_ point: Point) -> [Effect] {
    let state = self
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

  private mutating func handle(_ event: MouseEvent, atReminderRow row: Int) -> [Effect] {
    switch event.kind {
    case .wheelUp: home.reminders.scroll(by: -Self.wheelStep)
    case .wheelDown: home.reminders.scroll(by: Self.wheelStep)
    case .click:
      guard let id = home.reminders.id(atRow: row) else { return [] }
      if home.focus == .reminders, id == home.reminders.current { return perform(.editReminder) }
      home.reminders.moveCursor(to: id)
      return focus(.reminders)
    }
    return []
  }

  private static let wheelStep = 3
}
