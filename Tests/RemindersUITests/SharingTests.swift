import Foundation
import RemindersCore
import RemindersTerminal
import RemindersTestSupport
import SQLiteSync
import Testing

@testable import RemindersUI

/// Lists that people share: how they look, who may do what, and how that is changed.
@MainActor
struct SharingTests {
  /// An app of ben's with a list that ann shares.
  private func guest(_ permission: ListShare.Permission) async throws -> Driver {
    let cloud = try SharedCloud()
    return try await Driver(sampleData: false) { database in
      try await cloud.annShares(with: database, allowing: permission == .read ? .read : .write)
    }
  }

  /// An app of ann's who shares Family.
  private func owner(_ columns: Int = 100, _ rows: Int = 30) async throws -> Driver {
    let cloud = try SharedCloud()
    let driver = try await Driver(columns, rows) { database in
      try await cloud.annInvites(["ben": .write, "carla": .read], to: "Family", of: database)
    }
    try await driver.press("glj")
    return driver
  }

  private func requests(_ driver: Driver) -> [String] {
    driver.syncCalls.withLock { $0 }
  }

  @Test func aListSaysWhomItIsSharedWith() async throws {
    let driver = try await owner(130, 30)
    #expect(try driver.line(with: "■ Family").contains("&ben+1"))
    #expect(driver.shows("shared with ben, carla"))
    // In fewer columns the words would leave no room for the list's own name.
    await driver.resize(80, 24)
    #expect(driver.shows("Family") && driver.shows("&ben+1 ·") && !driver.shows("shared with"))
  }

  @Test func theFormOfAListSaysWhomItIsSharedWith() async throws {
    let driver = try await owner(80, 24)
    try await driver.press("e")
    // In larger ones the detail pane tells the real time at which the other device wrote.
    try driver.expectScreen("gallery/list-form-shared-80x24")
    for (columns, rows) in [(100, 30), (200, 60)] {
      await driver.resize(columns, rows)
      #expect(driver.shows("Sharing   ben    may read and write"))
      #expect(driver.shows("carla  may read "))
    }
    // What was typed is still there when the people are left.
    try await driver.press(" and friends<c-p>")
    #expect(driver.app.state.shareScreen?.title == "Family")
    try await driver.press("<esc>")
    #expect(driver.app.state.listForm?.title.text == "Family and friends")
    try await driver.press("<esc>y<tab>A<c-p>")
    #expect(driver.shows("A list must be saved before it is shared."))
  }

  @Test func theFormOfAListSaysWhomItIsSharedFrom() async throws {
    let driver = try await guest(.write)
    try await driver.press("gle")
    #expect(driver.shows("Sharing   shared from ann"))
  }

  @Test func everySizeHasItsPictureOfThePeople() async throws {
    let driver = try await owner()
    try await driver.press("p")
    for (columns, rows) in [(80, 24), (100, 30), (200, 60)] {
      await driver.resize(columns, rows)
      try driver.expectScreen("gallery/people-\(columns)x\(rows)", hidingLinks: true)
    }
  }

  @Test func aListSaysWhomItIsSharedFrom() async throws {
    let driver = try await guest(.read)
    #expect(try driver.line(with: "■ Family").contains("&ann"))
    #expect(driver.shows("shared from ann, read only"))
    #expect(try await guest(.write).shows("shared from ann · "))
  }

  @Test func aRowOfASharedListSaysWhoElseChangedItLast() async throws {
    let driver = try await guest(.write)
    #expect(try driver.line(with: "Pack").contains("&ann"))
    try await driver.press("f")
    #expect(try driver.line(with: "⚑").contains("&ann") == false)
    #expect(try driver.line(with: "Swim").contains("&ann"))
  }

  @Test func aRowOfOnesOwnSaysNothing() async throws {
    let driver = try await owner()
    #expect(driver.lines.filter { $0.contains("&") }.allSatisfy { $0.contains("Family") })
  }

