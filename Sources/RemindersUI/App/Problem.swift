import Images
import Reminders
import SQLiteSync

/// Something that did not work, as it is shown: a reason, and a hint what to do.
public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
  /// What happened, in a sentence.
  public var reason: String
  /// What can be done about it, when something can.
  public var hint: String?

  /// A problem with its reason.
  public init(_ reason: String, hint: String? = nil) {
    self.reason = reason
    self.hint = hint
  }

  /// Any error as people should see it.
  init(_ error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let error as AppError: self.init(error.reason, hint: error.hint)
    case let error as ImageError: self.init(error.reason, hint: error.hint)
    case let error as SyncError: self.init(error.message, hint: error.hint)
    default: self.init("\(error)")
    }
  }

  /// The reason and the hint.
  public var description: String {
    [reason, hint].compactMap { $0 }.joined(separator: " ")
  }
}
