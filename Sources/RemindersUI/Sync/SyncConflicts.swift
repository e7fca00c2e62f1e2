import RemindersCore
import RemindersTerminal

// The pane of the sync screen with conflicts.

extension SyncScreen {
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
      let words = value.beginning.words(of: column, in: state.time, lists: details.lists)
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
          value.beginning.words(of: column, in: state.time, lists: details.lists))
    case .deleted: "deleted since"
    }
  }
}
