import Foundation
import GRDB
import RemindersCore
import RemindersTerminal
import Testing

@testable import RemindersUI

/// A list that is longer than what is read of it at a time looks and behaves like any other.
@MainActor
struct LongListTests {
  /// So many reminders in one list, called by their number, later ones due later.
  private func driver(_ count: Int = 1500, rows: Int = 30) async throws -> Driver {
    try await Driver(100, rows, sampleData: false) { database in
      try await database.writer.write { db in
        try db.execute(
          sql: """
            INSERT INTO remindersLists (id, title) VALUES ('list', 'Long');
            WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(count - 1))
            INSERT INTO reminders (id, title, remindersListID, dueDate, notes)
            SELECT printf('row-%05d', i), printf('thing %05d', i), 'list',
              date('2026-11-01', '+' || (i / 50) || ' days'),
              CASE WHEN i % 3 THEN '' ELSE 'notes' END
            FROM n
            """)
      }
    }
  }

  private func insert(_ count: Int, before day: String, _ database: AppDatabase) async throws {
    try await database.writer.write { db in
      try db.execute(
        sql: """
          WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(count - 1))
          INSERT INTO reminders (id, title, remindersListID, dueDate)
          SELECT printf('new-%05d', i), printf('new %05d', i), 'list', '\(day)' FROM n
          """)
    }
  }

  @Test func onlyTheRowsNearTheViewAreRead() async throws {
    let driver = try await driver()
    #expect(driver.app.state.home.rows.count == 400)
    #expect(driver.shows("1500 open"))
    try await driver.press("G")
    #expect(driver.current == "thing 01499" && driver.app.state.home.rows.count == 400)
    #expect(
      driver.app.state.home.reminders.visibleLines.upperBound
        == driver.app.state.home.reminders.lines.count)
    try await driver.press("gg")
    #expect(driver.current == "thing 00000" && driver.app.state.home.reminders.top == 0)
  }

  @Test func pageByPageEveryReminderIsSeenOnce() async throws {
    let driver = try await driver(rows: 60)
    var seen: [String] = []
    var before: String?
    while driver.current != before {
      before = driver.current
      let titles = driver.lines.compactMap { line in
        line.range(of: "thing [0-9]+", options: .regularExpression).map { String(line[$0]) }
      }
      for title in titles where title > seen.last ?? "" { seen.append(title) }
      try await driver.press("<pagedown>")
      #expect(driver.app.state.home.rows.count <= 400)
    }
    #expect(seen.count == 1500)
    for _ in 0..<200 { try driver.device.press("<pageup>") }
    await driver.app.settled()
    #expect(driver.current == "thing 00000")
  }

  @Test func theCursorStaysOnItsReminderWhateverArrivesAboveIt() async throws {
    let driver = try await driver()
    try await driver.press("G<pageup><pageup><pageup>kk")
    let (current, line) = (driver.current, driver.lines.firstIndex { $0.contains("▸") })
    try await driver.elsewhere { try await insert(1000, before: "2026-10-01", $0) }
    #expect(driver.current == current && driver.lines.firstIndex { $0.contains("▸") } == line)
    // What the window went with moves away, but the cursor is on another reminder by now.
    try await driver.press("jjj")
    let other = driver.current
    let anchor = try #require(driver.app.state.home.read?.window.anchor)
    try await driver.elsewhere {
      let early = CalendarDay(year: 2020, month: 1, day: 1).map(DueDate.day)
      _ = try await $0.editReminders([anchor], [.set(\.due, early)])
    }
    #expect(driver.current == other)
  }

  @Test func theNeighbourTakesThePlaceOfWhatIsDeleted() async throws {
    let driver = try await driver()
    try await driver.press("G<pageup><pageup>d")
    let current = try #require(driver.current)
    try await driver.press("d")
    #expect(try #require(driver.current) > current)
    try await driver.press("uu")
    #expect(driver.shows("1500 open"))
  }

  @Test func aNewReminderIsCurrentWhereverItBelongs() async throws {
    let driver = try await driver()
    try await driver.press("aCall the plumber in 5 years<enter>")
    #expect(driver.current == "Call the plumber")
    #expect(driver.shows("thing 01499"))
  }

  @Test func anotherOrderKeepsTheCursorOnItsReminder() async throws {
    let driver = try await driver()
    try await driver.press("Gk")
    let current = driver.current
    try await driver.press("oman<enter>")
    #expect(driver.current == current)
  }

  @Test func aSelectionReachesBeyondWhatIsRead() async throws {
    let driver = try await driver()
    try await driver.press("vGv")
    #expect(driver.shows("2 selected"))
    try await driver.press("f")
    try await driver.press("<esc>gf")
    #expect(driver.titles == ["thing 00000", "thing 01499"])
    try await driver.press("gl<enter>V")
    #expect(driver.shows("1500 selected"))
    let ids = ["row-00007"]
    try await driver.elsewhere { _ = try await $0.deleteReminders(ids) }
    #expect(driver.shows("1499 selected"))
    try await driver.press("d")
    #expect(driver.shows("Nothing here."))
    try await driver.press("u")
    #expect(driver.shows("1499 open"))
    try await driver.press("VV")
    #expect(!driver.shows("selected"))
  }

  @Test func severalSelectedAreCompletedTogether() async throws {
    let driver = try await driver()
    try await driver.press("vGv<space>")
    await driver.pass(seconds: 6)
    #expect(driver.shows("1498 open"))
  }

  @Test func theWheelScrollsAnywhereAndTheCursorComesAlong() async throws {
    let driver = try await driver()
    let wheel = TerminalEvent.mouse(MouseEvent(.wheelDown, at: Point(column: 50, row: 10)))
    for _ in 0..<20 { driver.device.send(wheel) }
    await driver.app.settled()
    #expect(driver.current == "thing 00000")
    for _ in 0..<700 { driver.device.send(wheel) }
    await driver.app.settled()
    #expect(driver.shows("thing 01499"))
    #expect(try #require(driver.current) > "thing 01000")
  }

  @Test func aLongSearchIsReadInPiecesToo() async throws {
    let driver = try await driver()
    try await driver.press("/thing<enter>")
    #expect(driver.shows("1500 open") && driver.app.state.searchScreen?.hits.count == 200)
    try await driver.press("G")
    #expect(driver.app.state.targets.row?.title == "thing 01499")
    #expect(driver.app.state.searchScreen?.hits.count == 200)
    for _ in 0..<20 { try driver.device.press("<pageup>") }
    await driver.app.settled()
    #expect(try #require(driver.app.state.targets.row?.title) < "thing 01400")
    #expect(driver.app.state.searchScreen?.hits.allSatisfy(\.title.hasMatch) == true)
    try await driver.press("gg")
    #expect(driver.app.state.targets.row?.title == "thing 00000")
  }
}
