import RemindersCore
import RemindersTerminal
import Testing

@testable import RemindersUI

/// The app over a file of an earlier schema, without links and covers: nothing speaks of them.
@MainActor
struct SchemaTests {
  private let driver: Driver

  init() async throws {
    driver = try await Driver(schema: .lists)
  }

  @Test func theFormOfAReminderHasNoLink() async throws {
    try await driver.press("e")
    #expect(driver.shows("Tags") && !driver.shows("Link"))
    try await driver.press("<s-tab>")
    #expect(driver.app.state.reminderForm?.focus == .tags)
    try await driver.press(" #new<tab> and on<c-s>")
    let row = try #require(driver.app.state.home.rows.first { $0.title == "Dentist and on" })
    #expect(row.tags.contains("new"))
  }

  @Test func theFormOfAListHasNoCover() async throws {
    try await driver.press("A")
    try driver.expectScreen("schema-1-list-form")
    try await driver.press("Hiking<tab><tab>!")
    #expect(driver.app.state.listForm?.title.text == "Hiking!")
    try await driver.press("<c-o><c-x><enter>")
    #expect(driver.app.state.screens.isEmpty)
    #expect(driver.shows("Hiking!"))
  }

  @Test func noCommandIsAboutThem() async throws {
    let ids = Context.all.flatMap { Command.all(in: $0, with: .lists) }.map(\.id)
    #expect(
      Set(Command.ID.allCases).subtracting(ids) == [
        .openURL, .chooseImage, .removeImage, .toggleCovers, .nest, .unnest, .saveSearch,
        .saveTypedSearch, .snooze, .skip,
      ])
    try await driver.press(":")
    #expect(driver.shows("Copy") && !driver.shows("Open link"))
    try await driver.press("<esc>?")
    for word in ["image", "the link of the reminder"] {
      try await driver.press("<c-u>")
      for key in word { try await driver.press(key == " " ? "<space>" : String(key)) }
      #expect(driver.app.state.helpLines == [], "\(word)")
    }
    try await driver.press("<esc>O")
    #expect(driver.app.state.message == nil)
  }

  @Test func nothingIsAskedAboutThem() async throws {
    #expect(driver.app.state.home.currentList != nil)
    #expect(!driver.app.state.subscriptions.contains { $0 is CoverQuery })
    #expect(driver.app.state.recentMessages.isEmpty)
  }

  @Test func withTheLaterSchemaAllOfThemAreThere() {
    let ids = Context.all.flatMap { Command.all(in: $0, with: .current) }.map(\.id)
    #expect(Set(ids) == Set(Command.ID.allCases))
  }
}

extension AppState {
  fileprivate var helpLines: [HelpScreen.Line] {
    screens[top: HelpScreen.self]?.lines ?? []
  }
}
