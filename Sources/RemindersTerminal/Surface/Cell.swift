/// One position on the screen.
public struct Cell: Hashable, Sendable {
  /// What is shown: one scalar that has width and the marks on it; empty in the right half of a
  /// wide one.
  public internal(set) var text: String
  /// How it looks.
  public internal(set) var style: Style
  /// How many cells the text covers: 1 or 2, and 0 in the right half of a wide one.
  public internal(set) var columns: Int

  /// Nothing, in a style.
  static func blank(_ style: Style) -> Cell { Cell(text: " ", style: style, columns: 1) }

  /// What follows a wide text.
  static func rightHalf(_ style: Style) -> Cell { Cell(text: "", style: style, columns: 0) }
}
