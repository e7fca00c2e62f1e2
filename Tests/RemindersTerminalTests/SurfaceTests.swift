import RemindersTestSupport
import Testing

@testable import RemindersTerminal

@Suite struct SurfaceTests {
  private func surface(_ columns: Int, _ rows: Int) -> Surface {
    Surface(size: Size(columns: columns, rows: rows))
  }

  @Test("text is cut at every edge")
  func clipping() {
    var surface = surface(5, 2)
    surface.write("abcdefgh", at: Point(column: 2, row: 0))
    surface.write("abcdefgh", at: Point(column: -6, row: 1))
    surface.write("lost", at: Point(column: 0, row: 2))
    surface.write("lost", at: Point(column: 0, row: -1))
    #expect(surface.lines == ["  abc", "gh"])
  }

  @Test("half of a wide character is never shown")
  func wideAtEdges() {
    var surface = surface(5, 2)
    surface.write("日本語", at: .zero)
    surface.write("日本語", at: Point(column: -1, row: 1))
    #expect(surface.lines == ["日本", " 本語"])
    #expect(surface[Point(column: 4, row: 0)]?.text == " ")
  }

  @Test("writing over one half of a wide character blanks the other")
  func overwritingHalves() {
    var surface = surface(6, 2)
    surface.write("日本語", at: .zero)
    surface.write("x", at: Point(column: 1, row: 0))
    surface.write("x", at: Point(column: 4, row: 0))
    #expect(surface.lines[0] == " x本x")
    surface.write("日本語", at: Point(column: 0, row: 1))
    surface.write("日", at: Point(column: 1, row: 1))
    #expect(surface.lines[1] == " 日 語")
  }

  @Test("a row's cells always add up to its width, whatever is drawn")
  func cellsAddUp() {
    var surface = surface(9, 1)
    var generator = SplitMix64(seed: 1)
    for step in 0..<500 {
      let column = Int.random(in: -4...10, using: &generator)
      let text = ["日", "ab", "日本", "e\u{301}", "👨‍👩‍👧"].randomElement(using: &generator) ?? ""
      if step.isMultiple(of: 3) {
        surface.draw(.drawing(text, columns: 3), at: Point(column: column, row: 0))
      } else {
        surface.write(text, at: Point(column: column, row: 0))
      }
      let cells = (0..<9).compactMap { surface[Point(column: $0, row: 0)] }
      #expect(cells.reduce(0) { $0 + $1.columns } == 9, "\(surface.lines)")
    }
  }

  @Test("a part is drawn on in its own coordinates")
  func parts() {
    var surface = surface(8, 3)
    surface[Rect(column: 2, row: 1, columns: 3, rows: 1)].write("abcdef", at: .zero)
    #expect(surface.lines == ["", "  abc", ""])
    surface[Rect(column: 6, row: 2, columns: 5, rows: 5)].write("xyz", at: .zero)
    #expect(surface.lines[2] == "      xy")
    surface[Rect(column: -1, row: -1, columns: 3, rows: 2)].write(
      "pq", at: Point(column: 0, row: 1))
    #expect(surface.lines[0] == "q")
  }

  @Test("with a width, text ends in an ellipsis; runs share the width")
  func widths() {
    var surface = surface(20, 3)
    surface.write("Buy concert tickets", at: .zero, width: 10, ellipsis: "…")
    let end = surface.write(
      [StyledRun("a new", .hintKey), StyledRun("  edit", .hintText)], at: Point(column: 0, row: 1),
      width: 8, ellipsis: "…")
    surface.write(
      [StyledRun("abc"), StyledRun("def")], at: Point(column: 0, row: 2), width: 3)
    #expect(surface.lines == ["Buy conce…", "a new  …", "abc"])
    #expect(end == 8)
  }

