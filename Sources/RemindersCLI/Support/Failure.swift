import ArgumentParser
import Cloud
import Foundation
import Glibc
import Images
import Reminders
import RemindersUI
import SQLiteSync
import Terminal

/// Why a command ends without success: the exit code, the reason and a hint.
struct Failure: Error {
  /// The exit codes that scripts rely on.
  enum Code: Int32, CaseIterable {
    case failed = 1
    case usage = 64
    case noSuchItem = 66
    case cloudUnreachable = 69
    case cannotCreate = 73
    case notPermitted = 77

    /// What it says, in the help.
    private var meaning: String {
      switch self {
      case .failed: "failed"
      case .usage: "usage"
      case .noSuchItem: "no such item"
      case .cloudUnreachable: "cloud unreachable"
      case .cannotCreate: "cannot create, or no room"
      case .notPermitted: "not permitted"
      }
    }

    /// All of them, with those that come without a failure.
    static var help: String {
      let codes = allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: ", ")
      return "Exit codes: 0 ok, \(codes), 130 and 143 ended by a signal (128 and its number)."
    }
  }

  let code: Code
  let reason: String
  let hint: String?

  init(_ code: Code, _ reason: String, hint: String? = nil) {
    self.code = code
    self.reason = reason
    self.hint = hint
  }

  /// The failure that an error of one of the rooms below is here; nil for those of the parser.
  init?(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as AppError:
      self.init(Self.code(of: error.kind), error.reason, hint: error.hint)
    case let error as ImageError:
      self.init(Self.code(of: error.kind), error.reason.printable, hint: error.hint)
    case let error as CloudError:
      self.init(Self.code(of: error.code), error.reason, hint: error.hint)
    case let error as SyncError:
      let isForbidden = [.accountChanged, .notTheOwner].contains(error.reason)
      self.init(isForbidden ? .notPermitted : .failed, error.message, hint: error.hint)
    case let error as TerminalError: self.init(.failed, error.reason, hint: error.hint)
    case let problem as Problem: self.init(.failed, problem.reason, hint: problem.hint)
    default: return nil
    }
  }

  private static func code(of kind: AppError.Kind) -> Code {
    switch kind {
    case .invalidInput: .usage
    case .noSuchItem: .noSuchItem
    case .cannotCreate: .cannotCreate
    case .notPermitted: .notPermitted
    case .cannotRead, .failed: .failed
    }
  }

  private static func code(of kind: ImageError.Kind) -> Code {
    switch kind {
    case .notFound: .noSuchItem
    case .notPermitted: .notPermitted
    case .notAFile, .tooLarge, .notAnImage, .damaged, .failed: .failed
    }
  }

  private static func code(of code: CloudError.Code) -> Code {
    switch code {
    case .networkUnavailable, .accountTemporarilyUnavailable: .cloudUnreachable
    case .permissionFailure, .notAuthenticated: .notPermitted
    case .quotaExceeded: .cannotCreate
    default: .failed
    }
  }
}

extension Failure {
  /// Says on standard error what went wrong and ends the process with the right code.
  static func exit(with error: any Error, asJSON: Bool) -> Never {
    guard let failure = Failure(error) else {
      let code = RemindersProgram.exitCode(for: error)
      if asJSON, !code.isSuccess {
        let reason = RemindersProgram.message(for: error)
        report(Failure(Code(rawValue: code.rawValue) ?? .failed, reason), asJSON: true)
        Glibc.exit(code.rawValue)
      }
      // The parser repeats what was typed.
      let text = RemindersProgram.fullMessage(for: error).printableLines
      if code.isSuccess { print(text) } else if !text.isEmpty { Messages.write(text) }
      Glibc.exit(code.rawValue)
    }
    report(failure, asJSON: asJSON)
    Glibc.exit(failure.code.rawValue)
  }

  private struct Report: Encodable {
    let error: String
    let hint: String?
    let exitCode: Int32
  }

  private static func report(_ failure: Failure, asJSON: Bool) {
    if asJSON,
      // Three plain values always have an encoding; were it not so, the text below says the same.
      let text = try? JSONText.text(
        Report(error: failure.reason, hint: failure.hint, exitCode: failure.code.rawValue))
    {
      Messages.write(text)
      return
    }
    Messages.write("reminders: \(failure.reason.printable)")
    if let hint = failure.hint { Messages.write(hint.printable) }
  }
}

/// Messages for people: standard error, so that standard output is data alone.
enum Messages {
  static func write(_ text: String) {
    FileHandle.standardError.write(Data((text.printableLines + "\n").utf8))
  }
}
