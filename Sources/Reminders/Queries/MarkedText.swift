/// Text in which the parts that a search found are marked.
public struct MarkedText: Hashable, Sendable {
  /// A stretch of the text.
  public struct Part: Hashable, Sendable {
    /// The text itself.
    public var text: String
    /// Whether the search found it.
    public var isMatch: Bool

    /// A stretch of text.
    public init(_ text: String, isMatch: Bool) {
      self.text = text
      self.isMatch = isMatch
    }
  }

  /// The stretches in order; together they are the text.
  public var parts: [Part]

  /// Text made of these stretches.
  public init(parts: [Part]) {
    self.parts = parts
  }

  /// The text without its marks.
  public var text: String { parts.map(\.text).joined() }

  /// Whether anything in it was found.
  public var hasMatch: Bool { parts.contains(where: \.isMatch) }
}
