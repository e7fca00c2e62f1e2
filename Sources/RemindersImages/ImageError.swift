/// Why an image cannot be had: a reason for people, what it is about, and a hint.
public struct ImageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds that a caller tells apart, for instance to choose an exit code.
  public enum Kind: Hashable, Sendable {
    /// There is no such file.
    case notFound
    /// It may not be read.
    case notPermitted
    /// A directory, a pipe, a device.
    case notAFile
    /// More bytes or pixels than are taken on.
    case tooLarge
    /// Nothing that is known as an image.
    case notAnImage
    /// An image that ends too early or contradicts itself.
    case damaged
    /// The system refused for another reason.
    case failed
  }

  /// Which kind.
  public let kind: Kind
  /// What happened, in a sentence.
  public let reason: String
  /// What can be done about it, when something can.
  public let hint: String?

  init(_ kind: Kind, _ reason: String, hint: String? = nil) {
    self.kind = kind
    self.reason = reason
    self.hint = hint
  }

  /// The reason and the hint.
  public var description: String { [reason, hint].compactMap { $0 }.joined(separator: " ") }

  /// The same about a file with a name.
  public func about(_ name: String) -> ImageError {
    ImageError(kind, "\(name): \(reason)", hint: hint)
  }

  static let notAnImage = ImageError(
    .notAnImage, "This is not an image that can be read.",
    hint: "PNG, JPEG, GIF and WebP can be.")

  static let noMemory = ImageError(.failed, "There is not enough memory for the image.")

  static let truncated = ImageError(
    .damaged, "The image ends in the middle.", hint: "Copy or download it again.")

  static func damaged(_ format: ImageFormat) -> ImageError {
    ImageError(
      .damaged, "The \(format.rawValue) image is damaged.", hint: "Copy or download it again.")
  }
}
