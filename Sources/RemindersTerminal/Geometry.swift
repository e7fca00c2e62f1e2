/// A cell's place, counted from zero at the top left.
public struct Point: Hashable, Sendable {
  /// Cells from the left edge.
  public var column: Int
  /// Cells from the top edge.
  public var row: Int

  /// The top left corner.
  public static let zero = Point(column: 0, row: 0)

  /// A place by column and row.
  public init(column: Int, row: Int) {
    self.column = column
    self.row = row
  }

  /// The point that lies `columns` to the right and `rows` down.
  public func moved(columns: Int = 0, rows: Int = 0) -> Point {
    Point(column: column + columns, row: row + rows)
  }
}

/// An extent in cells; never negative.
public struct Size: Hashable, Sendable {
  /// Cells across.
  public let columns: Int
  /// Cells down.
  public let rows: Int

  /// An extent; negative numbers count as zero, so that layouts can subtract freely.
  public init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
  }
}

/// A block of cells.
public struct Rect: Hashable, Sendable {
  /// The top left cell.
  public let origin: Point
  /// How far it extends.
  public let size: Size

  /// A block by its corner and extent.
  public init(origin: Point = .zero, size: Size) {
    self.origin = origin
    self.size = size
  }

  /// A block by four numbers.
  public init(column: Int, row: Int, columns: Int, rows: Int) {
    self.init(
      origin: Point(column: column, row: row), size: Size(columns: columns, rows: rows))
  }

  /// The columns that it covers.
  public var columnRange: Range<Int> { origin.column..<origin.column + size.columns }
  /// The rows that it covers.
  public var rowRange: Range<Int> { origin.row..<origin.row + size.rows }
  /// Whether it covers no cell.
  public var isEmpty: Bool { size.columns == 0 || size.rows == 0 }

  /// Whether the cell at `point` belongs to it.
  public func contains(_ point: Point) -> Bool {
    columnRange.contains(point.column) && rowRange.contains(point.row)
  }

  /// What both blocks cover; empty when they do not overlap.
  public func intersection(_ other: Rect) -> Rect {
    let columns = columnRange.clamped(to: other.columnRange)
    let rows = rowRange.clamped(to: other.rowRange)
    return Rect(
      column: columns.lowerBound, row: rows.lowerBound, columns: columns.count, rows: rows.count)
  }

  /// The block without `columns` on either side and `rows` above and below.
  public func inset(columns: Int = 0, rows: Int = 0) -> Rect {
    Rect(
      column: origin.column + min(columns, size.columns / 2),
      row: origin.row + min(rows, size.rows / 2),
      columns: size.columns - 2 * columns, rows: size.rows - 2 * rows)
  }

  /// The upper `rows` rows and what lies below them.
  public func splitTop(_ rows: Int) -> (top: Rect, rest: Rect) {
    let height = rows.clamped(to: 0...size.rows)
    return (
      Rect(origin: origin, size: Size(columns: size.columns, rows: height)),
      Rect(
        origin: origin.moved(rows: height),
        size: Size(columns: size.columns, rows: size.rows - height))
    )
  }

  /// What lies above the lower `rows` rows, and those.
  public func splitBottom(_ rows: Int) -> (rest: Rect, bottom: Rect) {
    let (top, rest) = splitTop(size.rows - rows)
    return (top, rest)
  }

  /// The left `columns` columns and what lies to the right of them.
  public func splitLeft(_ columns: Int) -> (left: Rect, rest: Rect) {
    let width = columns.clamped(to: 0...size.columns)
    return (
      Rect(origin: origin, size: Size(columns: width, rows: size.rows)),
      Rect(
        origin: origin.moved(columns: width),
        size: Size(columns: size.columns - width, rows: size.rows))
    )
  }

  /// What lies to the left of the right `columns` columns, and those.
  public func splitRight(_ columns: Int) -> (rest: Rect, right: Rect) {
    let (left, rest) = splitLeft(size.columns - columns)
    return (left, rest)
  }

  /// A block of at most `inner` in the middle of this one.
  public func centered(_ inner: Size) -> Rect {
    let columns = min(inner.columns, size.columns)
    let rows = min(inner.rows, size.rows)
    return Rect(
      column: origin.column + (size.columns - columns) / 2,
      row: origin.row + (size.rows - rows) / 2, columns: columns, rows: rows)
  }
}

extension Comparable {
  /// The nearest value inside `range`.
  func clamped(to range: ClosedRange<Self>) -> Self {
    min(max(self, range.lowerBound), range.upperBound)
  }
}
