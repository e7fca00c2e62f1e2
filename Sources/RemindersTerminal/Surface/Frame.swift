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
  /// A picture in the format that the terminal asked for (`TerminalEvent.showsPictures`).
  public var picture: FramePicture?

  /// How often the bell has rung by now: it rings when the number grows.
  public var bells: Int

  /// A frame to present.
  public init(
    surface: Surface, theme: Theme, cursor: Point? = nil, mouse: Bool = false, title: String = "",
    picture: FramePicture? = nil, bells: Int = 0
  ) {
    self.surface = surface
    self.theme = theme
    self.cursor = cursor
    self.mouse = mouse
    self.title = title
    self.picture = picture
    self.bells = bells
  }
}
