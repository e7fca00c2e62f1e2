extension DueDate {
  /// What people type for a due date.
  public enum Typed: Hashable, Sendable {
    /// A date.
    case due(DueDate)
    /// "none": no due date.
    case none
  }

  /// Reads plain language: `fri 9am`, `+3d`, `next week`, `25 dec`, `2026-12-25 18:00`, `none`.
  ///
  /// - Throws: `AppError` that says which word is not understood.
  public static func parse(_ text: String, in time: LocalTime) throws -> Typed {
    throw AppError(.invalidInput, "not yet")
  }
}
