/// One key press: what was pressed, and what was held.
///
/// A character carries its own shift (`"J"`, not shift and `"j"`); only named keys know `.shift`.
public struct Key: Hashable, Sendable {
  /// The key itself.
  public enum Code: Hashable, Sendable {
    case character(Character)
    case enter, tab, backspace, delete, insert, escape
    case up, down, left, right, home, end, pageUp, pageDown
    /// F1 is `function(1)`.
    case function(Int)
  }

  /// Keys that are held while another is pressed.
  public struct Modifiers: OptionSet, Hashable, Sendable {
    /// One bit for each.
    public let rawValue: Int
    /// Modifiers by their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Control.
    public static let control = Modifiers(rawValue: 1)
    /// Alt, Option or Meta.
    public static let alt = Modifiers(rawValue: 2)
    /// Shift, for named keys.
    public static let shift = Modifiers(rawValue: 4)
  }

  /// What was pressed.
  public let code: Code
  /// What was held.
  public let modifiers: Modifiers

  /// A press of `code` while `modifiers` are held.
  public init(_ code: Code, _ modifiers: Modifiers = []) {
    self.code = code
    self.modifiers = modifiers
  }

  /// A plain character.
  public static func character(_ character: Character) -> Key { Key(.character(character)) }
  /// A character with control; letters in lower case.
  public static func control(_ character: Character) -> Key { Key(.character(character), .control) }
  /// A character with alt.
  public static func alt(_ character: Character) -> Key { Key(.character(character), .alt) }
  /// F1 and so on.
  public static func function(_ number: Int) -> Key { Key(.function(number)) }

  /// The space bar.
  public static let space = Key.character(" ")
  /// Return.
  public static let enter = Key(.enter)
  /// Tab.
  public static let tab = Key(.tab)
  /// Tab with shift.
  public static let backTab = Key(.tab, .shift)
  /// Rubs out to the left.
  public static let backspace = Key(.backspace)
  /// Deletes to the right.
  public static let delete = Key(.delete)
  /// Escape.
  public static let escape = Key(.escape)
  /// Arrow up.
  public static let up = Key(.up)
  /// Arrow down.
  public static let down = Key(.down)
  /// Arrow left.
  public static let left = Key(.left)
  /// Arrow right.
  public static let right = Key(.right)
  /// Home.
  public static let home = Key(.home)
  /// End.
  public static let end = Key(.end)
  /// Page up.
  public static let pageUp = Key(.pageUp)
  /// Page down.
  public static let pageDown = Key(.pageDown)

  /// The character that this press types, when it types one.
  public var typed: Character? {
    guard case .character(let character) = code, modifiers.isEmpty else { return nil }
    return character
  }
}
