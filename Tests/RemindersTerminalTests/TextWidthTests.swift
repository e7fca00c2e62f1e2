import Testing

@testable import RemindersTerminal

@Suite struct TextWidthTests {
  @Test(
    "a text takes the cells that ncurses gives it",
    arguments: [
      ("", 0), ("abc", 3), ("日本", 4), ("ａ", 2), ("한글", 4), ("é", 1), ("e\u{301}", 1),
      ("🎉", 2), ("🫠", 2), ("👨‍👩‍👧‍👦", 8), ("🇩🇪", 2), ("👍🏽", 4), ("❤️", 1), ("שלום", 4),
      ("สวัสดี", 4), ("नमस्ते", 4), ("▸", 1), ("⚑", 1), ("…", 1), ("█", 1),
    ])
  func columns(text: String, columns: Int) {
    #expect(TextWidth.columns(of: text) == columns)
  }

  @Test("an escape sequence in a text is shown, not obeyed")
  func escapeSequencesAreVisible() {
    let surface = Surface.drawing("\u{1B}[2Jx", columns: 10)
    #expect(surface.lines == ["␛[2Jx"])
  }

  @Test(
    "what cannot be shown is replaced by something of the same width",
    arguments: [
      ("a\tb\nc", "a b c"), ("\u{7F}", "␡"), ("\u{0}", "␀"), ("\u{9B}31m", "\u{FFFD}31m"),
      ("a\u{202E}b", "a\u{FFFD}b"), ("\u{2066}x", "\u{FFFD}x"),
      ("a\u{061C}\u{200F}b", "ab"),
      ("x\u{200B}y", "xy"),
      ("\u{FEFF}x", "x"), ("\r\n", "  "),
    ])
  func unshowable(text: String, shown: String) {
    let clusters = DisplayCluster.clusters(of: text)
    #expect(clusters.map(\.text).joined() == shown)
    #expect(TextWidth.columns(of: text) == clusters.reduce(0) { $0 + $1.columns })
  }

  @Test("marks stay on their letter, four at most")
  func marks() {
    let stacked = "a" + String(repeating: "\u{301}", count: 20)
    let clusters = DisplayCluster.clusters(of: stacked)
    #expect(clusters.map { $0.text.unicodeScalars.count } == [5])
    #expect(DisplayCluster.clusters(of: "\u{301}a").map(\.text) == ["a"])
  }

  @Test("joined emoji come apart, so that every terminal draws them in the cells we count")
  func joinedEmoji() {
    #expect(DisplayCluster.clusters(of: "👨‍👩‍👧").map(\.text) == ["👨", "👩", "👧"])
  }

  @Test(
    "truncated text ends in an ellipsis and never exceeds its room",
    arguments: [
      ("Groceries", 9, "Groceries"), ("Groceries", 5, "Groc…"), ("Groceries", 1, "…"),
      ("Groceries", 0, ""), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"),
      ("日本語", 2, "…"), ("cafe\u{301}s", 4, "caf…"),
    ])
  func truncation(text: String, columns: Int, expected: String) {
    #expect(TextWidth.truncated(text, to: columns) == expected)
  }

  @Test(
    "of a long text no more is read than a screen has room for",
    arguments: ["x", "日", "e\u{301}", "\u{301}", "👨‍👩‍👧‍👦", "\u{1B}"])
  func longText(letter: String) {
    let text = String(repeating: letter, count: 1 << 20)
    let few = String(repeating: letter, count: 40)
    #expect(TextWidth.columns(of: text) == 1025, "it is wider than any screen")
    #expect(TextWidth.columns(of: text, upTo: 10) == 11)
    #expect(TextWidth.shortenedInside(text, to: 1) == TextWidth.truncated(text, to: 1))
    // A text of marks alone has no width, and nothing of it is shown.
    let shown = letter == "\u{301}" ? "…" : TextWidth.truncated(few, to: 10)
    #expect(TextWidth.truncated(text, to: 10) == shown)
    var surface = Surface(size: Size(columns: 10, rows: 1))
    surface.write(text, at: Point(column: -8, row: 0))
    #expect(surface.lines == Surface.drawing(few, columns: 10).lines)
  }

