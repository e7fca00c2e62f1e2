import Foundation
import RemindersCore

// A list that was deleted can be brought back after a restart, too.

extension AppState {
  /// How to bring back the list that was deleted last, as long as that can be undone.
  var keptListDeletion: UndoStep? { undoSteps.last(where: \.deletesList) }
}

extension UIEnvironment {
  /// Keeps a step for the next start, for its owner alone: it has what was deleted.
  func keep(_ step: UndoStep?) throws {
    guard let undoFile else { return }
    do {
      if let step {
        try UndoStepFile(undoFile).write(step)
      } else if FileManager.default.fileExists(atPath: undoFile.path) {
        try UndoStepFile(undoFile).remove()
      }
    } catch {
      throw Problem(
        "It can be undone only until you quit: \(undoFile.path) cannot be written.",
        hint: Problem(error).reason)
    }
  }

  /// The step that was kept; nil when there is none.
  func readListDeletion() throws -> UndoStep? {
    guard let undoFile, FileManager.default.fileExists(atPath: undoFile.path) else { return nil }
    return try UndoStepFile(undoFile).read(hint: "Remove it, and go on.")
  }
}
