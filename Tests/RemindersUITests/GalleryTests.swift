import RemindersTerminal
import Testing

@testable import RemindersUI

/// A picture of every screen in four sizes, and without colour and Unicode.
@MainActor
struct GalleryTests {
  /// A screen and the keys that lead to it from the first list of the sample data.
  struct Scene: Sendable, CustomTestStringConvertible {
    let name: String
    let keys: String
    var testDescription: String { name }
  }

  nonisolated static let scenes: [Scene] = [
    Scene(name: "lists", keys: "h"),
    Scene(name: "today", keys: "gt"),
    Scene(name: "nothing", keys: "gtvvvdX"),
    Scene(name: "completed", keys: "gc"),
    Scene(name: "selection", keys: "vv"),
    Scene(name: "go", keys: "g"),
    Scene(name: "add", keys: "aWater the plants on mon 9am #home !!"),
    Scene(name: "due", keys: "D<c-u>next fri 9am"),
    Scene(name: "tags", keys: "the"),
    Scene(name: "move", keys: "m"),
    Scene(name: "order", keys: "o"),
    Scene(name: "clear", keys: "gcX"),
    Scene(name: "form", keys: "e<tab><tab>"),
    Scene(name: "form-changed", keys: "e<c-u>Another<tab><tab><tab><c-u>next week<esc>"),
    Scene(name: "form-new", keys: "N"),
    Scene(name: "form-due", keys: "e<tab><tab><tab>"),
    Scene(name: "list-form-edit", keys: "he"),
    Scene(name: "list-form-new", keys: "AHiking<tab>"),
    Scene(name: "tag-form", keys: "h<end>e"),
    Scene(name: "search-typing", keys: "/#health<tab>night"),
    Scene(name: "search-results", keys: "/ea<enter>j"),
    Scene(name: "commands", keys: ":go"),
    Scene(name: "messages", keys: "fdgm"),
    Scene(name: "help-home", keys: "?"),
    Scene(name: "help-form", keys: "e<f1>"),
    Scene(name: "sync-empty", keys: "S"),
    Scene(name: "people-none", keys: "glp"),
    Scene(name: "invite", keys: "glpaben"),
    Scene(name: "accept", keys: "P"),
    Scene(name: "error", keys: "U"),
  ]

  @Test(arguments: scenes)
  func everySizeHasItsPicture(scene: Scene) async throws {
    let driver = try await Driver(80, 24)
    try await driver.press(scene.keys)
    for (columns, rows) in [(40, 12), (80, 24), (100, 30), (200, 60)] {
      await driver.resize(columns, rows)
      try driver.expectScreen("gallery/\(scene.name)-\(columns)x\(rows)")
    }
  }

  @Test(arguments: scenes)
  func nothingNeedsColourOrUnicode(scene: Scene) async throws {
    let driver = try await Driver(80, 24, settings: Settings("set theme mono"), isUTF8: false)
    try await driver.press(scene.keys)
    let isASCII = driver.screen.utf8.allSatisfy { $0 < 0x80 }
    #expect(isASCII, "\(driver.screen)")
    try driver.expectScreen("gallery/\(scene.name)-mono-ascii")
  }
}
