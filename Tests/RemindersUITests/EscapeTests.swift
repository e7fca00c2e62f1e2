import RemindersTerminal
import Testing

@testable import RemindersUI

/// Escape goes back, one step at a time, and never further than home.
@MainActor
struct EscapeTests {
  @Test(arguments: GalleryTests.scenes)
  func everyScreenIsLeftStepByStep(scene: GalleryTests.Scene) async throws {
    let driver = try await Driver()
    try await driver.press(scene.keys)
    let stored = try driver.contents()
    var steps = 0
    while driver.app.state.isAwayFromHome {
      let before = driver.app.state
      // Whoever typed something is asked, and would be asked again and again.
      let isAsked = before.screens.last is ConfirmationScreen
      try await driver.press(isAsked ? "y" : "<esc>")
      let after = driver.app.state
      #expect(after != before, "\(driver.screen)")
      let left = before.screens.count - after.screens.count
      #expect(left <= (isAsked ? 2 : 1), "\(driver.screen)")
      steps += 1
      try #require(steps < 10, "\(driver.screen)")
    }
    #expect(try driver.contents() == stored)
  }

  @Test func aPendingKeyComesFirstThenTheSelectionThenTheLists() async throws {
    let driver = try await Driver()
    try await driver.press("vvg")
    #expect(driver.app.state.pendingKeys == [.character("g")])
    try await driver.press("<esc>")
    #expect(driver.app.state.pendingKeys.isEmpty && driver.app.state.home.selection.count == 2)
    try await driver.press("<esc>")
    #expect(driver.app.state.home.selection.isEmpty)
    try await driver.press("h<esc>")
    #expect(driver.app.state.home.focus == .reminders)
  }

  @Test func aSearchIsLeftFromItsResultsAndFromItsField() async throws {
    let driver = try await Driver()
    try await driver.press("/ea<enter>e")
    #expect(driver.app.state.screens.count == 2, "a form over the results")
    try await driver.press("<esc>")
    #expect(driver.app.state.screens.count == 1)
    try await driver.press("<esc>")
    #expect(driver.app.state.screens.isEmpty)
  }

  @Test func atHomeItDoesNothing() async throws {
    let driver = try await Driver()
    let (before, screen) = (driver.app.state, driver.screen)
    try await driver.press("<esc><esc><esc>")
    #expect(driver.app.state == before && driver.screen == screen)
    #expect(!driver.app.state.isQuitting)
  }
}

extension AppState {
  fileprivate var isAwayFromHome: Bool {
    !screens.isEmpty || !pendingKeys.isEmpty || !home.selection.isEmpty || home.focus == .lists
  }
}