  @Test("runs that are cut between two of them end in an ellipsis, too")
  func widthsOfRuns() {
    var surface = surface(20, 3)
    let runs = [StyledRun("abc", .hintKey), StyledRun("def", .hintText)]
    for (row, width) in [4, 3, 6].enumerated() {
      surface.write(runs, at: Point(column: 0, row: row), width: width, ellipsis: "…")
    }
    #expect(surface.lines == ["abc…", "ab…", "abcdef"])
    #expect(surface.styledLines[0].last { $0.text.contains("…") }?.style.role == .hintText)
  }

  @Test("styled lines are runs of equal style")
  func styledLines() {
    var surface = surface(6, 1)
    surface.write("ab", at: .zero, role: .overdue)
    surface.write("cd", at: Point(column: 2, row: 0), role: .dim)
    surface.highlight(Rect(column: 1, row: 0, columns: 2, rows: 1), .cursor)
    #expect(
      surface.styledLines == [
        [
          StyledRun("a", .overdue), StyledRun("b", Style(.overdue, over: .cursor)),
          StyledRun("c", Style(.dim, over: .cursor)), StyledRun("d", .dim), StyledRun("  "),
        ]
      ])
  }

  @Test("a box has a title, a note and an empty inside")
  func boxes() {
    var surface = surface(24, 3)
    surface.fill(surface.bounds, with: "x")
    let inside = surface.box(surface.bounds, title: "List", note: "new", glyphs: .unicode)
    #expect(
      surface.lines == [
        "╭─ List ───────── new ─╮",
        "│                      │",
        "╰──────────────────────╯",
      ])
    #expect(inside == Rect(column: 1, row: 1, columns: 22, rows: 1))
    surface.box(surface.bounds, title: "A very long title indeed", glyphs: .ascii)
    #expect(surface.lines[0] == "+- A very long tit... -+")
  }

  @Test("surfaces without cells can be drawn on", arguments: [(0, 0), (0, 3), (3, 0), (-2, 1)])
  func empty(columns: Int, rows: Int) {
    var surface = surface(columns, rows)
    surface.write("日本", at: .zero)
    surface.box(surface.bounds, title: "t", note: "n", glyphs: .unicode)
    surface.fill(Rect(column: -3, row: -3, columns: 9, rows: 9))
    surface.draw(.drawing("abc", columns: 3), at: Point(column: -1, row: 0))
    #expect(surface.lines.allSatisfy { $0.isEmpty })
  }
}

@Suite struct GeometryTests {
  @Test("splits cover the whole block, also when there is too little of it")
  func splits() {
    let rect = Rect(column: 2, row: 3, columns: 10, rows: 5)
    #expect(rect.splitTop(2).top == Rect(column: 2, row: 3, columns: 10, rows: 2))
    #expect(rect.splitTop(2).rest == Rect(column: 2, row: 5, columns: 10, rows: 3))
    #expect(rect.splitBottom(1).bottom == Rect(column: 2, row: 7, columns: 10, rows: 1))
    #expect(rect.splitLeft(4).rest == Rect(column: 6, row: 3, columns: 6, rows: 5))
    #expect(rect.splitRight(3).right == Rect(column: 9, row: 3, columns: 3, rows: 5))
    #expect(rect.splitTop(9).rest.isEmpty)
    #expect(rect.splitBottom(9).bottom == rect)
    #expect(rect.splitLeft(-1).rest == rect)
  }

  @Test("blocks that do not meet have nothing in common")
  func intersections() {
    let rect = Rect(column: 0, row: 0, columns: 4, rows: 4)
    #expect(rect.intersection(Rect(column: 2, row: 2, columns: 9, rows: 9)).size.columns == 2)
    #expect(rect.intersection(Rect(column: 9, row: 0, columns: 2, rows: 2)).isEmpty)
    #expect(rect.inset(columns: 3, rows: 3).isEmpty)
    #expect(
      rect.centered(Size(columns: 2, rows: 9)) == Rect(column: 1, row: 0, columns: 2, rows: 4))
  }
}
