import CRemindersGd
import Foundation
import RemindersTestSupport

@testable import RemindersImages

/// Makes image files for tests with libgd, and by hand what libgd does not make.
enum ImageMaker {
  static let red: UInt32 = 0xFF_0000
  static let green: UInt32 = 0x00_FF00
  static let blue: UInt32 = 0x00_00FF
  static let yellow: UInt32 = 0xFF_FF00

  /// Four blocks of colour: red and green above, blue and yellow below.
  static func quarters(_ width: Int, _ height: Int, as format: ImageFormat) -> Data {
    let image = gdImageCreateTrueColor(Int32(width), Int32(height))
    defer { gdImageDestroy(image) }
    let (x, y) = (Int32(width / 2), Int32(height / 2))
    let (right, bottom) = (Int32(width - 1), Int32(height - 1))
    gdImageFilledRectangle(image, 0, 0, x - 1, y - 1, Int32(red))
    gdImageFilledRectangle(image, x, 0, right, y - 1, Int32(green))
    gdImageFilledRectangle(image, 0, y, x - 1, bottom, Int32(blue))
    gdImageFilledRectangle(image, x, y, right, bottom, Int32(yellow))
    return file(image, format)
  }

  /// Columns of black and white, one pixel each, which come to grey when they are averaged.
  static func stripes(_ width: Int, _ height: Int) -> Data {
    let image = gdImageCreateTrueColor(Int32(width), Int32(height))
    defer { gdImageDestroy(image) }
    for x in stride(from: Int32(0), to: Int32(width), by: 2) {
      gdImageLine(image, x, 0, x, Int32(height - 1), 0xFF_FFFF)
    }
    return file(image, .png)
  }

  /// A square that cannot be seen through on the left and can on the right.
  static func halfTransparent(_ side: Int) -> Data {
    let image = gdImageCreateTrueColor(Int32(side), Int32(side))
    defer { gdImageDestroy(image) }
    gdImageAlphaBlending(image, 0)
    gdImageSaveAlpha(image, 1)
    let (half, last) = (Int32(side / 2), Int32(side - 1))
    gdImageFilledRectangle(image, 0, 0, half - 1, last, Int32(blue))
    gdImageFilledRectangle(image, half, 0, last, last, 0x7F00_0000)
    return file(image, .png)
  }

  private static func file(_ image: gdImagePtr?, _ format: ImageFormat) -> Data {
    var count: Int32 = 0
    let bytes =
      switch format {
      case .png: gdImagePngPtr(image, &count)
      case .jpeg: gdImageJpegPtr(image, &count, 95)
      case .gif: gdImageGifPtr(image, &count)
      case .webp: gdImageWebpPtrEx(image, &count, 95)
      }
    defer { gdFree(bytes) }
    return bytes.map { Data(bytes: $0, count: Int(count)) } ?? Data()
  }

  // MARK: - By hand

  /// A JPEG that says how the camera was held.
  static func turned(_ jpeg: Data, _ orientation: Int, isLittle: Bool = true) -> Data {
    let segment = Data("Exif\0\0".utf8) + exif(orientation, isLittle: isLittle)
    return jpeg.prefix(2) + [0xFF, 0xE1, 0, UInt8(segment.count + 2)] + segment + jpeg.dropFirst(2)
  }

