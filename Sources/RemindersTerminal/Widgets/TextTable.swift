/// Rows of text in columns under their titles.
public struct TextTable: Hashable, Sendable {
  /// A column's title and width.
  public struct Column: Hashable, Sendable {
    /// What stands above it.
    public let title: String
    /// Its cells; for the columns that share what is left, the least that they need.
    public let columns: Int
    /// Whether it takes its share of what the fixed columns leave.
    public let isFlexible: Bool
    /// Where its text stands.
    public let alignment: Alignment

    /// A column that always has the same width.
    public static func fixed(
      _ title: String, _ columns: Int, alignment: Alignment = .left
    ) -> Column {
      Column(title: title, columns: columns, isFlexible: false, alignment: alignment)
    }

    /// A column that grows with the table.
    public static func flexible(
      _ title: String, atLeast columns: Int, alignment: Alignment = .left
    ) -> Column {
      Column(title: title, columns: columns, isFlexible: true, alignment: alignment)
    }
  }

  /// The columns from left to right; two cells lie between them.
  public let columns: [Column]

  /// A table of columns.
  public init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Draws the titles.
  public func drawTitles(
    on surface: inout Surface, at point: Point, width: Int, glyphs: GlyphSet
  ) {
    draw(
      columns.map { StyledRun($0.title, .heading) }, on: &surface, at: point, width: width,
      glyphs: glyphs)
  }

  /// Draws one row: a text for each column, cut to its width.
  public func draw(
    _ row: [StyledRun], on surface: inout Surface, at point: Point, width: Int, glyphs: GlyphSet
  ) {
    var point = point
    for (run, (column, columns)) in zip(row, zip(columns, widths(in: width))) {
      let text = TextWidth.padded(
        run.text, to: columns, alignment: column.alignment, ellipsis: glyphs.ellipsis)
      surface.write(text, at: point, style: run.style)
      point.column += columns + TextTable.gap
    }
  }

  private static let gap = 2

  /// The columns' widths in a table of `width`.
  ///
  /// When there is too little room, the last ones get
  /// what is left, down to nothing.
  func widths(in width: Int) -> [Int] {
    let wanted = columns.reduce(0) { $0 + $1.columns } + TextTable.gap * max(0, columns.count - 1)
    let flexible = columns.count(where: \.isFlexible)
    var spare = max(0, width - wanted)
    var sharers = flexible
    var rest = width
    return columns.map { column in
      var columns = column.columns
      if column.isFlexible {
        let share = spare / sharers
        columns += share
        spare -= share
        sharers -= 1
      }
      columns = min(columns, max(0, rest))
      rest -= columns + TextTable.gap
      return columns
    }
  }
}
