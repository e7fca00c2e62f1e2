import Foundation
import Images
import Reminders
import Synchronization
import Terminal
import TestSupport
import Testing

@testable import RemindersUI

@MainActor
struct CoverTests {
  /// What the cells of a space show, two pixels each; nil where there is no picture.
  private func pixels(_ driver: Driver, in rect: Rect) -> [[RGB?]] {
    rect.rowRange.map { row in
      rect.columnRange.map { column in
        let cell = driver.device.frame?.surface[Point(column: column, row: row)]
        return cell?.text == "▀" ? cell?.style.foreground : nil
      }
    }
  }

  private func pictureRect(_ driver: Driver) throws -> Rect {
    try #require(driver.app.state.layout.picture)
  }

  // MARK: - The header

  @Test(arguments: [(80, 24), (100, 30), (200, 60)])
  func theHeaderShowsTheCoverAndALineAboutIt(columns: Int, rows: Int) async throws {
    let driver = try await Driver(columns, rows, withCovers: true)
    try driver.expectScreen("cover-\(columns)x\(rows)")
    let rect = try pictureRect(driver)
    let list = try #require(driver.app.state.home.currentList)
    let cover = try #require(try driver.database.fetch(CoverQuery(list.id)))
    let expected = try Picture(
      of: cover.data, in: PixelSize(width: rect.size.columns, height: rect.size.rows * 2), .filling)
    let shown = pixels(driver, in: rect)
    for row in 0..<rect.size.rows {
      let upper = (0..<rect.size.columns).map {
        RGB(expected.pixels[2 * row * rect.size.columns + $0])
      }
      #expect(shown[row] == upper)
    }
  }

