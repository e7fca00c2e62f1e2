import Foundation
import RemindersCore
import RemindersTerminal
import Testing

@testable import RemindersUI

/// What happens in the open app when the moment of a reminder comes.
@MainActor
struct AlarmTests {
  private func add(
    _ title: String, inMinutes minutes: Int, to database: AppDatabase
  ) async throws {
    let moment = Date(timeIntervalSince1970: Double(Driver.start / 1000 + Int64(minutes) * 60))
    _ = try await database.addReminder(ReminderDraft(title: title, due: .moment(moment)))
  }

  private func driver(_ minutes: Int..., columns: Int = 100, rows: Int = 30) async throws -> Driver
  {
    try await Driver(columns, rows, sampleData: false, announces: true) { database in
      for (index, minutes) in minutes.enumerated() {
        try await add("Tea \(index + 1)", inMinutes: minutes, to: database)
      }
    }
  }

  @Test func `a line, the bell and the title say that something is due, once`() async throws {
    let driver = try await driver(10)
    #expect(driver.device.frame?.title == "Reminders" && driver.device.frame?.bells == 0)
    await driver.pass(seconds: 600)
    #expect(try driver.line(with: "“Tea 1” is due today 14:42").contains("Z snooze"))
    #expect(driver.device.frame?.bells == 1)
    #expect(driver.device.frame?.title == "Tea 1 - Reminders")
    try driver.expectScreen("alarm")
    try await driver.press("j")
    #expect(driver.device.frame?.title == "Reminders", "somebody is there")
    #expect(driver.shows("“Tea 1” is due"), "and can still read it")
    await driver.pass(seconds: 61)
    #expect(!driver.shows("“Tea 1” is due") && driver.device.frame?.bells == 1)
  }

  @Test func `what is announced is snoozed with two keys`() async throws {
    let driver = try await driver(10)
    await driver.pass(seconds: 600)
    try await driver.press("Z")
    #expect(driver.shows("Snooze · Tea 1") && driver.shows("until Sat 21 Nov 2026 · 14:52"))
    try await driver.press("<enter>")
    #expect(driver.shows("Snoozed “Tea 1”") && driver.shows("snoozed until today 14:52"))
    await driver.pass(seconds: 599)
    #expect(driver.device.frame?.bells == 1)
    await driver.pass(seconds: 1)
    #expect(driver.device.frame?.bells == 2 && driver.shows("“Tea 1” is due"))
  }

  @Test func `a reminder is snoozed before it is announced, and that can be undone`() async throws {
    let driver = try await driver(10)
    try await driver.press("Z1h<enter>")
    #expect(driver.shows("snoozed until today 15:32"))
    await driver.pass(seconds: 600)
    #expect(driver.device.frame?.bells == 0)
    try await driver.press("u")
    #expect(!driver.shows("snoozed until"))
    try await driver.press("Z1h<enter>Znone")
    #expect(driver.shows("not snoozed any more"))
    try await driver.press("<enter>")
    #expect(!driver.shows("snoozed until") && driver.shows("Ended the snooze of “Tea 1”"))
  }

  @Test func `a snooze stands in the row where there is no room for details`() async throws {
    let driver = try await driver(10, columns: 80, rows: 24)
    try await driver.press("Z1h<enter>")
    #expect(driver.lines.contains { $0.contains("  snoozed until today 15:32") })
    await driver.pass(seconds: 3600)
    #expect(!driver.shows("snoozed until"))
  }

  @Test func `facts that are long stand below the title`() async throws {
    let day = try #require(CalendarDay(year: 2026, month: 11, day: 30))
    let driver = try await Driver(100, 30, sampleData: false) { database in
      _ = try await database.addReminder(
        ReminderDraft(
          title: "Bins, and the glass", due: .day(day), priority: .medium,
          recurrence: Recurrence(stored: "++ FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH")))
    }
    let facts = try driver.line(with: "due Mon 30 Nov · every 2 weeks on Mon, Thu · priority")
    #expect(!facts.contains("Bins") && facts.contains("medium"), "\(driver.lines)")
  }

  @Test func `what was missed while nobody was there is announced at the start`() async throws {
    let driver = try await driver(-10, -20, -30, -40)
    #expect(driver.shows("4 reminders are due: “Tea 1”, “Tea 2”"))
    #expect(driver.device.frame?.bells == 1)
    #expect(driver.device.frame?.title == "4 due - Reminders")
  }

  @Test func `the answer to a command is read first, and the reminder comes back`() async throws {
    let driver = try await driver(10)
    await driver.pass(seconds: 600)
    try await driver.press("f")
    #expect(driver.shows("Flagged “Tea 1”"))
    await driver.pass(seconds: 7)
    #expect(driver.shows("“Tea 1” is due"))
  }

  @Test func `a date that makes no sense, or is over, is refused`() async throws {
    let driver = try await driver(10)
    try await driver.press("Zyesterday")
    #expect(driver.shows("is not in the future"))
    try await driver.press("<enter>")
    #expect(driver.app.state.screens.last is SnoozePrompt)
    try await driver.press("<esc>")
    #expect(driver.app.state.screens.isEmpty)
  }

  @Test func `quick add and the form know alarms`() async throws {
    let driver = try await driver()
    try await driver.press("aCall mum tomorrow 9am remind 10m before")
    #expect(driver.shows("alarm 10m before"))
    try await driver.press("<enter>")
    #expect(driver.shows("alarm 10m before"))
    try await driver.press("e<tab><tab><tab><tab>")
    #expect(try driver.line(with: "Alarm").contains("10m before"))
    try await driver.press(", the day before 20:00<c-s>")
    let row = try #require(driver.app.state.home.rows.first)
    #expect(row.alarms.map(\.stored) == ["-PT10M", "-P1D 20:00"])
    try await driver.press("e<tab><tab><tab><tab> soon<c-s>")
    #expect(driver.shows("is not an alarm that can be understood"))
  }

  @Test func `a title of anybody cannot command the terminal by the window's title`() async throws {
    let driver = try await Driver(sampleData: false, announces: true) { database in
      try await add("A\u{1B}]2;x\u{7}\u{202E} b\nc", inMinutes: -1, to: database)
    }
    #expect(driver.device.frame?.bells == 1)
    #expect(driver.lines.allSatisfy { !$0.contains("\u{1B}") && !$0.contains("\u{202E}") })
  }

  @Test func `the configuration says what is announced`() {
    let settings = Settings("set timealarm off\nset dayalarm 7:30")
    #expect(
      settings.alarmRules == AlarmRules(announcesTimes: false, dayMinutes: 450)
        && settings.warnings.isEmpty)
    #expect(Settings("set dayalarm off").alarmRules == AlarmRules(announcesDays: false))
    #expect(Settings("set dayalarm soon").warnings.count == 1)
  }
}
