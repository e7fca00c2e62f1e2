import RemindersCore
import RemindersTerminal

/// Lists all commands, those of the screen below first; typing narrows down, Enter performs.
struct HelpScreen: ListScreen, Prompt {
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
  let contextsBelow: [Context]
  /// Decides which commands there are.
  let schema: SchemaVersion
  let keymap: Keymap
  var filter = TextField()
  var list = ListState<Command.ID>()

  /// The headings and commands that the filter leaves.
  var lines: [Line] {
    let others = Context.all.filter { !contextsBelow.contains($0) }
    var lines: [Line] = []
    for context in contextsBelow + others {
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

  var place: String? { "Help" }
  var acceptHint: String { "perform" }

  /// Performs the command under the cursor where help was asked for.
  func accept(in state: inout AppState) -> [Effect] {
    guard let id = list.current else { return [] }
    guard contextsBelow.contains(Command.named(id).context) else {
      return state.refuse(Problem("Not available on this screen."))
    }
    state.screens.removeLast()
    return state.perform(id)
  }

  mutating func paste(_ text: String, in state: AppState) { filter.paste(text) }

  mutating func type(_ key: Key, in state: AppState) {
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

  mutating func arrange(in state: AppState) {
    list.update(lines: lines.map(\.id), height: state.layout.body.size.rows - 2)
  }
}

extension AppState {
  mutating func openHelp() -> [Effect] {
    if screens.last is HelpScreen { return [] }
    return open(HelpScreen(contextsBelow: contexts, schema: schema, keymap: keymap))
  }
}

extension HelpScreen {
  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    surface.fill(rect)
    let (top, area) = rect.splitTop(2)
    surface.write("?", at: top.origin.moved(columns: 1), role: .label)
    let caret = filter.draw(
      on: &surface, in: top.inset(columns: 3), style: Style(.fieldFocused),
      placeholder: "type to narrow down, Enter performs",
      ellipsis: state.appearance.glyphs.ellipsis)
    let lines = lines
    list.draw(on: &surface, in: area, glyphs: state.appearance.glyphs) { surface, index, rect in
      draw(lines[index], on: &surface, in: rect, state)
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
      surface.write(keys, at: start, role: .hintKey, width: 10, ellipsis: glyphs.ellipsis)
      surface.write(
        command.help, at: start.moved(columns: 11), width: rect.size.columns - 15,
        ellipsis: glyphs.ellipsis)
    }
  }
}