  @Test("in ASCII the ellipsis is three dots, and is left out where it does not fit")
  func asciiEllipsis() {
    let dots = GlyphSet.ascii.ellipsis
    #expect(TextWidth.truncated("Groceries", to: 6, ellipsis: dots) == "Gro...")
    #expect(TextWidth.truncated("Groceries", to: 2, ellipsis: dots) == "Gr")
    #expect(TextWidth.shortenedInside("Groceries", to: 7, ellipsis: dots) == "Gr...es")
    #expect(TextWidth.shortenedInside("Groceries", to: 4, ellipsis: dots) == "G...")
  }

  @Test(arguments: [
    ("lake.png", 8, "lake.png"), ("a-long-name.png", 9, "a-lo….png"), ("a-long-name.png", 2, "a…"),
    ("a-long-name.png", 0, ""), ("湖の写真です.png", 9, "湖の….png"), ("湖の写真", 6, "湖…真"),
  ])
  func whatIsShortenedInsideKeepsItsEnd(text: String, columns: Int, expected: String) {
    #expect(TextWidth.shortenedInside(text, to: columns) == expected)
    #expect(TextWidth.columns(of: expected) <= columns)
  }

  @Test("padded text has exactly the cells that were asked for")
  func padding() {
    #expect(TextWidth.padded("日", to: 4) == "日  ")
    #expect(TextWidth.padded("7", to: 3, alignment: .right) == "  7")
    #expect(TextWidth.padded("ab", to: 5, alignment: .center) == " ab  ")
    for text in ["日本語", "abc", "", "e\u{301}", "👨‍👩‍👧"] {
      for columns in 0..<8 {
        #expect(TextWidth.columns(of: TextWidth.padded(text, to: columns)) == columns)
      }
    }
  }
}

@Suite struct TextWrappingTests {
  @Test("lines break between words")
  func words() {
    #expect(TextWidth.wrapped("the quick brown fox", to: 10) == ["the quick", "brown fox"])
  }

  @Test("a word that is longer than a line is cut")
  func longWord() {
    #expect(TextWidth.wrapped("a abcdefgh b", to: 4) == ["a", "abcd", "efgh", "b"])
  }

  @Test("line ends in the text are kept, also empty lines and the last one")
  func paragraphs() {
    #expect(TextWidth.wrapped("a\n\nb\n", to: 5) == ["a", "", "b", ""])
    #expect(TextWidth.wrapped("a\n\nb c d\n", to: 3, atMost: 3) == ["a", "", "b c"])
    #expect(TextWidth.wrapped("", to: 5) == [""])
  }

  @Test("East Asian text breaks between any two characters")
  func eastAsian() {
    #expect(TextWidth.wrapped("日本語日本語", to: 5) == ["日本", "語日", "本語"])
    #expect(TextWidth.wrapped("ab日本", to: 4) == ["ab日", "本"])
  }

  @Test("no line is wider than its room, and no text is lost")
  func invariant() {
    let texts = ["the quick 日本語 brown", "👨‍👩‍👧‍👦 family", "a  b   c", "e\u{301}e\u{301} x"]
    for text in texts {
      for columns in 2..<12 {
        let lines = TextWidth.wrapped(text, to: columns)
        let isSplit = text.contains("👨") && columns < 8
        if !isSplit { #expect(lines.allSatisfy { TextWidth.columns(of: $0) <= columns }) }
        #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
      }
    }
  }
}

extension Surface {
  /// One row with a text on it.
  static func drawing(_ text: String, columns: Int) -> Surface {
    var surface = Surface(size: Size(columns: columns, rows: 1))
    surface.write(text, at: .zero)
    return surface
  }
}
