/// How a cell is to look: what it means, and the few looks that no meaning covers.
public struct Style: Hashable, Sendable {
  /// What the text means; the theme decides how that looks.
  public var role: Role
  /// A meaning that lies over the role, such as the selection over a row of many roles.
  public var overlay: Role?
  /// Attributes beyond those of the roles.
  public var attributes: Attributes
  /// An exact colour of the text (a list's colour, the upper half of two pixels).
  public var foreground: RGB?
  /// An exact colour behind the text.
  public var background: RGB?

  /// A look by its meaning; plain text when there is none.
  public init(
    _ role: Role = .text, over overlay: Role? = nil, attributes: Attributes = [],
    foreground: RGB? = nil,
    background: RGB? = nil
  ) {
    self.role = role
    self.overlay = overlay
    self.attributes = attributes
    self.foreground = foreground
    self.background = background
  }
}

/// What terminals can do to text without colour.
public struct Attributes: OptionSet, Hashable, Sendable {
  /// One bit for each.
  public let rawValue: UInt8
  /// Attributes by their bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Heavier or brighter.
  public static let bold = Attributes(rawValue: 1)
  /// Fainter.
  public static let dim = Attributes(rawValue: 2)
  /// Underlined.
  public static let underline = Attributes(rawValue: 4)
  /// Foreground and background exchanged.
  public static let reverse = Attributes(rawValue: 8)
  /// Slanted.
  public static let italic = Attributes(rawValue: 16)
}

/// Text in one style.
public struct StyledRun: Hashable, Sendable {
  /// The text.
  public var text: String
  /// Its style.
  public var style: Style

  /// Text in a style.
  public init(_ text: String, _ style: Style = Style()) {
    self.text = text
    self.style = style
  }

  /// Text with a meaning.
  public init(_ text: String, _ role: Role) {
    self.init(text, Style(role))
  }
}
