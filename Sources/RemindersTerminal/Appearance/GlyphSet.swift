/// The signs that screens are drawn with, once in Unicode and once in ASCII.
///
/// Signs that carry meaning become words in ASCII (`LATE`, `FLAG`), so their widths differ: lay out
/// by `TextWidth`, not by counting on one cell.
public struct GlyphSet: Hashable, Sendable {
  /// What cut text ends in.
  public let ellipsis: String
  /// Lines and the corners of boxes.
  public let horizontal, vertical, topLeft, topRight, bottomLeft, bottomRight: String
  /// Where lines meet: a T hanging down, and one standing up.
  public let teeDown: String
  /// Before the current row.
  public let pointer: String
  /// Before the current item of a pane without the focus.
  public let bar: String
  /// A patch in a list's colour.
  public let swatch: String
  /// To be done, being done, done.
  public let open, partial, done: String
  /// Still to come, as often as it comes again.
  public let again: String
  /// A day with something on it, in a month.
  public let dot: String
  /// Late.
  public let alert: String
  /// Flagged.
  public let flag: String
  /// Not sent yet, and arrived from elsewhere.
  public let outgoing, incoming: String
  /// All is well, something failed, two versions differ, something is missing.
  public let check, cross, conflict, unknown: String
  /// Around a choice that the arrows change, and between the parts of a path.
  public let choiceLeft, choiceRight, pathSeparator: String
  /// Between facts on one line.
  public let separator: String
  /// One of several, not chosen and chosen.
  public let radioOff, radioOn: String
  /// A menu below.
  public let menu: String
  /// A part of a progress bar, full and empty.
  public let barFull, barEmpty: String
  /// What is seen of a list, in its scroll bar.
  public let thumb: String
  /// Around an object in a search field.
  public let tokenLeft, tokenRight: String
  /// Around words.
  public let quoteLeft, quoteRight: String

  /// For terminals that show Unicode.
  public static let unicode = GlyphSet(
    ellipsis: "…", horizontal: "─", vertical: "│", topLeft: "╭", topRight: "╮", bottomLeft: "╰",
    bottomRight: "╯", teeDown: "┬", pointer: "▸", bar: "▌", swatch: "■", open: "○",
    partial: "◐", done: "●", again: "↻", dot: "•", alert: "▲", flag: "⚑", outgoing: "⇡",
    incoming: "⇣", check: "✓",
    cross: "✗", conflict: "≠", unknown: "?", choiceLeft: "‹", choiceRight: "›",
    pathSeparator: "›", separator: "·", radioOff: "( )", radioOn: "(•)", menu: "▾",
    barFull: "█", barEmpty: "░", thumb: "┃", tokenLeft: "⟨", tokenRight: "⟩", quoteLeft: "“",
    quoteRight: "”")

  /// For all others.
  public static let ascii = GlyphSet(
    ellipsis: "...", horizontal: "-", vertical: "|", topLeft: "+", topRight: "+", bottomLeft: "+",
    bottomRight: "+", teeDown: "+", pointer: ">", bar: "|", swatch: "#", open: "[ ]",
    partial: "[~]", done: "[x]", again: "[>]", dot: "*", alert: "LATE", flag: "FLAG", outgoing: "^",
    incoming: "v",
    check: "ok", cross: "!", conflict: "!=", unknown: "?", choiceLeft: "<", choiceRight: ">",
    pathSeparator: ">", separator: "-", radioOff: "( )", radioOn: "(*)", menu: "v",
    barFull: "#", barEmpty: ".", thumb: "|", tokenLeft: "<", tokenRight: ">", quoteLeft: "\"",
    quoteRight: "\"")
}
