/// Which row of a list is current and which part of the list is shown, by identity.
///
/// A list is given as its lines, each with the id of the item that it shows; headings and gaps have
/// none, and an item may take several. When the lines change underneath (an edit arrives from
/// elsewhere) the current item stays current and stays where it is on the screen; when it is gone,
/// its neighbour takes its place.
public struct ListState<ID: Hashable & Sendable>: Hashable, Sendable {
  /// A step through the list.
  public enum Move: Hashable, Sendable, CaseIterable {
    case up, down, halfPageUp, halfPageDown, pageUp, pageDown, first, last
  }

  /// The current item; nil only when the list has none.
  public private(set) var selected: ID?
  /// The first line that is shown.
  public private(set) var top = 0
  /// The lines as they were given last.
  public private(set) var lines: [ID?] = []
  /// How many lines are shown.
  public private(set) var height = 0

  /// An empty list.
  public init() {}

  /// The lines that are shown.
  public var visibleLines: Range<Int> {
    top..<max(top, min(top + height, lines.count))
  }

  /// The item on a row of the screen, counted from the first line shown.
  public func id(atRow row: Int) -> ID? {
    let line = top + row
    return row >= 0 && visibleLines.contains(line) ? lines[line] : nil
  }

  /// The row of the screen where `id` begins, counted from the first line shown; nil when it is not
  /// shown.
  public func row(of id: ID) -> Int? {
    guard let line = lines.firstIndex(of: id), visibleLines.contains(line) else { return nil }
    return line - top
  }

  /// Takes over new lines or a new height.
  public mutating func update(lines newLines: [ID?], height newHeight: Int) {
    let replacement = replacementForSelected(in: newLines)
    let anchor = anchor(replacement: replacement)
    let wasVisible = selected.flatMap(row) != nil
    let isFirst = lines.isEmpty
    selected = replacement
    lines = newLines
    height = max(0, newHeight)
    if let anchor, let line = newLines.firstIndex(of: anchor.id) { top = line - anchor.row }
    clampTop()
    if wasVisible || isFirst { reveal() }
  }

  /// Makes `id` current and shows it; nothing happens when it is not in the list.
  public mutating func select(_ id: ID) {
    guard lines.contains(id) else { return }
    selected = id
    reveal()
  }

  /// Makes another item current and shows it.
  public mutating func move(_ move: Move) {
    let items = items
    guard let current = items.firstIndex(where: { $0.id == selected }) else { return }
    let line = items[current].line
    let target =
      switch move {
      case .up: max(0, current - 1)
      case .down: min(items.count - 1, current + 1)
      case .first: 0
      case .last: items.count - 1
      case .halfPageUp: items.index(atOrBefore: line - max(1, height / 2), than: current)
      case .pageUp: items.index(atOrBefore: line - max(1, height - 1), than: current)
      case .halfPageDown: items.index(atOrAfter: line + max(1, height / 2), than: current)
      case .pageDown: items.index(atOrAfter: line + max(1, height - 1), than: current)
      }
    selected = items[target].id
    reveal()
  }

  /// Shows another part of the list and leaves the current item, as the wheel does.
  public mutating func scroll(by count: Int) {
    top += count
    clampTop()
  }

  // MARK: - Where things are

  private typealias Item = (id: ID, line: Int)

  /// The items in order, each with its first line.
  private var items: [Item] {
    lines.indices.compactMap { line in
      guard let id = lines[line], line == 0 || lines[line - 1] != id else { return nil }
      return (id, line)
    }
  }

  private mutating func clampTop() {
    top = top.clamped(to: 0...max(0, lines.count - height))
  }

  /// Scrolls as little as possible to show the current item, and a heading right above it.
  private mutating func reveal() {
    guard let selected, var first = lines.firstIndex(of: selected) else { return clampTop() }
    let last = lines.lastIndex(of: selected) ?? first
    while first > 0, lines[first - 1] == nil, last - first + 1 < height { first -= 1 }
    top = min(max(top, last - height + 1), first)
    clampTop()
  }

  // MARK: - When lines change

  /// The current item if it is still there, else the nearest below it, else the nearest above.
  private func replacementForSelected(in newLines: [ID?]) -> ID? {
    let remaining = Set(newLines.compactMap { $0 })
    let firstItem = newLines.lazy.compactMap { $0 }.first
    guard let selected else { return firstItem }
    if remaining.contains(selected) { return selected }
    let items = items.map(\.id)
    guard let index = items.firstIndex(of: selected) else { return firstItem }
    return items[index...].first(where: remaining.contains)
      ?? items[..<index].last(where: remaining.contains) ?? firstItem
  }

  /// What is to stay where it is on the screen: the current item, or what takes its place; when
  /// that is scrolled away, the first item that is shown.
  private func anchor(replacement: ID?) -> (id: ID, row: Int)? {
    if let replacement, let row = selected.flatMap(row) { return (replacement, row) }
    return visibleLines.lazy.compactMap { line in lines[line].map { ($0, line - top) } }.first
  }
}

extension Array {
  /// The last item that begins at `line` or before it, but at least one before `current`.
  fileprivate func index<ID>(atOrBefore line: Int, than current: Int) -> Int
  where Element == (id: ID, line: Int) {
    Swift.min(lastIndex { $0.line <= line } ?? 0, Swift.max(0, current - 1))
  }

  /// The first item that begins at `line` or after it, but at least one after `current`.
  fileprivate func index<ID>(atOrAfter line: Int, than current: Int) -> Int
  where Element == (id: ID, line: Int) {
    Swift.max(firstIndex { $0.line >= line } ?? count - 1, Swift.min(count - 1, current + 1))
  }
}
