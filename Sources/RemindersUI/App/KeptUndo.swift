import Foundation
import RemindersCore
import RemindersImages

// A list that was deleted can be brought back after a restart, too.

extension AppState {
  /// How to bring back the list that was deleted last, as long as that can be undone.
  var keptUndo: UndoStep? { undoSteps.last(where: \.deletesList) }
}

extension UIEnvironment {
  /// Keeps a step for the next start, for its owner alone: it has what was deleted.
  func keep(_ step: UndoStep?) throws {
    guard let undoFile else { return }
    do {
      if let step {
        try PrivateFile.makeDirectory(undoFile.deletingLastPathComponent())
        try PrivateFile.replace(undoFile, with: try JSONEncoder().encode(step))
      } else if FileManager.default.fileExists(atPath: undoFile.path) {
        try FileManager.default.removeItem(at: undoFile)
      }
    } catch {
      throw Problem(
        "It can be undone only until you quit: \(undoFile.path) cannot be written.",
        hint: Problem(error).reason)
    }
  }

  /// The step that was kept; nil when there is none.
  func readUndo() throws -> UndoStep? {
    guard let undoFile, FileManager.default.fileExists(atPath: undoFile.path) else { return nil }
    do {
      return try JSONDecoder().decode(UndoStep.self, from: OrdinaryFile(undoFile.path).read())
    } catch {
      throw Problem(
        "\(undoFile.path) is no step that can be undone.", hint: "Remove it, and go on.")
    }
  }
}
