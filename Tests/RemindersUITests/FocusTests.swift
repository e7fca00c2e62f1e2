import Foundation
import RemindersCore
import RemindersTerminal
import Testing

@testable import RemindersUI

/// Where things are on the screen: the cursor is where the focus is, and every pane keeps to
/// itself, in every size.
@MainActor
struct FocusTests {
  private nonisolated static let scenes =
    GalleryTests.scenes + [
      .init(name: "home", keys: ""), .init(name: "form-notes", keys: "e<tab>one<enter>two"),
      .init(name: "form-tags", keys: "e<tab><tab><tab><tab><tab><tab><tab>"),
      .init(name: "new-list", keys: "A"), .init(name: "image", keys: "A<c-o>"),
      .init(name: "question", keys: "e<c-u>Another<esc>"), .init(name: "new", keys: "N"),
      .init(name: "deleted-none", keys: "gd"), .init(name: "deleted", keys: "ddgd"),
      .init(name: "history", keys: "H"), .init(name: "account", keys: "@"),
      .init(name: "sign-in", keys: "@i"), .init(name: "people", keys: "hjjjjjjp"),
      .init(name: "invite", keys: "hjjjjjjpa"), .init(name: "waiting", keys: "S2"),
      .init(name: "conflicts", keys: "S3"), .init(name: "no-hits", keys: "/zzz<enter>"),
    ]

  @Test(arguments: scenes)
  func theCursorIsOnEveryScreenInEverySize(scene: GalleryTests.Scene) async throws {
    let driver = try await driver()
    try await driver.press(scene.keys)
    for size in Self.sizes {
      let (state, frame) = picture(of: driver, size)
      let place: Comment = "\(size.columns)×\(size.rows)\n\(text(of: frame))"
      #expect(frame.cursor.map { state.layout.body.contains($0) } == true, place)
    }
  }

  @Test func theCursorIsThereWithoutAnything() async throws {
    for hasCloud in [true, false] {
      let driver = try await Driver(sampleData: false, hasCloud: hasCloud)
      for keys in ["", "h", "l", "gt", "S", "@", "<esc>gd", "/"] {
        try await driver.press(keys)
        #expect(driver.device.frame?.cursor != nil, "\(keys)\n\(driver.screen)")
        try await driver.press("<esc>")
      }
    }
  }

  @Test(arguments: scenes)
  func everyPaneKeepsToItselfInEverySize(scene: GalleryTests.Scene) async throws {
    let driver = try await driver()
    try await driver.press(scene.keys)
    for size in Self.sizes {
      let (state, frame) = picture(of: driver, size)
      let place: Comment = "\(size.columns)×\(size.rows)\n\(text(of: frame))"
      #expect(hasWholeBoxes(frame.surface), place)
      guard state.screens.isEmpty, state.pendingKeys.isEmpty, let lists = state.layout.lists,
        state.layout.reminders != nil
      else { continue }
      let column = lists.columnRange.upperBound
      let rule = lists.rowRange.map { frame.surface[Point(column: column, row: $0)]?.text }
      #expect(rule.allSatisfy { $0 == "│" }, place)
    }
  }

  @Test func theHeadingLeavesOutWhatThereIsNoRoomFor() async throws {
    let driver = try await Driver()
    #expect(
      try driver.line(with: "6 open").hasSuffix("6 open · by due date ▾ · 1 completed hidden"))
    await driver.resize(60, 24)
    #expect(try driver.line(with: "6 open").hasSuffix("│ Personal     6 open · by due date ▾"))
    await driver.resize(40, 24)
    #expect(try driver.line(with: "6 open").hasSuffix(" 6 open · by due date ▾"))
  }

  // MARK: - What is looked at

  private nonisolated static let sizes: [Size] =
    (Array(stride(from: 30, to: 130, by: 7)) + Array(58...76)).map { Size(columns: $0, rows: 24) }
    + [(30, 8), (31, 9), (60, 8), (80, 10), (100, 17), (149, 30), (150, 30), (200, 60)].map {
      Size(columns: $0, rows: $1)
    }

  /// An app in which everything has a long name.
  private func driver() async throws -> Driver {
    try await Driver { database in
      let long = "A list with a name that is longer than any pane is wide, or nearly any"
      let (id, _) = try await database.addList(title: long)
      _ = try await database.addReminder(
        ReminderDraft(
          title: "A reminder 日本語 of which much is said in its title, more than anybody reads",
          notes: long, due: .day(try #require(CalendarDay("2027-01-31"))), isFlagged: true,
          priority: .high, url: "https://example.org/" + String(repeating: "a/", count: 40),
          listID: id, tags: ["a-tag-that-is-longer-than-the-pane-of-the-lists-is-wide", "kids"]))
    }
  }

  /// The screen as it would be in another size.
  private func picture(of driver: Driver, _ size: Size) -> (AppState, Frame) {
    var state = driver.app.state
    // A question may cover the sides of what it is about.
    if state.screens.last?.isFullPage == false {
      state.screens = ScreenStack(state.screens.suffix(1))
    }
    _ = update(&state, .terminal(.resize(size)))
    return (state, view(state))
  }

  private func text(of frame: Frame) -> String { frame.surface.lines.joined(separator: "\n") }

  /// Whether every box that begins goes all around.
  private func hasWholeBoxes(_ surface: Surface) -> Bool {
    func text(_ column: Int, _ row: Int) -> String? {
      surface[Point(column: column, row: row)]?.text
    }
    for row in 0..<surface.size.rows {
      for column in 0..<surface.size.columns where text(column, row) == "╭" {
        guard let right = (column..<surface.size.columns).first(where: { text($0, row) == "╮" }),
          let bottom = (row..<surface.size.rows).first(where: { text(column, $0) == "╰" }),
          text(right, bottom) == "╯",
          (row + 1..<bottom).allSatisfy({ text(column, $0) == "│" && text(right, $0) == "│" })
        else { return false }
      }
    }
    return true
  }
}
