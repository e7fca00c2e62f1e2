/// One thing that can be picked.
public struct PickerItem<ID: Hashable & Sendable>: Hashable, Sendable {
  /// What is picked.
  public let id: ID
  /// What it is called; this is what typed letters are looked for in.
  public let title: String
  /// What is said about it at the right, such as a key or a count.
  public let note: String
  /// Whether it can be picked now.
  public let isEnabled: Bool

  /// A thing that can be picked.
  public init(id: ID, title: String, note: String = "", isEnabled: Bool = true) {
    self.id = id
    self.title = title
    self.note = note
    self.isEnabled = isEnabled
  }
}

/// A list to pick one of, narrowed down by typing.
public struct Picker<ID: Hashable & Sendable>: Hashable, Sendable {
  /// All that can be picked.
  public private(set) var items: [PickerItem<ID>]
  private var filter = TextField()
  private var currentID: ID?

  /// A picker with nothing typed, standing on `current`, or else on the first item.
  public init(_ items: [PickerItem<ID>], current: ID? = nil) {
    self.items = items
    currentID = current
  }

  /// What was typed.
  public var query: String { filter.text }

  /// What is left after narrowing down, the best first; in the given order while nothing is typed.
  public var matches: [PickerItem<ID>] { ranking.map(\.item) }

  /// The item that Enter would pick.
  public var current: PickerItem<ID>? {
    let matches = matches
    return matches.isEmpty ? nil : matches[currentIndex(among: matches)]
  }

  /// Types or moves.
  public mutating func handle(_ key: Key) {
    switch key {
    case .up, .control("p"): move(by: -1)
    case .down, .control("n"): move(by: 1)
    case .pageUp: move(by: -10)
    case .pageDown: move(by: 10)
    default: type(key)
    }
  }

  /// Makes the item on a row current, of `height` rows that are drawn.
  ///
  /// - Returns: Whether it was current already; nil when nothing is there.
  public mutating func click(row: Int, height: Int) -> Bool? {
    let matches = matches
    let current = currentIndex(among: matches)
    let index = windowStart(showing: current, length: max(1, height)) + row
    guard matches.indices.contains(index) else { return nil }
    currentID = matches[index].id
    return index == current
  }

  /// Narrows down by text that was pasted.
  public mutating func paste(_ text: String) {
    filter.paste(text)
    currentID = nil
  }

  private mutating func type(_ key: Key) {
    let query = query
    filter.handle(key)
    // With other letters the best match is current again.
    if query != self.query { currentID = nil }
  }

  private mutating func move(by count: Int) {
    let matches = matches
    if matches.isEmpty { return }
    let index = currentIndex(among: matches) + count
    currentID = matches[index.clamped(to: 0...matches.count - 1)].id
  }

  private func currentIndex(among matches: [PickerItem<ID>]) -> Int {
    matches.firstIndex { $0.id == currentID } ?? 0
  }

  private typealias Ranked = (item: PickerItem<ID>, match: FuzzyMatch)

  private var ranking: [Ranked] {
    let found = items.compactMap { item in
      FuzzyMatch(query, in: item.title).map { (item: item, match: $0) }
    }
    // Swift's sort keeps the order of equals, so an empty query changes nothing.
    return found.sorted { $0.match.score > $1.match.score }
  }
}

extension Picker {
  /// Draws the filter on the first row of `rect` and the matches below.
  ///
  /// - Returns: Where the caret stands.
  @discardableResult
  public func draw(
    on surface: inout Surface, in rect: Rect, glyphs: GlyphSet, placeholder: String = ""
  ) -> Point {
    let (top, rest) = rect.splitTop(1)
    let ranking = ranking
    let current = currentIndex(among: ranking.map(\.item))
    let start = windowStart(showing: current, length: max(1, rest.size.rows))
    surface.fill(rest)
    for (row, ranked) in ranking.dropFirst(start).prefix(rest.size.rows).enumerated() {
      let area = rest.splitTop(row).rest.splitTop(1).top
      draw(ranked, on: &surface, in: area, glyphs: glyphs, isCurrent: start + row == current)
    }
    return filter.draw(
      on: &surface, in: top, style: Style(.fieldFocused), placeholder: placeholder)
  }

  private func draw(
    _ ranked: Ranked, on surface: inout Surface, in area: Rect, glyphs: GlyphSet, isCurrent: Bool
  ) {
    let role: Role = ranked.item.isEnabled ? .text : .hintDisabled
    let noteColumns = min(TextWidth.columns(of: ranked.item.note), area.size.columns / 2)
    let titleColumns = area.size.columns - noteColumns - 4
    let title = ranked.item.title.enumerated().map { index, character in
      StyledRun(String(character), ranked.match.positions.contains(index) ? .match : role)
    }
    if isCurrent { surface.write(glyphs.pointer, at: area.origin, role: role) }
    surface.write(
      title, at: area.origin.moved(columns: 2), width: titleColumns, ellipsis: glyphs.ellipsis)
    surface.write(
      ranked.item.note,
      at: area.origin.moved(columns: area.size.columns - noteColumns - 1), role: .dim,
      width: noteColumns, ellipsis: glyphs.ellipsis)
    if isCurrent { surface.highlight(area, .cursor) }
  }
}
