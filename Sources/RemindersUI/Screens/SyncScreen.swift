import Foundation
import Reminders
import SQLiteSync
import Terminal

/// Shows how synchronization stands, and below that its log, what waits, or the conflicts.
struct SyncScreen: Equatable, Sendable {
  /// What is shown below the status.
  enum Pane: Int, CaseIterable, Sendable {
    case log, waiting, conflicts
  }

  /// What is shown below the status.
  var pane = Pane.log
  /// How many lines lie below those of the log that are shown; 0 follows the log.
  private(set) var distance = 0
  /// What the database knows of what waits, and of conflicts.
  var details = SyncDetailsQuery.Value()
  /// The cursor among what waits, by number.
  private(set) var waiting = ListState<Int>()
  /// The cursor among the conflicts.
  private(set) var conflicts = ListState<HistoryEntry.ID>()

  /// Moves through the log.
  mutating func moveLog(_ move: ListState<Int>.Move, height: Int, lineCount: Int) {
    let most = max(0, lineCount - height)
    let step =
      switch move {
      case .up: 1
      case .down: -1
      case .halfPageUp: height / 2
      case .halfPageDown: -height / 2
      case .pageUp: height - 1
      case .pageDown: 1 - height
      case .first: most
      case .last: -most
      }
    distance = min(max(0, distance + step), most)
  }

  /// Moves through the other panes.
  mutating func move(_ move: CursorMove) {
    switch pane {
    case .log: break
    case .waiting: waiting.move(move.step())
    case .conflicts: conflicts.move(move.step())
    }
  }

  /// The wheel in the other panes.
  mutating func scroll(by step: Int) {
    switch pane {
    case .log: break
    case .waiting: waiting.scroll(by: step)
    case .conflicts: conflicts.scroll(by: step)
    }
  }

  mutating func arrange(height: Int) {
    waiting.update(lines: waitingLines.map(\.number), height: height)
    conflicts.update(lines: conflictLines.map(\.entry.id), height: height)
  }
}

extension Screen {
  /// The sync screen, if it is that.
  var syncScreen: SyncScreen? {
    if case .sync(let screen) = self { screen } else { nil }
  }
}

extension AppState {
  /// The sync screen, if it has the keys.
  var syncScreen: SyncScreen? {
    get { screens.last?.syncScreen }
    set {
      if let newValue { screens[screens.count - 1] = .sync(newValue) }
    }
  }

  mutating func show(_ pane: SyncScreen.Pane) -> [Effect] {
    syncScreen?.pane = pane
    return []
  }

  mutating func showNextPane() -> [Effect] {
    let all = SyncScreen.Pane.allCases
    guard let pane = syncScreen?.pane else { return [] }
    return show(all[(pane.rawValue + 1) % all.count])
  }

  /// Moves through the log of the sync screen, if that has the keys.
  mutating func moveLog(_ move: ListState<Int>.Move) {
    guard let sync else { return }
    let height = layout.body.size.rows - sync.statusLines(self).count - 1
    let lineCount = sync.lines(in: LocalTimeOfDay(timeZone: time.timeZone)).count
    syncScreen?.moveLog(move, height: height, lineCount: lineCount)
  }
}

extension SyncScreen {
  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    surface.fill(rect)
    guard let sync = state.sync else {
      surface.write(
        "There is no cloud: start with --cloud DIRECTORY to share and synchronize.",
        at: rect.origin.moved(columns: 1, rows: 1), width: rect.size.columns - 2)
      return rect.origin.moved(columns: 1, rows: 1)
    }
    let statusLines = sync.statusLines(state)
    for (row, runs) in statusLines.enumerated() {
      surface.write(
        runs, at: rect.origin.moved(columns: 1, rows: row), width: rect.size.columns - 2,
        ellipsis: state.appearance.glyphs.ellipsis)
    }
    let (rule, area) = rect.splitTop(statusLines.count).rest.splitTop(1)
    drawTabs(on: &surface, in: rule, state)
    switch pane {
    case .log:
      return drawLog(sync, on: &surface, in: area, state)
    case .waiting: return drawWaiting(on: &surface, in: area, state)
    case .conflicts: return drawConflicts(on: &surface, in: area, state)
    }
  }

  /// The names of the panes in a rule, with how much is in them.
  private func drawTabs(on surface: inout Surface, in rule: Rect, _ state: AppState) {
    let glyphs = state.appearance.glyphs
    surface.horizontalRule(at: rule.origin, columns: rule.size.columns, glyphs: glyphs)
    let counts = [
      "", " \(details.pending.count + details.waiting.count)", " \(details.conflicts.count)",
    ]
    let keys: [Command.ID] = [.showLog, .showWaiting, .showConflicts]
    let names = ["Log", "Waiting", "Conflicts"]
    var start = rule.origin.moved(columns: 2)
    for tab in Pane.allCases {
      let index = tab.rawValue
      let text = " \(state.keymap.keyName(of: keys[index])) \(names[index])\(counts[index]) "
      let mark = tab == pane ? " " + glyphs.pointer : ""
      start.column = surface.write(mark, at: start, role: .heading)
      start.column = surface.write(text, at: start, role: tab == pane ? .heading : .dim) + 2
    }
    guard pane == .log else { return }
    let note = distance == 0 ? " following " : " \(counted(distance, "line")) below "
    surface.write(
      note,
      at: rule.origin.moved(columns: rule.size.columns - TextWidth.columns(of: note) - 2),
      role: .dim)
  }

  /// - Returns: Where the newest line is that is seen.
  private func drawLog(
    _ sync: SyncState, on surface: inout Surface, in area: Rect, _ state: AppState
  ) -> Point {
    // A fact may name hundreds of records: no more is made text of than can be seen.
    let lines = sync.lines(
      in: LocalTimeOfDay(timeZone: state.time.timeZone), atLeast: distance + area.size.rows)
    let end = max(0, lines.count - distance)
    if lines.isEmpty { surface.write("Nothing happened yet.", at: area.origin.moved(columns: 1)) }
    let seen = lines[max(0, end - area.size.rows)..<end]
    for (row, line) in seen.enumerated() {
      surface.write(
        state.appearance.glyphs.adapted(line.text), at: area.origin.moved(columns: 1, rows: row),
        style: line.style,
        width: area.size.columns - 2, ellipsis: state.appearance.glyphs.ellipsis)
    }
    return area.origin.moved(columns: 1, rows: max(0, seen.count - 1))
  }
}
