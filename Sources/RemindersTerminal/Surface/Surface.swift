/// A grid of cells to draw on.
///
/// Whatever falls outside is cut off.
public struct Surface: Hashable, Sendable {
  /// Its extent.
  public let size: Size
  private var cells: [Cell]
  /// What may be drawn on now.
  private var open: Rect

  /// An empty grid.
  public init(size: Size, style: Style = Style()) {
    self.size = size
    open = Rect(size: size)
    cells = Array(repeating: .blank(style), count: size.columns * size.rows)
  }

  /// All of it.
  public var bounds: Rect { Rect(size: size) }

  /// The cell at `point`, or nil outside.
  public subscript(point: Point) -> Cell? {
    bounds.contains(point) ? cells[index(of: point)] : nil
  }

  /// A part, to be drawn on as a surface of its own: `draw(&surface[pane])`.
  ///
  /// The part always has the size of `rect`; what lies outside this surface is blank and is lost.
  public subscript(rect: Rect) -> Surface {
    get {
      var part = Surface(size: rect.size)
      part.draw(self, at: Point(column: -rect.origin.column, row: -rect.origin.row))
      return part
    }
    set {
      draw(newValue, at: rect.origin)
    }
  }

  /// Draws what keeps to a part: whatever falls outside of it is cut off.
  ///
  /// Unlike on a part of its own, places are those of the whole surface.
  public mutating func within<Value>(
    _ rect: Rect, _ body: (inout Surface) throws -> Value
  ) rethrows -> Value {
    let before = open
    defer { open = before }
    open = before.intersection(rect)
    return try body(&self)
  }

  /// Puts `other` on top with its corner at `point`.
  public mutating func draw(_ other: Surface, at point: Point) {
    let target = open.intersection(Rect(origin: point, size: other.size))
    for row in target.rowRange where !target.isEmpty {
      let source = other.index(
        of: Point(column: target.origin.column - point.column, row: row - point.row))
      separateHalves(row: row, columns: target.columnRange)
      let first = index(of: Point(column: target.origin.column, row: row))
      cells.replaceSubrange(
        first..<first + target.size.columns,
        with: other.cells[source..<source + target.size.columns])
      blankCutHalves(first: first, last: first + target.size.columns - 1)
    }
  }

  /// Sets one cluster; a wide one that does not fit leaves a blank.
  mutating func put(_ cluster: DisplayCluster, at point: Point, style: Style) {
    let target = Rect(origin: point, size: Size(columns: cluster.columns, rows: 1))
    let visible = open.intersection(target)
    if visible.isEmpty { return }
    separateHalves(row: point.row, columns: visible.columnRange)
    let first = index(of: visible.origin)
    guard visible == target else { return cells[first] = .blank(style) }
    cells[first] = Cell(text: cluster.text, style: style, columns: cluster.columns)
    if cluster.columns == 2 { cells[first + 1] = .rightHalf(style) }
  }

  /// Changes the style of every cell in `rect`.
  mutating func restyle(_ rect: Rect, _ change: (inout Style) -> Void) {
    let rect = open.intersection(rect)
    for row in rect.rowRange {
      for column in rect.columnRange {
        change(&cells[index(of: Point(column: column, row: row))].style)
      }
    }
  }

  /// Whether a row is the same on a surface of the same extent.
  func hasRow(_ row: Int, of other: Surface) -> Bool {
    let range = row * size.columns..<(row + 1) * size.columns
    return cells[range] == other.cells[range]
  }

  private func index(of point: Point) -> Int { point.row * size.columns + point.column }

  /// Before `columns` are overwritten: a wide text that reaches across an edge loses both halves.
  private mutating func separateHalves(row: Int, columns: Range<Int>) {
    for edge in [columns.lowerBound, columns.upperBound] where (1..<size.columns).contains(edge) {
      let right = index(of: Point(column: edge, row: row))
      guard cells[right].columns == 0 else { continue }
      cells[right] = .blank(cells[right].style)
      cells[right - 1] = .blank(cells[right - 1].style)
    }
  }

  /// After a copy: a half whose other half was not copied with it becomes blank.
  private mutating func blankCutHalves(first: Int, last: Int) {
    if cells[first].columns == 0 { cells[first] = .blank(cells[first].style) }
    if cells[last].columns == 2 { cells[last] = .blank(cells[last].style) }
  }
}

extension Surface {
  /// The rows as plain text, without the blanks at their ends.
  public var lines: [String] {
    rows { cells in
      var line = cells.map(\.text).joined()
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// The rows as runs of equal style.
  public var styledLines: [[StyledRun]] {
    rows { cells in
      var runs: [StyledRun] = []
      for cell in cells {
        if runs.last?.style == cell.style {
          runs[runs.count - 1].text += cell.text
        } else {
          runs.append(StyledRun(cell.text, cell.style))
        }
      }
      return runs
    }
  }

  private func rows<Value>(_ transform: (ArraySlice<Cell>) -> Value) -> [Value] {
    (0..<size.rows).map { row in
      transform(cells[row * size.columns..<(row + 1) * size.columns])
    }
  }
}
