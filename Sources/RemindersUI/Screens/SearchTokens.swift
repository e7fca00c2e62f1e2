import Reminders
import Terminal

/// What was made of typed words: something to find that is not just a word anywhere.
struct SearchTokens: Equatable, Sendable {
  /// Tags that a reminder must carry.
  private(set) var tags: [Tag.ID] = []
  /// Words that must stand near each other.
  private(set) var near: [String] = []

  var isEmpty: Bool { tags.isEmpty && near.isEmpty }

  /// Makes the last word of a text a token: of `#` and the beginning of a tag that tag, of any
  /// other word one that must stand near others.
  ///
  /// - Returns: The text without the word.
  /// - Throws: `Problem` when there is no such tag, or no word.
  mutating func take(
    lastWordOf text: String, tagTitles: [Tag.ID]
  ) throws(Problem) -> String {
    guard let word = text.split(whereSeparator: \.isWhitespace).last else {
      throw Problem("Type a word or # and a tag first.")
    }
    if word.hasPrefix("#") {
      let name = word.dropFirst().lowercased()
      let found =
        tagTitles.first { $0.lowercased() == name }
        ?? tagTitles.first { $0.lowercased().hasPrefix(name) }
      guard let found else { throw Problem("There is no tag “\(word)”.") }
      if !tags.contains(found) { tags.append(found) }
    } else {
      near.append(String(word))
    }
    return String(text[..<word.startIndex])
  }

  /// Takes back what was made last.
  mutating func removeLast() {
    if near.popLast() == nil { _ = tags.popLast() }
  }

  /// The tokens, each as an object of its own, with a blank behind.
  func runs(_ glyphs: GlyphSet) -> [StyledRun] {
    func token(_ text: String, _ role: Role) -> StyledRun {
      StyledRun(glyphs.tokenLeft + text + glyphs.tokenRight, role)
    }
    let tags = tags.map { token("#\($0)", .tag) }
    let near = near.isEmpty ? [] : [token("near: " + near.joined(separator: " "), .match)]
    return (tags + near).flatMap { [$0, StyledRun(" ")] }
  }
}

extension AppState {
  mutating func makeToken() -> [Effect] {
    guard var search = searchScreen else { return [] }
    do throws(Problem) {
      try search.takeToken(tagTitles: home.sidebar?.tags.map(\.title) ?? [])
      searchScreen = search
    } catch {
      say(error.description, .refused)
    }
    return []
  }
}
