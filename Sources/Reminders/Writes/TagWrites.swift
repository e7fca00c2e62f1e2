extension AppDatabase {
  /// Renames a tag; onto a tag that exists, the two become one.
  public func renameTag(_ title: Tag.ID, to newTitle: String) async throws -> UndoStep {
    throw AppError(.failed, "not yet")
  }

  /// Deletes a tag and takes it off all reminders.
  public func deleteTag(_ title: Tag.ID) async throws -> UndoStep {
    throw AppError(.failed, "not yet")
  }
}
