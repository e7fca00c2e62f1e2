// `make test` switches the trait on.
#if SwiftLog
  import GRDB
  import Logging
  import RemindersTestSupport
  import Synchronization
  import Testing

  @testable import SQLiteSync
  @testable import SQLiteSyncCloud

  /// An engine's log in a logger of swift-log.
  struct SwiftLogTests {
    /// Keeps what it is told.
    private final class Messages: Sendable {
      let all = Mutex<[(level: Logger.Level, event: String, text: String)]>([])
    }

    private struct Handler: LogHandler {
      let messages: Messages
      var metadata: Logger.Metadata = [:]
      var logLevel = Logger.Level.trace

      func log(event: LogEvent) {
        let name = event.metadata?["event"].map { "\($0)" } ?? ""
        messages.all.withLock { $0.append((event.level, name, "\(event.message)")) }
      }

      subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
      }
    }

    /// As the article on metadata has it, which `ArticleTests` compares with this.
    @Test func aLoggerIsWhereTheLogGoes() {
      let logger = SyncLogger(Logger(label: "sync"))
      #expect(logger.write != nil)
    }

    @Test func everyEventIsAMessageOfItsLevel() async throws {
      let messages = Messages()
      let logger = Logger(label: "test") { _ in Handler(messages: messages) }
      let database = try DatabaseQueue(configuration: .synchronized)
      try await database.write { db in
        try db.execute(sql: Schema.reminders.sql + "INSERT INTO lists (id) VALUES ('l');")
      }
      let store = FaultyStore(MemoryStore())
      let clock = TestClock()
      let engine = try SyncEngine(
        for: database, tableNames: Schema.reminders.tables,
        cloud: CloudContainer(
          store: store, account: "ann", device: clock.makeID(), app: "test",
          environment: clock.environment),
        startImmediately: false, logger: SyncLogger(logger))
      try await engine.syncChanges()
      store.plan { _ in .failure(FaultyStore.lost) }
      await #expect(throws: CloudError.self) { try await engine.syncChanges() }
      let all = messages.all.withLock { $0 }
      let sent = try #require(all.first { $0.event == "sentRecordZoneChanges" })
      #expect(sent.level == .info)
      #expect(sent.text.contains("l:lists"))
      let failed = try #require(all.last { $0.event == "failed" })
      #expect(failed.level == .error)
      #expect(failed.text.contains("The answer is lost."))
      #expect(all.allSatisfy { !$0.event.isEmpty })
    }
  }
#endif
