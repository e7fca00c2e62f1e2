import RemindersCore
import RemindersTerminal

/// Looks back: what was done by day and week, by list and tag, and how much was overdue.
struct StatsScreen: ListScreen {
  fileprivate(set) var stats: Stats?
  /// The lines, each as wide as there is room.
  private(set) var lines: [[StyledRun]] = []
  var list = ListState<Int>()
  private var arranged: Arranged?

  /// What the lines were laid out for.
  private struct Arranged: Equatable {
    let stats: Stats
    let columns: Int
    let glyphs: GlyphSet
  }

  let contexts: [Context] = [.stats, .moving, .anywhere, .always]
  let hints: [Command.ID] = [.leaveStats, .search, .help]
  var place: String? { "Looking back" }

  func subscriptions(in state: AppState) -> [any Subscription] { [StatsQuery(time: state.day)] }

  mutating func arrange(in state: AppState) {
    guard let stats else { return }
    let body = state.layout.body.size
    let wanted = Arranged(
      stats: stats, columns: min(body.columns - 3, Layout.widestTable),
      glyphs: state.appearance.glyphs)
    if wanted != arranged {
      arranged = wanted
      lines = StatsLines(stats, in: state.time, wanted.glyphs).lines(columns: wanted.columns)
    }
    list.update(lines: Array(lines.indices), height: body.rows)
  }

  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    surface.fill(rect)
    return list.draw(
      on: &surface, in: rect, glyphs: state.appearance.glyphs, pointer: " ", light: nil
    ) { surface, index, line in
      surface.write(
        lines[index], at: line.origin.moved(columns: 2), width: line.size.columns - 3,
        ellipsis: state.appearance.glyphs.ellipsis)
    }
  }

  // There is nothing to choose: the keys scroll.
  mutating func move(_ move: CursorMove) {
    switch move {
    case .up: list.scroll(by: -1)
    case .down: list.scroll(by: 1)
    case .halfPageUp: list.scroll(by: -list.height / 2)
    case .halfPageDown: list.scroll(by: list.height / 2)
    case .pageUp: list.scroll(by: 1 - list.height)
    case .pageDown: list.scroll(by: list.height - 1)
    case .first: list.scroll(by: -lines.count)
    case .last: list.scroll(by: lines.count)
    }
    list.moveCursorIntoView()
  }

  mutating func click(_ point: Point, in state: AppState) -> Bool? { nil }
}

extension StatsQuery: ShownQuery {
  func show(_ stats: Stats, in state: inout AppState) {
    state.screens.update(StatsScreen.self) { $0.stats = stats }
  }

  /// No key is about a number.
  func isAwaited(in state: AppState) -> Bool { false }
}

extension Command {
  /// What can be done when looking back.
  static let statsCommands: [Command] = [
    Command(
      .openStats, .home, ["gb"], "Look back", hint: "look back",
      help: "Look back: what was done when, and how much was overdue.",
      perform: { $0.open(StatsScreen()) }),
    Command(
      .leaveStats, .stats, ["<esc>"], "Leave looking back", hint: "back",
      help: "Leave this screen.",
      perform: { $0.closeScreen() }),
  ]
}

extension Context {
  /// When looking back.
  static let stats = Context("Looking back")
}
