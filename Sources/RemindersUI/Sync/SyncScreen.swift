import Foundation
import RemindersCore
import RemindersTerminal
import SQLiteSync

/// Shows the sync status, and below it the log, the pending changes or the conflicts.
struct SyncScreen: HistoryEntryScreen {
  /// What is shown below the status.
  enum Pane: Int, CaseIterable, Sendable {
    case log, waiting, conflicts
  }

  /// What is shown below the status.
  var pane = Pane.log
  var log = SyncLogPane()
  /// The pending changes and the conflicts, as the database has them.
  var details = SyncDetailsQuery.Value()
  /// The cursor among the pending changes, by number.
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
      case .conflicts: [.historyEntries]
      }
    return particular + [.sync, .moving, .anywhere, .always]
  }

  var hints: [Command.ID] {
    switch pane {
    case .log where log.isTyping: [.keepLogWords, .dropLogWords, .helpInText]
    case .log:
      [.nextLogFilter, .findInLog, .nextSyncPane, .toggleSync, .syncNow, .leaveSync, .copyLog]
        + [.saveLog, .openAccount, .help]
    case .waiting: [.nextSyncPane, .syncNow, .toggleSync, .leaveSync, .openAccount, .help]
    case .conflicts: [.restore, .nextSyncPane, .syncNow, .toggleSync, .leaveSync, .help]
    }
  }

  var isFullPage: Bool { true }
  var place: String? { "Sync" }
  var currentEntry: HistoryEntry.ID? { pane == .conflicts ? conflicts.current : nil }

  func subscriptions(in state: AppState) -> [any Subscription] {
    // What the records are called that the log on the screen names.
    let records = pane == .log ? log.recordsToName(in: state.sync?.log ?? []) : []
    return records.isEmpty
      ? [SyncDetailsQuery()] : [SyncDetailsQuery(), RecordTitlesQuery(records)]
  }

  mutating func type(_ key: Key, in state: AppState) {
    if log.isTyping { log.field.handle(key) }
  }

  mutating func paste(_ text: String, in state: AppState) {
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

  mutating func click(_ point: Point, in state: AppState) -> Bool? {
    let area = state.syncArea
    let row = point.row - area.origin.row
    switch pane {
    case .log: return log.click(row: point.row - log.lineArea(in: area).origin.row)
    case .waiting: return waiting.click(row: row)
    case .conflicts: return conflicts.click(row: row)
    }
  }

  mutating func scroll(by step: Int, in state: AppState) {
    switch pane {
    case .log: log.scroll(by: step)
    case .waiting: waiting.scroll(by: step)
    case .conflicts: conflicts.scroll(by: step)
    }
  }

  mutating func arrange(in state: AppState) {
    let area = state.syncArea
    switch pane {
    case .log: log.arrange(state.sync?.log ?? [], height: log.lineArea(in: area).size.rows)
    case .waiting:
      let look = Look(state, columns: area.size.columns)
      waiting.update(lines: waitingLines(look).map(\.number), height: area.size.rows)
    case .conflicts:
      conflicts.update(lines: conflictLines.map(\.entry.id), height: area.size.rows)
    }
  }
}

extension AppState {
  /// The sync screen, if it has the keys.
  var syncScreen: SyncScreen? {
    get { screens[top: SyncScreen.self] }
    set { screens[top: SyncScreen.self] = newValue }
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
}

extension SyncDetailsQuery: ShownQuery {
  func show(_ details: Value, in state: inout AppState) {
    state.screens.update(SyncScreen.self) { $0.details = details }
  }

  func isAwaited(in state: AppState) -> Bool { false }
}

extension RecordTitlesQuery: ShownQuery {
  func show(_ titles: Value, in state: inout AppState) {
    state.screens.update(SyncScreen.self) { $0.log.receive(titles) }
  }

  func isAwaited(in state: AppState) -> Bool { false }
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

  /// What the tabs say: with their names, or where there is no room for all, only that of the
  /// current one.
  private func tabs(areShort: Bool, _ state: AppState) -> [String] {
    let counts = [
      "", " \(details.pending.count + details.waiting.count)", " \(details.conflicts.count)",
    ]
    let keys: [Command.ID] = [.showLog, .showWaiting, .showConflicts]
    let names = ["Log", "Pending", "Conflicts"]
    return Pane.allCases.map { tab in
      let key = state.keymap.keyName(of: keys[tab.rawValue])
      guard !areShort || tab == pane else { return " \(key) " }
      return " \(key) \(names[tab.rawValue])\(counts[tab.rawValue]) "
    }
  }

  private func tabs(fitting columns: Int, _ state: AppState) -> [String] {
    let all = tabs(areShort: false, state)
    // Beside each is a gap, and before the current one its pointer.
    let taken = all.reduce(2) { $0 + TextWidth.columns(of: $1) + 2 }
    return taken <= columns ? all : tabs(areShort: true, state)
  }

  /// The names of the panes in a rule, with how much is in them.
  private func drawTabs(on surface: inout Surface, in rule: Rect, _ state: AppState) {
    let glyphs = state.appearance.glyphs
    surface.horizontalRule(at: rule.origin, columns: rule.size.columns, glyphs: glyphs)
    let tabs = tabs(fitting: rule.size.columns - 4, state)
    var start = rule.origin.moved(columns: 2)
    for (tab, text) in zip(Pane.allCases, tabs) {
      let pointer = tab == pane ? " " + glyphs.pointer : ""
      start.column = surface.write(pointer, at: start, role: .heading)
      start.column = surface.write(text, at: start, role: tab == pane ? .heading : .dim) + 2
    }
    guard pane == .log else { return }
    let note = log.note(columns: rule.columnRange.upperBound - start.column - 6)
    let noteStart = rule.columnRange.upperBound - TextWidth.columns(of: note) - 4
    guard noteStart > start.column else { return }
    surface.write(" \(note) ", at: Point(column: noteStart, row: rule.origin.row), role: .dim)
  }
}
