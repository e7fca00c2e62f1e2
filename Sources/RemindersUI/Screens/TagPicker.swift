import RemindersCore
import RemindersTerminal

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
  private var list = ListState<Tag.ID>()
  /// Whether the cursor was moved since something was typed.
  private var wasMoved = false

  init(_ targets: Targets) {
    subject = targets.subject
    reminderIDs = targets.ids
    before = targets.all.tagCounts
  }

  /// The lines that the filter leaves; what is typed comes last as a new tag.
  func items(of sidebar: Sidebar?) -> [Item] {
    let tags = (sidebar?.tags ?? []).map { Item(title: $0.title, openCount: $0.openCount) }
    let several = typedTags
    guard let typed = several.first else { return tags + added(besides: tags) }
    guard several.count == 1 else {
      return several.map { title in
        tags.first { $0.title.lowercased() == title.lowercased() } ?? Item(title: title)
      }
    }
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

  /// What is typed: several tags with commas between; nothing is neither a tag nor a failure.
  private var typedTags: [Tag.ID] {
    var seen: Set<Tag.ID> = []
    let titles = (try? Tag.titles(from: filter.text)) ?? []  // Nothing typed is no tag.
    return titles.filter {
      seen.insert($0.lowercased()).inserted
    }
  }

  /// New tags that were switched on and then the filter was cleared.
  private func added(besides tags: [Item]) -> [Item] {
    changes.keys.filter { title in !tags.contains { $0.title == title } }.inAlphabeticalOrder
      .map { Item(title: $0) }
  }

  func presence(of tag: Tag.ID) -> Presence {
    if let isOn = changes[tag] { return isOn ? .all : .none }
    let count = before.first { $0.key.lowercased() == tag.lowercased() }?.value ?? 0
    return count == 0 ? .none : count == reminderIDs.count ? .all : .some
  }

  let contexts: [Context] = [.tagPicker, .prompt, .always]
  let hints: [Command.ID] = [.accept, .cancel, .toggleTag, .helpInText]

  mutating func paste(_ text: String, in state: AppState) {
    filter.paste(text)
    beginAnew()
  }

  mutating func scroll(by step: Int, in state: AppState) { list.scroll(by: step) }

  mutating func click(_ point: Point, in state: AppState) -> Bool? {
    let area = parts(in: state.layout.body, state).list
    guard area.contains(point) else { return nil }
    wasMoved = true
    return list.click(row: point.row - area.origin.row)
  }

  mutating func arrange(in state: AppState) {
    let area = parts(in: state.layout.body, state).list
    list.update(
      lines: items(of: state.home.sidebar).map(\.title), height: area.size.rows)
  }

  /// What is typed counts as chosen: `t`, a word, Enter puts a tag on; and so does what the cursor
  /// was moved to, unless something was switched before.
  func accept(in state: inout AppState) -> [Effect] {
    var picker = self
    picker.takeTyped(of: state.home.sidebar)
    let edits = picker.edits
    return edits.isEmpty ? state.closeScreen() : state.leave(for: .edit(reminderIDs, edits))
  }

  mutating func type(_ key: Key, in state: AppState) {
    switch key {
    case .up, .control("p"): move(.up)
    case .down, .control("n"): move(.down)
    default:
      let old = filter.text
      filter.handle(key)
      if filter.text != old { beginAnew() }
    }
  }

  private mutating func move(_ move: ListState<Tag.ID>.Move) {
    list.move(move)
    wasMoved = true
  }

  /// With other letters the best match is current again.
  private mutating func beginAnew() { (list, wasMoved) = (ListState(), false) }

  mutating func toggle() {
    guard let tag = list.current else { return }
    set(tag, presence(of: tag) != .all)
  }

  /// Puts the tag that is typed on; one that the cursor was moved to is switched.
  private mutating func takeTyped(of sidebar: Sidebar?) {
    let isChosen = filter.text.isEmpty ? wasMoved && changes.isEmpty : true
    guard isChosen, let tag = list.current else { return }
    guard typedTags.count > 1, !wasMoved else {
      return set(tag, !wasMoved || presence(of: tag) != .all)
    }
    for item in items(of: sidebar) { set(item.title, true) }
  }

  private mutating func set(_ tag: Tag.ID, _ isOn: Bool) {
    changes[tag] = isOn
    filter.text = ""
  }

  var edits: [ReminderEdit] {
    let added = changes.filter(\.value).keys.inAlphabeticalOrder
    let removed = changes.filter { !$0.value }.keys.inAlphabeticalOrder
    return (added.isEmpty ? [] : [.addTags(added)])
      + (removed.isEmpty ? [] : [.removeTags(removed)])
  }
}

extension AppState {
  mutating func toggleTag() -> [Effect] {
    screens[top: TagPicker.self]?.toggle()
    return []
  }
}

extension TagPicker {
  /// Where the parts are: the box, the line that is typed, and the tags.
  private func parts(in rect: Rect, _ state: AppState) -> (box: Rect, field: Rect, list: Rect) {
    let count = items(of: state.home.sidebar).count
    let rows = min(max(count, 1) + 4, max(8, rect.size.rows * 3 / 4))
    let box = rect.centered(Size(columns: 52, rows: rows))
    let (field, rest) = box.inset(columns: 1, rows: 1).inset(columns: 2).splitTop(1)
    return (box, field, rest.splitTop(1).rest)
  }

  func draw(on surface: inout Surface, in rect: Rect, _ state: AppState) -> Point? {
    let glyphs = state.appearance.glyphs
    let (items, parts) = (items(of: state.home.sidebar), parts(in: rect, state))
    surface.box(parts.box, title: "Tags \(glyphs.separator) \(subject)", glyphs: glyphs)
    list.draw(on: &surface, in: parts.list, glyphs: glyphs, column: 0) { surface, index, line in
      draw(items[index], on: &surface, in: line, glyphs)
    }
    return filter.draw(
      on: &surface, in: parts.field, style: Style(.fieldFocused),
      placeholder: "type a tag, old or new", ellipsis: glyphs.ellipsis)
  }

  private func draw(_ item: Item, on surface: inout Surface, in line: Rect, _ glyphs: GlyphSet) {
    let box =
      switch presence(of: item.title) {
      case .none: "[ ] "
      case .some: "[-] "
      case .all: "[x] "
      }
    let note = item.openCount.map { "\($0) open" } ?? "new tag"
    surface.write(
      [StyledRun(box), StyledRun("#" + item.title, .tag)], at: line.origin.moved(columns: 2),
      width: line.size.columns - note.count - 4, ellipsis: glyphs.ellipsis)
    surface.write(
      note, at: line.origin.moved(columns: line.size.columns - note.count - 1), role: .dim)
  }
}
