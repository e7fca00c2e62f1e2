/// The look of a meaning.
///
/// Nil colours are the terminal's own, or those of what lies beneath.
public struct Look: Hashable, Sendable {
  /// The colour of the text.
  public var foreground: Color?
  /// The colour behind it.
  public var background: Color?
  /// What is done to the text beside colour.
  public var attributes: Attributes

  /// A look.
  public init(
    _ foreground: Color? = nil, on background: Color? = nil, _ attributes: Attributes = []
  ) {
    self.foreground = foreground
    self.background = background
    self.attributes = attributes
  }

  /// This look with colours: a shade takes the place of `dim`, a background that of `reverse`.
  fileprivate func colored(by color: Look) -> Look {
    var attributes = attributes.union(color.attributes)
    if color.foreground != nil { attributes.remove(.dim) }
    if color.background != nil { attributes.remove(.reverse) }
    return Look(color.foreground, on: color.background, attributes)
  }
}

/// What every role looks like.
public struct Theme: Hashable, Sendable {
  /// The built-in themes, by the names that people write in their configuration.
  public enum Name: String, CaseIterable, Hashable, Sendable {
    /// The terminal's own sixteen colours, whatever they are.
    case auto
    /// For dark backgrounds.
    case dark
    /// For light backgrounds.
    case light
    case highContrast = "high-contrast"
    /// Without any colour.
    case mono
  }

  /// Which theme it is, or began as.
  public let name: Name
  private var looks: [Role: Look]
  private let usesColor: Bool

  /// A built-in theme.
  public init(_ name: Name) {
    self.name = name
    usesColor = name != .mono
    looks = Theme.attributeLooks.merging(Theme.colorLooks(name)) { $0.colored(by: $1) }
    if name == .highContrast { looks.merge(Theme.highContrastLooks) { $1 } }
  }

  /// The theme with another look for one role.
  public func replacing(_ role: Role, with look: Look) -> Theme {
    var theme = self
    theme.looks[role] = look
    return theme
  }

  /// The look of a role by itself.
  public func look(of role: Role) -> Look { looks[role] ?? Look() }

  /// Whether text of a colour stands out from the terminal's background, which may be either where
  /// the theme does not say; else it is in the terminal's own.
  private func isVisible(_ color: RGB) -> Bool {
    switch name {
    case .light: color.luminance < 0.8
    case .dark: color.luminance > 0.04
    case .auto, .highContrast, .mono: color.luminance > 0.04 && color.luminance < 0.9
    }
  }

  /// What `style` comes to: its exact colours over the overlay's look over the role's.
  ///
  /// Without colour, an exact foreground is dropped; so is an exact background.
  public func look(of style: Style) -> Look {
    var look = look(of: style.role)
    look.attributes.formUnion(style.attributes)
    if usesColor {
      let isOfPicture = style.background != nil
      let foreground = style.foreground.flatMap { isOfPicture || isVisible($0) ? $0 : nil }
      look.foreground = foreground.map(Color.rgb) ?? look.foreground
      look.background = style.background.map(Color.rgb) ?? look.background
    }
    guard let overlay = style.overlay.map({ self.look(of: $0) }) else { return look }
    look.foreground = overlay.foreground ?? look.foreground
    look.background = overlay.background ?? look.background
    look.attributes.formUnion(overlay.attributes)
    // Reversed, each part of a row would be a block in its own colour.
    if look.attributes.contains(.reverse), look.background == nil { look.foreground = nil }
    return look
  }
}
