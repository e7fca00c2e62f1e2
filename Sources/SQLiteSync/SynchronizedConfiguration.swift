import GRDB

extension Configuration {
  /// What suits connections to a database that is synchronized.
  ///
  /// A connection waits five seconds for the writes of another, such as a second terminal's or a
  /// script's. And SQLite keeps the journals of single statements in memory: a statement that
  /// triggers follow has one, and in a transaction of many it soon becomes a temporary file with a
  /// write for every page that a statement touches, which doubles what an edit costs
  /// ([Temporary files](https://sqlite.org/tempfiles.html), 2.4 and 3). The price: what one
  /// statement changes is in memory as it was before, until the statement ends.
  ///
  /// The connection that writes has 16 MB of page cache instead of 2: keys in no order, as UUIDs
  /// are, touch every page of an index in turn, and each that is not kept is written and read again
  /// by the hundred. It is only taken when so much is written.
  public static var synchronized: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      // Readers have no such journal, and may have large sorts to put elsewhere.
      guard !db.configuration.readonly else { return }
      try db.execute(sql: "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384")
    }
    return configuration
  }
}
