import RemindersTerminal
import SQLiteSync
import Testing

@testable import RemindersCore
@testable import RemindersUI

@MainActor
struct SearchScreenTests {
  @Test(arguments: [(80, 24), (100, 30)])
  func searchShowsWhereTheWordsAre(columns: Int, rows: Int) async throws {
    let driver = try await Driver(columns, rows)
    try await driver.press("/ea")
    try driver.expectScreen("search-\(columns)x\(rows)")
  }

  @Test func matchesAreMarkedWithoutColour() async throws {
    let driver = try await Driver(settings: Settings("set theme mono"))
    try await driver.press("/dent")
    #expect(driver.shows("[Dent]ist"))
  }

  @Test func commandsWorkOnResults() async throws {
    let driver = try await Driver()
    try await driver.press("/dentist<enter><space>")
    #expect(driver.app.state.targets.row?.status == .completing)
    try await driver.press("u<enter>")
    #expect(driver.shows("─ Edit reminder ─"))
    try await driver.press("<esc><esc>")
    #expect(driver.app.state.screens.isEmpty)
  }

  @Test func completedResultsAreShownOnRequest() async throws {
    let driver = try await Driver()
    try await driver.press("/walk<enter>")
    #expect(driver.shows("0 open · 1 completed hidden · by due date ▾"))
    try await driver.press(".")
    #expect(driver.shows("Long walk"))
    try await driver.click(on: "1 completed")
    #expect(!driver.shows("Long walk"))
  }

  @Test func anyCharacterIsText() async throws {
    let driver = try await Driver()
    try await driver.press("/\"*(:^-' OR NOT #")
    #expect(driver.shows("0 open"))
    #expect(driver.app.state.message == nil)
  }

  // MARK: - Lists

  /// A list stands above its results, so that they need not say it.
  @Test func resultsStandListByList() async throws {
    let driver = try await Driver(80, 24)
    try await driver.press("/ea<enter>")
    var words: [String] = []
    for line in driver.lines where line.contains("■") || line.contains("○") {
      let word = try #require(line.split(separator: " ").first { $0.allSatisfy(\.isLetter) })
      words.append(String(word))
    }
    #expect(
      words == ["Personal", "Dentist", "Groceries", "Family", "Present", "Business", "Renew"])
    // The cursor goes from reminder to reminder.
    try await driver.press("jj")
    #expect(driver.app.state.targets.row?.title == "Present for grandma")
  }

  @Test func aSharedListSaysSoAboveItsResults() async throws {
    let cloud = try SharedCloud()
    let driver = try await Driver(80, 24) { database in
      try await cloud.annInvites(["ben": .write], to: "Family", of: database)
    }
    try await driver.press("/ea")
    #expect(try driver.line(with: "■ Family").contains("&ben"))
  }

  @Test func resultsHaveTheOrderThatIsChosen() async throws {
    let driver = try await Driver(100, 30)
    func titles() -> [String] {
      driver.app.state.searchScreen?.hits.filter { $0.row.list.title == "Personal" }
        .map(\.row.title) ?? []
    }
    try await driver.press("/e<enter>oby title<enter>")
    #expect(driver.shows("by title ▾") && titles() == titles().sorted() && titles().count > 3)
    try await driver.press("oby due<enter>")
    #expect(titles().first == "Dentist" && titles() != titles().sorted())
    // The list behind keeps its own.
    #expect(driver.app.state.home.currentOptions.sort == .due)
    try await driver.click(on: "by due date ▾")
    #expect(driver.shows("most important first"))
  }

  // MARK: - Tags

  @Test func aTagIsSuggestedAndTaken() async throws {
    let driver = try await Driver(100, 30)
    try await driver.press("/#")
    // The one with most to do comes first.
    #expect(driver.shows("Tab #sometime 4"))
    try await driver.press("he")
    #expect(driver.shows("Tab #health 2") && !driver.shows("#sometime 4"))
    try await driver.press("<tab>")
    #expect(driver.app.state.searchScreen?.tokens.tags == ["health"])
    #expect(driver.shows("⟨#health⟩") && driver.shows("2 open"))
    try await driver.press("#nosuch")
    #expect(driver.shows("No such tag."))
    try await driver.press(" ")
    #expect(driver.shows("# suggests tags") && driver.shows("Backspace removes the last"))
  }

  @Test func theTagThatIsTypedInFullIsMeant() {
    let rows = [("car", 9), ("cart", 99), ("boat", 3)].map { title, count in
      Sidebar.TagRow(title: title, openCount: count)
    }
    func titles(_ text: String) -> [String]? {
      SearchTokens.tagBeingTyped(in: text).map {
        SearchTokens.suggestions(for: $0, among: rows).map(\.title)
      }
    }
    #expect(titles("milk #CAR") == ["car", "cart"])
    #expect(titles("#ca") == ["cart", "car"])
    #expect(titles("#") == ["cart", "car", "boat"])
    #expect(titles("#x") == [])
    #expect(titles("#car ") == nil && titles("car") == nil && titles("") == nil)
  }

  // MARK: - Selection

  @Test func resultsAreSelectedAndChangedTogether() async throws {
    let driver = try await Driver(100, 30)
    try await driver.press("/ea<enter>vv")
    #expect(driver.shows("2 selected · 4 open"))
    #expect(driver.app.state.targets.ids.count == 2)
    try await driver.press("f")
    let flagged = driver.app.state.searchScreen?.hits.filter(\.row.isFlagged).map(\.row.title)
    #expect(flagged == ["Dentist", "Groceries"])
    // First the selection goes, then the search.
    try await driver.press("<esc>")
    #expect(!driver.shows("selected") && driver.app.state.searchScreen != nil)
    try await driver.press("<esc>")
    #expect(driver.app.state.screens.isEmpty)
  }

  @Test func allResultsAreSelectedAndDeselected() async throws {
    let driver = try await Driver(100, 30)
    try await driver.press("/ea<enter>V")
    #expect(driver.app.state.searchScreen?.selection.count == 4)
    try await driver.press("d")
    #expect(driver.shows("0 open") && driver.app.state.searchScreen?.selection.isEmpty == true)
    try await driver.press("uVV")
    #expect(driver.shows("4 open") && !driver.shows("selected"))
    // Other words find others: nothing of the old ones stays selected.
    try await driver.press("V/x")
    #expect(driver.app.state.searchScreen?.selection.isEmpty == true)
  }
}
