/// A picture as rows of pixels, small enough for the screen.
public struct HalfBlockImage: Hashable, Sendable {
  /// Pixels across.
  public let width: Int
  /// Pixels down.
  public let height: Int
  private let pixels: [RGB]

  /// A picture from its pixels, row by row from the top left.
  ///
  /// Missing pixels are black, and those beyond `width` × `height` are not used.
  public init(width: Int, height: Int, pixels: [RGB]) {
    self.width = max(0, width)
    self.height = max(0, height)
    let missing = max(0, self.width * self.height - pixels.count)
    self.pixels = pixels + Array(repeating: RGB(0), count: missing)
  }

  /// The pixels that fill `size`: two to a cell, one above the other, which makes them square.
  public static func pixelSize(filling size: Size) -> (width: Int, height: Int) {
    (size.columns, size.rows * 2)
  }

  /// Draws the picture from the upper left of `rect`, cut to it.
  ///
  /// Without colours there is nothing to see: say in words what it is instead.
  public func draw(on surface: inout Surface, in rect: Rect) {
    for row in 0..<min(rect.size.rows, (height + 1) / 2) {
      for column in 0..<min(rect.size.columns, width) {
        let upper = pixel(column, 2 * row)
        let lower = pixel(column, 2 * row + 1)
        surface.write(
          "▀", at: rect.origin.moved(columns: column, rows: row),
          style: Style(.text, foreground: upper, background: lower))
      }
    }
  }

  private func pixel(_ x: Int, _ y: Int) -> RGB? {
    y < height ? pixels[y * width + x] : nil
  }
}
