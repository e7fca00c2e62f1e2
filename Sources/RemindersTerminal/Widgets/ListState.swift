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
  public private(set) var current: ID?
  /// The first line that is shown.
  public private(set) var top = 0
  /// The lines as they were given last.
  public private(set) var lines: [ID?] = []
  /// How many lines are shown.
  public private(set) var height = 0
  /// The first line of each item: kept, so that a key costs the same in lists of any length.
  private var starts: [ID: Int] = [:]

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
    guard let line = starts[id], visibleLines.contains(line) else { return nil }
    return line - top
  }

  /// Where the cursor stands in the area in which the list is drawn: on the current item, or on the
  /// first line when that is not shown.
  public func cursor(in area: Rect) -> Point {
    area.origin.moved(columns: 1, rows: current.flatMap(row) ?? 0)
  }

  /// Takes over new lines or a new height.
  public mutating func update(lines newLines: [ID?], height newHeight: Int) {
    let newStarts = Self.starts(in: newLines)
    let replacement = replacementForCurrent(in: newStarts, newLines)
    let anchor = anchor(replacement: replacement)
    let wasVisible = current.flatMap(row) != nil
    let isFirst = lines.isEmpty
    current = replacement
    lines = newLines
    starts = newStarts
    height = max(0, newHeight)
    if let anchor, let line = starts[anchor.id] { top = line - anchor.row }
    clampTop()
    if wasVisible || isFirst { reveal() }
  }

  /// Makes `id` current and shows it; nothing happens when it is not in the list.
  public mutating func moveCursor(to id: ID) {
    guard starts[id] != nil else { return }
    current = id
    reveal()
  }

  /// Makes the item on a row of the screen current, counted from the first line shown.
  ///
  /// - Returns: Whether it was current already; nil when nothing is there.
  public mutating func click(row: Int) -> Bool? {
    guard let id = id(atRow: row) else { return nil }
    defer { moveCursor(to: id) }
    return id == current
  }

  /// Makes the first item current that is shown.
  public mutating func moveCursorIntoView() {
    guard let line = visibleLines.first(where: isStart) ?? visibleLines.first(where: hasItem) else {
      return
    }
    current = lines[line]
  }

  /// Makes another item current and shows it.
  public mutating func move(_ move: Move) {
    guard let start = current.flatMap({ starts[$0] }) else { return }
    let first = self.start(atOrAfter: 0)
    let last = self.start(atOrBefore: lines.count - 1)
    let target =
      switch move {
      case .first: first
      case .last: last
      case .up: self.start(atOrBefore: start - 1)
      case .down: self.start(atOrAfter: start + 1)
      case .halfPageUp: self.start(atOrBefore: start - max(1, height / 2)) ?? first
      case .pageUp: self.start(atOrBefore: start - max(1, height - 1)) ?? first
      case .halfPageDown: self.start(atOrAfter: start + max(1, height / 2)) ?? last
      case .pageDown: self.start(atOrAfter: start + max(1, height - 1)) ?? last
      }
    current = lines[target ?? start]
    reveal()
  }

  /// Shows another part of the list and leaves the current item, as the wheel does.
  public mutating func scroll(by count: Int) {
    top += count
    clampTop()
  }

  // MARK: - Where things are

  private static func starts(in lines: [ID?]) -> [ID: Int] {
    var starts: [ID: Int] = [:]
    for (line, id) in lines.enumerated() {
      if let id, starts[id] == nil { starts[id] = line }
    }
    return starts
  }

  /// The first line at `line` or after it with which an item begins.
  private func start(atOrAfter line: Int) -> Int? {
    lines.indices.clamped(to: line..<max(line, lines.count)).first(where: isStart)
  }

  /// The last line at `line` or before it with which an item begins.
  private func start(atOrBefore line: Int) -> Int? {
    lines.indices.clamped(to: min(0, line + 1)..<line + 1).last(where: isStart)
  }

  /// Whether an item begins with a line.
  func isStart(_ line: Int) -> Bool {
    lines[line].map { starts[$0] == line } ?? false
  }

  private func hasItem(_ line: Int) -> Bool { lines[line] != nil }

  private mutating func clampTop() {
    top = top.clamped(to: 0...max(0, lines.count - height))
  }

  /// Scrolls as little as possible to show the current item, and a heading right above it.
  private mutating func reveal() {
    guard let current, var first = starts[current] else { return clampTop() }
    let last = lines[first...].prefix { $0 == current }.indices.last ?? first
    while first > 0, lines[first - 1] == nil, last - first + 1 < height { first -= 1 }
    top = min(max(top, last - height + 1), first)
    clampTop()
  }

  // MARK: - When lines change

  /// The current item if it is still there, else the nearest below it, else the nearest above.
  private func replacementForCurrent(in newStarts: [ID: Int], _ newLines: [ID?]) -> ID? {
    func remains(_ id: ID?) -> Bool { id.map { newStarts[$0] != nil } ?? false }
    guard let current, let start = starts[current] else {
      return newLines.lazy.compactMap { $0 }.first
    }
    if remains(current) { return current }
    let neighbour = lines[start...].first(where: remains) ?? lines[..<start].last(where: remains)
    return neighbour ?? newLines.lazy.compactMap { $0 }.first
  }

  /// What is to stay where it is on the screen: the current item, or what takes its place; when
  /// that is scrolled away, the first item that is shown.
  private func anchor(replacement: ID?) -> (id: ID, row: Int)? {
    if let replacement, let row = current.flatMap(row) { return (replacement, row) }
    return visibleLines.lazy.compactMap { line in lines[line].map { ($0, line - top) } }.first
  }
}
