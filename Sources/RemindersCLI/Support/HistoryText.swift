import RemindersCore

/// What lost, in words, for people and pipes.
struct HistoryText {
  private let history: HistoryQuery.Value
  private let time: LocalTime
  private let style: TextStyle

  init(_ history: HistoryQuery.Value, in time: LocalTime, style: TextStyle) {
    self.history = history
    self.time = time
    self.style = style
  }

  /// `12  Sat 21 Nov 14:31  Dentist · due: Mon 23 Nov, not Fri 20 Nov · ann, device 9f1c`.
  func line(_ entry: HistoryEntry) -> String {
    let facts = [
      entry.subject.title + " · " + event(entry), stamp(entry.winner),
      entry.isConflict ? "conflict" : "",
    ]
    return style.dim("\(entry.id)") + "  "
      + facts.filter { !$0.isEmpty }.joined(separator: " · ").printable
  }

  /// Who set each field last, and below it what lost: a line for each.
  var lines: [String] {
    guard !history.fields.isEmpty else { return [] }
    var lines = ["", style.dim("history")]
    for field in history.fields {
      lines.append(named(field.column, stamp(field.edit)))
      for entry in history.entries where entry.column == field.column {
        lines.append(named("", lost(entry)))
      }
    }
    for entry in history.entries where entry.column == nil {
      lines.append(named("", event(entry) + " · " + stamp(entry.winner)))
    }
    return lines
  }

  private func named(_ column: String, _ text: String) -> String {
    let word = column.isEmpty ? "" : FieldName.word(for: column)
    return style.dim(word.padding(toLength: 10, withPad: " ", startingAt: 0)) + text.printable
  }

  private func lost(_ entry: HistoryEntry) -> String {
    guard case .value(let column, let lost, _) = entry.content else { return "" }
    let author = entry.loser.map { " of " + stamp($0) } ?? ""
    return "lost \(quoted(lost, column))\(author) · entry \(entry.id)"
  }

  private func event(_ entry: HistoryEntry) -> String {
    switch entry.content {
    case .completionUndone: "completion undone"
    case .deletion: "\(entry.subject.kind.rawValue) deleted"
    case .tag(let tag): "#\(tag) taken off"
    case .value(let column, let lost, let kept):
      "\(FieldName.word(for: column)) \(quoted(kept, column)), not \(quoted(lost, column))"
    }
  }

  private func stamp(_ stamp: EditStamp) -> String {
    "\(stamp.who) · \(DueDate.moment(stamp.moment).dateText(in: time))"
  }

  private func quoted(_ value: StoredValue, _ column: String) -> String {
    "“\(value.words(of: column, in: time, lists: history.lists))”"
  }
}
