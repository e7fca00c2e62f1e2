import ArgumentParser
import Foundation
import Glibc
import RemindersCore
import RemindersTerminal
import SQLiteSyncCloud

extension AppError.Kind {
  /// The exit code that scripts rely on, and what it says in the help.
  fileprivate var exit: (code: Int32, meaning: String) {
    switch self {
    case .failed, .cannotRead: (1, "failed")
    case .invalidInput: (64, "usage")
    case .noSuchItem: (66, "no such item")
    case .cloudUnreachable: (69, "cloud unreachable")
    case .cannotCreate: (73, "cannot create, or disk full")
    case .busy: (75, "data in use")
    case .notPermitted: (77, "not permitted")
    }
  }
}

extension CloudError: ReportableError {
  /// Without the code, which says nothing to people.
  public var report: AppError {
    let kind: AppError.Kind =
      switch code {
      case .networkUnavailable, .accountTemporarilyUnavailable: .cloudUnreachable
      case .permissionFailure, .notAuthenticated: .notPermitted
      case .badContainer: .invalidInput
      case .quotaExceeded: .cannotCreate
      default: .failed
      }
    let wayOut = self == .noCloud ? " If it is gone for good: reminders cloud change." : ""
    return AppError(kind, reason, hint: hint.map { $0.namingCommands() + wayOut })
  }
}

extension TerminalError: ReportableError {
  /// It is told as it is.
  public var report: AppError { AppError(reason, hint: hint) }
}

/// How a command ends without success.
enum Failure {
  /// The exit codes that scripts rely on, each once.
  static let codes = AppError.Kind.allCases.filter { $0 != .cannotRead }.map(\.exit)

  /// All exit codes, with those that come without a failure.
  static var help: String {
    let codes = codes.map { "\($0.code) \($0.meaning)" }.joined(separator: ", ")
    return "Exit codes: 0 ok, \(codes), 130 and 143 ended by a signal (128 and its number)."
  }

  /// Says on standard error what went wrong and ends the process with the right code.
  static func exit(with error: any Error, asJSON: Bool) -> Never {
    if let failure = AppError.known(error) {
      report(failure.reason, hint: failure.hint, code: failure.kind.exit.code, asJSON: asJSON)
    }
    let code = RemindersProgram.exitCode(for: error)
    // The document that was printed says all.
    if error is ExitCode { Glibc.exit(code.rawValue) }
    if asJSON, !code.isSuccess {
      let known = codes.contains { $0.code == code.rawValue }
      let message = RemindersProgram.message(for: error)
      report(
        message, hint: hint(for: message), code: known ? code.rawValue : 1, asJSON: true)
    }
    let text = RemindersProgram.fullMessage(for: error)
    // Help and scripts are ours, and fish wants tabs; a refusal repeats what was typed.
    if code.isSuccess {
      print(Completions.withLeadingOptions(text))
    } else if !text.isEmpty {
      Messages.write(text)
    }
    if let hint = hint(for: RemindersProgram.message(for: error)) { Messages.write(hint) }
    if let failure = Output.failure {
      report(failure.reason, hint: failure.hint, code: failure.kind.exit.code, asJSON: asJSON)
    }
    Glibc.exit(code.rawValue)
  }

  /// What the parser does not say of an option that nothing but a value with a hyphen follows, and
  /// of the opposite of a part of a search, which it takes for short options.
  private static func hint(for message: String) -> String? {
    if let part = message.firstMatch(of: /^Unknown option '(-[A-Za-z][^']+)'/)?.1,
      CommandLine.arguments.contains(where: ["list", "search", "searches"].contains)
    {
      return "After -- it is the opposite of a part of the search: -- \(part)"
    }
    guard let option = message.firstMatch(of: /^Missing value for '(--[a-z-]+)/)?.1 else {
      return nil
    }
    return "A value that begins with a hyphen follows an equals sign: \(option)=-1d"
  }

  private struct Report: Encodable {
    let error: String
    let hint: String?
    let exitCode: Int32
  }

  private static func report(
    _ reason: String, hint: String? = nil, code: Int32, asJSON: Bool
  ) -> Never {
    if asJSON,
      // Three plain values always have an encoding; were it not so, the text below says the same.
      let text = try? JSONText.text(Report(error: reason, hint: hint, exitCode: code))
    {
      Messages.write(text)
    } else {
      Messages.write("reminders: \(reason.printable)")
      if let hint { Messages.write(hint.printable) }
    }
    Glibc.exit(code)
  }
}

/// Messages for people: standard error, so that standard output is data alone.
enum Messages {
  static func write(_ text: String) {
    put(text.printableLines + "\n")
  }

  /// Writes a text as it is.
  static func put(_ text: String) {
    // Where nobody listens, that cannot be said either.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
