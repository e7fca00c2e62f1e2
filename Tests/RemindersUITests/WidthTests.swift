import Foundation
import GRDB
import RemindersCore
import RemindersTerminal
import Testing

@testable import RemindersUI

/// Whatever is written in them, lists, forms and searches keep their columns.
@MainActor
struct WidthTests {
  nonisolated static let texts = [
    "日本語の買い物リストを作る、そして牛乳と卵とパンとりんごを買う",
    "ﾊﾝｶｸ ｶﾀｶﾅ と 全角ＡＢＣ",
    "👩‍👩‍👧‍👦 family 👨🏽‍🚒 fire 🏳️‍🌈 flags 🇩🇪🇯🇵 ☎️ 🫠",
    "e\u{301}te\u{301} Z\u{335}\u{321}\u{353}algo\u{300}\u{316}",
    "שלום עולם, תור לרופא",
    "مرحبا بالعالم ١٢٣",
    "ไทย กำลัง ภาษา",
    "한국어 조선말 \u{1112}\u{1161}\u{11AB}",
    "tab\tand\u{7} bell \u{1B}[31mred\u{1B}[0m",
    "\u{202E}override\u{202C} zero\u{200B}width\u{FEFF}",
    String(repeating: "👩‍👩‍👧", count: 60),
    "\u{301}\u{301} begins with marks",
    "a\u{300}" + String(repeating: "\u{301}", count: 400),
    String(repeating: "字", count: 300),
  ]

  /// The sample data with a list, a tag and reminders that are called so.
  private func driver(_ text: String, _ columns: Int, _ rows: Int) async throws -> Driver {
    try await Driver(columns, rows, settings: Settings("set theme mono")) { database in
      let (list, _) = try await database.addList(title: text)
      let word = String(text.filter { !$0.isWhitespace && $0 != "#" }.prefix(30))
      // As long as any tag may be, whatever its letters are: 80 bytes.
      let tag = String(String.UnicodeScalarView(word.unicodeScalars.prefix(20)))
      for number in 1...3 {
        _ = try await database.addReminder(
          ReminderDraft(
            title: number == 1 ? text : "\(number) \(text)", notes: text + "\n" + text,
            due: .day(CalendarDay(number: 20_000 + number)), isFlagged: true, priority: .high,
            url: "https://example.org", listID: list, tags: [tag]))
      }
      // Another program may write any link.
      try await database.writer.write {
        try $0.execute(
          sql: "UPDATE reminders SET url = url || '/' || ? WHERE remindersListID = ?",
          arguments: [word, list])
      }
    }
  }

  @Test(arguments: texts)
  func noTextBreaksAFrame(text: String) async throws {
    let driver = try await driver(text, 100, 30)
    let scenes = [
      "gl<down><down><down><enter>", "v", "<esc>e", "<tab><end>", "<esc>t", "<esc>m", "<esc>D",
      "<esc>H", "<esc>hea<c-u>", "<esc><enter>/a", "<c-u>", "<enter>", "<esc>dgd", "<esc>ugm",
      "<esc>S", "<esc>a",
    ]
    for scene in scenes {
      try await driver.press(scene)
      for (columns, rows) in [(163, 41), (31, 8), (80, 24)] {
        await driver.resize(columns, rows)
        try expectFrames(driver, "\(scene) \(columns)x\(rows)")
      }
    }
  }

  @Test(arguments: texts)
  func searchesMarkWholeCharacters(text: String) async throws {
    let driver = try await driver(text, 100, 30)
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    try await driver.press("/")
    await driver.send(.paste(words.max { $0.count < $1.count } ?? text))
    try await driver.press("<enter>")
    try expectFrames(driver, "search")
    let hits = driver.app.state.searchScreen?.hits ?? []
    for hit in hits {
      #expect(hit.title.parts.map(\.text).joined() == hit.row.title)
    }
  }

  /// Every box has both of its edges in every row, and the rule between the panes is whole.
  private func expectFrames(_ driver: Driver, _ place: String) throws {
    let surface = try #require(driver.device.frame?.surface)
    for (row, line) in surface.lines.enumerated() where line.contains("╭") {
      for column in 0..<surface.size.columns
      where surface[Point(column: column, row: row)]?.text == "╭" {
        try expectBox(on: surface, at: Point(column: column, row: row), place)
      }
    }
    let layout = driver.app.state.layout
    guard driver.app.state.screens.isEmpty, let lists = layout.lists, layout.reminders != nil else {
      return
    }
    for row in lists.rowRange {
      let cell = surface[Point(column: lists.columnRange.upperBound, row: row)]
      #expect(cell?.text == "│", "\(place) row \(row):\n\(driver.screen)")
    }
  }

  private func expectBox(on surface: Surface, at corner: Point, _ place: String) throws {
    let screen = surface.lines.joined(separator: "\n")
    let right = (corner.column..<surface.size.columns).first {
      surface[Point(column: $0, row: corner.row)]?.text == "╮"
    }
    let edge = try #require(right, "\(place):\n\(screen)")
    for row in corner.row + 1..<surface.size.rows {
      let left = surface[Point(column: corner.column, row: row)]?.text
      if left == "╰" { return }
      let end = surface[Point(column: edge, row: row)]?.text
      #expect(left == "│" && end == "│", "\(place) row \(row):\n\(screen)")
    }
  }
}
