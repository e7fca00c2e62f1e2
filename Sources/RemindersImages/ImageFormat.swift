/// The kinds of image files that can be read; the raw value is what people call them.
public enum ImageFormat: String, CaseIterable, Hashable, Sendable {
  case png = "PNG"
  case jpeg = "JPEG"
  case gif = "GIF"
  case webp = "WebP"

  /// How the names of such files end.
  public static let fileExtensions: Set<String> = ["png", "jpg", "jpeg", "gif", "webp"]
}

/// The extent of an image.
public struct PixelSize: Hashable, Sendable {
  /// Pixels across.
  public let width: Int
  /// Pixels down.
  public let height: Int

  /// An extent.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// `1200 × 800`.
  public var text: String { "\(width) × \(height)" }

  /// The same with across and down exchanged.
  var turned: PixelSize { PixelSize(width: height, height: width) }

  /// The largest extent of the same shape in `bounds`, be it smaller or larger than this one.
  func fitted(into bounds: PixelSize) -> PixelSize {
    let scale = min(
      Double(bounds.width) / Double(width), Double(bounds.height) / Double(height))
    return PixelSize(
      width: max(1, Int((Double(width) * scale).rounded())),
      height: max(1, Int((Double(height) * scale).rounded())))
  }

  /// The same, but never larger than this one.
  func shrunk(into bounds: PixelSize) -> PixelSize {
    width > bounds.width || height > bounds.height ? fitted(into: bounds) : self
  }
}
