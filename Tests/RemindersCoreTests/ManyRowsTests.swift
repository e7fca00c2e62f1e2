import Foundation
import GRDB
import Synchronization
import Testing

@testable import RemindersCore

/// A command about very many reminders is a statement for each page of them, and says how far it
/// is.
@Suite struct ManyRowsTests {
  private func filled(_ count: Int = 1200) throws -> (Fixture, [Reminder.ID]) {
    let fixture = try Fixture()
    try fixture.execute(
      """
      INSERT INTO remindersLists (id, title) VALUES ('list', 'Long');
      WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(count - 1))
      INSERT INTO reminders (id, title, remindersListID, isFlagged)
      SELECT printf('row-%05d', i), 'x', 'list', i % 3 = 0 FROM n
      """)
    return (fixture, (0..<count).map { "row-" + $0.padded(to: 5) })
  }

  @Test func `an edit, its undo and a deletion are a statement for each page`() async throws {
    let (fixture, ids) = try filled()
    let database = fixture.database
    var undo: UndoStep?
    let flagging = try await fixture.updates {
      undo = try await database.editReminders(ids, [.set(\.isFlagged, true)])
    }
    #expect(flagging == 3)
    #expect(undo?.reminders.count == 800)
    let step = try #require(undo)
    #expect(try await fixture.updates { _ = try await database.undo(step) } == 2)
    #expect(try fixture.detail(.flagged).openCount == 400)
    let completing = try await fixture.updates { _ = try await database.setDone(true, ids) }
    #expect(completing == 3)
    let deleting = try await fixture.updates { _ = try await database.deleteReminders(ids) }
    #expect(deleting == 3)
    #expect(try fixture.detail(.all, completed: true).rows.isEmpty)
  }

  @Test func `how far it is is reported after each page`() async throws {
    let (fixture, ids) = try filled()
    let reports = Mutex<[WriteProgress]>([])
    let database = fixture.database.reporting { report in reports.withLock { $0.append(report) } }
    _ = try await database.editReminders(ids, [.addTags(["home"])])
    #expect(reports.withLock { $0.map(\.completed) } == [500, 1000, 1200])
    #expect(reports.withLock { $0.allSatisfy { $0.total == 1200 } })
  }

  @Test func `one that is gone is named before anything is written`() async throws {
    let (fixture, ids) = try filled(3)
    await #expect(throws: AppError.self) {
      try await fixture.database.editReminders(ids + ["gone"], [.set(\.isFlagged, true)])
    }
    #expect(try fixture.detail(.flagged).openCount == 1)
  }
}

extension Fixture {
  /// How many statements changed rows of `reminders`, those of triggers left out.
  fileprivate func updates(of work: () async throws -> Void) async throws -> Int {
    let found = Mutex<Set<String>>([])
    try await database.writer.write { db in
      db.trace { event in
        guard case .statement(let statement) = event else { return }
        let sql = statement.expandedSQL
        // The cascades of a deletion come with its own text.
        if ["UPDATE reminders ", "DELETE FROM reminders "].contains(where: sql.hasPrefix) {
          found.withLock { _ = $0.insert(sql) }
        }
      }
    }
    try await work()
    try await database.writer.write { $0.trace(options: []) }
    return found.withLock { $0.count }
  }
}