  /// A TIFF file with an orientation and nothing else.
  static func exif(_ orientation: Int, isLittle: Bool = true) -> Data {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      let bytes = (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) }
      return isLittle ? bytes : bytes.reversed()
    }
    let entry = [number(0x0112, 2), number(3, 2), number(1, 4), number(orientation, 2), [0, 0]]
    let directory = [number(42, 2), number(8, 4), number(1, 2)] + entry + [number(0, 4)]
    return Data((isLittle ? "II" : "MM").utf8) + Data(directory.joined())
  }

  /// A PNG of one colour and any extent, which takes next to no bytes.
  ///
  /// - Parameter bitDepth: Grey values have 1, 8 or 16 bits.
  static func png(
    _ width: Int, _ height: Int, bitDepth: Int, rows: Int? = nil, chunks: [(String, Data)] = []
  ) -> Data {
    let header =
      big(width, 4) + big(height, 4) + Data([UInt8(bitDepth), 0, 0, 0, 0])
    let row = Data([0]) + Data(repeating: 0xFF, count: (width * bitDepth + 7) / 8)
    let pixels = (0..<(rows ?? height)).reduce(into: Data()) { all, _ in all += row }
    return [("IHDR", header)].appending(chunks).appending([
      ("IDAT", zlib(pixels)), ("IEND", Data()),
    ])
    .reduce(into: Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])) { file, chunk in
      let body = Data(chunk.0.utf8) + chunk.1
      file += big(chunk.1.count, 4) + body + big(Int(crc32(body)), 4)
    }
  }

  /// An animated WebP file, as far as its header goes.
  static func animatedWebP() -> Data {
    let extended = Data([0x02, 0, 0, 0, 9, 0, 0, 9, 0, 0])
    let chunks = Data("VP8X".utf8) + little(extended.count, 4) + extended
    return Data("RIFF".utf8) + little(chunks.count + 4, 4) + Data("WEBP".utf8) + chunks
  }

  /// A WebP file that says how the camera was held.
  static func turned(webP: Data, _ size: PixelSize, _ orientation: Int) -> Data {
    let extended =
      Data([0x08, 0, 0, 0]) + little(size.width - 1, 3) + little(size.height - 1, 3)
    let tiff = exif(orientation)
    let chunks =
      Data("VP8X".utf8) + little(extended.count, 4) + extended + webP.dropFirst(12)
      + Data("EXIF".utf8) + little(tiff.count, 4) + tiff
    return Data("RIFF".utf8) + little(chunks.count + 4, 4) + Data("WEBP".utf8) + chunks
  }

  /// A JPEG of one colour in four inks, each from 0 to 255, as printers and Photoshop write it: the
  /// values are upside down.
  static func cmyk(_ inks: [UInt8]) -> Data {
    func segment(_ marker: UInt8, _ body: [UInt8]) -> Data {
      Data([0xFF, marker]) + big(body.count + 2, 2) + Data(body)
    }
    // Every step is 8 large, and of a block only the mean is coded, which is 8 times the value.
    let adobe = Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0]
    let components: [UInt8] = (1...4).flatMap { [$0, 0x11, 0] }
    // Means have 0 to 8 bits, which is coded in 4; after it, one bit says that nothing follows.
    let means: [UInt8] = [0x00, 0, 0, 0, 9] + [UInt8](repeating: 0, count: 12) + Array(0...8)
    let rest: [UInt8] = [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0]
    var bits = ""
    for ink in inks {
      let value = 127 - Int(ink)
      let length = value == 0 ? 0 : abs(value).bitWidth - abs(value).leadingZeroBitCount
      let coded = value < 0 ? value + (1 << length) - 1 : value
      for (number, count) in [(length, 4), (coded, length), (0, 1)] {
        bits += (0..<count).map { number >> (count - 1 - $0) & 1 == 1 ? "1" : "0" }.joined()
      }
    }
    var coded = Data()
    while !bits.isEmpty {
      let byte = UInt8(bits.prefix(8).padding(toLength: 8, withPad: "1", startingAt: 0), radix: 2)
      coded += byte == 0xFF ? [0xFF, 0] : [byte ?? 0]
      bits = String(bits.dropFirst(8))
    }
    let tables: [UInt8] = (1...4).flatMap { [$0, 0] }
    let segments = [
      segment(0xEE, adobe),
      segment(0xDB, [0] + [UInt8](repeating: 8, count: 64)),
      segment(0xC0, [8, 0, 8, 0, 8, 4] + components),
      segment(0xC4, means), segment(0xC4, rest),
      segment(0xDA, [4] + tables + [0, 63, 0]),
    ]
    return Data([0xFF, 0xD8]) + Data(segments.joined()) + coded + Data([0xFF, 0xD9])
  }

  /// The first half of a file, with the end that such a file has.
  static func cut(_ file: Data, _ format: ImageFormat) -> Data {
    let half = file.prefix(file.count / 4 * 2)
    switch format {
    case .png: return half
    case .jpeg: return half + [0xFF, 0xD9]
    case .webp:
      // The lengths of the file, and of the one part that it has.
      return half.prefix(4) + little(half.count - 8, 4) + half[8..<16]
        + little(half.count - 20, 4) + half[20...]
    case .gif:
      let colors = 13 + (3 << (Int(file[10]) & 7 + 1))
      guard let descriptor = file[colors...].firstIndex(of: 0x2C) else { return file }
      // The first block of codes, halved.
      let block = descriptor + 11
      let count = file[block] / 2
      return file[..<block] + [count] + file[(block + 1)...].prefix(Int(count)) + [0, 0x3B]
    }
  }

  /// A GIF with a second picture.
  static func animatedGIF() -> Data {
    let gif = quarters(8, 8, as: .gif)
    // From the descriptor of its picture to the mark at the end.
    let colors = 13 + (3 << (Int(gif[10]) & 7 + 1))
    guard let descriptor = gif[colors...].firstIndex(of: 0x2C) else { return gif }
    return gif.dropLast() + gif[descriptor...]
  }

  private static func big(_ value: Int, _ count: Int) -> Data {
    Data((0..<count).map { UInt8(value >> (8 * (count - 1 - $0)) & 0xFF) })
  }

  private static func little(_ value: Int, _ count: Int) -> Data {
    Data(big(value, count).reversed())
  }

  /// Bytes in zlib's form without compression.
  private static func zlib(_ data: Data) -> Data {
    var result = Data([0x78, 0x01])
    var rest = data[...]
    repeat {
      let block = rest.prefix(0xFFFF)
      rest = rest.dropFirst(block.count)
      result += [rest.isEmpty ? 1 : 0] + little(block.count, 2) + little(~block.count & 0xFFFF, 2)
      result += block
    } while !rest.isEmpty
    var (a, b) = (1, 0)
    for byte in data {
      a = (a + Int(byte)) % 65521
      b = (b + a) % 65521
    }
    return result + big(b << 16 | a, 4)
  }

  private static func crc32(_ data: Data) -> UInt32 {
    var crc: UInt32 = ~0
    for byte in data {
      crc ^= UInt32(byte)
      for _ in 0..<8 {
        let isOdd = crc & 1 == 1
        crc >>= 1
        if isOdd { crc ^= 0xEDB8_8320 }
      }
    }
    return ~crc
  }
}

extension Array {
  fileprivate func appending(_ other: [Element]) -> [Element] { self + other }
}

extension Picture {
  /// The colours in the middle of the four quarters: upper left, upper right, lower left, lower
  /// right; each channel is none or full.
  var quarters: [UInt32] {
    [(1, 1), (3, 1), (1, 3), (3, 3)].map { x, y in
      let pixel = pixels[y * size.height / 4 * size.width + x * size.width / 4]
      return [16, 8, 0].reduce(0) { $0 | (pixel >> $1 & 0xFF > 127 ? 0xFF << $1 : 0) }
    }
  }
}
