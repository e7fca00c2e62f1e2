import RemindersCore
import Testing

@testable import RemindersUI

/// Whatever a command writes here can be taken back and done again; a walk through the table.
@MainActor
struct UndoCommandTests {
  /// What leads to each command that writes, and performs it, from the first list.
  private nonisolated static let ways: [Command.ID: String] = [
    .addReminder: "aBread tomorrow #new !!<enter>", .newReminder: "NBread<c-s>",
    .toggleDone: "<space>", .editReminder: "e<c-u>Another<tab>and notes<c-s>",
    .save: "e<c-u>Another<tab><tab><right><c-s>", .deleteReminder: "d", .toggleFlag: "f",
    .raisePriority: "j+", .lowerPriority: "-", .setDue: "D<c-u>next fri<enter>",
    .pickTags: "tbrand-new<enter>", .accept: "tkids<enter>", .moveToList: "mFamily<enter>",
    .moveUp: "oman<enter>jK", .moveDown: "oman<enter>J", .clearCompleted: "X<enter>",
    .addList: "ATrips<c-s>", .editList: "he<c-u>Mine<tab><right><c-s>", .deleteList: "hd",
    .moveListUp: "hjK", .moveListDown: "hJ", .clearCompletedHits: "/walk<enter>X<enter>",
    .answerYes: "", .restore: "dgdr", .clearDue: "D<c-x><enter>",
    .today: "D<c-t><enter>", .dayLater: "D<up><enter>", .dayEarlier: "D<down><enter>",
    .toggleTag: "tkids<tab><enter>", .ignoreDate: "aBread fri<c-x><enter>",
    .nest: "j>", .unnest: "j>j>k<lt>", .laterDay: "gAJ", .earlierDay: "gAK",
    .saveSearch: "/ea<enter>Wx<enter>", .saveTypedSearch: "/ea<c-s>x<enter>",
  ]

  /// Commands that are about the log of writes itself, or end the app.
  private nonisolated static let left: Set<Command.ID> = [.undo, .redo, .quit, .suspend]

  @Test(arguments: Command.ID.allCases.filter { !left.contains($0) })
  func whatACommandWritesIsTakenBackAndDoneAgain(id: Command.ID) async throws {
    let driver = try await Driver(sampleData: id != .addSampleData)
    let before = try driver.contents()
    try await perform(id, driver)
    let after = try driver.contents()
    let isWriting = Self.ways[id] != nil || id == .addSampleData
    #expect((after != before) == isWriting, "\(driver.screen)")
    #expect(driver.app.state.undoSteps.isEmpty == (after == before), "\(driver.screen)")
    while !driver.app.state.screens.isEmpty { try await driver.press("<esc>") }
    let count = driver.app.state.undoSteps.count
    for _ in 0..<count { try await driver.press("u") }
    #expect(try driver.contents() == before, "taken back")
    for _ in 0..<count { try await driver.press("U") }
    await driver.pass(seconds: 20)
    #expect(try driver.contents() == after, "done again")
  }

  private func perform(_ id: Command.ID, _ driver: Driver) async throws {
    if id == .answerYes {
      await driver.send(.paste("one\ntwo"))
      return try await driver.press("y")
    }
    let command = Command.named(id)
    let key = try #require(command.keys.first)
    try await driver.press(Self.ways[id] ?? (Self.beginnings[command.context] ?? "") + key)
    await driver.pass(seconds: 20)
    if Self.ways[id] == nil { try await leave(driver) }
  }

  /// What leads to where the keys of a context are listened to; nothing, where the app begins.
  private static let beginnings: [Context: String] = [
    .lists: "h", .hits: "/ea<enter>", .searchField: "/ea", .agenda: "gA", .stats: "gb", .sync: "S",
    .syncLog: "S", .syncLogField: "S/", .sharing: "hp", .account: "@", .historyEntries: "gd",
    .form: "e", .reminderForm: "e", .line: "e", .listForm: "A", .notes: "e<tab>", .dueField: "D",
    .prompt: ":", .quickAdd: "a", .tagPicker: "t", .confirmation: "e<c-u>x<esc>",
  ]

  /// Leaves everything without a word being kept.
  private func leave(_ driver: Driver) async throws {
    for _ in 0..<10 where !driver.app.state.screens.isEmpty {
      try await driver.press(driver.app.state.screens.last is ConfirmationScreen ? "y" : "<esc>")
    }
  }
}
