/// What the terminal tells the program.
public enum TerminalEvent: Hashable, Sendable {
  /// A key was pressed.
  case key(Key)
  /// Text was pasted; line ends are `\n`. It is never to be run as commands.
  case paste(String)
  /// The mouse was used; only while the frame asks for it.
  case mouse(MouseEvent)
  /// The terminal has a new size.
  case resize(Size)
  /// The terminal has said how it shows pictures (`Frame.picture`), or that it shows none.
  case showsPictures(PictureFormat?)
  /// The program is back in the foreground after a suspension.
  case resumed
  /// The person asked by SIGUSR1 to read the configuration again.
  case reload
  /// The terminal is gone.
  case hangup
}

/// A click or a turn of the wheel.
public struct MouseEvent: Hashable, Sendable {
  /// What was done.
  public enum Kind: Hashable, Sendable {
    /// The left button went down.
    case click
    case wheelUp, wheelDown
  }

  /// What was done.
  public let kind: Kind
  /// The cell under the pointer.
  public let position: Point

  /// A use of the mouse.
  public init(_ kind: Kind, at position: Point) {
    self.kind = kind
    self.position = position
  }
}
