/// What a terminal can do.
public struct TerminalCapabilities: Hashable, Sendable {
  /// How many colours it has.
  public var colorDepth: ColorDepth
  /// Whether it shows Unicode; if not, use `GlyphSet.ascii`.
  public var isUTF8: Bool
  /// Whether it is known to put on the clipboard what it is sent for that (OSC 52).
  public var hasClipboard: Bool

  /// What a terminal can do.
  public init(colorDepth: ColorDepth, isUTF8: Bool, hasClipboard: Bool = true) {
    self.colorDepth = colorDepth
    self.isUTF8 = isUTF8
    self.hasClipboard = hasClipboard
  }

  /// The glyphs that it can show.
  public var glyphs: GlyphSet { isUTF8 ? .unicode : .ascii }
}

/// A terminal: it shows frames and reports events.
@MainActor
public protocol TerminalDevice: AnyObject {
  /// Its extent now. A change is also reported as `TerminalEvent.resize`.
  var size: Size { get }
  /// What it can do; never changes.
  var capabilities: TerminalCapabilities { get }
  /// Whom to tell about events. Events that come while there is no one are kept.
  var onEvent: ((TerminalEvent) -> Void)? { get set }

  /// Shows `frame`. While the screen is left (`suspend`, `runExternal`, `close`) nothing is shown;
  /// the latest frame appears on the way back.
  func present(_ frame: Frame)

  /// Leaves the screen, stops the process as Ctrl-Z does, and reports `.resumed` once continued.
  func suspend()

  /// Leaves the screen to another program, such as an editor, and comes back when `body` ends.
  func runExternal<Value: Sendable>(_ body: () async throws -> Value) async rethrows -> Value

  /// Puts `text` on the clipboard of the person at the terminal, also through ssh.
  func copy(_ text: String)

  /// Gives the terminal back as it was found. May be called again.
  func close()
}

/// Why a terminal cannot be used, and what can be done about it.
public struct TerminalError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What happened.
  public let reason: String
  /// What can be done about it.
  public let hint: String

  /// A reason with a hint.
  public init(_ reason: String, hint: String) {
    self.reason = reason
    self.hint = hint
  }

  /// The reason and the hint.
  public var description: String { reason + " " + hint }
}
