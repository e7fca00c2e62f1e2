import Foundation
import Glibc
import RemindersCore

/// A question to the person at the terminal, before something that cannot be taken back.
enum Confirmation {
  /// An answer besides yes and no: a letter, what it means, and what it does before the yes.
  typealias OtherAnswer = (letter: String, meaning: String, action: () throws -> Void)

  /// Asks; returns only after a yes.
  ///
  /// - Parameters:
  ///   - reason: Why it is asked, in a sentence.
  ///   - details: What the reason is about, a line for each.
  ///   - question: What is asked.
  ///   - hint: How a script says yes: nobody is asked who is not there.
  ///   - other: An answer besides yes and no.
  static func ask(
    _ reason: String, details: [String] = [], question: String, hint: String,
    other: OtherAnswer? = nil
  ) throws {
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
      throw AppError(.failed, reason, hint: hint)
    }
    for line in [reason] + details { Messages.write(line.printable) }
    let choices = other.map { " (y yes, n no, \($0.letter) \($0.meaning))" } ?? " (y yes, n no)"
    Messages.put("\(question)\(choices) ")
    switch readLine()?.trimmingCharacters(in: .whitespaces).lowercased() {
    case "y", "yes": return
    case let answer? where answer == other?.letter: try other?.action()
    default: throw AppError(.failed, "Nothing was changed.")
    }
  }
}
