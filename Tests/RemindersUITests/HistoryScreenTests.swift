import Foundation
import RemindersCore
import RemindersTerminal
import SQLiteSync
import Testing

@testable import RemindersUI

/// Recently deleted, the history of a reminder, conflicts and what waits.
@MainActor
struct HistoryScreenTests {
  // MARK: - Recently deleted

  /// Deletes a reminder and a tag here, a list elsewhere.
  private func deleteThings(_ driver: Driver) async throws {
    let elsewhere = try await Elsewhere(beside: driver)
    try await driver.press("d")
    try await elsewhere.pass(minutes: 1)
    _ = try await driver.database.deleteTag("kids")
    _ = try await elsewhere.database.deleteList(
      try elsewhere.database.list(named: "Business").id)
    try await elsewhere.sync()
    await driver.pass(seconds: 10)
    try await driver.press("gd")
  }

  @Test(arguments: [(80, 24), (100, 30), (200, 60)])
  func recentlyDeletedTellsWhatWhenAndByWhom(columns: Int, rows: Int) async throws {
    let driver = try await Driver(columns, rows)
    try await deleteThings(driver)
    try driver.expectScreen("deleted-\(columns)x\(rows)")
  }

  @Test func recentlyDeletedNeedsNeitherColourNorUnicode() async throws {
    let driver = try await Driver(80, 24, settings: Settings("set theme mono"), isUTF8: false)
    try await deleteThings(driver)
    try driver.expectScreen("deleted-mono-ascii")
  }

  @Test func oneKeyRestoresAndUndoTakesThatBack() async throws {
    let driver = try await Driver()
    try await deleteThings(driver)
    let titles = driver.titles
    try await driver.press("Gr")
    #expect(driver.shows("Restored “Dentist”"))
    #expect(!driver.shows("○ Dentist"))
    #expect(driver.titles == ["Dentist"] + titles)
    try await driver.press("u")
    #expect(driver.titles == titles)
    #expect(driver.shows("○ Dentist"))
    try await driver.press("<esc>")
    #expect(driver.app.state.screens.isEmpty)
  }

