import Foundation
import Testing

@testable import RemindersImages

struct DecodingTests {
  private static let upright = [
    ImageMaker.red, ImageMaker.green, ImageMaker.blue, ImageMaker.yellow,
  ]

  @Test(arguments: ImageFormat.allCases)
  func everyFormatIsDecoded(format: ImageFormat) throws {
    let file = ImageMaker.quarters(64, 32, as: format)
    let picture = try Picture(of: file, in: PixelSize(width: 16, height: 16), .whole)
    #expect(picture.size == PixelSize(width: 16, height: 8))
    #expect(picture.quarters == Self.upright)
  }

  // The four quarters after each of EXIF's orientations, from its table of which edge of the
  // pixels is the top and which the left side.
  @Test(
    arguments: [
      (1, [0, 1, 2, 3]), (2, [1, 0, 3, 2]), (3, [3, 2, 1, 0]), (4, [2, 3, 0, 1]),
      (5, [0, 2, 1, 3]), (6, [2, 0, 3, 1]), (7, [3, 1, 2, 0]), (8, [1, 3, 0, 2]),
    ] as [(Int, [Int])])
  func aPhotographIsTurnedUpright(orientation: Int, order: [Int]) throws {
    let jpeg = ImageMaker.turned(ImageMaker.quarters(64, 32, as: .jpeg), orientation)
    let expected = order.map { Self.upright[$0] }
    let picture = try Picture(of: jpeg, in: PixelSize(width: 32, height: 32), .whole)
    #expect(picture.quarters == expected)
    let shrunk = try ShrunkImage(jpeg, into: PixelSize(width: 16, height: 900), quality: 90)
    #expect(shrunk.size == PixelSize(width: 16, height: orientation < 5 ? 8 : 32))
    // It needs no orientation of its own.
    #expect(try ImageHeader(shrunk.jpeg).orientation == .upright)
    #expect(
      try Picture(of: shrunk.jpeg, in: PixelSize(width: 32, height: 32), .whole).quarters
        == expected)
  }

  // The second is a library, but not this one.
  @Test(arguments: ["libgd.so.999", "libc.so.6"])
  func aMachineWithoutTheLibraryIsToldWhatToInstall(file: String) throws {
    let error = try #require(throws: ImageError.self) { _ = try GraphicsLibrary.load(file) }
    #expect(error.kind == .failed)
    #expect(error.reason == "Images cannot be decoded: the library \(file) is missing.")
    #expect(
      error.hint == "On Debian, install the package libgd3; everything else works without it.")
  }

  @Test func pixelsAreAveragedAndNotSkipped() throws {
    let picture = try Picture(
      of: ImageMaker.stripes(640, 64), in: PixelSize(width: 10, height: 1), .filling)
    for pixel in picture.pixels {
      #expect((0x7C...0x83).contains(pixel & 0xFF), "\(String(pixel, radix: 16)) is no grey")
    }
  }

  @Test func whatIsTransparentBecomesWhite() throws {
    let picture = try Picture(
      of: ImageMaker.halfTransparent(40), in: PixelSize(width: 4, height: 4), .whole)
    #expect(picture.pixels.first == ImageMaker.blue)
    #expect(picture.pixels.last == 0xFF_FFFF)
  }

  @Test func aSpaceOfAnotherShapeIsFilledWithTheMiddle() throws {
    // Eight times as wide as high: of a square, the middle eighth is left.
    let file = ImageMaker.quarters(64, 64, as: .png)
    let picture = try Picture(of: file, in: PixelSize(width: 16, height: 2), .filling)
    #expect(picture.size == PixelSize(width: 16, height: 2))
    #expect(picture.pixels.first == ImageMaker.red)
    #expect(picture.pixels.last == ImageMaker.yellow)
  }

  @Test func shrinkingKeepsTheShapeAndNeverEnlarges() throws {
    let bounds = PixelSize(width: 1000, height: 4000)
    func size(_ width: Int, _ height: Int) throws -> PixelSize {
      try ShrunkImage(ImageMaker.png(width, height, bitDepth: 1), into: bounds, quality: 80).size
    }
    #expect(try size(1200, 800) == PixelSize(width: 1000, height: 667))
    #expect(try size(1000, 10) == PixelSize(width: 1000, height: 10))
    #expect(try size(3, 2) == PixelSize(width: 3, height: 2))
    #expect(try size(20, 8000) == PixelSize(width: 10, height: 4000))
  }

  /// Cyan, magenta, yellow and black, and what they come to.
  static let inks: [(inks: [UInt8], colour: UInt32)] = [
    ([0, 255, 255, 0], ImageMaker.red), ([255, 0, 255, 0], ImageMaker.green),
    ([0, 0, 0, 255], 0), ([0, 0, 0, 0], 0xFF_FFFF),
  ]

  @Test(arguments: inks)
  func theInksOfAPrinterBecomeColours(inks: [UInt8], colour: UInt32) throws {
    let picture = try Picture(
      of: ImageMaker.cmyk(inks), in: PixelSize(width: 8, height: 8), .whole)
    #expect(Set(picture.quarters) == [colour])
  }

  @Test func sixteenBitsAndOneBitAreDecoded() throws {
    for bitDepth in [1, 8, 16] {
      let png = ImageMaker.png(10, 10, bitDepth: bitDepth)
      let picture = try Picture(of: png, in: PixelSize(width: 2, height: 2), .whole)
      #expect(picture.pixels == Array(repeating: 0xFF_FFFF, count: 4), "\(bitDepth) bits")
    }
  }

  @Test func ofSeveralPicturesInAGIFTheFirstIsShown() throws {
    let picture = try Picture(
      of: ImageMaker.animatedGIF(), in: PixelSize(width: 8, height: 8), .whole)
    #expect(picture.quarters == Self.upright)
  }

  @Test func anAnimatedWebPIsRefused() throws {
    let error = #expect(throws: ImageError.self) {
      try Picture(of: ImageMaker.animatedWebP(), in: PixelSize(width: 8, height: 8), .whole)
    }
    #expect(error?.reason == "Animated WebP images cannot be read.")
  }

  @Test(arguments: ImageFormat.allCases)
  func aFileThatEndsInTheMiddleIsRefused(format: ImageFormat) throws {
    let file = ImageMaker.quarters(200, 200, as: format)
    for count in [file.count / 3, file.count / 2, file.count - 3] {
      let error = #expect(throws: ImageError.self, "\(count) of \(file.count) bytes") {
        try Picture(of: file.prefix(count), in: PixelSize(width: 8, height: 8), .whole)
      }
      #expect(error?.kind == .damaged)
    }
  }

  /// libgd decodes the first two in part, without an error.
  @Test(arguments: [ImageFormat.jpeg, .gif, .webp])
  func aFileThatWasCutAndHasItsEndAllTheSameIsRefused(format: ImageFormat) throws {
    let whole = ImageMaker.quarters(400, 400, as: format)
    let space = PixelSize(width: 8, height: 8)
    #expect(throws: Never.self) { try Picture(of: whole, in: space, .whole) }
    let error = #expect(throws: ImageError.self) {
      try Picture(of: ImageMaker.cut(whole, format), in: space, .whole)
    }
    #expect(error?.kind == .damaged)
    // The next image is none the worse for it.
    #expect(throws: Never.self) { try Picture(of: whole, in: space, .whole) }
  }

  @Test func aPNGWithFewerRowsThanItSaysIsRefused() throws {
    let error = #expect(throws: ImageError.self) {
      try Picture(
        of: ImageMaker.png(100, 100, bitDepth: 8, rows: 20), in: PixelSize(width: 8, height: 8),
        .whole)
    }
    #expect(error?.kind == .damaged)
  }
}
