import Foundation
import RemindersCore
import RemindersTerminal
import RemindersTestSupport
import Testing

@testable import RemindersUI

/// Searches that are saved as smart lists.
@MainActor
struct SavedSearchTests {
  private func driver(_ columns: Int = 100, _ rows: Int = 30) async throws -> Driver {
    let driver = try await Driver(columns, rows)
    try await driver.press("/tag:health<enter>WDoctors<enter>")
    return driver
  }

  @Test(arguments: [(40, 12), (80, 24), (100, 30), (200, 60)])
  func aSavedSearchIsASmartList(columns: Int, rows: Int) async throws {
    let driver = try await driver(columns, rows)
    #expect(driver.shows("Saved “Doctors”"))
    await driver.pass(seconds: 10)
    try await driver.press("<esc>:doctors<enter>")
    #expect(driver.titles.contains("Dentist") && driver.titles.count == 2)
    try await driver.press("h")
    try driver.expectScreen("saved-\(columns)x\(rows)")
  }

  @Test func oneThatIsDeletedElsewhereIsNamed() async throws {
    let driver = try await driver()
    let id = try #require(driver.app.state.home.sidebar?.searches.first?.id)
    await driver.pass(seconds: 10)
    await driver.report(
      .fetchedRecordZoneChanges(
        modified: [], deleted: [.init(type: "savedSearches", name: "\(id):savedSearches")]))
    #expect(driver.shows("“Doctors” was deleted elsewhere."))
  }

  @Test func itIsRenamedDeletedAndBroughtBack() async throws {
    let driver = try await driver()
    try await driver.press("<esc>:doctors<enter>he<c-u>Health<enter>")
    #expect(driver.shows("Renamed “Doctors” to “Health”"))
    try await driver.press("d")
    #expect(!driver.shows("SAVED SEARCHES"))
    try await driver.press("u")
    #expect(try driver.line(with: "Health").contains("2"))
    try await driver.press("u")
    #expect(driver.shows("Doctors"))
  }

  @Test func whatIsTypedCanBeSavedWithItsTokens() async throws {
    let driver = try await Driver()
    try await driver.press("/dent #hea<tab><c-s>Teeth<enter>")
    let search = try #require(driver.app.state.home.sidebar?.searches.first)
    #expect(search.title == "Teeth" && search.query == "dent tag:health")
  }

  @Test func whatTextCannotSayIsRefused() async throws {
    let driver = try await Driver()
    try await driver.press("/<c-s>")
    #expect(driver.shows("Type a search first."))
    try await driver.press("ask<tab>guard<c-s>")
    #expect(driver.shows("A saved search has no words near each other."))
    try await driver.press("<esc>/a or b #hea<tab><c-s>")
    #expect(driver.shows("it has an or"))
    try await driver.press("<esc>/due<lt>whenever<c-s>x<enter>")
    #expect(driver.shows("whenever") && driver.app.state.screens.count == 2)
  }

  @Test func theSameNameTakesItsPlace() async throws {
    let driver = try await driver()
    try await driver.press("/<c-u>flagged<c-s>doctors")
    #expect(driver.shows("In the place of tag:health"))
    try await driver.press("<enter>")
    #expect(driver.app.state.home.sidebar?.searches.map(\.query) == ["flagged"])
  }

  @Test func oneThatIsNotUnderstoodSaysWhy() async throws {
    let driver = try await Driver()
    try await driver.elsewhere { database in
      try await database.writer.write { db in
        try db.execute(
          sql: "INSERT INTO savedSearches (title, query) VALUES ('Odd', 'due<whenever')")
      }
    }
    try await driver.press(":odd<enter>")
    #expect(driver.shows("whenever") && driver.titles.isEmpty)
    #expect(driver.lines.contains { $0.contains("Odd") && $0.contains("✗ ") })
    // Nothing that a key does there does any harm.
    for key in ["<space>", "d", "V", "X", ".", "j", "G", "f", "o<esc>", "aMilk<enter>"] {
      try await driver.press(key)
    }
    #expect(driver.shows("whenever"))
    try await driver.press("ga")
    #expect(driver.titles.contains("Milk"))
  }

  @Test func itIsGoneElsewhere() async throws {
    let driver = try await driver()
    try await driver.press("<esc>:doctors<enter>")
    try await driver.elsewhere { database in
      let id = try database.savedSearch(named: "Doctors").id
      _ = try await database.deleteSearch(id)
    }
    #expect(!driver.shows("SAVED SEARCHES") && driver.app.state.home.kind != nil)
  }
}
