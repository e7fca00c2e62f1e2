extension AppDatabase {
  /// Fills an empty database with lists, reminders and tags to try things with.
  ///
  /// - Returns: Whether it did; a database with anything in it is left alone.
  @discardableResult
  public func addSampleData(in time: LocalTime) async throws -> Bool { false }
}
