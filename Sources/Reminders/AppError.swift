/// What went wrong in the app's own room: a reason for people, what kind of failure it is, and a
/// hint.
public struct AppError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds that a caller tells apart, for instance to choose an exit code.
  public enum Kind: Hashable, Sendable {
    /// The request itself makes no sense: an empty title, a date that is none.
    case invalidInput
    /// What was named does not exist, or the name fits several.
    case noSuchItem
    /// A file or directory cannot be made or written.
    case cannotCreate
    /// Somebody else decides on it.
    case notPermitted
    /// A file cannot be read for what it should be.
    case cannotRead
    /// The disk or the database refused for another reason.
    case failed
  }

  /// Which kind of failure.
  public let kind: Kind
  /// What happened, in a sentence.
  public let reason: String
  /// What can be done about it, when something can.
  public let hint: String?

  /// A failure with its reason.
  public init(_ kind: Kind, _ reason: String, hint: String? = nil) {
    self.kind = kind
    self.reason = reason
    self.hint = hint
  }

  /// The reason and the hint.
  public var description: String {
    [reason, hint].compactMap { $0 }.joined(separator: " ")
  }
}
