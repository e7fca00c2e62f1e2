import Foundation
import RemindersCore
import RemindersTerminal

// The panes of the sync screen with pending changes and with conflicts.

extension SyncScreen {
  /// One line of the pending changes; an item with a reason takes two.
  struct WaitingLine: Equatable, Sendable {
    /// The number of the item.
    let number: Int
    let run: StyledRun
  }

  /// What the cloud does not have yet, and then what has no row yet.
  func waitingLines(_ look: Look) -> [WaitingLine] {
    let items = details.pending.map { $0.lines(look) } + details.waiting.map { $0.lines(look) }
    return items.enumerated().flatMap { number, lines in
      lines.map { WaitingLine(number: number, run: $0) }
    }
  }

  /// What the lines depend on besides the items.
  struct Look {
    let glyphs: GlyphSet
    let time: LocalTime
    let columns: Int

    /// A reason, readable to its end.
    func reason(_ text: String, _ role: Role) -> [StyledRun] {
      TextWidth.wrapped(glyphs.adapted(text), to: columns - 2).map { StyledRun("  " + $0, role) }
    }
  }

  func drawWaiting(on surface: inout Surface, in area: Rect, _ state: AppState) -> Point? {
    let glyphs = state.appearance.glyphs
    let lines = waitingLines(Look(state, columns: area.size.columns))
    if lines.isEmpty {
      surface.write(
        "Nothing is pending: the cloud has every edit, and every record has its row.",
        at: area.origin.moved(columns: 1), role: .dim, width: area.size.columns - 2,
        ellipsis: glyphs.ellipsis)
    }
    return waiting.draw(on: &surface, in: area, glyphs: glyphs) { surface, index, rect in
      surface.write(
        [lines[index].run], at: rect.origin.moved(columns: 3),
        width: rect.size.columns - 4, ellipsis: glyphs.ellipsis)
    }
  }

  // MARK: - Conflicts

  /// One line of a conflict: what it is about, what was kept, what was not.
  struct ConflictLine: Equatable, Sendable {
    enum Part: CaseIterable, Sendable {
      case subject, kept, lost
    }

    let entry: HistoryEntry
    let part: Part
  }

  var conflictLines: [ConflictLine] {
    details.conflicts.flatMap { entry in
      ConflictLine.Part.allCases.map { ConflictLine(entry: entry, part: $0) }
    }
  }

  func drawConflicts(on surface: inout Surface, in area: Rect, _ state: AppState) -> Point? {
    let glyphs = state.appearance.glyphs
    let lines = conflictLines
    if lines.isEmpty {
      // A device whose edit won and was sent first hears of no other: it cannot say there was none.
      let note = [
        "No conflicts on this device in the last 30 days.",
        "Each is listed on the device that saw both edits.",
      ]
      for (row, line) in note.enumerated() {
        surface.write(
          line, at: area.origin.moved(columns: 1, rows: row), role: .dim,
          width: area.size.columns - 2, ellipsis: glyphs.ellipsis)
      }
    }
    return conflicts.draw(on: &surface, in: area, glyphs: glyphs) { surface, index, rect in
      surface.write(
        runs(lines[index], state), at: rect.origin.moved(columns: 3),
        width: rect.size.columns - 4, ellipsis: glyphs.ellipsis)
    }
  }

  private func runs(_ line: ConflictLine, _ state: AppState) -> [StyledRun] {
    guard case .value(let column, let lost, let kept) = line.entry.content else { return [] }
    let glyphs = state.appearance.glyphs
    func value(_ label: String, _ value: StoredValue, _ stamp: EditStamp?, _ role: Role)
      -> [StyledRun]
    {
      let words = value.words(of: column, in: state.time, lists: details.lists)
      let author = stamp.map {
        "  \($0.who), \($0.when(in: state.time))"
      }
      return [
        StyledRun("  \(label)  ", .label), StyledRun(glyphs.quoted(words), role),
        StyledRun(author ?? "", .dim),
      ]
    }
    let outcome = details.outcomes[line.entry.id]
    // What was kept may be overwritten by now.
    let then = outcome == nil ? "" : " then"
    switch line.part {
    case .subject:
      return [
        StyledRun(glyphs.conflict + " ", .warning),
        StyledRun("\(line.entry.subject.title) \(glyphs.separator) ", .heading),
        StyledRun(FieldName.word(for: column), .heading),
        StyledRun(outcome.map { " \(glyphs.separator) " + words($0, of: column, state) } ?? ""),
      ]
    case .kept:
      return value("kept" + then, kept, line.entry.winner, outcome == nil ? .text : .dim)
    case .lost: return value("lost" + then, lost, line.entry.loser, .dim)
    }
  }

  private func words(
    _ outcome: ConflictOutcome, of column: String, _ state: AppState
  ) -> String {
    switch outcome {
    case .restored: "what lost is back"
    case .edited(let value):
      "now "
        + state.appearance.glyphs.quoted(
          value.words(of: column, in: state.time, lists: details.lists))
    case .deleted: "deleted since"
    }
  }
}

extension PendingItem {
  /// What is to be sent, and below that why it was not.
  fileprivate func lines(_ look: SyncScreen.Look) -> [StyledRun] {
    let (glyphs, time) = (look.glyphs, look.time)
    let what = "\(isDeletion ? "delete" : "save") \(FieldName.word(forRowOf: table))"
    let columns = columns.map { $0.filter(FieldName.isShown).map(FieldName.word(for:)) } ?? []
    let facts =
      [glyphs.quoted(title), columns.joined(separator: ", ")].filter { !$0.isEmpty }
      + ["since \(time.secondText(of: since))"]
    let first = StyledRun(
      "\(glyphs.outgoing) \(what)  \(facts.joined(separator: " \(glyphs.separator) "))")
    guard let error else { return [first] }
    // Nobody was asked: it cannot be sent as it is.
    guard attempts > 0 else { return [first] + look.reason(error, .error) }
    let next = nextAttempt.map { ", again at \(time.secondText(of: $0))" } ?? ", again at once"
    return [first] + look.reason("refused \(counted(attempts, "time"))\(next): \(error)", .error)
  }
}

extension WaitingItem {
  /// What waits, and below that why.
  fileprivate func lines(_ look: SyncScreen.Look) -> [StyledRun] {
    let glyphs = look.glyphs
    let what = FieldName.word(forRowOf: table)
    let (sign, state) =
      isQuarantined ? (glyphs.cross, "quarantined") : (glyphs.unknown, "waiting")
    return [
      StyledRun(
        "\(sign) \(state) \(what)  \(glyphs.quoted(title)) \(glyphs.separator) since "
          + look.time.secondText(of: since))
    ] + look.reason(reason, isQuarantined ? .error : .warning)
  }
}

extension SyncScreen.Look {
  init(_ state: AppState, columns: Int) {
    self.init(glyphs: state.appearance.glyphs, time: state.time, columns: columns - 4)
  }
}
