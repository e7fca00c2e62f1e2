import Foundation
import RemindersCore
import RemindersTerminal
import Testing

@testable import RemindersUI

/// Rows by themselves: what distinguishes reminders, and where their columns are.
struct RowTests {
  private static let list = RemindersList(
    id: "list", title: "Personal", color: 0x4A_99EF, position: 1)
  private static let now = Date(timeIntervalSince1970: 1_795_271_520)
  private static let time = LocalTime(now: now, timeZone: .gmt)

  private func row(_ change: (inout ReminderRow) -> Void = { _ in }) -> ReminderRow {
    let draft = ReminderDraft(title: "Water the plants")
    var row = ReminderRow(
      reminder: Reminder(id: "one", draft, createdAt: Self.now), list: Self.list)
    change(&row)
    return row
  }

  private func line(
    _ row: ReminderRow, _ glyphs: GlyphSet, width: Int = 71, isCurrent: Bool = false,
    isSelected: Bool = false, showsList: Bool = false
  ) -> String {
    let state = AppState(
      size: Size(columns: 100, rows: 30), time: Self.time,
      appearance: Appearance(glyphs: glyphs, theme: Theme(.mono)))
    var surface = Surface(size: Size(columns: width, rows: 1))
    var list = ListState<Reminder.ID>()
    list.update(lines: isCurrent ? [row.id] : [nil], height: 1)
    list.draw(on: &surface, in: surface.bounds, glyphs: glyphs) { surface, _, rect in
      RowColumns(
        width: width, glyphs, RowNeeds([row], in: Self.time), showsList: showsList
      ).drawTitle(
        row, title: [StyledRun(row.title)], on: &surface, in: rect, state, isSelected: isSelected)
    }
    return surface.lines[0]
  }

  @Test func whatIsLateSaysAtWhatTimeWhereNoTitleIsCutForIt() throws {
    let day = try #require(CalendarDay(year: 2026, month: 11, day: 19))
    let late = row { $0.due = .at(day, minutes: 9 * 60 + 30, in: Self.time) }
    #expect(line(late, .unicode).contains("Thu 19 Nov 09:30"))
    #expect(line(late, .ascii).contains("LATE Thu 19 Nov 09:30"))
    var longer = late
    longer.reminder.draft.title = "Water all plants twice"
    let narrow = line(longer, .unicode, width: 52)
    #expect(narrow.contains("Water all plants twice") && narrow.contains("2 days late"))
    #expect(line(late, .unicode, width: 50).contains("2 d"))
  }

  @Test(arguments: [GlyphSet.unicode, .ascii])
  func everyStateDiffersAsText(glyphs: GlyphSet) {
    let late = CalendarDay(year: 2026, month: 11, day: 19).map(DueDate.day)
    let lines = [
      line(row(), glyphs),
      line(row(), glyphs, isCurrent: true),
      line(row(), glyphs, isSelected: true),
      line(row { $0.status = .completing }, glyphs),
      line(row { $0.status = .completed }, glyphs),
      line(row { $0.isFlagged = true }, glyphs),
      line(row { $0.isNotSent = true }, glyphs),
      line(row { $0.editor = "ben" }, glyphs),
      line(row { $0.due = late }, glyphs),
      line(row { $0.due = .day(Self.time.today) }, glyphs),
      line(row { $0.priority = .low }, glyphs),
      line(row { $0.priority = .medium }, glyphs),
      line(row { $0.priority = .high }, glyphs),
    ]
    #expect(Set(lines).count == lines.count, "\(lines.joined(separator: "\n"))")
  }

  @Test func aRowSaysWhoElseChangedItLast() {
    for width in [38, 57, 71, 120] {
      #expect(line(row { $0.editor = "ben" }, .unicode, width: width).hasSuffix(" &ben"))
    }
    let long = line(
      row {
        $0.title = String(repeating: "long ", count: 30)
        $0.editor = "a-name-that-is-as-long-as-can-be"
      }, .unicode, width: 57)
    #expect(long.contains("long"))
    #expect(long.contains(" &a-name"))
    // What is not sent was changed here since.
    let edited = row {
      $0.editor = "ben"
      $0.isNotSent = true
    }
    #expect(!line(edited, .unicode).contains("&ben"))
  }

  @Test(arguments: [
    "Plain", "日本語の買い物リストを作る", "👩‍👩‍👧 family 🎉 party", "e\u{301}te\u{301} cafe\u{301}",
    "שלום עולם", "A title that is much longer than all the room there is for it in a row",
    "tab\tand \u{1B}[31mescape",
  ])
  func columnsStayWhereTheyAre(title: String) throws {
    let row = row {
      $0.title = title
      ($0.due, $0.isFlagged, $0.isNotSent) = (.day(Self.time.today), true, true)
    }
    for width in [38, 57, 71, 120] {
      let line = line(row, .unicode, width: width)
      #expect(TextWidth.columns(of: line) == width - 1, "\(line)")
      #expect(line.hasSuffix("⚑ ⇡"))
      let before = try #require(line.range(of: "today")).lowerBound
      let dueColumn = TextWidth.columns(of: line[..<before])
      #expect(dueColumn == width - 10, "\(line)")
    }
  }

  /// Between one pane and two the rows have the least room.
  @Test(arguments: [(60, true), (60, false), (66, true), (75, true)])
  @MainActor func titlesCanBeReadWhateverTheWidth(columns: Int, isUTF8: Bool) async throws {
    let driver = try await Driver(columns, 24, isUTF8: isUTF8)
    let title = try #require(driver.current)
    #expect(driver.shows(String(title.prefix(8))))
  }
}
