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
  /// Whether j and k move while nothing is typed.
  public let movesByLetters: Bool
  /// Whether `/` was pressed: from then on j and k are typed, too.
  private var isFiltering = false
  private var currentID: ID?

  /// A picker with nothing typed, standing on `current`, or else on the first item.
  ///
  /// `movesByLetters`: whether j and k move until `/` or another letter narrows down: for
  /// lists that one walks through, not for those that one names something in.
  public init(_ items: [PickerItem<ID>], current: ID? = nil, movesByLetters: Bool = false) {
    self.items = items
    self.movesByLetters = movesByLetters
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
    case .character("j") where isBrowsing: move(by: 1)
    case .character("k") where isBrowsing: move(by: -1)
    case .character("/") where isBrowsing: isFiltering = true
    case .pageUp: move(by: -10)
    case .pageDown: move(by: 10)
    default: type(key)
    }
  }

  /// Makes the item on a row current, of `height` rows that are drawn.
  ///
  /// - Returns: Whether it was current already; nil when nothing is there.
  public mutating func click(row: Int, height: Int) -> Bool? {
    var list = list(height: height)
    defer { currentID = list.current }
    return list.click(row: row)
  }

  /// The matches as a list of so many rows.
  private func list(height: Int) -> ListState<ID> {
    let matches = matches
    var list = ListState<ID>()
    list.update(lines: matches.map(\.id), height: height)
    if !matches.isEmpty { list.moveCursor(to: matches[currentIndex(among: matches)].id) }
    return list
  }

  /// Narrows down by text that was pasted.
  public mutating func paste(_ text: String) {
    filter.paste(text)
    currentID = nil
  }

  private var isBrowsing: Bool { movesByLetters && !isFiltering && query.isEmpty }

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
    surface.fill(rest)
    list(height: rest.size.rows).draw(on: &surface, in: rest, glyphs: glyphs, column: 0) {
      surface, index, line in
      draw(ranking[index], on: &surface, in: line, glyphs: glyphs)
    }
    return filter.draw(
      on: &surface, in: top, style: Style(.fieldFocused), placeholder: placeholder,
      ellipsis: glyphs.ellipsis)
  }

  private func draw(
    _ ranked: Ranked, on surface: inout Surface, in area: Rect, glyphs: GlyphSet
  ) {
    let role: Role = ranked.item.isEnabled ? .text : .hintDisabled
    let noteColumns = min(TextWidth.columns(of: ranked.item.note), area.size.columns / 2)
    let titleColumns = area.size.columns - noteColumns - 4
    let title = ranked.item.title.enumerated().map { index, character in
      StyledRun(String(character), ranked.match.positions.contains(index) ? .match : role)
    }
    surface.write(
      title, at: area.origin.moved(columns: 2), width: titleColumns, ellipsis: glyphs.ellipsis)
    surface.write(
      ranked.item.note,
      at: area.origin.moved(columns: area.size.columns - noteColumns - 1), role: .dim,
      width: noteColumns, ellipsis: glyphs.ellipsis)
  }
}
