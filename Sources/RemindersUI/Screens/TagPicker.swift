import Reminders
import Terminal

/// Puts tags on reminders and takes them off.
struct TagPicker: Prompt {
  /// How many of the reminders carry a tag.
  enum Presence: Equatable, Sendable {
    case none, some, all
  }

  /// One line: a tag that exists, or the one that is being typed.
  struct Item: Equatable, Sendable {
    var title: Tag.ID
    /// Nil for a new one.
    var openCount: Int?
  }

  /// What the reminders are called.
  let subject: String
  let reminderIDs: [Reminder.ID]
  /// How many of the reminders carry a tag.
  private let before: [Tag.ID: Int]
  var filter = TextField()
  /// What was switched on or off here.
  private(set) var changes: [Tag.ID: Bool] = [:]
  private var cursor: Tag.ID?

  init(_ targets: Targets) {
    subject = targets.subject
    reminderIDs = targets.ids
    before = targets.all.tagCounts
  }

  /// The lines that the filter leaves; what is typed comes last as a new tag.
  func items(of sidebar: Sidebar?) -> [Item] {
    let tags = (sidebar?.tags ?? []).map { Item(title: $0.title, openCount: $0.openCount) }
    let typed = try? Tag.title(from: filter.text)  // Nothing typed is no tag, and no failure.
    guard let typed else { return tags + added(besides: tags) }
    let ranked = (tags + added(besides: tags)).compactMap { item in
      FuzzyMatch(typed, in: item.title).map { (item: item, score: $0.score) }
    }
    let found = ranked.sorted { $0.score > $1.score }.map(\.item)
    let word = typed.lowercased()
    let same = found.filter { $0.title.lowercased() == word }
    let others = found.filter { $0.title.lowercased() != word }
    // What begins with the word may be meant by it; what only contains its letters, hardly.
    let likely = others.filter { $0.title.lowercased().hasPrefix(word) }
    let unlikely = others.filter { !$0.title.lowercased().hasPrefix(word) }
    return same + likely + (same.isEmpty ? [Item(title: typed)] : []) + unlikely
  }

  /// New tags that were switched on and then the filter was cleared.
  private func added(besides tags: [Item]) -> [Item] {
    changes.keys.filter { title in !tags.contains { $0.title == title } }.sorted()
      .map { Item(title: $0) }
  }

  func presence(of tag: Tag.ID) -> Presence {
    if let isOn = changes[tag] { return isOn ? .all : .none }
    let count = before.first { $0.key.lowercased() == tag.lowercased() }?.value ?? 0
    return count == 0 ? .none : count == reminderIDs.count ? .all : .some
  }

  func index(among items: [Item]) -> Int { items.firstIndex { $0.title == cursor } ?? 0 }

  let contexts: [Context] = [.tagPicker, .prompt, .always]
  let hints: [Command.ID] = [.accept, .cancel, .toggleTag, .helpInText]

  mutating func paste(_ text: String, in state: AppState) { filter.paste(text) }

  mutating func scroll(by step: Int, in state: AppState) {
    move(by: step < 0 ? -1 : 1, among: items(of: state.home.sidebar))
  }

  /// What is typed counts as chosen: `t`, a word, Enter puts a tag on.
  func accept(in state: inout AppState) -> [Effect] {
    var picker = self
    picker.takeTyped(of: state.home.sidebar)
    let edits = picker.edits
    return edits.isEmpty ? state.closeScreen() : state.leave(for: .edit(reminderIDs, edits))
  }

  mutating func type(_ key: Key, in state: AppState) {
    let items = items(of: state.home.sidebar)
    switch key {
    case .up, .control("p"): move(by: -1, among: items)
    case .down, .control("n"): move(by: 1, among: items)
    default: if filter.handle(key) { cursor = nil }
    }
  }

  private mutating func move(by step: Int, among items: [Item]) {
    let index = index(among: items) + step
    if items.indices.contains(index) { cursor = items[index].title }
  }

  mutating func toggle(of sidebar: Sidebar?) {
    guard let tag = current(of: sidebar) else { return }
    set(tag, presence(of: tag) != .all)
  }

  /// Puts the tag that is typed on; one that the cursor was moved to is switched.
  mutating func takeTyped(of sidebar: Sidebar?) {
    guard !filter.text.isEmpty, let tag = current(of: sidebar) else { return }
    set(tag, cursor == nil || presence(of: tag) != .all)
  }

  private func current(of sidebar: Sidebar?) -> Tag.ID? {
    let items = items(of: sidebar)
    return items.isEmpty ? nil : items[index(among: items)].title
  }

  private mutating func set(_ tag: Tag.ID, _ isOn: Bool) {
    changes[tag] = isOn
    cursor = tag
    filter.text = ""
  }

  var edits: [ReminderEdit] {
    let added = changes.filter(\.value).keys.sorted()
    let removed = changes.filter { !$0.value }.keys.sorted()
    return (added.isEmpty ? [] : [.addTags(added)])
      + (removed.isEmpty ? [] : [.removeTags(removed)])
  }
}

extension AppState {
  mutating func toggleTag() -> [Effect] {
    let sidebar = home.sidebar
    screens[top: TagPicker.self]?.toggle(of: sidebar)
    return []
  }
}

extension TagPicker {
  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    let glyphs = state.appearance.glyphs
    let items = items(of: state.home.sidebar)
    let rows = min(max(items.count, 1) + 4, max(8, rect.size.rows * 3 / 4))
    let box = rect.centered(Size(columns: 52, rows: rows))
    let inside = surface.box(box, title: "Tags \(glyphs.separator) \(subject)", glyphs: glyphs)
      .inset(columns: 2)
    let (top, rest) = inside.splitTop(1)
    let list = rest.splitTop(1).rest
    let current = index(among: items)
    let start = max(0, current - list.size.rows + 1)
    for (row, item) in items.dropFirst(start).prefix(list.size.rows).enumerated() {
      let line = Rect(
        origin: list.origin.moved(rows: row), size: Size(columns: list.size.columns, rows: 1))
      draw(item, on: &surface, in: line, glyphs, isCurrent: start + row == current)
    }
    return filter.draw(
      on: &surface, in: top, style: Style(.fieldFocused), placeholder: "type a tag, old or new")
  }

  private func draw(
    _ item: Item, on surface: inout Surface, in line: Rect, _ glyphs: GlyphSet, isCurrent: Bool
  ) {
    let box =
      switch presence(of: item.title) {
      case .none: "[ ] "
      case .some: "[-] "
      case .all: "[x] "
      }
    let note = item.openCount.map { "\($0) open" } ?? "new tag"
    if isCurrent { surface.write(glyphs.pointer, at: line.origin) }
    surface.write(
      [StyledRun(box), StyledRun("#" + item.title, .tag)], at: line.origin.moved(columns: 2),
      width: line.size.columns - note.count - 4, ellipsis: glyphs.ellipsis)
    surface.write(
      note, at: line.origin.moved(columns: line.size.columns - note.count - 1), role: .dim)
    if isCurrent { surface.highlight(line, .cursor) }
  }
}
