import Foundation
import RemindersCore
import RemindersTerminal

// The pane of the sync screen with pending changes and with what waits.

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
