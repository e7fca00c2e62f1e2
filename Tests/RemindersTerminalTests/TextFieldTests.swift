import Testing

@testable import RemindersTerminal

@Suite struct TextFieldTests {
  /// The text of a field after keys, with `|` at the caret.
  private func edited(_ text: String, _ names: String) throws -> String {
    var field = TextField(text)
    for key in try #require(Key.sequence(names)) { field.handle(key) }
    return field.textBeforeCaret + "|" + field.text.dropFirst(field.textBeforeCaret.count)
  }

  @Test(
    "readline's keys do what they do in a shell",
    arguments: [
      ("", "abc", "abc|"), ("abc", "<c-a>x", "x|abc"), ("abc", "<home>x<end>y", "xabcy|"),
      ("abc", "<left><left>x", "ax|bc"), ("abc", "<c-b><c-b><c-f>x", "abx|c"),
      ("abc", "<backspace>", "ab|"), ("abc", "<left><delete>", "ab|"), ("abc", "<c-a><c-d>", "|bc"),
      ("one two", "<c-w>", "one |"), ("one two  ", "<c-w>", "one |"), ("one", "<c-w><c-w>", "|"),
      ("one two", "<c-u>", "|"), ("one two", "<left><left><left><c-k>", "one |"),
      ("one two", "<c-w><c-a><c-y>", "two|one "), ("one two", "<a-b>x", "one x|two"),
      ("one two", "<c-a><a-f>x", "onex| two"), ("one two", "<c-a><a-d>", "| two"),
      ("one two", "<a-backspace>", "one |"), ("one-two", "<c-left>x", "one-x|two"),
      ("", "<left><right><backspace><delete><c-w><c-u><c-k><c-y>", "|"),
      ("a日b", "<left><left><backspace>", "|日b"), ("x👨‍👩‍👧", "<backspace>", "x|"),
    ])
  func keys(text: String, names: String, expected: String) throws {
    #expect(try edited(text, names) == expected)
  }

  @Test("keys without a meaning are left to others")
  func otherKeys() {
    var field = TextField("a")
    for key in [Key.enter, .tab, .escape, .control("s"), .function(1), .up, .alt("x")] {
      let isUsed = field.handle(key)
      #expect(!isUsed, "\(key)")
    }
    #expect(field.text == "a")
  }

  @Test("line ends in a paste become spaces")
  func paste() {
    var field = TextField("a")
    field.paste("b\nc\r\nd")
    #expect(field.text == "ab c d")
  }

  @Test("a mark typed after a letter joins it, and both go at once")
  func combiningMarks() throws {
    #expect(try edited("", "e\u{301}<backspace>") == "|")
  }

  @Test("the caret stands by the width of what is before it")
  func caret() {
    var surface = Surface(size: Size(columns: 20, rows: 2))
    let rect = Rect(column: 3, row: 1, columns: 10, rows: 1)
    #expect(TextField("日本").draw(on: &surface, in: rect) == Point(column: 7, row: 1))
    #expect(surface.lines == ["", "   日本"])
  }

  @Test("the part around the caret is shown, and the caret is always inside")
  func scrolling() {
    var field = TextField("abcdefghijklmnopqrstuvwxyz")
    let rect = Rect(column: 0, row: 0, columns: 10, rows: 1)
    for _ in 0...26 {
      var surface = Surface(size: rect.size)
      let caret = field.draw(on: &surface, in: rect)
      #expect(rect.contains(caret))
      let before = surface.lines[0].prefix(caret.column)
      #expect(field.textBeforeCaret.hasSuffix(before))
      field.handle(.left)
    }
  }

  @Test("an empty field shows what belongs there")
  func placeholder() {
    var surface = Surface(size: Size(columns: 10, rows: 1))
    let caret = TextField().draw(on: &surface, in: surface.bounds, placeholder: "Title")
    #expect(surface.styledLines[0].first == StyledRun("Title", .placeholder))
    #expect(caret == .zero)
  }
}

@Suite struct TextAreaTests {
  private func area(_ text: String, _ names: String, columns: Int = 11) throws -> TextArea {
    var area = TextArea(text)
    for key in try #require(Key.sequence(names)) { area.handle(key, columns: columns) }
    return area
  }

  @Test(
    "moves follow the lines as they are shown",
    arguments: [
      // Shown as “the quick ” and “brown fox”.
      ("the quick brown fox", "<up>x", "the quickx brown fox"),
      ("the quick brown fox", "<up><home>x", "xthe quick brown fox"),
      ("the quick brown fox", "<c-a><down><down>x", "the quick xbrown fox"),
      ("one\ntwo", "<up>x", "onex\ntwo"), ("one\ntwo", "<c-a>x", "one\nxtwo"),
      ("one\ntwo", "<up><end><delete>", "onetwo"), ("one\ntwo", "<c-u><backspace>", "one"),
      ("long line\na\nlong line", "<up><up>x", "long linex\na\nlong line"),
      ("a", "<enter>b", "a\nb"), ("日本語日本語", "<up>x", "日x本語日本語"),
    ])
  func keys(text: String, names: String, expected: String) throws {
    #expect(try area(text, names).text == expected)
  }

  @Test("up on the first line and down on the last lead out of the area")
  func edges() {
    var area = TextArea("one\ntwo")
    let down = area.handle(.down, columns: 20)
    let up = area.handle(.up, columns: 20)
    let upAgain = area.handle(.up, columns: 20)
    #expect([down, up, upAgain] == [false, true, false])
  }

  @Test("a paste keeps its lines")
  func paste() {
    var area = TextArea()
    area.paste("a\nb")
    #expect(area.text == "a\nb")
    var surface = Surface(size: Size(columns: 10, rows: 3))
    #expect(area.draw(on: &surface, in: Rect(size: surface.size)) == Point(column: 1, row: 1))
  }

  @Test("the lines around the caret are shown, and the caret is always inside")
  func drawing() {
    let rect = Rect(column: 1, row: 0, columns: 8, rows: 3)
    var area = TextArea((1...9).map { "line \($0)" }.joined(separator: "\n"))
    repeat {
      var surface = Surface(size: Size(columns: 10, rows: 4))
      let caret = area.draw(on: &surface, in: rect)
      #expect(rect.contains(caret))
      #expect(surface.lines[3].isEmpty)
    } while area.handle(.up, columns: 8)
    var surface = Surface(size: Size(columns: 10, rows: 4))
    area.draw(on: &surface, in: rect)
    #expect(surface.lines == [" line 1", " line 2", " line 3", ""])
  }

  @Test("in any width the caret is inside and no text is lost")
  func anyWidth() {
    let text = "a 日本語 word\n\n  spaces   e\u{301}👨‍👩‍👧 end"
    for columns in 0..<20 {
      var area = TextArea(text)
      let rect = Rect(column: 0, row: 0, columns: columns, rows: 4)
      for key in [Key.up, .up, .left, .down, .home, .down, .end, .right] {
        area.handle(key, columns: columns)
        var surface = Surface(size: Size(columns: 20, rows: 4))
        let caret = area.draw(on: &surface, in: rect)
        #expect(caret.column <= max(0, columns - 1) && caret.row < 4)
      }
      #expect(area.text == text)
    }
  }
}
