extension TextWidth {
  /// `text` in lines of at most `columns` cells, broken between words where possible.
  ///
  /// `limit`: how many lines are wanted: of a long text, no more is read than they need.
  public static func wrapped(
    _ text: String, to columns: Int, atMost limit: Int = .max
  ) -> [String] {
    // Each character takes a column at least; a few marks without width make no difference.
    let text =
      limit == .max ? text : String(text.prefix(limit * (max(1, columns) + 1)))
    return wrappedRanges(of: text, to: columns, atMost: limit).map { range in
      var line = text[range]
      while line.last == " " { line.removeLast() }
      return String(line)
    }
  }

  /// Runs in rows of at most `columns` cells: in one where they fit, else each in rows of its own.
  ///
  /// What goes on beyond the last row ends with the ellipsis there, behind a word.
  public static func wrapped(
    _ runs: [StyledRun], to columns: Int, atMost limit: Int, ellipsis: String
  ) -> [[StyledRun]] {
    guard runs.reduce(0, { $0 + self.columns(of: $1.text) }) > columns else { return [runs] }
    var rows = runs.flatMap { run in
      let text = run.text.drop { $0 == " " }
      return wrapped(String(text), to: columns, atMost: limit + 1).map { StyledRun($0, run.style) }
    }
    guard rows.count > limit, limit > 0 else { return rows.map { [$0] } }
    rows.removeLast(rows.count - limit)
    let room = columns - self.columns(of: ellipsis) - 1
    rows[limit - 1].text =
      wrapped(rows[limit - 1].text, to: room, atMost: 1).joined() + " " + ellipsis
    return rows.map { [$0] }
  }

  /// The parts of `text` that are its lines at `columns` cells.
  ///
  /// Line ends belong to no part; the spaces at a break belong to the line that they end, also when
  /// they stand beyond its edge.
  static func wrappedRanges(
    of text: String, to columns: Int, atMost limit: Int = .max
  ) -> [Range<String.Index>] {
    var lines: [Range<String.Index>] = []
    var start = text.startIndex
    while lines.count < limit {
      let wanted = limit - lines.count
      let end = text[start...].firstIndex(where: \.isNewline) ?? text.endIndex
      lines += wrappedParagraph(text[start..<end], to: max(1, columns), atMost: wanted)
      guard end < text.endIndex else { break }
      start = text.index(after: end)
    }
    return lines
  }

  private static func wrappedParagraph(
    _ paragraph: Substring, to columns: Int, atMost limit: Int
  ) -> [Range<String.Index>] {
    var lines: [Range<String.Index>] = []
    var start = paragraph.startIndex
    var used = 0
    var lastBreak: String.Index?
    var index = start
    while index < paragraph.endIndex {
      let character = paragraph[index]
      let next = paragraph.index(after: index)
      if character == " " {
        used += 1
        lastBreak = next
        index = next
        continue
      }
      let width = self.columns(of: String(character))
      // East Asian text has no spaces: it may break before and after any wide character.
      if width > 1, index > start { lastBreak = index }
      if used + width > columns, index > start {
        let end = lastBreak ?? index
        lines.append(start..<end)
        if lines.count == limit { return lines }
        used = self.columns(of: paragraph[end..<index])
        start = end
        lastBreak = nil
        // The part carried over may still be too long for what remains of the line.
        continue
      }
      used += width
      if width > 1 { lastBreak = next }
      index = next
    }
    lines.append(start..<paragraph.endIndex)
    return lines
  }
}
