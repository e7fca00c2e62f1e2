import ArgumentParser
import RemindersCore

struct UndoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "undo", abstract: "Undo the last change that a command made on this device.",
    discussion: """
      For example: reminders undo

      Again for the one before; the last 20 are kept. What was edited since, here or elsewhere, \
      stays. The app undoes its own changes, with u.
      """)

  @Flag(name: .shortAndLong, help: "Print what was undone as JSON.") var json = false
  @OptionGroup var options: GlobalOptions

  private struct Undone: Encodable {
    let undone: String
  }

  func run() async throws {
    let session = try Session(options.choices)
    guard let last = try session.undoStack.last() else {
      throw AppError(.noSuchItem, "There is nothing to undo.")
    }
    let step = try await session.database.undo(last.step)
    try last.remove()
    guard !step.isEmpty else {
      throw AppError(
        .noSuchItem, "Nothing is left to undo of this: \(last.step.label).",
        hint: (step.whatIsLeft.isEmpty ? "It was edited or deleted since." : step.whatIsLeft)
          + " `reminders undo` again undoes what was before it.")
    }
    if json {
      try JSONOutput.print(Undone(undone: last.step.label))
    } else {
      Messages.write(last.step.textWhenUndone(by: step).printable)
    }
  }
}
