import Foundation
import Reminders
import SQLiteSync
import Terminal

// The lines around every screen: where one is, how synchronization stands, messages and hints.

extension AppState {
  func drawHeader(on surface: inout Surface, in rect: Rect) {
    surface.fill(rect, style: Style(.titleBar))
    let facts = headerFacts(isShort: layout.isNarrow)
    let factColumns = facts.reduce(0) { $0 + TextWidth.columns(of: $1.text) }
    surface.write(
      path, at: rect.origin.moved(columns: 1), style: Style(.titleBar, attributes: .bold),
      width: rect.size.columns - factColumns - 3, ellipsis: appearance.glyphs.ellipsis)
    surface.write(
      facts, at: rect.origin.moved(columns: rect.size.columns - factColumns - 1))
  }

  /// Where one is.
  private var path: String {
    let separator = " \(appearance.glyphs.pathSeparator) "
    let places = screens.compactMap(\.title)
    if places.isEmpty, layout.isNarrow, home.focus == .reminders, let kind = home.shown?.query.kind {
      return title(of: kind)
    }
    return (["Reminders"] + places).joined(separator: separator)
  }

  private func headerFacts(isShort: Bool) -> [StyledRun] {
    let glyphs = appearance.glyphs
    let summary = sync?.summary(glyphs) ?? SyncSummary(text: "no cloud", short: "", role: .dim)
    let sync = StyledRun(isShort ? summary.short : summary.text, Style(.titleBar, over: summary.role))
    guard !isShort else { return [sync] }
    let clock = [self.sync?.account, clockText].compactMap { $0 }
    return [sync, StyledRun(clock.map { " \(glyphs.separator) \($0)" }.joined(), .titleBar)]
  }

  /// `14:32 Sat 21 Nov`.
  private var clockText: String {
    let (day, minutes) = time.wallClock(at: time.now)
    return "\(twoDigits(minutes / 60)):\(twoDigits(minutes % 60)) \(day.shortText)"
  }

  // MARK: - Messages

  func drawMessage(on surface: inout Surface, in rect: Rect) {
    guard let message else { return }
    let offer = message.command.map { hintText([$0]) } ?? []
    let offerColumns = offer.reduce(0) { $0 + TextWidth.columns(of: $1.text) }
    let (text, role): (String, Role) =
      switch message.kind {
      case .done: (message.text, .toast)
      case .refused: (message.text, .warning)
      case .failed: ("\(appearance.glyphs.cross) \(message.text)", .error)
      }
    surface.write(
      text, at: rect.origin.moved(columns: 1), role: role,
      width: rect.size.columns - offerColumns - 3, ellipsis: appearance.glyphs.ellipsis)
    surface.write(offer, at: rect.origin.moved(columns: rect.size.columns - offerColumns - 1))
  }

  // MARK: - Hints

  func drawFooter(on surface: inout Surface, in rect: Rect) {
    var point = rect.origin.moved(columns: 1)
    let room = rect.size.columns - 1
    for id in hints where Command.named(id).disabledReason(self) == nil {
      let runs = hintText([id])
      let columns = runs.reduce(0) { $0 + TextWidth.columns(of: $1.text) }
      if point.column + columns > room { continue }
      point.column = surface.write(runs, at: point) + 2
    }
  }

  /// Keys with what they do, for commands that are possible now.
  func hintText(_ ids: [Command.ID]) -> [StyledRun] {
    let hints = ids.map { id in
      [
        StyledRun(keymap.keyName(of: id), .hintKey),
        StyledRun(" " + Command.named(id).hint, .hintText),
      ]
    }
    return Array(hints.joined(separator: [StyledRun("  ")]))
  }

  /// The commands that the footer names, the most useful first.
  private var hints: [Command.ID] {
    switch screens.last {
    case .quickAdd: [.accept, .cancel, .ignoreDate, .helpInText]
    case .duePrompt: [.accept, .cancel, .dayLater, .dayEarlier, .today, .clearDue, .helpInText]
    case .tagPicker: [.accept, .cancel, .toggleTag, .helpInText]
    case .choice, .tagForm, .help: [.accept, .cancel]
    case .question: [.answerYes, .answerNo]
    case .reminderForm(let form):
      [.save, .cancelForm, .nextField, .previousField]
        + (form.focus == .notes ? [.editInEditor] : []) + [.takeTheirs, .helpInText]
    case .listForm: [.save, .cancelForm, .nextField, .helpInText]
    case .search(let search):
      search.isTyping
        ? [.showHits, .leaveSearchField, .helpInText]
        : [.editReminder, .toggleDone, .showCompletedHits, .search, .leaveSearch, .help]
    case .sync: [.syncNow, .toggleSync, .copyLog, .leaveSync, .help]
    case nil: homeHints
    }
  }

  private var homeHints: [Command.ID] {
    if home.isEmpty { return [.addReminder, .addList, .addSampleData, .palette, .help, .quit] }
    let last: [Command.ID] = [.search, .openSync, .palette, .help, .quit]
    if home.focus == .lists {
      return [.openList, .addReminder, .addList, .editList, .deleteList] + last
    }
    if !home.marks.isEmpty {
      return [.dropMarks, .toggleDone, .deleteReminder, .toggleFlag, .pickTags, .setDue, .moveToList]
        + last
    }
    return [
      .addReminder, .editReminder, .toggleDone, .deleteReminder, .toggleFlag, .pickTags, .setDue,
    ] + (layout.isNarrow ? [.leftPane] : []) + last
  }
}

/// How synchronization stands, in a word.
struct SyncSummary: Equatable, Sendable {
  let text: String
  /// The same where there is little room.
  let short: String
  let role: Role
}

extension SyncState {
  /// What the header says.
  func summary(_ glyphs: GlyphSet) -> SyncSummary {
    let waiting = status.pending > 0 ? "\(glyphs.outgoing) \(status.pending) to send" : nil
    let shortWaiting = status.pending > 0 ? "\(glyphs.outgoing)\(status.pending)" : ""
    func summary(_ text: String, _ role: Role, prefixed: Bool = true) -> SyncSummary {
      let parts = [prefixed ? waiting : nil, text].compactMap { $0 }
      return SyncSummary(
        text: parts.joined(separator: " \(glyphs.separator) "),
        short: role == .success ? glyphs.check : role == .pendingSend ? shortWaiting : text,
        role: role)
    }
    if status.phase == .stopped { return summary("sync stopped", .warning) }
    if status.lastError != nil { return summary("\(glyphs.cross) sync error", .error) }
    switch status.phase {
    case .stopped: return summary("sync stopped", .warning)
    case .starting: return summary("starting sync", .dim)
    case .fetching: return summary("\(glyphs.incoming) fetching", .incoming)
    case .sending:
      return summary("\(glyphs.outgoing) sending \(status.pending)", .pendingSend, prefixed: false)
    case .backingOff: return summary("\(glyphs.cross) cloud unreachable", .error)
    case .elsewhere: return summary("synced by another window", .dim)
    case .idle:
      guard let waiting else { return summary("\(glyphs.check) in sync", .success) }
      return summary(waiting, .pendingSend, prefixed: false)
    }
  }
}
