import RemindersTestSupport
import Testing

@testable import RemindersTerminal

@Suite struct ListStateTests {
  private func list(_ lines: [String?], height: Int) -> ListState<String> {
    var list = ListState<String>()
    list.update(lines: lines, height: height)
    return list
  }

  private func letters(_ text: String) -> [String?] { text.map { $0 == "-" ? nil : String($0) } }

  @Test("the first item is current at the beginning; headings never are")
  func beginning() {
    #expect(list(letters("-ab"), height: 5).current == "a")
    #expect(list(letters("--"), height: 5).current == nil)
  }

  @Test("an insert above does not move the current item on the screen")
  func insertAbove() {
    var list = list(letters("abcdefghij"), height: 4)
    list.moveCursor(to: "f")
    let row = list.row(of: "f")
    list.update(lines: letters("XaYbcdefghij"), height: 4)
    #expect(list.current == "f")
    #expect(list.row(of: "f") == row)
  }

  @Test("an insert below, or a change of order elsewhere, does not move what is shown")
  func insertBelow() {
    var list = list(letters("abcdefghij"), height: 4)
    list.move(.pageDown)
    let shown = list.visibleLines
    list.update(lines: letters("abcdefghXij"), height: 4)
    #expect(list.visibleLines == shown)
  }

  @Test(
    "when the current item is gone, its neighbour takes its place on the screen",
    arguments: [
      ("abcdefgh", "c", "abdefgh", "d"), ("abcdefgh", "h", "abcdefg", "g"),
      ("abcdefgh", "d", "abh", "h"), ("abcdefgh", "h", "abc", "c"), ("abc", "b", "xyz", "x"),
      ("abcdefgh", "e", "-abc--fgh", "f"),
    ])
  func deletion(lines: String, current: String, rest: String, expected: String) {
    var list = list(letters(lines), height: 4)
    list.moveCursor(to: current)
    list.update(lines: letters(rest), height: 4)
    #expect(list.current == expected)
    #expect(list.row(of: expected) != nil)
  }

  @Test("a deleted row is followed by the next one on the same row of the screen")
  func deletionKeepsRow() {
    var list = list(letters("abcdefghij"), height: 4)
    list.moveCursor(to: "f")
    let row = list.row(of: "f")
    list.update(lines: letters("abcdeghij"), height: 4)
    #expect(list.row(of: "g") == row)
  }

  @Test("the last item's deletion and an empty list leave nothing current")
  func emptied() {
    var list = list(letters("a"), height: 4)
    list.update(lines: [], height: 4)
    #expect(list.current == nil)
    for move in ListState<String>.Move.allCases { list.move(move) }
    #expect(list.visibleLines.isEmpty)
    list.update(lines: letters("-b"), height: 4)
    #expect(list.current == "b")
  }

  @Test(
    "moves step over headings and over items of several lines",
    arguments: [
      ([.down], "b"), ([.down, .down], "c"), ([.down, .up], "a"), ([.up], "a"), ([.last], "h"),
      ([.last, .down], "h"), ([.last, .first], "a"), ([.halfPageDown], "b"), ([.pageDown], "c"),
      ([.pageDown, .pageDown], "e"), ([.last, .pageUp], "e"), ([.last, .halfPageUp], "f"),
    ] as [([ListState<String>.Move], String)])
  func moves(moves: [ListState<String>.Move], expected: String) {
    var list = list(letters("-aabb-ccdefgh"), height: 4)
    for move in moves { list.move(move) }
    #expect(list.current == expected)
    #expect(list.row(of: expected) != nil)
  }

  @Test("moving back to the first item shows the heading above it")
  func headingIsShown() {
    var list = list(letters("--abcdefgh"), height: 4)
    list.move(.last)
    list.move(.first)
    #expect(list.top == 0)
  }

  @Test("the wheel moves what is shown and not the current item; the next move comes back to it")
  func wheel() {
    var list = list(letters("abcdefghij"), height: 4)
    list.scroll(by: 3)
    #expect(list.current == "a")
    #expect(list.id(atRow: 0) == "d")
    list.update(lines: letters("Xabcdefghij"), height: 4)
    #expect(list.id(atRow: 0) == "d")
    list.scroll(by: 99)
    #expect(list.visibleLines == 7..<11)
    list.move(.down)
    #expect(list.row(of: "b") != nil)
  }

  @Test("a click finds the item on its row")
  func clicks() {
    let list = list(letters("-aab"), height: 10)
    #expect((-1...4).map { list.id(atRow: $0) } == [nil, nil, "a", "a", "b", nil])
  }

  @Test("a lower screen still shows the current item")
  func resize() {
    var list = list(letters("abcdefghij"), height: 8)
    list.moveCursor(to: "h")
    for height in [3, 1, 0, 8] { list.update(lines: letters("abcdefghij"), height: height) }
    #expect(list.current == "h")
    #expect(list.row(of: "h") != nil)
  }

  @Test("whatever happens, the current item is in the list and the window inside it")
  func invariant() {
    var generator = SplitMix64(seed: 1)
    for _ in 0..<300 {
      var list = ListState<Int>()
      for _ in 0..<20 {
        let lines = (0..<Int.random(in: 0...15, using: &generator)).flatMap { id -> [Int?] in
          switch Int.random(in: 0...4, using: &generator) {
          case 0: []
          case 1: [nil, id]
          case 2: [id, id]
          default: [id]
          }
        }
        list.update(lines: lines, height: Int.random(in: 0...8, using: &generator))
        if let move = ListState<Int>.Move.allCases.randomElement(using: &generator) {
          list.move(move)
        }
        list.scroll(by: Int.random(in: -3...3, using: &generator))
        #expect(list.current == nil || lines.contains(list.current))
        #expect((list.current == nil) == lines.allSatisfy { $0 == nil })
        #expect(0...max(0, lines.count - list.height) ~= list.top)
      }
    }
  }
}
