import CRemindersNcurses
import Glibc
import Testing

@testable import RemindersTerminal

/// ncurses paints in this process, on `/dev/null`, and is asked what it would show.
@MainActor @Suite(.serialized, .timeLimit(.minutes(10))) struct NcursesScreenTests {
  private struct Shown: Equatable {
    var text = ""
    var attributes: Attributes = []
    var foreground = -1
    var background = -1
  }

  private func shown(column: Int, row: Int = 0) -> Shown {
    var scalars = [UInt32](repeating: 0, count: 5)
    var attributes: Int32 = 0
    var foreground: Int32 = 0
    var background: Int32 = 0
    let count = cn_screen_read(
      Int32(column), Int32(row), &scalars, &attributes, &foreground, &background)
    let text = scalars.prefix(Int(count)).compactMap(Unicode.Scalar.init)
    return Shown(
      text: String(String.UnicodeScalarView(text)),
      attributes: Attributes(rawValue: UInt8(attributes)), foreground: Int(foreground),
      background: Int(background))
  }

  private func withScreen(
    _ term: String = "xterm-256color", locale: String = "C.UTF-8", noColor: String = "",
    _ body: (NcursesScreen) throws -> Void
  ) throws {
    let null = open("/dev/null", O_RDWR)
    try #require(null >= 0)
    defer { close(null) }
    let screen = try NcursesScreen(
      input: null, output: null,
      environment: TerminalEnvironment(variables: ["TERM": term, "NO_COLOR": noColor]),
      preference: .auto, locale: locale)
    defer { screen.close() }
    screen.resize(to: Size(columns: 20, rows: 3))
    try body(screen)
  }

  private func frame(_ theme: Theme.Name, _ draw: (inout Surface) -> Void) -> Frame {
    var surface = Surface(size: Size(columns: 20, rows: 3))
    draw(&surface)
    return Frame(surface: surface, theme: Theme(theme))
  }

  @Test("text never has the colour behind it")
  func textOnItsOwnColor() throws {
    try withScreen("linux") { screen in
      let mark = Style(over: .cursor, foreground: RGB(0x2050F0))
      screen.put(frame(.dark) { $0.write("x", at: .zero, style: mark) })
      let shown = shown(column: 0)
      #expect(shown.background == 4 && shown.foreground != 4)
    }
  }

  @Test("cells arrive where they were drawn, wide ones and marks included")
  func cells() throws {
    try withScreen { screen in
      #expect(screen.capabilities == TerminalCapabilities(colorDepth: .palette256, isUTF8: true))
      screen.put(frame(.dark) { $0.write("日e\u{301}x", at: .zero) })
      #expect(shown(column: 0).text == "日")
      #expect(shown(column: 2).text == "e\u{301}")
      #expect(shown(column: 3).text == "x")
      #expect(shown(column: 4).text == " ")
    }
  }

  @Test("roles arrive as colours and attributes, exact colours as the nearest")
  func looks() throws {
    try withScreen { screen in
      screen.put(
        frame(.dark) {
          $0.write("a", at: .zero, role: .overdue)
          $0.write(
            "b", at: Point(column: 1, row: 0),
            style: Style(foreground: RGB(0xFF0000), background: RGB(0xFFFFFF)))
          $0.write("c", at: Point(column: 2, row: 0))
        })
      #expect(shown(column: 0) == Shown(text: "a", attributes: .bold, foreground: 203))
      #expect(shown(column: 1) == Shown(text: "b", foreground: 196, background: 231))
      #expect(shown(column: 2) == Shown(text: "c"))
    }
  }

  @Test("more pairs of colours than ncurses numbers in 8 bits are kept apart")
  func manyPairs() throws {
    try withScreen { screen in
      for step in 0..<400 {
        let colors = (UInt32(step) * 41 % 0xFFFFFF, UInt32(step) * 7919 % 0xFFFFFF)
        let style = Style(foreground: RGB(colors.0), background: RGB(colors.1))
        screen.put(frame(.dark) { $0.write("▀", at: .zero, style: style) })
        let expected = [colors.0, colors.1].map { Color.rgb(RGB($0)).index(at: .palette256) }
        #expect(
          [shown(column: 0).foreground, shown(column: 0).background]
            == expected)
      }
    }
  }

  @Test(
    "direct colours arrive exactly, however many there are",
    .enabled(if: access("/usr/share/terminfo/x/xterm-direct16", R_OK) == 0, "needs ncurses-term"))
  func directColors() throws {
    try withScreen("xterm-direct16") { screen in
      #expect(screen.capabilities.colorDepth == .direct)
      // Sixty pairs in each frame: at last, more than ncurses has.
      for first in stride(from: UInt32(0x100), to: 0x100 + 72_000, by: 60) {
        screen.put(
          frame(.dark) { surface in
            for cell in 0..<60 {
              let style = Style(
                foreground: RGB(first + UInt32(cell)), background: RGB(0x80_8080))
              surface.write("▀", at: Point(column: cell % 20, row: cell / 20), style: style)
            }
          })
        if first % 600 == 0x100 % 600 {
          #expect(shown(column: 7).foreground == Int(first) + 7)
          #expect(shown(column: 7).background == 0x80_8080)
        }
      }
    }
  }

  @Test("rows that changed are given anew, with nothing left of what they were")
  func changedRows() throws {
    try withScreen { screen in
      @MainActor func texts() -> [String] {
        (0..<3).map { row in (0..<6).map { shown(column: $0, row: row).text }.joined() }
      }
      @MainActor func put(_ lines: [String], columns: Int = 20) {
        var surface = Surface(size: Size(columns: columns, rows: 3))
        for (row, line) in lines.enumerated() {
          surface.write(line, at: Point(column: 0, row: row))
        }
        screen.put(Frame(surface: surface, theme: Theme(.mono)))
      }
      put(["abcdef", "日本x", "third"])
      put(["ab", "x本日", "third"])
      #expect(texts() == ["ab    ", "x本本日日 ", "third "])
      put(["", "", ""])
      #expect(texts() == ["      ", "      ", "      "])
      put(["abcdef", "日本x", "third"], columns: 3)
      #expect(texts() == ["abc   ", "日日    ", "thi   "])
      screen.resize(to: Size(columns: 10, rows: 3))
      put(["abcdef", "日本x", "third"], columns: 3)
      #expect(texts() == ["abc   ", "日日    ", "thi   "])
    }
  }

  @Test("another theme repaints the same styles")
  func themeChange() throws {
    try withScreen { screen in
      screen.put(frame(.dark) { $0.write("a", at: .zero, role: .cursor) })
      #expect(shown(column: 0).background == 24)
      screen.put(frame(.mono) { $0.write("a", at: .zero, role: .cursor) })
      #expect(shown(column: 0) == Shown(text: "a", attributes: .reverse))
    }
  }

  @Test("eight colours and none still show every attribute")
  func fewColors() throws {
    try withScreen("xterm") { screen in
      #expect(screen.capabilities.colorDepth == .ansi8)
      screen.put(frame(.dark) { $0.write("a", at: .zero, role: .overdue) })
      #expect(shown(column: 0) == Shown(text: "a", attributes: .bold, foreground: 1))
    }
    try withScreen(noColor: "1") { screen in
      #expect(screen.capabilities.colorDepth == .mono)
      screen.put(frame(.dark) { $0.write("a", at: .zero, role: .overdue) })
      #expect(shown(column: 0) == Shown(text: "a", attributes: .bold))
    }
  }

  @Test("outside UTF-8, letters lose their accents and the rest becomes question marks")
  func otherLocales() throws {
    try withScreen(locale: "C") { screen in
      #expect(!screen.capabilities.isUTF8)
      screen.put(frame(.mono) { $0.write("é日x", at: .zero) })
      #expect((0..<4).map { shown(column: $0).text } == ["e", "?", " ", "x"])
    }
  }

  @Test("a frame larger or smaller than the screen is no trouble")
  func otherSizes() throws {
    try withScreen { screen in
      var large = Surface(size: Size(columns: 90, rows: 40))
      large.fill(large.bounds, with: "x")
      _ = screen.paint(
        Frame(surface: large, theme: Theme(.mono), cursor: Point(column: 80, row: 39)))
      #expect(shown(column: 19, row: 2).text == "x")
      _ = screen.paint(
        Frame(surface: Surface(size: Size(columns: 0, rows: 0)), theme: Theme(.mono)))
    }
  }

  @Test("an unknown terminal is refused with a reason and a hint")
  func unknownTerminal() {
    #expect(throws: TerminalError.self) { try withScreen("no-such-terminal") { _ in } }
  }
}
