import Foundation

/// A change of one field of a list.
public enum ListEdit: Hashable, Sendable {
  /// A new title.
  case title(String)
  /// A new colour, `0xRRGGBB`.
  case color(Int)
  /// A new cover image, or none.
  case coverImage(Data?)
}

extension AppDatabase {
  /// Adds a list at the end.
  ///
  /// - Throws: `AppError` when the title is empty.
  public func addList(
    title: String, color: Int = RemindersList.defaultColor, coverImage: Data? = nil
  ) async throws -> (id: RemindersList.ID, undo: UndoStep) {
    throw AppError(.failed, "not yet")
  }

  /// Changes fields of a list.
  public func editList(_ id: RemindersList.ID, _ edits: [ListEdit]) async throws -> UndoStep {
    throw AppError(.failed, "not yet")
  }

  /// Puts a list directly before or after another.
  public func moveList(
    _ id: RemindersList.ID, _ place: Place, _ other: RemindersList.ID
  ) async throws -> UndoStep {
    throw AppError(.failed, "not yet")
  }

  /// Deletes a list with all its reminders.
  public func deleteList(_ id: RemindersList.ID) async throws -> UndoStep {
    throw AppError(.failed, "not yet")
  }
}
