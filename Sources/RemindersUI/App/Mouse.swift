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
    switch screens.last {
    case .search: searchScreen?.list.scroll(by: step)
    case .sync: syncScreen?.scroll(by: step)
    case .deleted: deletedScreen?.list.scroll(by: step)
    case .help(var help):
      help.list.scroll(by: step)
      screens[screens.count - 1] = .help(help)
    case .choice, .imageBrowser, .tagPicker: return press(step < 0 ? .up : .down)
    case .history: historyScreen?.list.scroll(by: step)
    case .share: shareScreen?.scroll(by: step)
    default: break
    }
    return []
  }

  /// A click in the list of another screen; on what is selected it does what Enter does.
  private mutating func click(_ point: Point) -> [Effect] {
    guard var screen = screens.last else { return [] }
    let isCurrent = screen.click(point, self)
    screens[screens.count - 1] = screen
    return isCurrent == true ? press(.enter) : []
  }

  private mutating func handle(_ event: MouseEvent, atListRow row: Int) -> [Effect] {
    switch event.kind {
    case .wheelUp: home.lists.scroll(by: -Self.wheelStep)
    case .wheelDown: home.lists.scroll(by: Self.wheelStep)
    case .click:
      guard let item = home.lists.id(atRow: row) else { return [] }
      if home.focus == .lists, item == home.lists.selected { return perform(.openList) }
      home.lists.select(item)
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
      if home.focus == .reminders, id == home.reminders.selected { return perform(.editReminder) }
      home.reminders.select(id)
      return focus(.reminders)
    }
    return []
  }

  private static let wheelStep = 3
}

extension Screen {
  /// Selects what is at a point.
  ///
  /// - Returns: Whether that was selected already; nil when nothing is there.
  fileprivate mutating func click(_ point: Point, _ state: AppState) -> Bool? {
    let body = state.layout.body
    /// Lists reach down to the messages.
    func row(in height: Int) -> Int { point.row - (body.rowRange.upperBound - height) }
    let result: Bool?
    switch self {
    case .search(var search):
      result = search.list.click(row: row(in: search.list.height))
      if result != nil { search.isTyping = false }
      self = .search(search)
    case .deleted(var screen):
      result = screen.list.click(row: row(in: screen.list.height))
      self = .deleted(screen)
    case .history(var screen):
      result = screen.list.click(row: row(in: screen.list.height))
      self = .history(screen)
    case .help(var help):
      result = help.list.click(row: row(in: help.list.height))
      self = .help(help)
    case .share(var screen):
      result = screen.people.click(row: row(in: screen.people.height))
      self = .share(screen)
    case .sync(var screen):
      result = screen.click(point, in: state.syncArea)
      self = .sync(screen)
    case .choice(var choice):
      result = choice.click(point, in: body)
      self = .choice(choice)
    default: result = nil
    }
    return result
  }
}
