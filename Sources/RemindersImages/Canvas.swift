import CRemindersGd
import Foundation

/// An image in libgd's memory, which goes when the value does.
struct Canvas: ~Copyable {
  private let image: gdImagePtr
  private let gd: gd_library

  private init?(_ image: gdImagePtr?, _ gd: gd_library) {
    guard let image else { return nil }
    (self.image, self.gd) = (image, gd)
  }

  deinit { gd.gdImageDestroy(image) }

  var size: PixelSize { PixelSize(width: Int(image.pointee.sx), height: Int(image.pointee.sy)) }

  /// Decodes a file whose header was looked at.
  ///
  /// - Throws: `ImageError` when this machine cannot decode any.
  init?(_ data: Data, _ format: ImageFormat) throws(ImageError) {
    let gd = try GraphicsLibrary.functions()
    guard let count = Int32(exactly: data.count) else { return nil }
    self.init(
      data.withUnsafeBytes { bytes -> gdImagePtr? in
        guard let base = bytes.baseAddress else { return nil }
        // libgd only reads; its declarations predate const.
        let start = UnsafeMutableRawPointer(mutating: base)
        return switch format {
        case .png: Self.png(bytes, gd)
        case .jpeg: LibraryMessages.whole(gd) { gd.gdImageCreateFromJpegPtrEx(count, start, 0) }
        case .gif: gd.gdImageCreateFromGifPtr(count, start)
        case .webp: gd.gdImageCreateFromWebpPtr(count, start)
        }
      }, gd)
  }

  /// Decodes a PNG with libpng itself: for libgd, it writes its warnings to standard error.
  private static func png(_ bytes: UnsafeRawBufferPointer, _ gd: gd_library) -> gdImagePtr? {
    var file = png_image()
    file.version = png_uint_32(PNG_IMAGE_VERSION)
    defer { gd.png_image_free(&file) }
    guard gd.png_image_begin_read_from_memory(&file, bytes.baseAddress, bytes.count) != 0 else {
      return nil
    }
    file.format = png_uint_32(PNG_FORMAT_FLAG_COLOR)
    let (width, height) = (Int(file.width), Int(file.height))
    let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 3 * width * height)
    defer { pixels.deallocate() }
    var white = png_color(red: 0xFF, green: 0xFF, blue: 0xFF)
    guard gd.png_image_finish_read(&file, &white, pixels.baseAddress, 0, nil) != 0,
      let image = gd.gdImageCreateTrueColor(Int32(width), Int32(height))
    else { return nil }
    for y in 0..<height {
      guard let row = image.pointee.tpixels[y] else { continue }
      for x in 0..<width {
        let place = 3 * (y * width + x)
        let (red, green, blue) = (pixels[place], pixels[place + 1], pixels[place + 2])
        row[x] = Int32(red) << 16 | Int32(green) << 8 | Int32(blue)
      }
    }
    return image
  }

  /// A part of the image in another size.
  ///
  /// Each pixel is the mean of those that it stands for; what is transparent becomes white.
  func resampled(_ part: PixelRect, to size: PixelSize) -> Canvas? {
    guard let target = Canvas(gd.gdImageCreateTrueColor(Int32(size.width), Int32(size.height)), gd)
    else { return nil }
    gd.gdImageFilledRectangle(
      target.image, 0, 0, Int32(size.width - 1), Int32(size.height - 1), 0xFF_FFFF)
    gd.gdImageCopyResampled(
      target.image, image, 0, 0, Int32(part.x), Int32(part.y), Int32(size.width),
      Int32(size.height), Int32(part.size.width), Int32(part.size.height))
    return target
  }

  /// The image as people are to see it.
  consuming func turned(_ orientation: Orientation) -> Canvas? {
    switch orientation {
    case .upright, .clockwise, .counterclockwise: break
    case .mirrored, .transposed, .transversed: gd.gdImageFlipHorizontal(image)
    case .upsideDown: gd.gdImageFlipBoth(image)
    case .flipped: gd.gdImageFlipVertical(image)
    }
    // libgd counts degrees against the clock.
    switch orientation {
    case .clockwise, .transversed: return Canvas(gd.gdImageRotateInterpolated(image, 270, 0), gd)
    case .counterclockwise, .transposed:
      return Canvas(gd.gdImageRotateInterpolated(image, 90, 0), gd)
    case .upright, .mirrored, .upsideDown, .flipped: return self
    }
  }

  /// The image as a JPEG file.
  ///
  /// - Parameter quality: 0 to 100.
  func jpeg(quality: Int) -> Data? {
    var count: Int32 = 0
    guard let bytes = gd.gdImageJpegPtr(image, &count, Int32(quality)) else { return nil }
    defer { gd.gdFree(bytes) }
    return Data(bytes: bytes, count: Int(count))
  }

  /// The image as a PNG file.
  func png() -> Data? {
    var count: Int32 = 0
    guard let bytes = gd.gdImagePngPtr(image, &count) else { return nil }
    defer { gd.gdFree(bytes) }
    return Data(bytes: bytes, count: Int(count))
  }

  /// With fewer colours than this, others are mixed of dots; with more, dots are noise that makes
  /// a sequence of sixels three times as long.
  private static let fewColors = 64

  /// The image in few colours.
  func indexed(colors: Int) -> IndexedPicture? {
    let mixes: Int32 = colors < Self.fewColors ? 1 : 0
    let small = gd.gdImageCreatePaletteFromTrueColor(image, mixes, Int32(colors))
    guard let palette = Canvas(small, gd),
      let rows = palette.image.pointee.pixels
    else { return nil }
    let size = size
    var indices: [UInt8] = []
    indices.reserveCapacity(size.width * size.height)
    for row in 0..<size.height {
      indices += UnsafeBufferPointer(start: rows[row], count: size.width)
    }
    return IndexedPicture(size: size, palette: palette.palette, indices: indices)
  }

  /// The colours that the numbers of an image in few colours stand for.
  private var palette: [UInt32] {
    func values(_ components: some Any) -> [UInt32] {
      withUnsafeBytes(of: components) { $0.bindMemory(to: Int32.self).map(UInt32.init) }
    }
    let (red, green) = (values(image.pointee.red), values(image.pointee.green))
    let blue = values(image.pointee.blue)
    return (0..<Int(image.pointee.colorsTotal)).map { red[$0] << 16 | green[$0] << 8 | blue[$0] }
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
  ///
  /// - Throws: `ImageError` when this machine cannot draw any.
  init?(size: PixelSize) throws(ImageError) {
    let gd = try GraphicsLibrary.functions()
    self.init(gd.gdImageCreateTrueColor(Int32(size.width), Int32(size.height)), gd)
  }

  /// Colours a row.
  func drawRow(_ y: Int, color: UInt32) {
    gd.gdImageLine(image, 0, Int32(y), Int32(size.width - 1), Int32(y), Int32(color))
  }

  /// Fills the space between the corners.
  func fill(_ corners: [(x: Int, y: Int)], color: UInt32) {
    var points = corners.map { gdPoint(x: Int32($0.x), y: Int32($0.y)) }
    gd.gdImageFilledPolygon(image, &points, Int32(points.count), Int32(color))
  }

  /// Fills a disc.
  func fillDisc(x: Int, y: Int, radius: Int, color: UInt32) {
    gd.gdImageFilledEllipse(
      image, Int32(x), Int32(y), Int32(2 * radius), Int32(2 * radius), Int32(color))
  }
}

/// A part of an image.
struct PixelRect {
  var x: Int
  var y: Int
  var size: PixelSize
}
