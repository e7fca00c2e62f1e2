import Foundation
import RemindersCore
import RemindersImages
import RemindersTerminal
import RemindersTestSupport
import Synchronization
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
    let kinds = Set(names.compactMap { $0.split(separator: ".").last })
    #expect(kinds == ["ppm", "png", "six"])
    #expect(names.count == 3)
  }

  @Test func signingOutForgetsThePicturesAlsoThoseThatAreJustDrawn() async throws {
    let cache = try TemporaryDirectory()
    let driver = try await Driver(
      withCovers: true, pictureCache: cache.url,
      signOut: { database, _ in
        try await database.writer.write { try $0.execute(sql: "DELETE FROM remindersLists") }
      })
    #expect(try FileManager.default.contentsOfDirectory(atPath: cache.url.path) != [])
    driver.device.resize(to: Size(columns: 140, rows: 40))
    driver.device.send(.showsPictures(.png))
    for key in "@oy" { driver.device.send(.key(.character(key))) }
    await driver.app.settled()
    #expect(driver.syncCalls.withLock { $0 } == ["signOut 0"])
    #expect(!FileManager.default.fileExists(atPath: cache.url.path))
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

  @Test func withSixteenColoursRealPixelsAreShownAllTheSame() async throws {
    let driver = try await Driver(colorDepth: .ansi16, withCovers: true)
    let limits = SixelLimits(cellWidth: 8, cellHeight: 17, colors: 16)
    await driver.send(.showsPictures(.sixels(limits)))
    #expect(driver.device.frame?.picture?.rect == driver.app.state.layout.picture)
    #expect(driver.device.frame?.picture != nil && driver.shows("lake.png"))
    // There is nothing to show below a form, and no reminder moves for it.
    let row = driver.lines.firstIndex { $0.contains("Dentist") }
    try await driver.press("a")
    #expect(driver.device.frame?.picture == nil && !driver.shows("▀"))
    #expect(driver.lines.firstIndex { $0.contains("Dentist") } == row)
    try await driver.press("<esc>")
    // Where they would be cut off, the room is not left empty.
    let narrow = SixelLimits(cellWidth: 8, cellHeight: 17, maximumWidth: 100)
    await driver.send(.showsPictures(.sixels(narrow)))
    #expect(driver.device.frame?.picture == nil && driver.app.state.layout.picture == nil)
    #expect(driver.shows("lake.png"))
  }

  @Test(arguments: [ColorDepth.mono, .palette256])
  func whoWantsNoColoursGetsNoPictures(depth: ColorDepth) async throws {
    let driver = try await Driver(
      settings: Settings(depth == .mono ? "" : "set theme mono"), colorDepth: depth,
      withCovers: true)
    await driver.send(.showsPictures(.png))
    #expect(driver.device.frame?.picture == nil && driver.shows("lake.png"))
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
}
