extension Surface {
  /// Writes `text` on one row; with `width`, no further than that many cells.
  ///
  /// Text that is too long is cut, and ends in `ellipsis` if one is given. A place left of the
  /// surface is fine: the text is cut there too.
  ///
  /// - Returns: The column after the text.
  @discardableResult
  public mutating func write(
    _ text: String, at point: Point, style: Style = Style(), width: Int? = nil,
    ellipsis: String = ""
  ) -> Int {
    let text =
      width.map { TextWidth.truncated(text, to: max(0, $0), ellipsis: ellipsis) } ?? text
    var point = point
    for cluster in DisplayCluster.clusters(of: text, upTo: size.columns - point.column) {
      put(cluster, at: point, style: style)
      point.column += cluster.columns
    }
    return point.column
  }

  /// Writes `text` that has one meaning.
  @discardableResult
  public mutating func write(
    _ text: String, at point: Point, role: Role, width: Int? = nil, ellipsis: String = ""
  ) -> Int {
    write(text, at: point, style: Style(role), width: width, ellipsis: ellipsis)
  }

  /// Writes runs one after the other; with `width`, no further than that many cells.
  ///
  /// - Returns: The column after the last.
  @discardableResult
  public mutating func write(
    _ runs: [StyledRun], at point: Point, width: Int? = nil, ellipsis: String = ""
  ) -> Int {
    var point = point
    let shown = width.map { Self.truncated(runs, to: max(0, $0), ellipsis: ellipsis) } ?? runs
    for run in shown { point.column = write(run.text, at: point, style: run.style) }
    return point.column
  }

  /// As many of the runs as fit into `columns` cells; `ellipsis` looks like the run that it cuts.
  private static func truncated(
    _ runs: [StyledRun], to columns: Int, ellipsis: String
  ) -> [StyledRun] {
    let all = runs.reduce(0) { $0 + TextWidth.columns(of: $1.text, upTo: columns) }
    guard all > columns else { return runs }
    let ellipsis = TextWidth.columns(of: ellipsis) <= columns ? ellipsis : ""
    var room = columns - TextWidth.columns(of: ellipsis)
    var shown: [StyledRun] = []
    for run in runs {
      let width = TextWidth.columns(of: run.text, upTo: room)
      guard width <= room else {
        let text = TextWidth.truncated(run.text, to: room, ellipsis: "") + ellipsis
        return shown + [StyledRun(text, run.style)]
      }
      room -= width
      shown.append(run)
    }
    return shown
  }

  /// Covers `rect` with one text of one cell.
  public mutating func fill(_ rect: Rect, with text: String = " ", style: Style = Style()) {
    guard let cluster = DisplayCluster.clusters(of: text).first, cluster.columns == 1 else {
      return
    }
    let rect = bounds.intersection(rect)
    for row in rect.rowRange {
      for column in rect.columnRange {
        put(cluster, at: Point(column: column, row: row), style: style)
      }
    }
  }

  /// Lays a meaning over what is drawn in `rect`, such as the selection over a row.
  public mutating func highlight(_ rect: Rect, _ role: Role) {
    restyle(rect) { $0.overlay = role }
  }

  /// Draws a line to the right.
  public mutating func horizontalRule(
    at point: Point, columns: Int, glyphs: GlyphSet, style: Style = Style(.rule)
  ) {
    fill(
      Rect(origin: point, size: Size(columns: columns, rows: 1)), with: glyphs.horizontal,
      style: style)
  }

  /// Draws a line downwards.
  public mutating func verticalRule(
    at point: Point, rows: Int, glyphs: GlyphSet, style: Style = Style(.rule)
  ) {
    fill(
      Rect(origin: point, size: Size(columns: 1, rows: rows)), with: glyphs.vertical, style: style)
  }

  /// Draws an empty box with a title at the upper left and a note at the upper right.
  ///
  /// - Returns: The space inside the frame.
  @discardableResult
  public mutating func box(
    _ rect: Rect, title: String = "", note: String = "", glyphs: GlyphSet,
    style: Style = Style(.rule)
  ) -> Rect {
    fill(rect)
    let right = rect.columnRange.upperBound - 1
    let bottom = rect.rowRange.upperBound - 1
    for row in [rect.origin.row, bottom] {
      let start = Point(column: rect.origin.column, row: row)
      horizontalRule(at: start, columns: rect.size.columns, glyphs: glyphs, style: style)
    }
    for column in [rect.origin.column, right] {
      let start = Point(column: column, row: rect.origin.row)
      verticalRule(at: start, rows: rect.size.rows, glyphs: glyphs, style: style)
    }
    write(glyphs.topLeft, at: rect.origin, style: style)
    write(glyphs.topRight, at: Point(column: right, row: rect.origin.row), style: style)
    write(glyphs.bottomLeft, at: Point(column: rect.origin.column, row: bottom), style: style)
    write(glyphs.bottomRight, at: Point(column: right, row: bottom), style: style)
    writeHeader(of: rect, title: title, note: note, ellipsis: glyphs.ellipsis)
    return rect.inset(columns: 1, rows: 1)
  }

  private mutating func writeHeader(of rect: Rect, title: String, note: String, ellipsis: String) {
    let start = rect.origin.moved(columns: 2)
    let room = rect.size.columns - 4
    let noteColumns = TextWidth.columns(of: note) + 2
    let hasNote = !note.isEmpty && room >= noteColumns + TextWidth.columns(of: title) + 3
    if hasNote {
      write(
        " \(note) ", at: start.moved(columns: room - noteColumns), style: Style(.dim))
    }
    guard !title.isEmpty, room > 2 else { return }
    let shown = TextWidth.truncated(title, to: room - 2, ellipsis: ellipsis)
    write(" \(shown) ", at: start, style: Style(.heading))
  }
}
