import Foundation
import RemindersCore
import RemindersTerminal
import SQLiteSync

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
    let places = screens.compactMap { $0.place }
    if places.isEmpty, layout.isNarrow, home.focus == .reminders, let kind = home.shown?.query.kind
    {
      return title(of: kind)
    }
    return (["Reminders"] + places).joined(separator: separator)
  }

  func headerFacts(isShort: Bool) -> [StyledRun] {
    let glyphs = appearance.glyphs
    let summary =
      sync?.summary(glyphs)
      ?? SyncSummary(text: isReadOnly ? "read only" : "no cloud", short: "", role: .dim)
    let sync = StyledRun(
      isShort ? summary.short : summary.text, Style(.titleBar, over: summary.role))
    guard !isShort else { return [sync] + invitationBadge(isShort: true) }
    let clock = [self.sync?.account, clockText].compactMap { $0 }
    return [sync] + invitationBadge(isShort: false)
      + [StyledRun(clock.map { " \(glyphs.separator) \($0)" }.joined(), .titleBar)]
  }

  /// How many invitations wait for an answer.
  private func invitationBadge(isShort: Bool) -> [StyledRun] {
    guard !invitations.isEmpty else { return [] }
    let text =
      isShort
      ? " +\(invitations.count)"
      : " \(appearance.glyphs.separator) \(counted(invitations.count, "invitation"))"
    return [StyledRun(text, Style(.titleBar, over: .incoming))]
  }

  /// `14:32 Sat 21 Nov`.
  private var clockText: String {
    let (day, minutes) = time.wallClock(at: time.now)
    return "\(time.localeFormat.text(ofClock: minutes)) \(time.localeFormat.text(of: day))"
  }

  // MARK: - Messages

  func drawMessage(on surface: inout Surface, in rect: Rect) {
    if let writing { return drawProgress(of: writing, on: &surface, in: rect) }
    guard let message else { return }
    let offer = offer(of: message)
    let role: Role =
      switch message.kind {
      case .done, .news, .due: .toast
      case .refused: .warning
      case .failed: .error
      }
    surface.fill(rect)
    for (row, line) in messageLines.enumerated() {
      surface.write(
        line, at: rect.origin.moved(columns: 1, rows: row), role: role,
        width: rect.size.columns - offer.columns - 3, ellipsis: appearance.glyphs.ellipsis)
    }
    surface.write(
      offer.runs, at: rect.origin.moved(columns: rect.size.columns - offer.columns - 1))
  }

  /// The command that a message names.
  private func offer(of message: Message) -> (runs: [StyledRun], columns: Int) {
    let runs = message.command.map { hintText([$0]) } ?? []
    return (runs, runs.reduce(0) { $0 + TextWidth.columns(of: $1.text) })
  }

  /// `Saving ████────  45 %`.
  private func drawProgress(of write: WriteProgress, on surface: inout Surface, in rect: Rect) {
    surface.fill(rect)
    let title = StyledRun("Saving ", .toast)
    let room = rect.size.columns - TextWidth.columns(of: title.text) - 2
    let bar = ProgressBar.runs(
      completed: write.completed, of: write.total, columns: min(Self.barColumns, room),
      glyphs: appearance.glyphs)
    surface.write([title] + bar, at: rect.origin.moved(columns: 1))
  }

  private static let barColumns = 40

  /// Where the message is: what went wrong, or is refused, can be read to its end, above its line
  /// if need be.
  var messageArea: Rect {
    let (upper, _) = Rect(size: size).splitBottom(1)
    return upper.splitBottom(max(1, messageLines.count)).bottom
  }

  private var messageLines: [String] {
    guard let message, writing == nil else { return [] }
    let text = appearance.glyphs.adapted(
      (message.kind == .failed ? "\(appearance.glyphs.cross) " : "") + message.text)
    guard [.failed, .refused].contains(message.kind) else { return [text] }
    let room = size.columns - offer(of: message).columns - 3
    return TextWidth.wrapped(text, to: room, atMost: max(1, size.rows - 2))
  }

  // MARK: - Hints

  func drawFooter(on surface: inout Surface, in rect: Rect) {
    surface.write(hintText(footerHints), at: rect.origin.moved(columns: 1))
    guard let corner = cornerText else { return }
    let columns = TextWidth.columns(of: corner) + 2
    surface.write(
      " \(corner) ", at: rect.origin.moved(columns: rect.size.columns - columns), role: .hintKey)
  }

  /// What stands in the corner: the keys that wait, or the number that was typed.
  private var cornerText: String? {
    guard let waitingKeys else { return count.map { "\($0)" } }
    let labels = waitingKeys.map { appearance.glyphs.adapted($0.label) }
    return ([appearance.glyphs.ellipsis] + labels).joined(separator: " ")
  }

  /// How many of the keys that wait are shown, the last ones.
  static let shownKeys = 5

  /// The command whose hint is in a column of the footer.
  func hint(atColumn column: Int) -> Command.ID? { hint(atColumn: column - 1, of: footerHints) }

  /// The command whose hint is in a column, of hints beside each other.
  func hint(atColumn column: Int, of ids: [Command.ID]) -> Command.ID? {
    var start = 0
    return ids.first { id in
      let end = start + hintText([id]).reduce(0) { $0 + TextWidth.columns(of: $1.text) }
      defer { start = end + 2 }
      return (start..<end).contains(column)
    }
  }

  /// The hints that there is room for.
  private var footerHints: [Command.ID] {
    func columns(_ id: Command.ID) -> Int {
      hintText([id]).reduce(2) { $0 + TextWidth.columns(of: $1.text) }
    }
    let possible = hints.map { Command.named($0) }.filter {
      schema.has($0.id) && $0.disabledReason(self) == nil
    }.map(\.id)
    // The way to all other commands is always there, however little room there is.
    let lasting = possible.filter { [.help, .helpInText, .quit].contains($0) }
    var room = size.columns - lasting.reduce(0) { $0 + columns($1) }
    var shown = Set(lasting)
    for id in possible where !shown.contains(id) {
      guard columns(id) <= room else { break }
      room -= columns(id)
      shown.insert(id)
    }
    return possible.filter(shown.contains)
  }

  /// Keys with what they do, for commands that are possible now.
  func hintText(_ ids: [Command.ID]) -> [StyledRun] {
    let hints = ids.map { id in
      [
        StyledRun(appearance.glyphs.adapted(keymap.keyName(of: id)), .hintKey),
        StyledRun(" " + Command.named(id).hint(self), .hintText),
      ]
    }
    return Array(hints.joined(separator: [StyledRun("  ")]))
  }

  /// The commands that the footer names, the most useful first.
  private var hints: [Command.ID] { screens.last?.hints ?? homeHints }

  private var homeHints: [Command.ID] {
    if home.isEmpty { return [.addReminder, .addList, .addSampleData, .palette, .help, .quit] }
    let last: [Command.ID] = [.search, .openSync, .palette, .help, .quit]
    if home.focus == .lists {
      return [.openList, .addReminder, .addList, .editList, .deleteList, .openShare] + last
    }
    if home.kind == .completed, !home.rows.isEmpty {
      return [.toggleDone, .clearCompleted, .editReminder, .deleteReminder] + last
    }
    if !home.selection.isEmpty {
      return [
        .deselectAll, .toggleDone, .deleteReminder, .toggleFlag, .pickTags, .setDue, .moveToList,
      ]
        + last
    }
    return (layout.isNarrow ? [.leftPane] : [])
      + [.addReminder, .editReminder, .toggleDone, .deleteReminder, .toggleFlag, .pickTags] + last
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
    let waiting = pending > 0 ? "\(glyphs.outgoing) \(pending) to send" : nil
    let shortWaiting = pending > 0 ? "\(glyphs.outgoing)\(pending)" : ""
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
    case .fetching:
      return summary("\(glyphs.incoming) fetching" + progressText(glyphs), .incoming)
    case .sending:
      return summary(
        "\(glyphs.outgoing) sending \(pending)" + progressText(glyphs), .pendingSend,
        prefixed: false)
    case .backingOff: return summary("\(glyphs.cross) cloud unreachable", .error)
    case .elsewhere: return summary("synced by another window", .dim)
    case .signedOut: return summary("signed out", .warning)
    case .accountChanged: return summary("\(glyphs.cross) another cloud", .error)
    case .idle:
      guard let waiting else { return summary("\(glyphs.check) in sync", .success) }
      return summary(waiting, .pendingSend, prefixed: false)
    }
  }

  /// How far a long fetch or send is: ` · 45 %`.
  private func progressText(_ glyphs: GlyphSet) -> String {
    status.progress.map { " \(glyphs.separator) \(Int($0.fraction * 100)) %" } ?? ""
  }
}
