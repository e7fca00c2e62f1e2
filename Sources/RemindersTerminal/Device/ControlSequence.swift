import Foundation

/// What is written to the terminal past ncurses, which has no words for it.
enum ControlSequence {
  /// Pasted text arrives between marks.
  static func bracketedPaste(_ isOn: Bool) -> String { mode(2004, isOn) }

  /// Presses and the wheel are reported, with numbers for any size of terminal.
  static func mouse(_ isOn: Bool) -> String { mode(1000, isOn) + mode(1006, isOn) }

  /// Names the window, without what could end the sequence or begin another.
  static func title(_ title: String) -> String {
    let text = title.unicodeScalars.filter {
      $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
    }
    return "\u{1B}]2;" + String(String.UnicodeScalarView(text)) + "\u{7}"
  }

  /// Rings the bell.
  static let bell = "\u{7}"

  /// Keeps the window's title, for `restoreTitle`.
  static let saveTitle = "\u{1B}[22;0t"
  static let restoreTitle = "\u{1B}[23;0t"

  /// Fills the clipboard, also from another machine (OSC 52).
  static func copy(_ text: String) -> String {
    "\u{1B}]52;c;" + Data(text.utf8).base64EncodedString() + "\u{7}"
  }

  /// Asks the terminal what it can do (DA1); every one answers.
  static let attributesQuery = "\u{1B}[c"

  /// A terminfo string without its marks for delays (`$<5>`), which no terminal of today needs.
  static func withoutDelays(_ string: String) -> String {
    // Not by a regular expression: making one takes longer than drawing the screen.
    let parts = string.components(separatedBy: "$<")
    return parts[0]
      + parts.dropFirst().map { $0.drop { $0 != ">" }.dropFirst() }.joined()
  }

  private static func mode(_ number: Int, _ isOn: Bool) -> String {
    "\u{1B}[?\(number)\(isOn ? "h" : "l")"
  }
}
