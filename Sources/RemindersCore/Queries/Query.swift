import GRDB

/// Something to read from the database: a value that says what, and finds it.
///
/// A query runs the same statements whatever it finds, so that the tables it reads, and with them
/// the changes that `AppDatabase.values(of:)` notices, are always the same.
public protocol Query<Value>: Hashable, Sendable {
  /// What is found.
  associatedtype Value: Equatable, Sendable

  /// Finds it.
  func fetch(_ db: Database) throws -> Value
}
