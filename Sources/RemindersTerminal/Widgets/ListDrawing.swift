extension ListState {
  /// Draws the lines that are shown, with a pointer before the current item and a light over it.
  ///
  /// - Parameters:
  ///   - surface: What it is drawn on.
  ///   - area: Where, a row for each line.
  ///   - glyphs: The signs that the terminal can show.
  ///   - pointer: What stands before the current item; the usual sign when nil.
  ///   - column: Where the pointer stands, counted from the left of the area.
  ///   - light: What the current item is highlighted as; nil for not at all.
  ///   - lightsWholeItem: Whether all lines of the item are highlighted, and not the first alone.
  ///   - draw: Draws a line, given its number and where it is.
  /// - Returns: Where the cursor stands.
  @discardableResult
  public func draw(
    on surface: inout Surface, in area: Rect, glyphs: GlyphSet, pointer: String? = nil,
    column: Int = 1, light: Role? = .cursor, lightsWholeItem: Bool = true,
    line draw: (_ surface: inout Surface, _ index: Int, _ rect: Rect) -> Void
  ) -> Point {
    for (row, index) in visibleLines.enumerated() {
      let rect = area.splitTop(row).rest.splitTop(1).top
      draw(&surface, index, rect)
      guard let current, lines[index] == current else { continue }
      let isFirst = isStart(index)
      if isFirst {
        surface.write(pointer ?? glyphs.pointer, at: rect.origin.moved(columns: column))
      }
      if let light, isFirst || lightsWholeItem { surface.highlight(rect, light) }
    }
    return cursor(in: area)
  }
}
