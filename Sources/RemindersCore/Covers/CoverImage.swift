import Foundation
import RemindersImages

/// The cover of a list: a small JPEG that says in a comment of its own what it was made from.
///
/// So what is known of a cover travels with its bytes, to every device and every version of the
/// app, and changes with them.
public struct CoverImage: Hashable, Sendable {
  /// What a cover was made from, by whom and when.
  public struct Origin: Codable, Hashable, Sendable {
    /// The name of the file, without its directory.
    public var name: String
    /// `PNG`, `JPEG`, `GIF` or `WebP`.
    public var format: String
    /// Pixels across.
    public var width: Int
    /// Pixels down.
    public var height: Int
    /// The account that set it.
    public var account: String?
    /// When it was set, in milliseconds since 1970.
    public var time: Int64

    /// When it was set.
    public var date: Date { Date(timeIntervalSince1970: Double(time) / 1000) }
  }

  /// The bytes of the file.
  public let data: Data
  /// What it says of itself; nil when it is not an image.
  ///
  /// Found out once, where the bytes are read: a stranger's may take long to walk through.
  public let facts: Facts?

  /// Wider and higher images are made smaller.
  public static let maximumSize = PixelSize(width: 1000, height: 4000)
  private static let quality = 80

  /// A cover as it is stored, whatever it is.
  public init(_ data: Data) {
    self.data = data
    facts = Facts(data)
  }

  /// Makes a cover from an image file, which is not touched.
  ///
  /// - Parameters:
  ///   - file: The path; may begin with `~`.
  ///   - account: Who sets it.
  ///   - now: When.
  /// - Throws: `ImageError` when the file is not an image, or one that is not taken on.
  public init(file: String, account: String?, now: Date) throws(ImageError) {
    let name = ImageFile.name(of: file)
    let original = try ImageFile.read(file)
    do throws(ImageError) {
      try self.init(original, name: name, account: account, now: now)
    } catch {
      throw error.about(name)
    }
  }

  /// Makes a cover from the bytes of an image file.
  ///
  /// - Throws: `ImageError` when they are not an image, or one that is not taken on.
  init(_ original: Data, name: String, account: String?, now: Date) throws(ImageError) {
    let shrunk = try ShrunkImage(original, into: Self.maximumSize, quality: Self.quality)
    let origin = Origin(
      name: name, format: shrunk.original.format.rawValue, width: shrunk.original.size.width,
      height: shrunk.original.size.height, account: account, time: now.milliseconds)
    self.init(JPEGComment.adding(origin.comment, to: shrunk.jpeg))
  }
}

// MARK: - What it says of itself

extension CoverImage {
  /// What can be said of a cover without decoding it.
  public struct Facts: Hashable, Sendable {
    /// Which kind of file is stored.
    public var format: ImageFormat
    /// Its extent.
    public var size: PixelSize
    /// How long it is.
    public var byteCount: Int
    /// What it was made from; nil when something else made it.
    public var origin: Origin?
  }
}

extension CoverImage.Facts {
  init?(_ data: Data) {
    // What is not an image has no facts.
    guard let header = try? ImageHeader(data) else { return nil }
    self.init(
      format: header.format, size: header.size, byteCount: data.count,
      origin: header.comments.lazy.compactMap(CoverImage.Origin.init(comment:)).first)
  }
}

extension CoverImage.Origin {
  private static let mark = "reminders cover "

  /// The origin as a comment in a JPEG.
  fileprivate var comment: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Texts and integers always have an encoding; without one the cover would only say less.
    guard let json = try? encoder.encode(self) else { return "" }
    return Self.mark + String(decoding: json, as: UTF8.self)
  }

  /// Reads such a comment, which may be anybody's: what makes no sense is not said.
  fileprivate init?(comment: String) {
    guard comment.hasPrefix(Self.mark) else { return nil }
    let json = Data(comment.utf8.dropFirst(Self.mark.utf8.count))
    // Without an origin, the line about the cover says less.
    guard let origin = try? JSONDecoder().decode(Self.self, from: json),
      Self.possibleTimes.contains(origin.time)
    else { return nil }
    self = origin
  }

  /// Up to the year 2500: what is far beyond has no date.
  private static let possibleTimes: Range<Int64> = 0..<16_725_225_600_000
}
