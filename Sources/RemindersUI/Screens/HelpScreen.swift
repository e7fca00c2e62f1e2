import Reminders
import Terminal

/// Lists all commands, those of the screen below first; typing narrows down, Enter performs.
struct HelpScreen: Equatable, Sendable {
  /// One line of help.
  enum Line: Equatable, Sendable {
    case heading(String)
    case gap
    case command(Command.ID)

    var id: Command.ID? {
      if case .command(let id) = self { id } else { nil }
    }
  }

  /// Where the screen below listens to keys.
  let contexts: [Context]
  /// Decides which commands there are.
  let schema: SchemaVersion
  let keymap: Keymap
  var filter = TextField()
  var list = ListState<Command.ID>()

  /// The headings and commands that the filter leaves.
  var lines: [Line] {
    let others = Context.allCases.filter { !contexts.contains($0) }
    var lines: [Line] = []
    for context in contexts + others {
      let commands = Command.all(in: context, with: schema).filter(matches)
      guard !commands.isEmpty else { continue }
      if !lines.isEmpty { lines.append(.gap) }
      lines.append(.heading(context.title))
      lines += commands.map { .command($0.id) }
    }
    return lines
  }

  private func matches(_ command: Command) -> Bool {
    let query = filter.text.lowercased()
    return query.isEmpty || (command.title + " " + command.help).lowercased().contains(query)
      || keymap.keyName(of: command.id) == filter.text
  }

  mutating func type(_ key: Key) {
    switch key {
    case .up, .control("p"): list.move(.up)
    case .down, .control("n"): list.move(.down)
    case .pageUp: list.move(.pageUp)
    case .pageDown: list.move(.pageDown)
    default:
      let old = filter.text
      filter.handle(key)
      if filter.text != old { list = ListState() }
    }
  }

  mutating func arrange(_ layout: Layout) {
    list.update(lines: lines.map(\.id), height: layout.body.size.rows - 2)
  }
}

extension AppState {
  mutating func openHelp() -> [Effect] {
    if case .help = screens.last { return [] }
    screens.append(.help(HelpScreen(contexts: contexts, schema: schema, keymap: keymap)))
    return []
  }

  /// Performs the command under the cursor where help was asked for.
  mutating func accept(_ help: HelpScreen) -> [Effect] {
    guard let id = help.list.selected else { return [] }
    guard help.contexts.contains(Command.named(id).context) else {
      say("Not available on this screen.", .refused)
      return []
    }
    screens.removeLast()
    return perform(id)
  }
}

extension HelpScreen {
  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    surface.fill(rect)
    let (top, area) = rect.splitTop(2)
    surface.write("?", at: top.origin.moved(columns: 1), role: .label)
    let caret = filter.draw(
      on: &surface, in: top.inset(columns: 3), style: Style(.fieldFocused),
      placeholder: "type to narrow down, Enter performs")
    let lines = lines
    for (row, index) in list.visibleLines.enumerated() {
      draw(
        lines[index], on: &surface, in: area.splitTop(row).rest.splitTop(1).top, state)
    }
    return caret
  }

  private func draw(_ line: Line, on surface: inout Surface, in rect: Rect, _ state: AppState) {
    let glyphs = state.appearance.glyphs
    let start = rect.origin.moved(columns: 3)
    switch line {
    case .gap: break
    case .heading(let title):
      surface.write(title, at: rect.origin.moved(columns: 1), role: .heading)
    case .command(let id):
      let command = Command.named(id)
      let keys = glyphs.adapted(state.keymap.keyNames(of: id).joined(separator: " "))
      let isCurrent = id == list.selected
      if isCurrent { surface.write(glyphs.pointer, at: rect.origin.moved(columns: 1)) }
      surface.write(keys, at: start, role: .hintKey, width: 10, ellipsis: glyphs.ellipsis)
      surface.write(
        command.help, at: start.moved(columns: 11), width: rect.size.columns - 15,
        ellipsis: glyphs.ellipsis)
      if isCurrent { surface.highlight(rect, .selection) }
    }
  }
}
