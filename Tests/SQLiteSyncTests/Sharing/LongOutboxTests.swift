import GRDB
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSync

/// Where people share, a long outbox costs what each of its records costs, however many there are.
struct LongOutboxTests {
  @Test func tenTimesTheRecordsAreTenTimesTheWork() throws {
    let few = try statementCount(sending: 400)
    let many = try statementCount(sending: 4_000)
    #expect(many < few * 11, "\(few) statements for 400 records, \(many) for 4,000")
  }

  /// How many statements it takes to send so many new rows of a list that is shared.
  private func statementCount(sending count: Int) throws -> Int {
    let family = try Family()
    try family.share([Family.benID: .write])
    try family.ann.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO reminders SELECT 'r' || i, 'Thing', 'home' FROM n
      """)
    let statements = Mutex(0)
    family.ann.database.writeWithoutTransaction { db in
      db.trace { event in
        if case .statement = event { statements.withLock { $0 += 1 } }
      }
    }
    try family.ann.sync()
    try family.settle()
    #expect(try family.ben.rows("SELECT id FROM reminders WHERE id GLOB 'r[0-9]*'").count == count)
    return statements.withLock { $0 }
  }
}
