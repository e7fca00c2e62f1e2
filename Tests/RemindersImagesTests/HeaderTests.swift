import Foundation
import Testing

@testable import RemindersImages

struct HeaderTests {
  @Test(arguments: ImageFormat.allCases)
  func everyFormatIsKnownByItsBytes(format: ImageFormat) throws {
    let header = try ImageHeader(ImageMaker.quarters(30, 20, as: format))
    #expect(header.format == format)
    #expect(header.size == PixelSize(width: 30, height: 20))
    #expect(header.isComplete && !header.isAnimated)
  }

  @Test(arguments: [Data(), Data("P6\n1 1\n255\n".utf8), Data("<svg/>".utf8), Data([0xFF, 0xD8])])
  func whatIsNoImageIsRefused(data: Data) throws {
    let error = #expect(throws: ImageError.self) { try ImageHeader(data) }
    #expect(error?.kind == .notAnImage)
  }

  @Test(arguments: ImageFormat.allCases)
  func noBeginningOfAFileIsTakenForAllOfIt(format: ImageFormat) throws {
    let file = ImageMaker.quarters(30, 20, as: format)
    for count in 0..<file.count - 1 {
      // Too short to say anything, or incomplete.
      let header = try? ImageHeader(file.prefix(count))
      #expect(header?.isComplete != true, "\(count) of \(file.count) bytes")
    }
  }

  @Test(arguments: ImageFormat.allCases)
  func aDamagedByteNeverTraps(format: ImageFormat) throws {
    let file = ImageMaker.quarters(30, 20, as: format)
    for place in 0..<min(file.count, 400) {
      for value in [0, 0xFF, file[place] ^ 0x80] as [UInt8] {
        var damaged = file
        damaged[place] = value
        // Whether it can be shown is libgd's business; that it ends is what matters here.
        _ = try? Picture(of: damaged, in: PixelSize(width: 4, height: 4), .whole)
      }
    }
  }