  @Test func aListComesBackWithItsReminders() async throws {
    let driver = try await Driver()
    try await deleteThings(driver)
    #expect(driver.shows("list, 3 reminders"))
    let list = try #require(
      driver.app.state.screens[top: DeletedScreen.self]?.shown.first { $0.subject.kind == .list })
    while driver.app.state.screens[top: DeletedScreen.self]?.list.current != list.id {
      try await driver.press("j")
    }
    try await driver.press("<enter><esc>ga")
    #expect(driver.titles.contains("Renew the domain"))
  }

  @Test func withNothingDeletedTheKeySaysSo() async throws {
    let driver = try await Driver()
    try await driver.press("gd")
    #expect(driver.shows("Nothing was deleted in the last 30 days."))
    try await driver.press("r")
    #expect(driver.shows("Nothing to restore here."))
  }

  @Test func whatIsDeletedElsewhereMeanwhileAppears() async throws {
    let driver = try await Driver()
    let elsewhere = try await Elsewhere(beside: driver)
    try await driver.press("gd")
    _ = try await elsewhere.database.deleteTag("kids")
    try await elsewhere.sync()
    #expect(try driver.line(with: "#kids").contains("device b2b2"))
  }

  // MARK: - The history of a reminder

  private func editThings(_ driver: Driver) async throws -> Elsewhere {
    let elsewhere = try await Elsewhere(beside: driver)
    let id = try #require(driver.app.state.home.currentRow?.id)
    _ = try await elsewhere.database.editReminders(
      [id], [.set(\.title, "Orthodontist"), .set(\.due, nil), .removeTags(["health"])])
    try await elsewhere.sync()
    try await elsewhere.pass(minutes: 5)
    try await driver.press("ft<esc>")
    await driver.pass(seconds: 10)
    return elsewhere
  }

  @Test(arguments: [(80, 24), (100, 30), (200, 60)])
  func theHistoryGoesFieldByField(columns: Int, rows: Int) async throws {
    let driver = try await Driver(columns, rows)
    _ = try await editThings(driver)
    try await driver.press("/ortho<enter>H")
    try driver.expectScreen("history-\(columns)x\(rows)")
  }

  @Test func theHistoryNeedsNeitherColourNorUnicode() async throws {
    let driver = try await Driver(80, 24, settings: Settings("set theme mono"), isUTF8: false)
    _ = try await editThings(driver)
    try await driver.press("/ortho<enter>H")
    try driver.expectScreen("history-mono-ascii")
  }

  @Test func aLostValueIsRestoredHereAndElsewhere() async throws {
    let driver = try await Driver()
    let elsewhere = try await editThings(driver)
    try await driver.press("/ortho<enter>H")
    let title = try #require(
      driver.app.state.screens[top: HistoryScreen.self]?.history.entries.first {
        if case .value("title", _, _) = $0.content { true } else { false }
      })
    while driver.app.state.screens[top: HistoryScreen.self]?.list.current != title.id {
      try await driver.press("j")
    }
    try await driver.press("r")
    #expect(driver.shows("Restored the title of “Orthodontist”"))
    #expect(try driver.line(with: "title ").contains("Dentist"))
    try await elsewhere.sync()
    let there = try elsewhere.database.fetch(ReminderQuery(title.subject.key))
    #expect(there?.reminder.title == "Dentist")
    try await driver.press("r")
    #expect(driver.shows("Nothing to change."))
  }

  // MARK: - Conflicts and what waits

  private func editBoth(_ driver: Driver) async throws -> Elsewhere {
    let elsewhere = try await Elsewhere(beside: driver)
    let id = try #require(driver.app.state.home.currentRow?.id)
    _ = try await driver.database.editReminders([id], [.set(\.title, "Dentist, Dr. Ames")])
    try await elsewhere.pass(minutes: 2)
    _ = try await elsewhere.database.editReminders([id], [.set(\.title, "Orthodontist")])
    try await elsewhere.sync(hereFirst: false)
    await driver.pass(seconds: 10)
    return elsewhere
  }

  @Test(arguments: [(80, 24), (100, 30), (200, 60)])
  func conflictsShowBothValuesWithWhoAndWhen(columns: Int, rows: Int) async throws {
    let driver = try await Driver(columns, rows)
    _ = try await editBoth(driver)
    try await driver.press("S3")
    try driver.expectScreen("conflicts-\(columns)x\(rows)")
  }

  @Test func conflictsNeedNeitherColourNorUnicode() async throws {
    let driver = try await Driver(80, 24, settings: Settings("set theme mono"), isUTF8: false)
    _ = try await editBoth(driver)
    try await driver.press("S3")
    try driver.expectScreen("conflicts-mono-ascii")
  }

  @Test func theLoserOfAConflictIsRestoredOnAllDevices() async throws {
    let driver = try await Driver()
    let elsewhere = try await editBoth(driver)
    try await driver.press("S<tab><tab>")
    #expect(try driver.line(with: "Orthodontist · title").hasSuffix("title"))
    try await driver.press("r")
    #expect(driver.shows("Restored the title of “Orthodontist”"))
    #expect(driver.shows("Dentist, Dr. Ames · title · what lost is back"))
    #expect(try driver.line(with: "lost then").contains("Dentist, Dr. Ames"))
    try await elsewhere.sync()
    let titles = try elsewhere.database.fetch(ReminderListQuery(.all, time: driver.app.state.day))
      .rows.map(\.title)
    #expect(titles.contains("Dentist, Dr. Ames"))
  }

  /// A change that the cloud refuses, one that was not tried yet, a record that waits for its
  /// parent, and one in quarantine.
  private func letThingsWait(_ driver: Driver) async throws {
    _ = try await Elsewhere(beside: driver)
    try await driver.press("d")
    try await driver.elsewhere { database in
      let now = Driver.start
      try await database.writer.write { db in
        try db.execute(
          sql: """
            INSERT INTO sync_pending (recordID, tableID, kind, fields, since, attempts, nextAttempt,
              error)
            SELECT r.id, r.tableID, 0, 'title', \(now), 3, \(now + 90_000),
              'quotaExceeded (25): The owner''s storage is full.'
            FROM sync_records r WHERE r.primaryKey = 'id-0007';
            INSERT INTO sync_parked (recordID, reason, needs, image, since)
            SELECT id, 'waiting', 'far:remindersLists', '', \(now) FROM sync_records
            WHERE primaryKey = 'id-0009';
            INSERT INTO sync_parked (recordID, reason, error, image, since)
            SELECT id, 'quarantined', 'CHECK constraint failed: priority', '', \(now + 1000)
            FROM sync_records WHERE primaryKey = 'id-0012';
            """)
      }
    }
    await driver.pass(seconds: 10)
  }

  @Test(arguments: [(80, 24), (100, 30), (200, 60)])
  func whatWaitsIsListedWithItsReason(columns: Int, rows: Int) async throws {
    let driver = try await Driver(columns, rows)
    try await letThingsWait(driver)
    try await driver.press("S2")
    try driver.expectScreen("waiting-\(columns)x\(rows)")
  }

  @Test func whatWaitsNeedsNeitherColourNorUnicode() async throws {
    let driver = try await Driver(80, 24, settings: Settings("set theme mono"), isUTF8: false)
    try await letThingsWait(driver)
    try await driver.press("S2")
    try driver.expectScreen("waiting-mono-ascii")
  }

  @Test func whereNothingWaitsThePanesSaySo() async throws {
    let driver = try await Driver()
    try await driver.press("S2")
    #expect(driver.shows("Nothing is pending"))
    try await driver.press("3")
    #expect(driver.shows("No conflicts on this device"))
    try await driver.press("r<esc>")
    #expect(driver.app.state.screens.isEmpty)
  }

  // MARK: - The detail pane

  @Test(arguments: [(100, 30), (200, 60)])
  func theDetailPaneTellsWhoChangedWhat(columns: Int, rows: Int) async throws {
    let driver = try await Driver(columns, rows)
    let elsewhere = try await Elsewhere(beside: driver)
    let id = try #require(driver.app.state.home.currentRow?.id)
    try await driver.press("f")
    try await elsewhere.pass(minutes: 2)
    _ = try await elsewhere.database.editReminders([id], [.set(\.title, "Dentist in town")])
    try await elsewhere.sync()
    await driver.pass(seconds: 10)
    #expect(driver.shows("title: ann, device b2b2 14:35"), "\(driver.screen)")
    #expect(driver.shows("flag: here 14:33"))
    try driver.expectScreen("detail-pane-\(columns)x\(rows)")
  }
}
