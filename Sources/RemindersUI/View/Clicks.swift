import RemindersCore
import RemindersTerminal

// Texts around the screens that name a command can be clicked.

/// A word or two on the screen, and the command that a click on them performs.
struct ClickableText: Equatable, Sendable {
  var text: String
  var command: Command.ID?

  init(_ text: String, _ command: Command.ID? = nil) {
    self.text = text
    self.command = command
  }
}

extension AppState {
  /// What a click performs, as far as its keys are listened to now.
  func command(at point: Point) -> Command.ID? {
    let layout = layout
    let command: Command.ID?
    if layout.footer.contains(point) {
      command = hint(atColumn: point.column)
    } else if layout.message.contains(point) {
      command = offer(atColumn: point.column)
    } else if layout.header.contains(point) {
      command = headerCommand(atColumn: point.column)
    } else if screens.isEmpty, let heading = layout.reminders?.splitTop(1).top {
      command = heading.contains(point) ? headingCommand(atColumn: point.column, heading) : nil
    } else {
      command = screens.last?.command(at: point, in: self)
    }
    return command.flatMap { contexts.contains(Command.named($0).context) ? $0 : nil }
  }

  /// What the message offers, at the right end of its line.
  private func offer(atColumn column: Int) -> Command.ID? {
    guard let command = message?.command else { return nil }
    let columns = hintText([command]).reduce(0) { $0 + TextWidth.columns(of: $1.text) }
    return column >= size.columns - columns - 1 ? command : nil
  }

  /// How synchronization stands leads to its screen.
  private func headerCommand(atColumn column: Int) -> Command.ID? {
    let facts = headerFacts(isShort: layout.isNarrow)
    let columns = facts.reduce(0) { $0 + TextWidth.columns(of: $1.text) }
    let start = size.columns - columns - 1
    let end = start + TextWidth.columns(of: facts[0].text)
    return (start..<end).contains(column) ? .openSync : nil
  }

  private func headingCommand(atColumn column: Int, _ heading: Rect) -> Command.ID? {
    guard let shown = home.shown else { return nil }
    return command(
      atColumn: column - headingStart(of: shown, in: heading),
      of: headingFacts(of: shown, columns: heading.size.columns))
  }

  /// What the fact in a column performs, of facts beside each other.
  func command(atColumn column: Int, of facts: [ClickableText]) -> Command.ID? {
    var start = 0
    for fact in facts {
      let end = start + TextWidth.columns(of: fact.text)
      if (start..<end).contains(column) { return fact.command }
      start = end + TextWidth.columns(of: headingSeparator)
    }
    return nil
  }
}
