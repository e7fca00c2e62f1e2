import RemindersCore
import RemindersTerminal

/// Asks for one of several things, narrowed down by typing: the palette, a list, an order.
struct Choice: Prompt {
  /// What picking an item does.
  enum Value: Hashable, Sendable {
    case command(Command.ID)
    case go(SavedSearch.ID)
    case move([Reminder.ID], to: RemindersList.ID)
    case sort(ReminderListQuery.Sort)
    case clear(ClearScope, CompletedAge)
    case message(Int)
    case accept(link: String)
    case decline(link: String)
    case typeLink
  }

  let title: String
  /// What Enter does.
  var acceptHint = "choose"
  var picker: Picker<Value>

  mutating func type(_ key: Key, in state: AppState) { picker.handle(key) }
  mutating func paste(_ text: String, in state: AppState) { picker.paste(text) }
  mutating func scroll(by step: Int, in state: AppState) { picker.handle(step < 0 ? .up : .down) }

  func accept(in state: inout AppState) -> [Effect] {
    guard let item = picker.current else { return [] }
    state.screens.removeLast()
    switch item.id {
    case .command(let id): return state.perform(id)
    case .go(let id): return state.go(to: .saved(id))
    case .move(let ids, let list): return [.write(.edit(ids, [.set(\.listID, list)]))]
    case .sort(let sort):
      state.rowOptions.sort = sort
      return []
    case .clear(let scope, let age): return [.write(.clearCompleted(scope, age))]
    case .accept(let link): return [.share(.accept(link: link))]
    case .decline(let link): return [.share(.decline(link: link))]
    case .typeLink: return state.open(ShareForm(.accept))
    case .message(let index):
      let text = state.recentMessages[index].message.text
      state.notify("Copied.")
      return [.copy(text)]
    }
  }
}

extension AppState {
  mutating func openPalette() -> [Effect] {
    let contexts = contexts
    let commands = contexts.flatMap { Command.all(in: $0, with: schema) }
    let items = commands.filter { $0.id != .palette }.map { command in
      let reason = command.disabledReason(self)
      return PickerItem(
        id: Choice.Value.command(command.id), title: command.title,
        note: reason ?? keymap.keyName(of: command.id), isEnabled: reason == nil)
    }
    let searches = contexts.contains(.home) ? home.sidebar?.searches ?? [] : []
    let places = searches.map {
      PickerItem(id: Choice.Value.go($0.id), title: "Go to \($0.title)", note: "saved search")
    }
    return open(Choice(title: "Commands", picker: Picker(items + places)))
  }

  mutating func openMoveChoice() -> [Effect] {
    let targets = targets
    let items = (home.sidebar?.lists ?? []).map { row in
      let reason = readOnlyReason(of: [row.id])
      return PickerItem(
        id: Choice.Value.move(targets.ids, to: row.id), title: row.list.title,
        note: reason == nil ? "\(row.openCount) open" : "read only",
        isEnabled: reason == nil && targets.all.listIDs != [row.id])
    }
    return open(
      Choice(title: "Move \(targets.subject) to", picker: Picker(items, movesByLetters: true)))
  }

  private func explanation(of sort: ReminderListQuery.Sort) -> String {
    switch sort {
    case .due: searchScreen == nil ? "soonest first, in groups" : "soonest first"
    case .manual:
      "as arranged with \(keymap.keyName(of: .moveDown)) and \(keymap.keyName(of: .moveUp))"
    case .priority: "most important first"
    case .title: "a to z"
    case .completion: "latest first, by day"
    }
  }

  mutating func openSortChoice() -> [Effect] {
    let isOfCompleted = searchScreen == nil && home.kind == .completed
    let sorts = ReminderListQuery.Sort.allCases.filter { $0 != .completion || isOfCompleted }
    let items = sorts.map {
      PickerItem(id: Choice.Value.sort($0), title: $0.title, note: explanation(of: $0))
    }
    let current = Choice.Value.sort(rowOptions.sort)
    return open(
      Choice(title: "Order", picker: Picker(items, current: current, movesByLetters: true)))
  }

  /// Offers to clear completed reminders away, and says how many each choice would delete.
  mutating func openClearChoice(_ scope: ClearScope, _ counts: [CompletedAge: Int]) {
    let items = CompletedAge.allCases.map { age in
      PickerItem(
        id: Choice.Value.clear(scope, age), title: age.title,
        note: counted(counts[age] ?? 0, "reminder"), isEnabled: counts[age] ?? 0 > 0)
    }
    screens.append(
      Choice(title: "Delete completed", picker: Picker(items, movesByLetters: true)))
  }

  mutating func openMessages() -> [Effect] {
    let items = recentMessages.enumerated().reversed().map { index, recent in
      PickerItem(
        id: Choice.Value.message(index), title: appearance.glyphs.adapted(recent.message.text),
        note: time.secondText(of: recent.moment))
    }
    return open(
      Choice(
        title: "Messages", acceptHint: "copy", picker: Picker(items, movesByLetters: true)))
  }
}

extension CompletedAge {
  fileprivate var title: String {
    self == .any ? "All that are completed" : "Unchanged for \(rawValue) days"
  }
}

extension ReminderListQuery.Sort {
  var title: String {
    switch self {
    case .due: "by due date"
    case .manual: "manual"
    case .priority: "by priority"
    case .title: "by title"
    case .completion: "by completion"
    }
  }
}

extension Choice {
  private func box(in rect: Rect) -> Rect {
    let rows = min(picker.items.count + 3, max(8, rect.size.rows * 3 / 4))
    // Titles are short, but messages may be long.
    let widest = picker.items.map { TextWidth.columns(of: $0.title + $0.note) }.max() ?? 0
    let columns = min(max(66, widest + 10), max(66, rect.size.columns - 4))
    return rect.centered(Size(columns: columns, rows: rows))
  }

  mutating func click(_ point: Point, in state: AppState) -> Bool? {
    // A line of the frame, and the words.
    let items = box(in: state.layout.body).splitTop(2).rest.splitBottom(1).rest
    guard items.contains(point) else { return nil }
    return picker.click(row: point.row - items.origin.row, height: items.size.rows)
  }

  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    let glyphs = state.appearance.glyphs
    let inside = surface.box(box(in: rect), title: title, glyphs: glyphs).inset(columns: 2)
    return picker.draw(
      on: &surface, in: inside, glyphs: glyphs,
      placeholder: picker.movesByLetters
        ? "j k move, / or another letter narrows down" : "type to narrow down")
  }
}