  @Test(arguments: [true, false])
  func theOrientationIsReadInBothByteOrders(isLittle: Bool) throws {
    let jpeg = ImageMaker.quarters(30, 20, as: .jpeg)
    for orientation in 1...8 {
      let header = try ImageHeader(ImageMaker.turned(jpeg, orientation, isLittle: isLittle))
      #expect(header.orientation.rawValue == orientation)
      #expect(
        header.size
          == PixelSize(width: orientation < 5 ? 30 : 20, height: orientation < 5 ? 20 : 30))
    }
  }

  @Test(arguments: [0, 9, 65535])
  func anUnknownOrientationIsUpright(value: Int) throws {
    let jpeg = ImageMaker.turned(ImageMaker.quarters(30, 20, as: .jpeg), value)
    #expect(try ImageHeader(jpeg).orientation == .upright)
  }

  @Test func theOrientationOfAPNGIsRead() throws {
    let png = ImageMaker.png(30, 20, bitDepth: 8, chunks: [("eXIf", ImageMaker.exif(6))])
    #expect(try ImageHeader(png).size == PixelSize(width: 20, height: 30))
  }

  @Test func theOrientationOfAWebPIsRead() throws {
    let size = PixelSize(width: 64, height: 32)
    let webP = ImageMaker.turned(
      webP: ImageMaker.quarters(64, 32, as: .webp), size, 6)
    #expect(try ImageHeader(webP).size == PixelSize(width: 32, height: 64))
    let picture = try Picture(of: webP, in: PixelSize(width: 32, height: 64), .whole)
    // A quarter turn clockwise: what was below on the left is above on the left.
    #expect(
      picture.quarters == [ImageMaker.blue, ImageMaker.red, ImageMaker.yellow, ImageMaker.green])
  }

  @Test func severalPicturesAreNoticed() throws {
    #expect(try ImageHeader(ImageMaker.animatedGIF()).isAnimated)
    #expect(try ImageHeader(ImageMaker.animatedWebP()).isAnimated)
    let png = ImageMaker.png(3, 2, bitDepth: 8, chunks: [("acTL", Data(count: 8))])
    #expect(try ImageHeader(png).isAnimated)
  }

  @Test func aCommentIsKeptInAJPEGThatStaysOne() throws {
    let jpeg = ImageMaker.quarters(30, 20, as: .jpeg)
    let commented = JPEGComment.adding("From “ridge.png”", to: jpeg)
    #expect(try ImageHeader(commented).comments.contains("From “ridge.png”"))
    let space = PixelSize(width: 30, height: 20)
    #expect(try Picture(of: commented, in: space, .whole) == Picture(of: jpeg, in: space, .whole))
  }

  @Test(arguments: [(30_000, 30_000), (65_535, 65_535), (1, 60_000_000)])
  func tooManyPixelsAreRefusedBeforeDecoding(width: Int, height: Int) throws {
    let bomb = ImageMaker.png(width, height, bitDepth: 1, rows: 1)
    let error = #expect(throws: ImageError.self) {
      try Picture(of: bomb, in: PixelSize(width: 10, height: 10), .whole)
    }
    #expect(error?.kind == .tooLarge)
    #expect(error?.reason.contains("\(width) × \(height)") == true)
  }

  @Test func noPixelsAreDamage() throws {
    let error = #expect(throws: ImageError.self) {
      try ImageHeader(ImageMaker.png(0, 5, bitDepth: 8))
    }
    #expect(error?.kind == .damaged)
  }

  // MARK: - Work

  /// A picture of many scans, of which each but the first says nothing.
  private func jpeg(_ width: Int, _ height: Int, scans: Int) -> Data {
    func bytes(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
    let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 0, 0]
    var file = Data([0xFF, 0xD8, 0xFF, 0xC2, 0, 11, 8])
    file += bytes(height)
    file += bytes(width)
    file += [1, 1, 0x11, 0] as [UInt8]
    for _ in 0..<scans { file += scan }
    return file + Data([0xFF, 0xD9])
  }

  @Test(arguments: [
    (100, 100, 10, true), (8000, 6000, 10, true), (100, 100, 100, true), (100, 100, 101, false),
    (100, 100, 1500, false), (8000, 6000, 60, false),
  ])
  func aJPEGThatIsGoneOverTooOftenIsRefusedUndecoded(
    width: Int, height: Int, scans: Int, isAllowed: Bool
  ) throws {
    let file = jpeg(width, height, scans: scans)
    var refusal: ImageError?
    do throws(ImageError) {
      _ = try ImageHeader(file)
    } catch {
      refusal = error
    }
    #expect(refusal?.kind == (isAllowed ? nil : .tooLarge))
  }

  @Test func aGIFOfNothingButClearCodesIsNoPicture() throws {
    // Codes of twelve bits, each of which empties the table of 2048 colours.
    var codes = Data([11])
    let clear: [UInt8] = [0x00, 0x08, 0x80]
    for _ in 0..<5000 {
      codes.append(255)
      for _ in 0..<85 { codes += clear }
    }
    let screen: [UInt8] = [16, 0, 16, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
    let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 16, 0, 16, 0, 0]
    var file = Data("GIF89a".utf8)
    for part in [screen, frame, Array(codes), [0, 0x3B]] { file += part }
    #expect(try ImageHeader(file).isComplete == false)
  }

  @Test func aPNGThatSaysOverAndOverHowItWasHeldIsReadAtOnce() throws {
    let png = ImageMaker.quarters(4, 4, as: .png)
    // A directory of 65,535 entries, of which none is there.
    var chunk = Data([0, 0, 0, 10])
    chunk += Data("eXIfMM".utf8)
    chunk += [0, 42, 0, 0, 0, 8, 0xFF, 0xFF, 0, 0, 0, 0] as [UInt8]
    var file = png.prefix(33)
    for _ in 0..<20_000 { file += chunk }
    file += png.dropFirst(33)
    #expect(try ImageHeader(file).isComplete)
  }

  @Test func notEveryOfMillionsOfCommentsIsKept() throws {
    var file = Data([0xFF, 0xD8])
    let comment: [UInt8] = [0xFF, 0xFE, 0, 3, 0x41]
    for _ in 0..<10_000 { file += comment }
    file += ImageMaker.quarters(4, 4, as: .jpeg).dropFirst(2)
    #expect(try ImageHeader(file).comments.count == 16)
  }
}
