import Foundation

/// A picture over some of the cells, for terminals that show real pixels.
public struct FramePicture: Equatable, Sendable {
  /// The cells that it covers; they say the same as well as cells can.
  public var rect: Rect
  /// A PNG file; it is scaled to the cells.
  public var png: Data

  /// A picture over cells.
  public init(rect: Rect, png: Data) {
    self.rect = rect
    self.png = png
  }
}

/// All that a terminal is asked to show; the only way to change its modes.
public struct Frame: Equatable, Sendable {
  /// The cells.
  public var surface: Surface
  /// What the roles look like.
  public var theme: Theme
  /// Where the terminal's cursor is; hidden when nil.
  ///
  /// It follows the focus, for screen readers.
  public var cursor: Point?
  /// Whether the mouse is reported; while it is, the terminal's own selection needs shift.
  public var mouse: Bool
  /// The title of the terminal's window.
  public var title: String
  /// A picture, where the terminal has said that it shows them (`TerminalEvent.showsPictures`).
  public var picture: FramePicture?

  /// A frame to present.
  public init(
    surface: Surface, theme: Theme, cursor: Point? = nil, mouse: Bool = false, title: String = "",
    picture: FramePicture? = nil
  ) {
    self.surface = surface
    self.theme = theme
    self.cursor = cursor
    self.mouse = mouse
    self.title = title
    self.picture = picture
  }
}
