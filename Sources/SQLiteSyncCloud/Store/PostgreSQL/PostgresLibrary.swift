import CSQLiteSyncPQ

/// libpq, loaded when the first connection is made.
enum PostgresLibrary {
  /// Its file, as every program calls it.
  static let fileName = "libpq.so.5"

  private static let loaded = Result { () throws(PostgresError) in try load(fileName) }

  /// Its functions, by their own names.
  ///
  /// - Throws: `noLibrary` when the machine does not have it.
  static func functions() throws(PostgresError) -> pq_library { try loaded.get() }

  /// Loads a library and finds the functions in it.
  static func load(_ fileName: String) throws(PostgresError) -> pq_library {
    try withUnsafeTemporaryAllocation(of: pq_library.self, capacity: 1) {
      buffer throws(PostgresError) in
      guard let library = buffer.baseAddress, pq_library_load(fileName, library) else {
        throw PostgresError.noLibrary
      }
      return library.move()
    }
  }
}
