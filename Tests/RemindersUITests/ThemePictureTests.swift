import Foundation
import RemindersTerminal
import Testing

@testable import RemindersUI

/// What the roles in the pictures look like: a colour that changes shows up here.
struct ThemePictureTests {
  @Test func everyRoleLooksAsItDid() throws {
    let text = Theme.Name.allCases.map { name in
      let theme = Theme(name)
      let looks = Role.allCases.map { role in
        "  \(role.rawValue): \(theme.look(of: role).words)\n"
      }
      return "\(name.rawValue)\n" + looks.joined()
    }.joined(separator: "\n")
    try expectPicture(text, "themes")
  }
}

extension Look {
  /// `203/9/1 on 24/4/4 bold`: the numbers of the colours of 256, of 16 and of 8.
  fileprivate var words: String {
    func numbers(_ color: Color) -> String {
      [ColorDepth.palette256, .ansi16, .ansi8]
        .map { depth in color.index(at: depth).map { "\($0)" } ?? "-" }.joined(separator: "/")
    }
    let names: [(Attributes, String)] = [
      (.bold, "bold"), (.dim, "dim"), (.underline, "underline"), (.reverse, "reverse"),
      (.italic, "italic"),
    ]
    let parts =
      [foreground.map(numbers), background.map { "on " + numbers($0) }]
      + names.map { attributes.contains($0) ? $1 : nil }
    let words = parts.compactMap(\.self).joined(separator: " ")
    return words.isEmpty ? "plain" : words
  }
}
