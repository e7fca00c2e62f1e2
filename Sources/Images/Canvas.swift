import CGd
import Foundation

/// An image in libgd's memory, which goes when the value does.
struct Canvas: ~Copyable {
  private let image: gdImagePtr

  private init?(_ image: gdImagePtr?) {
    guard let image else { return nil }
    self.image = image
  }

  deinit { gdImageDestroy(image) }

  var size: PixelSize { PixelSize(width: Int(image.pointee.sx), height: Int(image.pointee.sy)) }

  // Its messages would land on the screen; what it could not do is known by its nil.
  private static let isSilent: Bool = {
    gdSetErrorMethod(nil)
    return true
  }()

  /// Decodes a file whose header was looked at.
  init?(_ data: Data, _ format: ImageFormat) {
    guard Self.isSilent, let count = Int32(exactly: data.count) else { return nil }
    self.init(
      data.withUnsafeBytes { bytes -> gdImagePtr? in
        guard let base = bytes.baseAddress else { return nil }
        // libgd only reads; its declarations predate const.
        let start = UnsafeMutableRawPointer(mutating: base)
        return switch format {
        case .png: gdImageCreateFromPngPtr(count, start)
        case .jpeg: gdImageCreateFromJpegPtr(count, start)
        case .gif: gdImageCreateFromGifPtr(count, start)
        case .webp: gdImageCreateFromWebpPtr(count, start)
        }
      })
  }

  /// A part of the image in another size.
  ///
  /// Each pixel is the mean of those that it stands for; what is transparent becomes white.
  func resampled(_ part: PixelRect, to size: PixelSize) -> Canvas? {
    guard let target = Canvas(gdImageCreateTrueColor(Int32(size.width), Int32(size.height)))
    else { return nil }
    gdImageFilledRectangle(
      target.image, 0, 0, Int32(size.width - 1), Int32(size.height - 1), 0xFF_FFFF)
    gdImageCopyResampled(
      target.image, image, 0, 0, Int32(part.x), Int32(part.y), Int32(size.width),
      Int32(size.height), Int32(part.size.width), Int32(part.size.height))
    return target
  }

  /// The image as people are to see it.
  consuming func turned(_ orientation: Orientation) -> Canvas? {
    switch orientation {
    case .upright, .clockwise, .counterclockwise: break
    case .mirrored, .transposed, .transversed: gdImageFlipHorizontal(image)
    case .upsideDown: gdImageFlipBoth(image)
    case .flipped: gdImageFlipVertical(image)
    }
    // libgd counts degrees against the clock.
    switch orientation {
    case .clockwise, .transversed: return Canvas(gdImageRotateInterpolated(image, 270, 0))
    case .counterclockwise, .transposed: return Canvas(gdImageRotateInterpolated(image, 90, 0))
    case .upright, .mirrored, .upsideDown, .flipped: return self
    }
  }

  /// The image as a JPEG file.
  ///
  /// - Parameter quality: 0 to 100.
  func jpeg(quality: Int) -> Data? {
    var count: Int32 = 0
    guard let bytes = gdImageJpegPtr(image, &count, Int32(quality)) else { return nil }
    defer { gdFree(bytes) }
    return Data(bytes: bytes, count: Int(count))
  }

  /// The image as a PNG file.
  func png() -> Data? {
    var count: Int32 = 0
    guard let bytes = gdImagePngPtr(image, &count) else { return nil }
    defer { gdFree(bytes) }
    return Data(bytes: bytes, count: Int(count))
  }

  /// `0xRRGGBB`, row by row from the top left; of an image that was resampled.
  func pixels() -> [UInt32] {
    guard let rows = image.pointee.tpixels else { return [] }
    let size = size
    return (0..<size.height).flatMap { row in
      UnsafeBufferPointer(start: rows[row], count: size.width).map {
        UInt32(bitPattern: $0) & 0xFF_FFFF
      }
    }
  }
}

extension Canvas {
  // MARK: - Drawing

  /// A black image to draw on.
  init?(size: PixelSize) {
    self.init(gdImageCreateTrueColor(Int32(size.width), Int32(size.height)))
  }

  /// Colours a row.
  func drawRow(_ y: Int, color: UInt32) {
    gdImageLine(image, 0, Int32(y), Int32(size.width - 1), Int32(y), Int32(color))
  }

  /// Fills the space between the corners.
  func fill(_ corners: [(x: Int, y: Int)], color: UInt32) {
    var points = corners.map { gdPoint(x: Int32($0.x), y: Int32($0.y)) }
    gdImageFilledPolygon(image, &points, Int32(points.count), Int32(color))
  }

  /// Fills a disc.
  func fillDisc(x: Int, y: Int, radius: Int, color: UInt32) {
    gdImageFilledEllipse(
      image, Int32(x), Int32(y), Int32(2 * radius), Int32(2 * radius), Int32(color))
  }
}

/// A part of an image.
struct PixelRect {
  var x: Int
  var y: Int
  var size: PixelSize
}
