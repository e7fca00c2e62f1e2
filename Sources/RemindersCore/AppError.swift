import Foundation
import GRDB
import RemindersFiles
import RemindersImages
import SQLiteSync

/// An error of any module that can say what people are told of it.
public protocol ReportableError: Error {
  /// Its reason, a hint, and what kind of failure it is.
  var report: AppError { get }
}

/// What went wrong: a reason for people, what kind of failure it is, and a hint.
public struct AppError: ReportableError, Hashable, CustomStringConvertible {
  /// The kinds that a caller tells apart; each has an exit code.
  public enum Kind: Hashable, CaseIterable, Sendable {
    /// The disk or the database refused for another reason.
    case failed
    /// A file cannot be read for what it should be.
    case cannotRead
    /// The request itself makes no sense: an empty title, a date that is none.
    case invalidInput
    /// What was named does not exist, or the name fits several.
    case noSuchItem
    /// The cloud does not respond.
    case cloudUnreachable
    /// A file or directory cannot be made or written.
    case cannotCreate
    /// Another program keeps the database to itself.
    case busy
    /// Somebody else decides on it.
    case notPermitted
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

  /// A failure of no special kind.
  public init(_ reason: String, hint: String? = nil) {
    self.init(.failed, reason, hint: hint)
  }

  /// Any error as people should see it.
  public init(_ error: any Error) {
    self = Self.known(error) ?? AppError("\(error)")
  }

  /// What people are told of an error that can say it; nil for any other.
  public static func known(_ error: any Error) -> AppError? {
    if let error = error as? any ReportableError { return error.report }
    guard type(of: error) is NSError.Type else { return nil }
    return AppError(systemReason(of: error, (error as NSError).userInfo))
  }

  /// It says so itself.
  public var report: AppError { self }

  /// The reason and the hint.
  public var description: String {
    [reason, hint].compactMap { $0 }.joined(separator: " ")
  }
}

extension CocoaError: ReportableError {
  /// What the system says, and of which file: the rest is for programmers.
  public var report: AppError { AppError(systemReason(of: self, userInfo)) }
}

extension POSIXError: ReportableError {
  /// What the system says.
  public var report: AppError { AppError(String(cString: strerror(code.rawValue)) + ".") }
}

extension FileError: ReportableError {
  /// The reason; that of a full disk has a way out.
  public var report: AppError {
    guard [.system(ENOSPC), .system(EDQUOT)].contains(self) else { return AppError(description) }
    return AppError(.cannotCreate, description, hint: "Make room on the disk, and do it again.")
  }
}

/// What the system says, after the file that it is about.
private func systemReason(of error: any Error, _ facts: [String: Any]) -> String {
  let reason =
    (facts[NSUnderlyingErrorKey] as? POSIXError)?.report.reason ?? error.localizedDescription
  return ((facts[NSFilePathErrorKey] as? String).map { "\($0): \(reason)" } ?? reason).oneLine
}

extension String {
  /// What the library advises, with the commands of this program in the place of its own calls.
  ///
  /// - Parameter repair: What repairs a cloud.
  public func namingCommands(repair: String = "reminders check --cloud --repair") -> String {
    let give = #/PostgresStore\(PostgresAddress\(typed: "(.*?)"\)\)\.give\(\[(.*?)\]\)/#
    return ["A repair (CloudRepair)", "A repair", "a repair"]
      .reduce(self) { $0.replacing($1, with: "`\(repair)`") }
      .replacing("A check (SyncEngine.check)", with: "`reminders check`")
      .replacing("(PostgresStore.makeSchema())", with: "(reminders cloud init ADDRESS)")
      .replacing(
        "Let this one go, and create one for the tables as they are now.",
        with: "Another version of reminders has opened this data: start this one again."
      )
      .replacing(give) { call in
        let users = call.2.matches(of: #/"u?(.*?)": "(.*?)"/#).map { " --user \($0.1)=\($0.2)" }
        return "reminders cloud init '\(call.1)'" + users.joined()
      }
  }
}

extension SyncError: ReportableError {
  /// Some of what an engine refuses is for others to decide.
  public var report: AppError {
    if reason == .lockedDatabase { return DatabaseError(resultCode: .SQLITE_BUSY).report }
    let isForbidden = [.accountChanged, .notTheOwner].contains(reason)
    let isElsewhere = reason == .cloudChanged
    let message =
      reason == .runsElsewhere ? "Another reminders process keeps this device in sync." : message
    return AppError(
      isForbidden ? .notPermitted : .failed, message,
      hint: isElsewhere
        ? "Use that cloud again; or change to this one, with what is here: reminders cloud change."
        : hint?.namingCommands())
  }
}

extension SyncStatus {
  /// What to do about the last failure, in this app.
  public var advice: String? { hint?.namingCommands() }
}

extension ImageError: ReportableError {
  /// The reason can name a file, and that in any letters.
  public var report: AppError {
    let code: AppError.Kind =
      switch kind {
      case .notFound: .noSuchItem
      case .notPermitted: .notPermitted
      case .notAFile, .tooLarge, .notAnImage, .damaged, .failed: .failed
      }
    return AppError(code, reason.printable, hint: hint)
  }
}
