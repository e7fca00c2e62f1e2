import GRDB
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSync

/// Work grows with the change, not with what is there: no statement of a sync reads a whole table.
@Suite(.timeLimit(.minutes(10)))
struct WorkTests {
  private let cloud: TemporaryDirectory
  private let desk: Station
  private let laptop: Station

  init() throws {
    cloud = try TemporaryDirectory()
    // As an app should have it: SQLite itself reads a table that refers to a row which goes.
    let index = "CREATE INDEX tagsOfReminders ON reminderTags (reminderID)"
    desk = try Station(cloud: cloud, localSQL: index)
    laptop = try Station(cloud: cloud, localSQL: index)
  }

  @Test func whereNothingIsNewNothingIsReadFromEndToEnd() async throws {
    let (here, there) = (try desk.engine(), try laptop.engine())
    try await share(here, there)
    for (station, engine) in [(desk, here), (laptop, there)] {
      let scans = try await station.scans {
        try await engine.syncChanges()
        _ = try await station.database.writeWithoutTransaction { try SyncCounts($0) }
      }
      #expect(scans == [])
    }
  }

  @Test(arguments: [
    "UPDATE reminders SET title = 'Bread' WHERE id = 'r1'",
    "INSERT INTO reminders (id, listID) VALUES ('r9', 'l')",
    "INSERT OR REPLACE INTO reminders (id, title, listID) VALUES ('r1', 'Bread', 'l')",
    "UPDATE reminders SET listID = 'm' WHERE id = 'r1'",
    "UPDATE reminders SET id = 'r7' WHERE id = 'r1'",
    "DELETE FROM reminders WHERE id = 'r1'",
    "INSERT INTO covers (listID, image) VALUES ('l', x'ff')",
  ])
  func anEditIsSentAndFetchedWithoutReadingTheRest(edit: String) async throws {
    let (here, there) = (try desk.engine(), try laptop.engine())
    try await share(here, there)
    let sending = try await desk.scans {
      try desk.execute(edit)
      try await here.syncChanges()
    }
    #expect(sending == [])
    let fetching = try await laptop.scans { try await there.syncChanges() }
    #expect(fetching == [])
    #expect(
      try desk.texts("SELECT id || title FROM reminders ORDER BY 1")
        == laptop.texts("SELECT id || title FROM reminders ORDER BY 1"))
  }

  @Test func aRowThatComesBackIsFoundWithoutTheRestOfTheHistory() async throws {
    let (here, there) = (try desk.engine(), try laptop.engine())
    try await share(here, there)
    try desk.execute("DELETE FROM reminders")
    for engine in [here, there] { try await engine.syncChanges() }
    let sending = try await desk.scans {
      try desk.execute("INSERT INTO reminders (id, title, listID) VALUES ('r1', 'Bread', 'l')")
      try await here.syncChanges()
    }
    #expect(sending == [])
    let fetching = try await laptop.scans { try await there.syncChanges() }
    #expect(fetching == [])
    #expect(try laptop.texts("SELECT title FROM reminders") == ["Bread"])
  }

  @Test func whatIsRefusedIsCountedWithoutTheRestThatWaits() async throws {
    let engine = try desk.engine()
    try await engine.syncChanges()
    let steps = try await desk.plans {
      _ = try await desk.database.writeWithoutTransaction { try SyncCounts($0) }
    }.filter { $0.sql.contains("sync_pending WHERE isHeld") }.map(\.step)
    #expect(steps == ["SCAN sync_pending USING INDEX sync_pending_held"])
  }

  @Test func aboutNewRowsTheRulesAskOnceForAll() throws {
    #expect(try lookUps(sending: 40) == lookUps(sending: 4))
  }

  /// How often a record was looked up by its key while so many new rows were sent in one commit.
  private func lookUps(sending count: Int) throws -> Int {
    // Folded by one statement, as more of them would be.
    let device = try Fleet { $0.bulkOfEdits = 1 }.device()
    try device.sync()
    for number in 1...count {
      try device.execute("INSERT INTO lists (id, title) VALUES (?, 'New')", ["l\(number)"])
    }
    let found = Mutex(0)
    device.database.writeWithoutTransaction { db in
      db.trace { event in
        guard case .statement(let statement) = event else { return }
        if statement.sql.contains("WHERE tableID = ? AND primaryKey = ?") {
          found.withLock { $0 += 1 }
        }
      }
    }
    try device.sync()
    #expect(try device.counts() == SyncCounts())
    return found.withLock { $0 }
  }

  /// Rows that both have.
  private func share(_ here: SyncEngine, _ there: SyncEngine) async throws {
    try desk.execute(
      """
      INSERT INTO lists (id, title) VALUES ('l', 'Personal'), ('m', 'Family');
      INSERT INTO reminders (id, title, listID) VALUES ('r1', 'Milk', 'l'), ('r2', 'Tea', 'm');
      """)
    for engine in [here, there, here] { try await engine.syncChanges() }
  }
}

extension Station {
  /// The tables that were read from end to end, each with the statement, while something was done.
  ///
  /// By SQLite's own plan of every statement that ran. What may be read whole holds what is new,
  /// what waits or was just sent, or a row for each table or zone.
  fileprivate func scans(of work: () async throws -> Void) async throws -> [String] {
    let small: Set = [
      "sync_edits", "edits", "e", "sync_pending", "sync_leftovers", "l",
      "sync_state", "sync_tables", "sync_columns", "sync_zones", "z", "sync_shares",
      "sync_device_names", "sync_version", "sync_refusals", "sent", "pragma_table_list",
      "sqlite_schema", "sqlite_temp_master", "CONSTANT", "name",
    ]
    return try await plans(of: work).filter { _, step in
      // By the first column of an index alone, all the records of a table are found.
      step.hasSuffix("(tableID=?)")
        || step.hasPrefix("SCAN") && !step.hasPrefix("SCAN (subquery")
          && !small.contains(String(step.split(separator: " ")[1]))
    }.map { "\($1): \($0)" }
  }

  /// SQLite's plan of every statement that ran while something was done, step by step.
  fileprivate func plans(
    of work: () async throws -> Void
  ) async throws -> [(sql: String, step: String)] {
    let statements = Mutex<Set<String>>([])
    try await database.writeWithoutTransaction { db in
      db.trace { event in
        guard case .statement(let statement) = event else { return }
        let sql = statement.expandedSQL
        // What a trigger does comes as a comment, and has the plan of its table's statement.
        if !sql.hasPrefix("--") { statements.withLock { _ = $0.insert(sql) } }
      }
    }
    try await work()
    return try await database.writeWithoutTransaction { db in
      db.trace(options: [])
      return try statements.withLock { $0 }.sorted().flatMap {
        sql -> [(sql: String, step: String)] in
        guard ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains(where: sql.hasPrefix)
        else { return [] }
        return try String.fetchAll(
          db, sql: "EXPLAIN QUERY PLAN " + sql, adapter: RangeRowAdapter(3..<4)
        ).map { (sql, $0) }
      }
    }
  }
}
