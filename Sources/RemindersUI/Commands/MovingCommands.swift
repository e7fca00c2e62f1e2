import RemindersTerminal

extension Command {
  /// How the cursor moves, in every pane and screen.
  static let movingCommands: [Command] = [
    move(.cursorDown, ["j", "<down>"], .down, "Down", "Move down."),
    move(.cursorUp, ["k", "<up>"], .up, "Up", "Move up."),
    move(.halfPageDown, ["<c-d>"], .halfPageDown, "Half a page down", "Move half a page down."),
    move(.halfPageUp, ["<c-u>"], .halfPageUp, "Half a page up", "Move half a page up."),
    move(.pageDown, ["<pagedown>", "<c-f>"], .pageDown, "Page down", "Move a page down."),
    move(.pageUp, ["<pageup>", "<c-b>"], .pageUp, "Page up", "Move a page up."),
    move(.first, ["gg", "<home>"], .first, "First", "Move to the first."),
    move(.last, ["G", "<end>"], .last, "Last", "Move to the last."),
  ]

  private static func move(
    _ id: ID, _ keys: [String], _ move: CursorMove, _ title: String, _ help: String
  ) -> Command {
    Command(id, .moving, keys, title, hint: title.lowercased(), help: help) { state in
      state.moveCursor(move)
      return []
    }
  }
}

/// A step through a list of anything.
typealias CursorMove = ListState<Int>.Move

extension CursorMove {
  /// The same step in a list of something else.
  func step<Item>() -> ListState<Item>.Move {
    switch self {
    case .up: .up
    case .down: .down
    case .halfPageUp: .halfPageUp
    case .halfPageDown: .halfPageDown
    case .pageUp: .pageUp
    case .pageDown: .pageDown
    case .first: .first
    case .last: .last
    }
  }
}

extension AppState {
  mutating func moveCursor(_ move: CursorMove) {
    guard screens.isEmpty else { return screens[screens.count - 1].move(move) }
    switch home.focus {
    case .lists: home.lists.move(move.step())
    case .reminders: home.moveCursor(move.step())
    }
  }
}
