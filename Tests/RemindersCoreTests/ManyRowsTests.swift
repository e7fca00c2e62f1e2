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
    let database = fixture.database.reporting(
      { report in reports.withLock { $0.append(report) } }, stage: { _ in })
    _ = try await database.editReminders(ids, [.addTags(["home"])])
    #expect(reports.withLock { $0.map(\.completed) } == [500, 1000, 1200])
    #expect(reports.withLock { $0.allSatisfy { $0.total == 1200 } })
    for isDone in [true, false] {
      reports.withLock { $0.removeAll() }
      _ = try await database.setDone(isDone, ids)
      #expect(reports.withLock { $0.map(\.completed) } == [500, 1000, 1200])
    }
  }

  /// A page of an import is one statement: at its end the search index writes what it has.
  @Test func `an import takes a statement for each page, in order, also after a rehearsal`()
    async throws
  {
    let lines = (0..<2500).map { "Call \($0) +Long @phone" }.joined(separator: "\n")
    let batch = try ImportFormat.read(
      Data(lines.utf8), as: .todotxt, name: "file", in: berlin())
    let fixture = try Fixture()
    let database = fixture.database
    let before = try fixture.contents()
    _ = try await database.addImported(batch, into: nil, isRehearsal: true)
    #expect(try fixture.contents() == before)
    let pages = try await fixture.pages {
      let (result, undo) = try await database.addImported(batch, into: nil)
      #expect(result.reminders == 2500 && undo.reminders.count == 2500)
    }
    // Two of reminders, and two of their tags.
    #expect(pages == 4)
    let rows = try fixture.detail(.all, sort: .manual).rows
    #expect(rows.map(\.title) == (0..<2500).map { "Call \($0)" })
    #expect(rows.allSatisfy { $0.tags == ["phone"] && $0.list.title == "Long" })
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
    // The cascades of a deletion come with its own text.
    Set(try await statements(["UPDATE reminders ", "DELETE FROM reminders "], of: work)).count
  }

  /// How many pages of rows were staged: each is removed again.
  fileprivate func pages(of work: () async throws -> Void) async throws -> Int {
    try await statements(["DELETE FROM temp.staged_rows_"], of: work).count
  }

  /// The statements of a program that begin in one of these ways, each as often as it was run.
  fileprivate func statements(
    _ beginnings: [String], of work: () async throws -> Void
  ) async throws -> [String] {
    let found = Mutex<[String]>([])
    try await database.writer.write { db in
      db.trace { event in
        guard case .statement(let statement) = event else { return }
        let sql = statement.expandedSQL
        if beginnings.contains(where: sql.hasPrefix) {
          found.withLock { $0.append(sql) }
        }
      }
    }
    try await work()
    try await database.writer.write { $0.trace(options: []) }
    return found.withLock { $0 }
  }
}
