import Foundation
import Glibc
import RemindersCore
import RemindersImages
import RemindersTerminal
import Synchronization
import Testing

@testable import RemindersUI

/// Choosing a cover: the form of a list, and the browser of images.
@MainActor
struct CoverFormTests {
  /// An image in the directory where choosing begins.
  private func write(_ scene: SampleScene, to name: String, _ driver: Driver) throws -> String {
    let url = driver.directory.url.appending(path: name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try scene.png().write(to: url)
    return url.path
  }

  private func cover(_ driver: Driver) throws -> CoverImage? {
    let list = try #require(driver.app.state.home.currentList?.id)
    return try driver.database.fetch(CoverQuery(list))
  }

  @Test func aPathIsCompletedAndTheImageShownAndKept() async throws {
    let driver = try await Driver()
    let path = try write(.hills, to: "walks/ridge.png", driver)
    try await driver.press("AHiking<tab><tab>")
    await driver.send(.paste(String(path.dropLast("alks/ridge.png".count))))
    #expect(driver.shows("walks/"))
    try await driver.press("<enter>")
    #expect(driver.app.state.listForm?.cover.path.text.hasSuffix("/walks/") == true)
    #expect(driver.shows("ridge.png   960 × 480"))
    try await driver.press("<enter>")
    #expect(driver.app.state.listForm?.cover.path.text == path)
    #expect(driver.shows("PNG 960 × 480") && driver.shows(" kB "))
    #expect(driver.shows("▀▀▀▀▀▀"))
    try await driver.press("<enter>")
    #expect(driver.app.state.home.currentList?.title == "Hiking")
    let origin = try #require(try cover(driver)?.facts?.origin)
    #expect(origin.name == "ridge.png" && origin.account == "ann")
    #expect(origin.date == driver.app.state.time.now)
    try await driver.press("u")
    #expect(!driver.shows("Hiking  "))
  }

  @Test func aFileThatFailedOnceIsReadAgainWhenTheFormIsSaved() async throws {
    let driver = try await Driver()
    let path = driver.directory.url.appending(path: "ridge.png").path
    try await driver.press("he<tab><tab>")
    await driver.send(.paste(path))
    try await driver.press("<c-s>")
    #expect(driver.app.state.listForm != nil && driver.app.state.message?.kind == .refused)
    #expect(try write(.hills, to: "ridge.png", driver) == path)
    try await driver.press("<c-s>")
    #expect(driver.app.state.screens.isEmpty)
    #expect(try cover(driver)?.facts?.origin?.name == "ridge.png")
  }

  @Test func savingWaitsForTheImage() async throws {
    let driver = try await Driver()
    let path = try write(.hills, to: "ridge.png", driver)
    try await driver.press("he<tab><tab>")
    driver.device.send(.paste(path))
    driver.device.send(.key(.control("s")))
    await driver.app.settled()
    #expect(driver.app.state.screens.isEmpty)
    #expect(try cover(driver)?.facts?.origin?.name == "ridge.png")
  }

  /// Files that are no images, or none that are taken on, and what is said of each.
  private func badFiles(in directory: URL) throws -> [(name: String, reason: String)] {
    func path(_ name: String) -> String { directory.appending(path: name).path }
    func write(_ data: Data, _ name: String) throws {
      try data.write(to: URL(filePath: path(name)))
    }
    let image = try SampleScene.hills.png()
    try write(Data("text".utf8), "notes.png")
    try write(image.prefix(image.count / 2), "half.png")
    // The extent comes after the marks of the format and of its first part.
    try write(image.prefix(16) + [0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30] + image[24...], "bomb.png")
    try #require(mkfifo(path("pipe.png"), 0o600) == 0)
    try write(Data(), "giga.png")
    try #require(truncate(path("giga.png"), 1 << 30) == 0)
    return [
      ("notes.png", "not an image"), ("nothing.png", "no such file"), (".", "directory"),
      ("half.png", "ends in the middle"), ("bomb.png", "30000 × 30000"),
      ("pipe.png", "not an ordinary file"), ("giga.png", "64 MB"),
    ]
  }

  @Test func aFileThatIsNoImageIsRefusedAndTheFormStays() async throws {
    let driver = try await Driver()
    for (name, reason) in try badFiles(in: driver.directory.url) {
      let path = driver.directory.url.path + "/" + name
      try await driver.press("he<tab><tab>")
      await driver.send(.paste(path))
      try await driver.press("<c-s>")
      #expect(driver.app.state.listForm?.cover.typedPath == path)
      #expect(driver.lines.contains { $0.contains(reason) }, "\(driver.screen)")
      try await driver.press("<esc>y")
    }
    #expect(try cover(driver) == nil)
  }

  @Test func anImageIsChosenInItsDirectory() async throws {
    let driver = try await Driver()
    _ = try write(.hills, to: "walks/ridge.png", driver)
    _ = try write(.town, to: "night.png", driver)
    try await driver.press("he<c-o>")
    #expect(driver.shows("walks/") && driver.shows("960 × 480"))
    #expect(driver.shows("▸ night.png") && driver.shows("PNG 960 × 480"))
    #expect(driver.shows("▀▀▀▀▀▀"))
    try await driver.press("walks<enter><enter>")
    #expect(driver.app.state.listForm?.cover.path.text.hasSuffix("/walks/ridge.png") == true)
    try await driver.press("<c-s>")
    #expect(try cover(driver)?.facts?.origin?.name == "ridge.png")
  }

  @Test func theWayBackUpIsTheFirstEntry() async throws {
    let driver = try await Driver()
    _ = try write(.hills, to: "walks/ridge.png", driver)
    try await driver.press("he<c-o>walks<enter>..<enter>")
    #expect(driver.shows("walks/"))
    try await driver.press("nowhere")
    #expect(driver.shows("Nothing here has this name."))
    try await driver.press("<esc>")
    #expect(driver.app.state.listForm != nil)
  }

  @Test func theFormShowsTheCoverAndTakesItAway() async throws {
    let driver = try await Driver(withCovers: true)
    try await driver.press("he")
    try driver.expectScreen("list-form-cover")
    try await driver.press("<c-x>")
    #expect(driver.shows("taken away when saved"))
    try await driver.press("<c-s>")
    #expect(try cover(driver) == nil)
    try await driver.press("u")
    #expect(try cover(driver)?.facts?.origin?.name == "lake.png")
  }

  @Test func aTitleHereAndACoverElsewhereAreBothKept() async throws {
    let driver = try await Driver()
    let list = try #require(driver.app.state.home.currentList?.id)
    try await driver.press("he 2026")
    try await driver.elsewhere {
      _ = try await $0.editList(list, [.coverImage(CoverImage(try SampleScene.town.png()))])
    }
    #expect(driver.shows("▀▀▀▀▀▀"))
    try await driver.press("<c-s>")
    #expect(driver.app.state.home.currentList?.title == "Personal 2026")
    #expect(try cover(driver) != nil)
  }

  // MARK: - What takes long

  @Test func ofManyFilesOnlyTheLastIsReadAfterTheFirst() async throws {
    let driver = try await Driver()
    let work = Work()
    let subscriptions = Subscriptions(
      SubscriptionSources(driver.database, UIEnvironment()), report: { _ in work.note(report: 1) },
      noticed: {})
    for number in 1...50 { subscriptions.follow([SlowFile(number: number, work: work)]) }
    await subscriptions.catchUp()
    #expect(work.done.count <= 2 && work.done.last == 50)
    #expect(work.reports == 1)
  }

  private struct SlowFile: ShownFile {
    let number: Int
    let work: Work

    static func == (left: SlowFile, right: SlowFile) -> Bool { left.number == right.number }

    func find(_ sources: SubscriptionSources) throws -> Int {
      work.note(done: number)
      return number
    }

    func show(_ result: Result<Int, Problem>, in state: inout AppState) {}
  }

  /// Notes what was done, and how often something was reported.
  private final class Work: Sendable {
    private struct Notes {
      var done: [Int] = []
      var reports = 0
    }
    private let notes = Mutex(Notes())

    var done: [Int] { notes.withLock { $0.done } }
    var reports: Int { notes.withLock { $0.reports } }

    func note(done number: Int) { notes.withLock { $0.done.append(number) } }
    func note(report count: Int) { notes.withLock { $0.reports += count } }
  }
}
