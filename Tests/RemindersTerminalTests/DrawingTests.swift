import Testing

@testable import RemindersTerminal

@Suite struct DrawingTests {
  private let table = TextTable([
    .fixed("time", 5), .flexible("record", atLeast: 6), .fixed("n", 3, alignment: .right),
  ])

  @Test("a flexible column takes what is left")
  func widths() {
    #expect(table.widths(in: 30) == [5, 18, 3])
    #expect(table.widths(in: 18) == [5, 6, 3])
    #expect(
      TextTable([.flexible("a", atLeast: 1), .flexible("b", atLeast: 1)]).widths(in: 9) == [3, 4])
  }

  @Test("with too little room, the last columns go first")
  func narrow() {
    #expect(table.widths(in: 12) == [5, 5, 0])
    #expect(table.widths(in: 0) == [0, 0, 0])
  }

  @Test("rows stand under their titles")
  func rows() {
    var surface = Surface(size: Size(columns: 20, rows: 2))
    table.drawTitles(on: &surface, at: .zero, width: 20, glyphs: .unicode)
    table.draw(
      [StyledRun("14:32"), StyledRun("Doctor appointment"), StyledRun("7", .dim)], on: &surface,
      at: Point(column: 0, row: 1), width: 20, glyphs: .unicode)
    #expect(surface.lines == ["time   record      n", "14:32  Doctor …    7"])
  }

  @Test(
    "progress is said in numbers beside the bar",
    arguments: [
      (0, 4, "░░░░ 0 %"), (2, 4, "██░░ 50 %"), (4, 4, "███ 100 %"), (9, 4, "███ 100 %"),
      (0, 0, "███ 100 %"), (-1, 4, "░░░░ 0 %"),
    ])
  func progress(completed: Int, total: Int, expected: String) {
    let columns = expected.count
    let runs = ProgressBar.runs(completed: completed, of: total, columns: columns, glyphs: .unicode)
    #expect(runs.map(\.text).joined() == expected)
  }

  @Test("a cell shows two pixels, one above the other")
  func pixels() {
    let colors = (0..<6).map { RGB(UInt32($0)) }
    let image = HalfBlockImage(width: 2, height: 3, pixels: colors)
    var surface = Surface(size: Size(columns: 3, rows: 3))
    image.draw(on: &surface, in: surface.bounds)
    #expect(surface.lines == ["▀▀", "▀▀", ""])
    let first = surface[.zero]?.style
    #expect(first?.foreground == RGB(0) && first?.background == RGB(2))
    let last = surface[Point(column: 1, row: 1)]?.style
    #expect(last?.foreground == RGB(5) && last?.background == nil)
  }

  @Test("missing pixels are no trouble")
  func missingPixels() {
    var surface = Surface(size: Size(columns: 2, rows: 2))
    HalfBlockImage(width: 9, height: 9, pixels: []).draw(on: &surface, in: surface.bounds)
    HalfBlockImage(width: -1, height: 5, pixels: []).draw(on: &surface, in: surface.bounds)
    #expect(surface.lines == ["▀▀", "▀▀"])
  }
}
