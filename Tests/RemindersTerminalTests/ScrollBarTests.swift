import Testing

@testable import RemindersTerminal

struct ScrollBarTests {
  @Test func aListThatIsSeenWholeHasNone() {
    #expect(ScrollBar(seen: 0..<10, of: 10, rows: 5) == nil)
    #expect(ScrollBar(seen: 0..<0, of: 0, rows: 5) == nil)
    #expect(ScrollBar(seen: 0..<10, of: 20, rows: 0) == nil)
  }

  @Test func theThumbIsAsLongAsWhatIsSeen() throws {
    #expect(try #require(ScrollBar(seen: 0..<10, of: 20, rows: 10)).thumb == 0..<5)
    #expect(try #require(ScrollBar(seen: 10..<20, of: 20, rows: 10)).thumb == 5..<10)
    #expect(try #require(ScrollBar(seen: 50_000..<50_020, of: 100_000, rows: 20)).thumb == 10..<11)
  }

  @Test func onlyTheEndsOfTheListBringItToTheEnds() throws {
    for count in 2...60 {
      for rows in 3...20 {
        for start in 0..<count {
          let seen = start..<min(start + rows, count)
          guard let thumb = ScrollBar(seen: seen, of: count, rows: rows)?.thumb else { continue }
          #expect(!thumb.isEmpty && thumb.lowerBound >= 0 && thumb.upperBound <= rows)
          if rows - thumb.count >= 2 {
            #expect((thumb.lowerBound == 0) == (seen.lowerBound == 0), "\(seen) of \(count)")
            #expect((thumb.upperBound == rows) == (seen.upperBound == count), "\(seen) \(count)")
          }
        }
      }
    }
  }

  @Test func itIsDrawnIntoTheRightColumn() throws {
    var surface = Surface(size: Size(columns: 3, rows: 4))
    try #require(ScrollBar(seen: 0..<2, of: 4, rows: 4))
      .draw(on: &surface, in: surface.bounds, glyphs: .ascii)
    #expect(surface.lines == ["  |", "  |", "", ""])
  }
}
