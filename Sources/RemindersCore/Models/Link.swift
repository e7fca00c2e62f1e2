/// What may be the link of a reminder.
public enum Link {
  /// Schemes whose rest is a program, or a page of its own.
  private static let programs: Set = ["javascript", "vbscript", "data"]

  /// Whether a text is one: a scheme and what it is about, without spaces or control characters.
  public static func isValid(_ text: String) -> Bool {
    guard let (scheme, rest) = parts(of: text), !programs.contains(scheme) else { return false }
    return ["http", "https"].contains(scheme) ? !host(in: rest).isEmpty : !rest.isEmpty
  }

  /// What a row shows of a link: the host of a page, the address of a mail, else all of it.
  public static func label(of text: String) -> String {
    guard let (scheme, rest) = parts(of: text) else { return text }
    switch scheme {
    case "http", "https":
      let host = host(in: rest)
      return host.isEmpty ? text : String(host.hasPrefix("www.") ? host.dropFirst(4) : host)
    case "mailto": return String(rest.prefix { $0 != "?" })
    default: return text
    }
  }

  /// Refuses what is none.
  ///
  /// - Throws: `AppError`.
  static func validate(_ text: String) throws {
    guard !isValid(text) else { return }
    throw AppError(
      .invalidInput, "“\(text.visible.prefix(60))” is not a link.",
      hint:
        "A link begins with a scheme such as https:// or mailto:, not javascript:, vbscript: or "
        + "data:, and has no spaces.")
  }

  private static func parts(of text: String) -> (scheme: String, rest: Substring)? {
    let isPlain = text.unicodeScalars.allSatisfy {
      !$0.properties.isWhitespace && $0.properties.generalCategory != .control
        && $0.properties.generalCategory != .format
    }
    guard isPlain, let colon = text.firstIndex(of: ":") else { return nil }
    let scheme = text[..<colon].lowercased()
    guard let first = scheme.first, first.isASCII, first.isLetter,
      scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
    else { return nil }
    return (scheme, text[text.index(after: colon)...])
  }

  private static func host(in rest: Substring) -> Substring {
    guard rest.hasPrefix("//") else { return "" }
    let authority = rest.dropFirst(2).prefix { !"/?#".contains($0) }
    return authority.split(separator: "@").last ?? ""
  }
}

extension String {
  /// The text with the characters that nobody sees as they are written in Swift: `\n`, `\u{1B}`.
  fileprivate var visible: String {
    unicodeScalars.map { scalar in
      [.control, .format].contains(scalar.properties.generalCategory)
        ? scalar.escaped(asASCII: true) : String(scalar)
    }.joined()
  }
}
