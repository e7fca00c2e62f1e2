import CSQLite
import GRDB

extension Configuration {
  /// What suits connections to a database that is synchronized.
  ///
  /// A connection waits five seconds for the writes of another, such as a second terminal's or a
  /// script's. And SQLite keeps the journals of single statements in memory: a statement that
  /// triggers follow has one, and in a transaction of many it soon becomes a temporary file with a
  /// write for every page that a statement touches, which doubles what an edit costs
  /// ([Temporary files](https://sqlite.org/tempfiles.html), 2.4 and 3).
  ///
  /// That is a setting of SQLite for the whole process, so it has to come before its first use:
  /// make this configuration before any other connection is opened. Who comes later has the same
  /// by `PRAGMA temp_store`, and pays half as much again for capture.
  public static var synchronized: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    guard !keepsStatementJournals else { return configuration }
    configuration.prepareDatabase { db in
      // Readers have no such journal, and may have large sorts to put elsewhere.
      guard !db.configuration.readonly else { return }
      try db.execute(sql: "PRAGMA temp_store = MEMORY")
    }
    return configuration
  }

  /// Whether SQLite keeps journals of up to 63 pages in memory: no single row needs so many.
  private static let keepsStatementJournals =
    csqlite_keep_statement_journals(256 * 1024) == ResultCode.SQLITE_OK.rawValue
}