  @Test func realPixelsAreShownWhereTheTerminalSaysThatItHasThem() async throws {
    let driver = try await Driver(withCovers: true)
    #expect(driver.device.frame?.picture == nil)
    await driver.send(.showsPictures(.png))
    let picture = try #require(driver.device.frame?.picture)
    #expect(picture.rect == driver.app.state.layout.picture)
    let header = try ImageHeader(picture.data)
    #expect(
      header.size
        == PixelSize(
          width: 10 * picture.rect.size.columns, height: 20 * picture.rect.size.rows))
    // The cells below show it too, for whatever may lie above them.
    #expect(driver.shows("▀▀▀▀▀▀"))
    try await driver.press("a")
    #expect(driver.device.frame?.picture == nil)
    try await driver.press("<esc>")
    #expect(driver.device.frame?.picture == picture)
    await driver.send(.resize(Size(columns: 120, rows: 40)))
    #expect(driver.device.frame?.picture?.rect == driver.app.state.layout.picture)
    try await driver.press("gt")
    #expect(driver.device.frame?.picture == nil)
  }

  @Test func sixelsAreAsManyAsTheCellsHavePixels() async throws {
    let driver = try await Driver(withCovers: true)
    let limits = SixelLimits(cellWidth: 8, cellHeight: 17, colors: 16)
    await driver.send(.showsPictures(.sixels(limits)))
    let picture = try #require(driver.device.frame?.picture)
    let size = picture.rect.size
    let sixels = String(decoding: picture.data, as: UTF8.self)
    #expect(sixels.contains("\"1;1;\(8 * size.columns);\(17 * size.rows)#"))
    #expect(sixels.contains("#15;2;") && !sixels.contains("#16;2;"))
    // Where the terminal has other cells, or no pictures any more, so it is.
    await driver.send(.showsPictures(.sixels(SixelLimits(cellWidth: 9, cellHeight: 18))))
    let larger = String(decoding: try #require(driver.device.frame?.picture).data, as: UTF8.self)
    #expect(larger.contains("\"1;1;\(9 * size.columns);\(18 * size.rows)#"))
    await driver.send(.showsPictures(nil))
    #expect(driver.device.frame?.picture == nil)
    #expect(driver.shows("▀▀▀▀▀▀"))
  }

  @Test func whatATerminalWouldCutOffStaysInCells() async throws {
    let driver = try await Driver(withCovers: true)
    for (width, height) in [(100, nil), (nil, 50)] as [(Int?, Int?)] {
      let limits = SixelLimits(
        cellWidth: 8, cellHeight: 17, maximumWidth: width, maximumHeight: height)
      await driver.send(.showsPictures(.sixels(limits)))
      #expect(driver.device.frame?.picture == nil)
    }
  }

  @Test func realPixelsAreKeptByTheHashOfTheImage() async throws {
    let cache = try TemporaryDirectory()
    for _ in 1...2 {
      let driver = try await Driver(withCovers: true, pictureCache: cache.url)
      await driver.send(.showsPictures(.png))
      await driver.send(.showsPictures(.sixels(SixelLimits(cellWidth: 8, cellHeight: 17))))
      #expect(driver.device.frame?.picture != nil)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: cache.url.path)
    #expect(Set(names.map { $0.split(separator: ".").last }) == ["ppm", "png", "six"])
    #expect(names.count == 3)
  }

  @Test func withoutColourThereIsTheLineAlone() async throws {
    let driver = try await Driver(settings: Settings("set theme mono"), withCovers: true)
    #expect(driver.shows("lake.png · PNG 960 × 480 · 26 kB"))
    #expect(!driver.shows("▀"))
  }

  @Test func withoutUnicodeThereIsTheLineAlone() async throws {
    let driver = try await Driver(
      100, 30, settings: Settings("set theme mono"), isUTF8: false, withCovers: true)
    try driver.expectScreen("cover-mono-ascii")
  }

  @Test func withSixteenColoursThereIsTheLineAlone() async throws {
    let driver = try await Driver(colorDepth: .ansi16, withCovers: true)
    #expect(driver.shows("lake.png"))
    #expect(!driver.shows("▀"))
  }

  @Test func aNarrowOrLowTerminalLeavesTheRoomToReminders() async throws {
    let driver = try await Driver(40, 14, withCovers: true)
    #expect(!driver.shows("lake.png") && driver.shows("Dentist"))
    await driver.send(.resize(Size(columns: 80, rows: 10)))
    #expect(!driver.shows("lake.png") && driver.shows("Dentist"))
  }

  @Test func thePictureFillsItsSpaceInEverySize() async throws {
    let driver = try await Driver(withCovers: true)
    for (columns, rows) in [(120, 40), (90, 28), (160, 50)] {
      await driver.send(.resize(Size(columns: columns, rows: rows)))
      let shown = pixels(driver, in: try pictureRect(driver))
      #expect(shown.allSatisfy { $0.allSatisfy { $0 != nil } }, "\(columns)×\(rows)")
    }
  }

  @Test func aLongNameIsShortenedBeforeAnythingElseIsLeftOut() async throws {
    let driver = try await Driver(100, 30)
    let list = try #require(driver.app.state.home.currentList?.id)
    let jpeg = try ShrunkImage(
      SampleScene.lake.png(), into: CoverImage.maximumSize, quality: 50
    ).jpeg
    let origin =
      #"{"account":"ann","format":"PNG","height":480,"name":"as-long-as-cameras-make-it.png","#
      + #""time":1794900000000,"width":960}"#
    let cover = CoverImage(JPEGComment.adding("reminders cover " + origin, to: jpeg))
    try await driver.elsewhere { _ = try await $0.editList(list, [.coverImage(cover)]) }
    let line = try driver.line(with: "PNG 960 × 480")
    #expect(line.contains("…") && line.contains(".png · PNG"), "\(line)")
    #expect(line.contains(" · ann "), "\(line)")
  }

  @Test func everyListHasItsOwnCover() async throws {
    let driver = try await Driver(withCovers: true)
    try await driver.press("hj")
    #expect(driver.shows("hills.png"))
    try await driver.press("gt")
    #expect(!driver.shows(".png") && !driver.shows("▀"))
  }

  @Test func aCoverThatIsSetReplacedOrClearedElsewhereIsSeen() async throws {
    let driver = try await Driver()
    let list = try #require(driver.app.state.home.currentList?.id)
    func set(_ scene: SampleScene?) async throws -> [[RGB?]] {
      try await driver.elsewhere { database in
        let cover = try scene.map { CoverImage(try $0.png()) }
        _ = try await database.editList(list, [.coverImage(cover)])
      }
      return driver.app.state.layout.picture.map { pixels(driver, in: $0) } ?? []
    }
    let lake = try await set(.lake)
    #expect(lake.joined().contains { $0 != nil })
    #expect(try await set(.town) != lake)
    #expect(try await set(nil).isEmpty)
    #expect(!driver.shows("▀") && driver.current == "Dentist")
  }

  @Test func bytesThatAreNoImageAreSaidToBeNone() async throws {
    let driver = try await Driver()
    let list = try #require(driver.app.state.home.currentList?.id)
    try await driver.elsewhere {
      _ = try await $0.editList(list, [.coverImage(CoverImage(Data("text".utf8)))])
    }
    #expect(driver.shows("The cover of this list is not an image."))
    let half = try SampleScene.lake.png()
    try await driver.elsewhere {
      _ = try await $0.editList(list, [.coverImage(CoverImage(half.prefix(half.count / 2)))])
    }
    #expect(driver.shows("The image ends in the middle."))
  }

  @Test func whatAStrangerWroteIntoACoverCannotSteerTheTerminal() async throws {
    let driver = try await Driver()
    let list = try #require(driver.app.state.home.currentList?.id)
    let jpeg = try ShrunkImage(
      SampleScene.lake.png(), into: CoverImage.maximumSize, quality: 50
    ).jpeg
    let origin = #"{"format":"PNG","height":1,"name":"a\u001b[31mb","time":1,"width":1}"#
    let cover = CoverImage(JPEGComment.adding("reminders cover " + origin, to: jpeg))
    try await driver.elsewhere { _ = try await $0.editList(list, [.coverImage(cover)]) }
    #expect(!driver.screen.contains("\u{1B}"))
  }

  @Test func aClickHitsTheReminderBelowTheCover() async throws {
    let driver = try await Driver(withCovers: true)
    let row = try #require(driver.lines.firstIndex { $0.contains("Haircut") })
    await driver.send(.mouse(MouseEvent(.click, at: Point(column: 50, row: row))))
    #expect(driver.current == "Haircut")
  }

  // MARK: - The form

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

  @Test func aFileThatIsNoImageIsRefusedAndTheFormStays() async throws {
    let driver = try await Driver()
    let url = driver.directory.url.appending(path: "notes.png")
    try Data("text".utf8).write(to: url)
    for (path, reason) in [
      (url.path, "not an image"), (url.path + "x", "no such file"),
      (driver.directory.url.path, "directory"),
    ] {
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

  // MARK: - Errands

  @Test func ofManyWishesOnlyTheLastIsWorkedFor() async {
    let work = Work()
    let errand = Errand<Int, Int>(
      work: { work.add($0) }, report: { work.report($0, $1) }, ended: {})
    for wish in 1...50 { errand.follow(wish) }
    while errand.isRunning { await Task.yield() }
    #expect(work.reported == [50])
    #expect(work.done.count <= 2 && work.done.last == 50)
  }

  /// Notes what was done.
  private final class Work: Sendable {
    private struct Notes { var done: [Int] = []; var reported: [Int] = [] }
    private let notes = Mutex(Notes())

    var done: [Int] { notes.withLock { $0.done } }
    var reported: [Int] { notes.withLock { $0.reported } }

    func add(_ number: Int) -> Int {
      notes.withLock { $0.done.append(number) }
      return number
    }

    func report(_ request: Int, _ result: Result<Int, Problem>) {
      notes.withLock { $0.reported.append(request) }
    }
  }
}
