import RemindersCore
import RemindersTerminal

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
    lastWordOf text: String, among rows: [Sidebar.TagRow]
  ) throws(Problem) -> String {
    guard let word = text.split(whereSeparator: \.isWhitespace).last else {
      throw Problem("Type a word or # and a tag first.")
    }
    if word.hasPrefix("#") {
      guard let found = Self.suggestions(for: String(word.dropFirst()), among: rows).first else {
        throw Problem("There is no tag “\(word)”.")
      }
      if !tags.contains(found.title) { tags.append(found.title) }
    } else {
      near.append(String(word))
    }
    return String(text[..<word.startIndex])
  }

  /// What stands behind the `#` of the last word, when it has one and is not over.
  static func tagBeingTyped(in text: String) -> String? {
    guard let word = text.split(separator: /\s/, omittingEmptySubsequences: false).last,
      word.hasPrefix("#")
    else { return nil }
    return String(word.dropFirst())
  }

  /// The tags that begin so, the one that is meant first: what is typed in full, then those with
  /// most to do.
  static func suggestions(for beginning: String, among rows: [Sidebar.TagRow]) -> [Sidebar.TagRow] {
    let name = beginning.lowercased()
    let found = rows.filter { $0.title.lowercased().hasPrefix(name) }
    func rank(_ row: Sidebar.TagRow) -> (Int, Int) {
      (row.title.lowercased() == name ? 0 : 1, -row.openCount)
    }
    return found.sorted { rank($0) == rank($1) ? $0.title < $1.title : rank($0) < rank($1) }
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
      try search.takeToken(among: home.sidebar?.tags ?? [])
      searchScreen = search
    } catch {
      notify(error.description, .refused)
    }
    return []
  }
}
