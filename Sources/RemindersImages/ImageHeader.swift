import Foundation

/// What an image file says of itself, read without decoding it.
///
/// Decoders believe the file and take the memory it asks for, so this is looked at first.
public struct ImageHeader: Hashable, Sendable {
  /// Which kind of file.
  public let format: ImageFormat
  /// The extent as people see it: turned as the orientation says.
  public let size: PixelSize
  /// Whether there are several pictures; the first one counts.
  public let isAnimated: Bool
  /// Whether the first picture is there to its end.
  public let isComplete: Bool
  /// How the pixels are to be turned.
  let orientation: Orientation
  /// The comments of a JPEG.
  public let comments: [String]

  /// More pixels than this are refused; a phone's camera has 50 million.
  public static let maximumPixels = 8192 * 6400

  /// More scans of a progressive JPEG than this are refused; ten are usual.
  static let maximumScans = 100

  /// More pixels than this, counted in each scan anew, are refused: a scan of a few bytes makes the
  /// decoder walk over all of the picture again.
  static let maximumScannedPixels = 20 * maximumPixels

  /// The bytes at the beginning of a file in which its extent is looked for.
  static let prefixLength = 65536

  /// The header of a whole image file, or of its beginning.
  ///
  /// - Throws: `ImageError` when it is not an image, an impossible one, or one with too many
  ///   pixels.
  public init(_ data: Data) throws(ImageError) {
    let reader = ByteReader(data)
    let found: Found?
    if reader.big(4, at: 0) == 0x8950_4E47, reader.big(4, at: 4) == 0x0D0A_1A0A {
      found = .png(reader)
    } else if reader.big(3, at: 0) == 0xFF_D8FF {
      found = .jpeg(reader)
    } else if reader.matches("GIF87a", at: 0) || reader.matches("GIF89a", at: 0) {
      found = .gif(reader)
    } else if reader.matches("RIFF", at: 0), reader.matches("WEBP", at: 8) {
      found = .webp(reader)
    } else {
      throw .notAnImage
    }
    guard let found else { throw .truncated }
    try self.init(found)
  }

  private init(_ found: Found) throws(ImageError) {
    let (width, height) = (found.size.width, found.size.height)
    guard width > 0, height > 0 else { throw .damaged(found.format) }
    guard height <= Self.maximumPixels / width else {
      throw ImageError(
        .tooLarge, "The image has \(width) × \(height) pixels, which is too many.",
        hint: "Make it smaller, to 8000 × 6000 at most.")
    }
    let scanned = (width * height).multipliedReportingOverflow(by: found.scanCount)
    guard found.scanCount <= Self.maximumScans, !scanned.overflow,
      scanned.partialValue <= Self.maximumScannedPixels
    else {
      throw ImageError(
        .tooLarge, "The image has \(found.scanCount) scans, which is too many.",
        hint: "Save it again, as a JPEG that is not progressive.")
    }
    format = found.format
    orientation = found.orientation
    size = found.orientation.isTurned ? found.size.turned : found.size
    isAnimated = found.isAnimated
    isComplete = found.isComplete
    comments = found.comments
  }

  /// What a format's own reader finds.
  struct Found {
    var format: ImageFormat
    var size: PixelSize
    var isAnimated = false
    var isComplete = false
    var orientation = Orientation.upright
    var comments: [String] = []
    /// How often a JPEG goes over its pixels.
    var scanCount = 0
  }
}
