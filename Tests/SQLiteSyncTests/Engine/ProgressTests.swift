import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// How far long work is.
@Suite(.timeLimit(.minutes(10)))
struct ProgressTests {
  private let cloud: TemporaryDirectory
  private let ann: Station
  private let ben: Station

  init() throws {
    cloud = try TemporaryDirectory()
    ann = try Station(cloud: cloud)
    ben = try Station(cloud: cloud)
  }

  @Test func aLongSendAndALongFetchSayHowFarTheyAre() async throws {
    try ann.execute(
      """
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 3000)
      INSERT INTO reminders (id, notes) SELECT 'r' || n, printf('%.*c', 600, 'x') FROM numbers
      """)
    let sent = await progress(of: try ann.engine())
    #expect(Set(sent.map(\.total)) == [3000])
    #expect(sent.map(\.completed) == Array(stride(from: 400, through: 2800, by: 400)))
    let fetched = await progress(of: try ben.engine(commitsPerTransaction: 1))
    #expect(Set(fetched.map(\.total)).count == 1 && fetched.count >= 4)
    #expect(fetched.map(\.completed) == fetched.map(\.completed).sorted())
    #expect(fetched.allSatisfy { (0...1).contains($0.fraction) })
    #expect(try ben.texts("SELECT count(*) FROM reminders") == ["3000"])
  }

  @Test func whatIsShortSaysNothing() async throws {
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    #expect(await progress(of: try ann.engine()) == [])
    #expect(await progress(of: try ben.engine(commitsPerTransaction: 1)) == [])
  }

  /// What an engine says from its start until it rests.
  private func progress(of engine: SyncEngine) async -> [SyncProgress] {
    let statuses = engine.statuses
    engine.start()
    var told: [SyncProgress] = []
    for await status in statuses {
      if let progress = status.progress, progress != told.last { told.append(progress) }
      guard status.phase == .idle, status.pending == 0, status.lastFetch != nil else { continue }
      #expect(status.progress == nil)
      break
    }
    engine.stopAndWait()
    return told
  }
}
