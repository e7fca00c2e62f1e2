import Foundation
import SQLiteSync
import Terminal

/// Shows how synchronization stands, and its log.
struct SyncScreen: Equatable, Sendable {
  /// How many lines lie below those that are shown; 0 follows the log.
  private(set) var distance = 0

  /// Moves through the log.
  mutating func move(_ move: ListState<Int>.Move, height: Int, lineCount: Int) {
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
}

extension SyncState {
  /// The log as lines of text.
  func lines(in time: LocalTimeOfDay) -> [StyledRun] {
    log.flatMap { entry in
      SyncLog.lines(for: entry.event).enumerated().map { index, line in
        index == 0
          ? StyledRun("\(time.text(entry.moment))  \(line)", entry.event.role)
          : StyledRun("          \(line)", entry.event.role)
      }
    }
  }
}

/// Turns moments into the time that the clock on the wall shows.
struct LocalTimeOfDay: Sendable {
  let timeZone: TimeZone

  /// `14:31:58`.
  func text(_ moment: Date) -> String {
    let seconds = Int(moment.timeIntervalSince1970.rounded(.down))
    let second = ((seconds + timeZone.secondsFromGMT(for: moment)) % 86_400 + 86_400) % 86_400
    return [second / 3600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
  }
}

extension SyncEvent {
  fileprivate var role: Role {
    switch self {
    case .failed, .quarantined: .error
    case .merged, .waiting, .runsElsewhere, .stopped: .warning
    case .sentRecordZoneChanges(_, _, let failed) where !failed.isEmpty: .warning
    default: .text
    }
  }
}

extension SyncScreen {
  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    surface.fill(rect)
    guard let sync = state.sync else {
      surface.write(
        "There is no cloud: start with --cloud DIRECTORY to share and synchronize.",
        at: rect.origin.moved(columns: 1, rows: 1), width: rect.size.columns - 2)
      return nil
    }
    let time = LocalTimeOfDay(timeZone: state.time.timeZone)
    let statusLines = sync.statusLines(time, state, width: rect.size.columns - 2)
    for (row, runs) in statusLines.enumerated() {
      surface.write(
        runs, at: rect.origin.moved(columns: 1, rows: row), width: rect.size.columns - 2,
        ellipsis: state.appearance.glyphs.ellipsis)
    }
    let below = rect.splitTop(statusLines.count).rest
    let (rule, area) = below.splitTop(1)
    let note = distance == 0 ? "following" : "\(counted(distance, "line")) below"
    surface.ruleWithTitle(rule, title: "Log", note: note, state.appearance.glyphs)
    let lines = sync.lines(in: time)
    let end = max(0, lines.count - distance)
    if lines.isEmpty { surface.write("Nothing happened yet.", at: area.origin.moved(columns: 1)) }
    for (row, line) in lines[max(0, end - area.size.rows)..<end].enumerated() {
      surface.write(
        state.appearance.glyphs.adapted(line.text), at: area.origin.moved(columns: 1, rows: row),
        style: line.style,
        width: area.size.columns - 2, ellipsis: state.appearance.glyphs.ellipsis)
    }
    return nil
  }
}

extension SyncState {
  fileprivate func statusLines(
    _ time: LocalTimeOfDay, _ state: AppState, width: Int
  ) -> [[StyledRun]] {
    func moment(_ milliseconds: Int64?) -> String {
      milliseconds.map { time.text(Date(timeIntervalSince1970: Double($0) / 1000)) } ?? "not yet"
    }
    func fact(_ label: String, _ value: String) -> [StyledRun] {
      [StyledRun(label + " ", .label), StyledRun(value + "    ")]
    }
    let summary = summary(state.appearance.glyphs)
    let first =
      [StyledRun(summary.text + "    ", summary.role)] + fact("account", account)
      + fact("cloud", place)
    let second =
      fact("to send", "\(pending)") + fact("waiting for a parent", "\(status.waiting)")
      + fact("quarantined", "\(status.quarantined)")
    let third =
      fact("last fetch", moment(status.lastFetch)) + fact("fetched", "\(status.fetched)")
      + fact("last send", moment(status.lastSend)) + fact("sent", "\(status.sent)")
    // What is wrong and what to do about it must be readable to the end.
    func lines(_ text: String?, _ role: Role) -> [[StyledRun]] {
      text.map { TextWidth.wrapped($0, to: width).map { [StyledRun($0, role)] } } ?? []
    }
    return [first] + lines(status.lastError, .error) + lines(status.hint, .dim)
      + [second, third]
  }
}

extension AppState {
  /// Moves through the log of the sync screen, if that has the keys.
  mutating func moveLog(_ move: ListState<Int>.Move) {
    guard case .sync(var screen) = screens.last, let sync else { return }
    let time = LocalTimeOfDay(timeZone: time.timeZone)
    screen.move(
      move,
      height: layout.body.size.rows
        - sync.statusLines(time, self, width: layout.body.size.columns - 2).count - 1,
      lineCount: sync.lines(in: time).count)
    screens[screens.count - 1] = .sync(screen)
  }

  /// The log as text, for the clipboard.
  var logText: String {
    let time = LocalTimeOfDay(timeZone: time.timeZone)
    return (sync?.lines(in: time) ?? []).map(\.text).joined(separator: "\n")
  }
}
