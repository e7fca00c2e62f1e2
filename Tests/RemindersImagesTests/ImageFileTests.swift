import Foundation
import Glibc
import RemindersTestSupport
import Testing

@testable import RemindersImages

struct ImageFileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func path(_ name: String) -> String { directory.url.appending(path: name).path }

  private func error(_ path: String) -> ImageError? {
    #expect(throws: ImageError.self) { try ImageFile.read(path) }
  }

  @Test func aFileIsReadWhole() throws {
    let file = ImageMaker.quarters(300, 200, as: .png)
    try file.write(to: URL(filePath: path("a.png")))
    #expect(try ImageFile.read(path("a.png")) == file)
    #expect(ImageFile.header(path("a.png"))?.size == PixelSize(width: 300, height: 200))
  }

  @Test func aMissingFileIsSaidToBeMissing() throws {
    #expect(error(path("nothing.png"))?.kind == .notFound)
    #expect(error(path("nothing.png"))?.reason == "nothing.png: There is no such file.")
  }

  @Test func aDirectoryAPipeAndADeviceAreRefused() throws {
    #expect(error(directory.url.path)?.kind == .notAFile)
    #expect(error("/dev/zero")?.kind == .notAFile)
    try #require(mkfifo(path("pipe.png"), 0o600) == 0)
    // It would wait for a writer for ever.
    #expect(error(path("pipe.png"))?.kind == .notAFile)
    #expect(ImageFile.header(path("pipe.png")) == nil)
  }

  @Test func aGigabyteIsRefusedUnread() throws {
    #expect(FileManager.default.createFile(atPath: path("big.png"), contents: nil))
    try #require(truncate(path("big.png"), 1 << 30) == 0)
    #expect(error(path("big.png"))?.kind == .tooLarge)
  }

  @Test(.enabled(if: getuid() != 0, "root may read everything"))
  func aFileThatMayNotBeReadIsRefused() throws {
    try Data([1]).write(to: URL(filePath: path("secret.png")))
    chmod(path("secret.png"), 0)
    #expect(error(path("secret.png"))?.kind == .notPermitted)
  }

  @Test func anEmptyFileIsNoImage() throws {
    try Data().write(to: URL(filePath: path("empty.png")))
    let data = try ImageFile.read(path("empty.png"))
    #expect(throws: ImageError.notAnImage) { try ImageHeader(data) }
  }

  @Test func aDirectoryShowsItsImagesWithTheirExtents() throws {
    try FileManager.default.createDirectory(
      atPath: path("walks"), withIntermediateDirectories: true)
    try ImageMaker.quarters(30, 20, as: .gif).write(to: URL(filePath: path("b.GIF")))
    try ImageMaker.quarters(40, 20, as: .jpeg).write(to: URL(filePath: path("A.jpg")))
    for name in ["notes.txt", ".hidden.png", "broken.png"] {
      try Data("text".utf8).write(to: URL(filePath: path(name)))
    }
    let listing = try ImageDirectory(directory.url.path)
    #expect(
      listing.entries == [
        .init(name: "walks", isDirectory: true),
        .init(name: "A.jpg", isDirectory: false, size: PixelSize(width: 40, height: 20)),
        .init(name: "b.GIF", isDirectory: false, size: PixelSize(width: 30, height: 20)),
        .init(name: "broken.png", isDirectory: false),
      ])
    #expect(throws: ImageError.self) { try ImageDirectory(path("nowhere")) }
  }

  // MARK: - The cache

  @Test func aPictureIsKeptByTheHashOfItsImage() throws {
    let cache = PictureCache(directory: directory.url.appending(path: "images"))
    let file = ImageMaker.quarters(64, 32, as: .png)
    let space = PixelSize(width: 16, height: 16)
    let picture = try cache.picture(of: file, in: space, .whole)
    #expect(try picture == Picture(of: file, in: space, .whole))
    let names = try FileManager.default.contentsOfDirectory(atPath: path("images"))
    #expect(names.count == 1 && names[0].hasSuffix("-16x16-whole.ppm"))
    // The second time it comes from there: whoever paints it over sees that.
    let kept = URL(filePath: path("images/\(names[0])"))
    let ppm = Data("P6\n1 1\n255\n".utf8) + [1, 2, 3]
    try ppm.write(to: kept)
    #expect(try cache.picture(of: file, in: space, .whole).pixels == [0x01_0203])
  }

  @Test(arguments: ["", "P6\n", "P6\n9223372036854775807 9223372036854775807\n255\nabc", "x"])
  func whatMakesNoSenseInTheCacheIsMadeAnew(contents: String) throws {
    let cache = PictureCache(directory: directory.url)
    let file = ImageMaker.quarters(64, 32, as: .png)
    let space = PixelSize(width: 16, height: 16)
    let picture = try cache.picture(of: file, in: space, .filling)
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.url.path) {
      try Data(contents.utf8).write(to: URL(filePath: path(name)))
    }
    #expect(try cache.picture(of: file, in: space, .filling) == picture)
  }

  @Test func aCacheThatCannotBeWrittenIsNoFailure() throws {
    let cache = PictureCache(directory: URL(filePath: "/proc/nowhere"))
    let file = ImageMaker.quarters(64, 32, as: .png)
    #expect(throws: Never.self) {
      try cache.picture(of: file, in: PixelSize(width: 16, height: 16), .whole)
    }
  }

  @Test func theCacheDoesNotGrowForEver() throws {
    let cache = PictureCache(directory: directory.url)
    let file = ImageMaker.quarters(8, 8, as: .png)
    for width in 1...250 {
      _ = try cache.picture(of: file, in: PixelSize(width: width, height: 1), .filling)
    }
    let count = try FileManager.default.contentsOfDirectory(atPath: directory.url.path).count
    #expect((100...200).contains(count))
  }
}
