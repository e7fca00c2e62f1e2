/// Where text stands in a space that is wider than it.
public enum Alignment: Hashable, Sendable {
  case left, right, center
}

extension TextWidth {
  /// As much of `text` as fits into `columns` cells, ending in `ellipsis` when some is left out.
  public static func truncated(
    _ text: String, to columns: Int, ellipsis: String = GlyphSet.unicode.ellipsis
  ) -> String {
    if self.columns(of: text, upTo: columns) <= columns { return text }
    let ellipsisColumns = self.columns(of: ellipsis)
    guard ellipsisColumns <= columns else { return prefix(of: text, columns: columns) }
    return prefix(of: text, columns: columns - ellipsisColumns) + ellipsis
  }

  /// The beginning and the end of `text` in `columns` cells, with `ellipsis` for what is left out
  /// between them: of a file's name, the end says what it is.
  public static func shortenedInside(
    _ text: String, to columns: Int, ellipsis: String = GlyphSet.unicode.ellipsis
  ) -> String {
    if self.columns(of: text, upTo: columns) <= columns { return text }
    let room = columns - self.columns(of: ellipsis)
    guard room >= 2 else { return truncated(text, to: columns, ellipsis: ellipsis) }
    let end = suffix(of: text, columns: room / 2)
    return prefix(of: text, columns: room - self.columns(of: end)) + ellipsis + end
  }

  /// `text` in exactly `columns` cells: truncated or filled up with spaces.
  public static func padded(
    _ text: String, to columns: Int, alignment: Alignment = .left,
    ellipsis: String = GlyphSet.unicode.ellipsis
  ) -> String {
    let text = truncated(text, to: columns, ellipsis: ellipsis)
    let missing = max(0, columns - self.columns(of: text))
    let before =
      switch alignment {
      case .left: 0
      case .right: missing
      case .center: missing / 2
      }
    return String(repeating: " ", count: before) + text
      + String(repeating: " ", count: missing - before)
  }

  /// The longest beginning of `text` that fits; a wide character is not cut in half.
  private static func prefix(of text: String, columns: Int) -> String {
    var result = ""
    var used = 0
    for cluster in DisplayCluster.clusters(of: text, upTo: columns) {
      used += cluster.columns
      if used > columns { break }
      result += cluster.text
    }
    return result
  }

  /// The longest end of `text` that fits; a wide character is not cut in half.
  private static func suffix(of text: String, columns: Int) -> String {
    var result = ""
    var used = 0
    for cluster in DisplayCluster.clusters(of: ending(of: text, columns: columns)).reversed() {
      used += cluster.columns
      if used > columns { break }
      result = cluster.text + result
    }
    return result
  }
}
