/// Which part of a list is seen, in the column at its right edge; nothing where all of it is.
public struct ScrollBar: Hashable, Sendable {
  /// The rows of the column that stand for what is seen.
  public let thumb: Range<Int>

  /// A bar for a list of which a part is seen, in so many rows; nil when all of it is seen.
  public init?(seen: Range<Int>, of count: Int, rows: Int) {
    guard seen.count < count, rows > 0, !seen.isEmpty else { return nil }
    let length = max(1, rows * seen.count / count)
    // Only the first and the last row of the list bring the thumb to the ends.
    let room = rows - length
    let hidden = count - seen.count
    let place = (room * seen.lowerBound + hidden / 2) / hidden
    let isAtEnd = seen.lowerBound == 0 || seen.upperBound == count
    let start = isAtEnd || room < 2 ? place : place.clamped(to: 1...room - 1)
    thumb = start..<start + length
  }

  /// Draws the bar into the right column of a rectangle.
  public func draw(on surface: inout Surface, in rect: Rect, glyphs: GlyphSet) {
    for row in thumb {
      surface.write(
        glyphs.thumb,
        at: Point(column: rect.columnRange.upperBound - 1, row: rect.origin.row + row), role: .dim)
    }
  }
}
