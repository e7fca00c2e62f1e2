extension DueDate {
  /// Short, for a row: `today 18:00`, `yesterday`, `2 days late`, `Mon 23 Nov`.
  public func relativeText(in time: LocalTime) -> String { iso8601(in: time) }

  /// In full, for a form: `Thu 26 Nov 2026 · 09:30`.
  public func fullText(in time: LocalTime) -> String { iso8601(in: time) }
}