  @Test func whatMayOnlyBeReadSaysSo() async throws {
    let driver = try await guest(.read)
    for key in ["<space>", "d", "f", "D", "+", "-", "m", "a", "N"] {
      try await driver.press("<esc>" + key)
      #expect(
        driver.shows("“Family” is shared by ann to read, not to write."),
        "\(key):\n\(driver.screen)")
    }
    try await driver.press("he")
    #expect(driver.shows("“Family” is shared by ann to read, not to write."))
    #expect(driver.titles == ["Pack", "Swim"])
  }

  /// Where there is no room for all about a reminder beside the list, the form is the way to it.
  @Test func whatMayOnlyBeReadIsReadInTheForm() async throws {
    let driver = try await guest(.read)
    #expect(driver.lines.last?.contains("e read") == true)
    try await driver.press("<enter>")
    #expect(driver.shows("─ Reminder ─") && driver.shows("read only"))
    for key in ["x", "<c-u>", "<backspace>"] { try await driver.press(key) }
    await driver.send(.paste("text"))
    try await driver.press("<tab><tab><right><tab>")
    for key in ["<up>", "<down>", "<c-t>", "<c-x>", "<c-s>"] {
      try await driver.press(key)
      #expect(driver.shows("“Family” is shared by ann to read, not to write."))
    }
    try await driver.press("<esc>")
    #expect(driver.app.state.screens.isEmpty)
    #expect(driver.titles == ["Pack", "Swim"])
  }

  @Test func tagsAreEverybodysOwn() async throws {
    let driver = try await guest(.read)
    try await driver.press("tmine<enter>")
    #expect(driver.shows("#mine"))
  }

  @Test func whatMayBeWrittenIsWritten() async throws {
    let driver = try await guest(.write)
    try await driver.press("f")
    #expect(try driver.line(with: "Pack").contains("⚑"))
  }

  @Test(arguments: [(80, 24), (100, 30)])
  func thePeopleOfAListAreShown(columns: Int, rows: Int) async throws {
    let driver = try await owner(columns, rows)
    try await driver.press("p")
    // The link ends in a random name.
    let lines = driver.lines.filter { !$0.contains("link  share:") }
    #expect(lines.contains { $0.contains("ben") && $0.contains("read and write") })
    #expect(lines.contains { $0.contains("carla") && $0.contains("invited") })
    #expect(driver.shows("Reminders › People"))
    #expect(driver.shows("anyone with the link  has no access"))
  }

  @Test func theOwnerChangesWhoMayDoWhat() async throws {
    let driver = try await owner()
    let list = try #require(driver.app.state.home.currentList)
    try await driver.press("pwjd")
    try await driver.press("adora<enter>l")
    let expected: [ShareRequest] = [
      .setPermission(list.id, account: "@ben", .read),
      .setPermission(list.id, account: "@carla", .none),
      .share(list.id, title: "Family", participants: ["dora": .write], publicPermission: nil),
      .share(list.id, title: "Family", participants: [:], publicPermission: .read),
    ]
    #expect(requests(driver) == expected.map { "share \($0)" })
    try await driver.press("y")
    #expect(driver.shows("Copied the link."))
  }

  @Test func stoppingIsAskedAbout() async throws {
    let driver = try await owner()
    let list = try #require(driver.app.state.home.currentList)
    try await driver.press("px")
    #expect(driver.shows("“Family” stays yours alone."))
    try await driver.press("y")
    #expect(requests(driver) == ["share \(ShareRequest.unshare(list.id))"])
    #expect(driver.shows("Stopped sharing."))
  }

  @Test func aGuestCanOnlyLeave() async throws {
    let driver = try await guest(.write)
    let list = try #require(driver.app.state.home.currentList)
    try await driver.press("pa")
    #expect(driver.shows("Only ann can change who takes part."))
    try await driver.press("x")
    #expect(driver.shows("leaves your devices."))
    try await driver.press("y")
    #expect(requests(driver) == ["share \(ShareRequest.leave(list.id))"])
  }

  @Test func whoLeavesIsToldWhatBecomesOfUnsentChanges() async throws {
    let driver = try await guest(.write)
    try await driver.press("px")
    #expect(driver.shows("leaves your devices.") && !driver.shows("30 days"))
    try await driver.press("n<esc>")
    var status = SyncStatus.idle
    status.pending = 2
    try await driver.report(status)
    for keys in ["px", "hd"] {
      try await driver.press(keys)
      #expect(driver.shows("What is not sent yet"), "\(keys)\n\(driver.screen)")
      #expect(driver.shows("for 30 days."), "\(keys)")
      try await driver.press("n<esc>")
    }
  }

  @Test func thePeopleOfAListThatIsGoneAreNotShown() async throws {
    let driver = try await guest(.write)
    let list = try #require(driver.app.state.home.currentList)
    try await driver.press("p")
    #expect(driver.shows("› People"))
    try await driver.elsewhere { _ = try await $0.deleteList(list.id) }
    #expect(!driver.shows("› People"))
  }

  @Test func deletingASharedListIsAskedAbout() async throws {
    let mine = try await owner()
    try await mine.press("d")
    #expect(mine.shows("“Family”, shared with ben, carla, is deleted"))
    try await mine.press("y")
    #expect(!mine.shows("■ Family"))
    let theirs = try await guest(.write)
    try await theirs.press("hdy")
    #expect(requests(theirs).first?.contains("leave") == true)
  }

  @Test func invitationsAreOfferedAndALinkCanBeTyped() async throws {
    let driver = try await Driver(invitations: [
      ListInvitation(link: "share:c/@ann/z", sender: "ann", title: "Garden")
    ])
    try await driver.press("P")
    #expect(try driver.line(with: "Garden").contains("from ann"))
    try await driver.press("<enter>")
    #expect(driver.shows("Accepted."))
    try await driver.press("P<down><enter>share:c/@ann/y<enter>")
    #expect(
      requests(driver) == [
        "invitations", "share \(ShareRequest.accept(link: "share:c/@ann/z"))", "invitations",
        "share \(ShareRequest.accept(link: "share:c/@ann/y"))",
      ])
  }

  @Test func anInvitationThatComesIsAMessageAndABadgeUntilItIsAnswered() async throws {
    let driver = try await Driver(invitations: [
      ListInvitation(link: "share:c/@ann/z", sender: "ann", title: "Garden")
    ])
    #expect(!driver.shows("1 invitation"))
    await driver.report(.didFetchChanges)
    #expect(driver.shows("ann invites you to “Garden”"))
    #expect(driver.lines[0].contains("1 invitation"))
    await driver.pass(seconds: 7)
    await driver.report(.didFetchChanges)
    #expect(!driver.shows("ann invites you"), "it is told once")
    #expect(driver.lines[0].contains("1 invitation"))
    try await driver.press("P<enter>")
    #expect(driver.shows("Accepted."))
    #expect(!driver.lines[0].contains("invitation"))
  }

  @Test func withoutInvitationsALinkIsAskedFor() async throws {
    let driver = try await Driver()
    try await driver.press("P")
    #expect(driver.shows("Accept a link"))
  }

  @Test func onlyListsCanBeShared() async throws {
    let driver = try await Driver()
    try await driver.press("gtp")
    #expect(driver.shows("Only lists can be shared."))
  }
}
