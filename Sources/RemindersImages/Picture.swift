import Foundation

/// Pixels for the screen.
public struct Picture: Hashable, Sendable {
  /// How a picture is brought into a space of another shape.
  public enum Mode: String, Hashable, Sendable {
    /// All of the picture, as large as the space allows.
    case whole
    /// All of the space, with what is too much cut off evenly on both sides.
    case filling
  }

  /// The extent.
  public let size: PixelSize
  /// `0xRRGGBB`, row by row from the top left.
  public let pixels: [UInt32]

  /// A picture from its pixels; nil when they are not as many as the extent says.
  public init?(size: PixelSize, pixels: [UInt32]) {
    // Without a product, which could overflow.
    guard size.width > 0, pixels.count % size.width == 0,
      pixels.count / size.width == size.height
    else { return nil }
    self.size = size
    self.pixels = pixels
  }

  /// The picture in an image file, scaled for a space.
  ///
  /// - Throws: `ImageError` when the file cannot be decoded.
  public init(of data: Data, in space: PixelSize, _ mode: Mode) throws(ImageError) {
    let image = try DecodedImage(data)
    let canvas = try image.canvas(in: space, mode)
    guard let picture = Picture(size: canvas.size, pixels: canvas.pixels()) else {
      throw .damaged(image.header.format)
    }
    self = picture
  }
}

extension Picture {
  /// What terminals that show real pixels take.
  public enum Encoding: Hashable, Sendable {
    /// A PNG file.
    case png
    /// DEC's sixels, with at most so many colours.
    case sixels(colors: Int)
  }

  /// The picture in an image file, scaled for a space, for a terminal.
  ///
  /// - Throws: `ImageError` when the file cannot be decoded.
  public static func encoded(
    _ data: Data, in space: PixelSize, _ mode: Mode, as encoding: Encoding
  ) throws(ImageError) -> Data {
    let canvas = try DecodedImage(data).canvas(in: space, mode)
    let encoded =
      switch encoding {
      case .png: canvas.png()
      case .sixels(let colors): canvas.indexed(colors: colors)?.sixels
      }
    guard let encoded else { throw .noMemory }
    return encoded
  }
}

/// A JPEG made from an image of any kind.
public struct ShrunkImage: Hashable, Sendable {
  /// The file.
  public let jpeg: Data
  /// Its extent.
  public let size: PixelSize
  /// What it was made from.
  public let original: ImageHeader

  /// Decodes an image file, turns it upright, and makes it no larger than `bounds`.
  ///
  /// `quality`: of the JPEG, 0 to 100.
  ///
  /// - Throws: `ImageError` when the file cannot be decoded.
  public init(_ data: Data, into bounds: PixelSize, quality: Int) throws(ImageError) {
    let image = try DecodedImage(data)
    let canvas = try image.canvas(showing: nil, size: image.size.shrunk(into: bounds))
    guard let jpeg = canvas.jpeg(quality: quality) else { throw .noMemory }
    self.jpeg = jpeg
    size = canvas.size
    original = image.header
  }
}

/// A whole image as its file has it, before anything is turned.
private struct DecodedImage: ~Copyable {
  let header: ImageHeader
  private let canvas: Canvas

  init(_ data: Data) throws(ImageError) {
    let header = try ImageHeader(data)
    canvas = try Self.canvas(data, header)
    self.header = header
  }

  private static func canvas(_ data: Data, _ header: ImageHeader) throws(ImageError) -> Canvas {
    guard header.isComplete else { throw .truncated }
    if header.format == .webp, header.isAnimated {
      throw ImageError(
        .notAnImage, "Animated WebP images cannot be read.",
        hint: "Save the first picture as PNG or JPEG.")
    }
    guard let canvas = try Canvas(data, header.format) else { throw .damaged(header.format) }
    return canvas
  }

  /// The extent as people see it.
  var size: PixelSize { header.orientation.isTurned ? canvas.size.turned : canvas.size }

  /// The image scaled for a space.
  func canvas(in space: PixelSize, _ mode: Picture.Mode) throws(ImageError) -> Canvas {
    let space = PixelSize(width: max(1, space.width), height: max(1, space.height))
    return switch mode {
    case .whole: try canvas(showing: nil, size: size.fitted(into: space))
    case .filling: try canvas(showing: space, size: space)
    }
  }

  /// The middle of the image in the shape of `shape`, or all of it, in a size.
  func canvas(showing shape: PixelSize?, size: PixelSize) throws(ImageError) -> Canvas {
    let isTurned = header.orientation.isTurned
    let whole = canvas.size
    let part = shape.map { whole.middle(shapedLike: isTurned ? $0.turned : $0) }
    guard
      let scaled = canvas.resampled(
        part ?? PixelRect(x: 0, y: 0, size: whole), to: isTurned ? size.turned : size),
      let turned = scaled.turned(header.orientation)
    else { throw .noMemory }
    return turned
  }
}

extension PixelSize {
  /// The largest part of this shape, in the middle.
  fileprivate func middle(shapedLike shape: PixelSize) -> PixelRect {
    let part = shape.fitted(into: self)
    return PixelRect(x: (width - part.width) / 2, y: (height - part.height) / 2, size: part)
  }
}
