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
  var log = SyncLogPane()
  /// What the database knows of what waits, and of conflicts.
  var details = SyncDetailsQuery.Value()
  /// The cursor among what waits, by number.
  private(set) var waiting = ListState<Int>()
  /// The cursor among the conflicts.
  private(set) var conflicts = ListState<HistoryEntry.ID>()

  /// Where keys are listened to, the most particular place first.
  var contexts: [Context] {
    if pane == .log, log.isTyping { return [.syncLogField, .always] }
    let particular: [Context] =
      switch pane {
      case .log: [.syncLog]
      case .waiting: []
      case .conflicts: [.losses]
      }
    return particular + [.sync, .moving, .anywhere, .always]
  }

  mutating func type(_ key: Key) {
    if log.isTyping { log.field.handle(key) }
  }

  mutating func paste(_ text: String) {
    guard pane == .log else { return }
    log.isTyping = true
    log.field.paste(text)
  }

  mutating func move(_ move: CursorMove) {
    switch pane {
    case .log: log.move(move)
    case .waiting: waiting.move(move.step())
    case .conflicts: conflicts.move(move.step())
    }
  }

  /// Selects what is at a point; returns whether that was selected already.
  mutating func click(_ point: Point, in area: Rect) -> Bool? {
    let row = point.row - area.origin.row
    switch pane {
    case .log: return log.click(row: point.row - log.lineArea(in: area).origin.row)
    case .waiting: return waiting.click(row: row)
    case .conflicts: return conflicts.click(row: row)
    }
  }

  /// The wheel.
  mutating func scroll(by step: Int) {
    switch pane {
    case .log: log.scroll(by: step)
    case .waiting: waiting.scroll(by: step)
    case .conflicts: conflicts.scroll(by: step)
    }
  }

  /// Lays out the pane that is shown.
  ///
  /// - Parameter area: What is below the status and the names of the panes.
  mutating func arrange(_ area: Rect, _ lines: [SyncState.LogLine], _ look: Look) {
    switch pane {
    case .log: log.arrange(lines, height: log.lineArea(in: area).size.rows)
    case .waiting:
      waiting.update(lines: waitingLines(look).map(\.number), height: area.size.rows)
    case .conflicts:
      conflicts.update(lines: conflictLines.map(\.entry.id), height: area.size.rows)
    }
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

  /// What the records are called that the log on the screen names.
  func recordTitles(for screen: SyncScreen) -> RecordTitlesQuery? {
    guard screen.pane == .log else { return nil }
    let records = screen.log.recordsToName(in: sync?.log ?? [])
    return records.isEmpty ? nil : RecordTitlesQuery(records)
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
    case .log: return log.draw(on: &surface, in: area, state)
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
    let note = log.note(columns: rule.columnRange.upperBound - start.column - 6)
    surface.write(
      " \(note) ",
      at: rule.origin.moved(columns: rule.size.columns - TextWidth.columns(of: note) - 4),
      role: .dim)
  }
}
