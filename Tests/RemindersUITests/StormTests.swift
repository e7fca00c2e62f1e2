import Foundation
import GRDB
import RemindersCore
import RemindersTerminal
import RemindersTestSupport
import Testing

@testable import RemindersUI

/// Random keys, clicks, pastes and sizes: nothing traps, what is shown is what is stored, and all
/// of it can be taken back and done again.
///
/// `make storm SEED=n KEYS=n` replays one storm, or makes a longer one.
@MainActor
struct StormTests {
  @Test(arguments: seeds)
  func anyKeysLeaveTheStateConsistent(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let schema = seed % 4 == 2 ? SchemaVersion.lists : .current
    let driver = try await Driver(sampleData: seed.isMultiple(of: 2), schema: schema) { database in
      if seed % 4 == 3 { try await Self.fill(database) }
    }
    let begin = try driver.contents()
    for step in 1...count {
      driver.device.send(event(&random))
      // Sometimes the app is given time, and sometimes keys pile up.
      if random.next() % 4 == 0 { await driver.app.settled() }
      if random.next() % 50 == 0 { await driver.pass(seconds: Double(random.next() % 8)) }
      if step % 20 == 0 { try await check(driver, seed, step) }
    }
    try await check(driver, seed, count)
    try await checkUndo(driver, from: begin, seed)
  }

  // MARK: - Checks

  private func check(_ driver: Driver, _ seed: UInt64, _ step: Int) async throws {
    await driver.app.settled()
    let state = driver.app.state
    let place = Comment("SEED=\(seed) step \(step)")
    let stored = try state.home.query(in: state.day).map { try driver.database.fetch($0) }
    #expect(state.home.shown?.detail == stored, place)
    #expect(state.home.sidebar == (try driver.database.fetch(SidebarQuery(time: state.day))), place)
    try checkCounts(driver, place)
    // A path that was typed for a cover may well lead nowhere.
    let refused = state.recentMessages.map(\.message.text).filter {
      $0.contains("no such") && !$0.contains("no such file")
    }
    #expect(refused == [], place)
    let selected = state.home.reminders.current
    #expect(selected == nil ? state.home.rows.isEmpty : state.home.currentRow != nil, place)
    func ids(_ source: RowSource?) throws -> Set<Reminder.ID> {
      try source.map { try driver.database.fetch(IDsQuery($0)) } ?? []
    }
    let shown = try ids(state.home.query(in: state.day).map { .list($0) })
    #expect(state.home.selection.ids.isSubset(of: shown), place)
    if let search = state.searchScreen {
      let hits = try ids(search.query(in: state.day).map { .search($0) })
      #expect(search.selection.ids.isSubset(of: hits), place)
    }
    #expect(driver.device.frame?.surface.size == state.size, place)
    let cursor = driver.device.frame?.cursor
    let isLargeEnough =
      state.size.columns >= Layout.minimum.columns && state.size.rows >= Layout.minimum.rows
    #expect(cursor.map { state.layout.body.contains($0) } ?? !isLargeEnough, place)
  }

  /// The counts by the plainest SQL there is.
  private func checkCounts(_ driver: Driver, _ place: Comment) throws {
    guard let sidebar = driver.app.state.home.sidebar else { return }
    let (all, lists, tags) = try driver.database.writer.read { db in
      let all = try Int.fetchOne(db, sql: "SELECT count(*) FROM reminders WHERE status <> 2")
      let lists = try Row.fetchAll(
        db,
        sql: """
          SELECT remindersLists.id, count(reminders.id) AS n FROM remindersLists
          LEFT JOIN reminders ON remindersListID = remindersLists.id AND status <> 2 GROUP BY 1
          """)
      let tags = try Row.fetchAll(
        db,
        sql: """
          SELECT tags.title, count(DISTINCT reminders.id) AS n FROM tags
          LEFT JOIN reminderTags ON tagTitle = tags.title
          LEFT JOIN reminders ON reminders.id = reminderID AND status <> 2 GROUP BY 1
          """)
      func counts(_ rows: [Row]) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
      }
      return (all, counts(lists), counts(tags))
    }
    #expect(sidebar.counts.all == all, place)
    #expect(sidebar.lists.allSatisfy { lists[$0.id] == $0.openCount }, place)
    #expect(sidebar.tags.allSatisfy { tags[$0.title] == $0.openCount }, place)
  }

  /// Takes everything back, and does it all again.
  private func checkUndo(_ driver: Driver, from begin: [String], _ seed: UInt64) async throws {
    await driver.resize(100, 30)
    await driver.pass(seconds: 20)
    while !driver.app.state.screens.isEmpty || !driver.app.state.pendingKeys.isEmpty {
      if driver.app.state.screens.last is ConfirmationScreen {
        try await driver.press("y")
      } else {
        try await driver.press("<esc>")
      }
    }
    let end = try driver.contents()
    let count = driver.app.state.undoSteps.count
    let redoCount = driver.app.state.redoSteps.count
    for _ in 0..<count { try await driver.press("u") }
    #expect(driver.app.state.undoSteps.isEmpty, "SEED=\(seed)")
    try expect(begin, in: driver, "SEED=\(seed): taken back")
    for _ in 0..<count { try await driver.press("U") }
    #expect(driver.app.state.redoSteps.count == redoCount, "SEED=\(seed)")
    await driver.pass(seconds: 20)
    try expect(end, in: driver, "SEED=\(seed): done again")
  }

  private func expect(_ rows: [String], in driver: Driver, _ when: String) throws {
    let found = try driver.contents()
    let (lost, left) = (Set(rows).subtracting(found), Set(found).subtracting(rows))
    #expect(
      found == rows, "\(when): lost \(lost.sorted().prefix(3)), left \(left.sorted().prefix(3))")
  }

  // MARK: - Events

  private func event(_ random: inout SplitMix64) -> TerminalEvent {
    switch random.next() % 40 {
    case 0:
      let size = Size(columns: Int(random.next() % 160), rows: Int(random.next() % 50))
      return .resize(size)
    case 1: return .paste("pasted 日本 👩‍👩‍👧 line\nand\tanother")
    case 2:
      let point = Point(column: Int(random.next() % 100), row: Int(random.next() % 30))
      let kinds: [MouseEvent.Kind] = [.click, .wheelUp, .wheelDown]
      return .mouse(MouseEvent(kinds[Int(random.next() % 3)], at: point))
    default: return .key(keys[Int(random.next() % UInt64(keys.count))])
    }
  }

  /// More reminders than are read at a time.
  private static func fill(_ database: AppDatabase) async throws {
    try await database.writer.write { db in
      try db.execute(
        sql: """
          INSERT INTO remindersLists (id, title) VALUES ('list', 'Long');
          WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 899)
          INSERT INTO reminders (id, title, remindersListID, dueDate, status)
          SELECT printf('row-%05d', i), 'bread ' || i, 'list',
            date('2026-11-01', '+' || (i / 50) || ' days'), i % 3
          FROM n
          """)
    }
  }

  /// All keys of the table but those that anywhere end or leave the app, and some text.
  private let keys: [Key] = {
    let leaving = [Command.ID.quit, .suspend].flatMap { Command.named($0).keys }
    return Command.all.flatMap(\.keys).filter { !leaving.contains($0) }
      .flatMap { Key.sequence($0) ?? [] } + "bread tue #home !! 日é".map { Key.character($0) }
  }()

  /// How many keys make a storm; the usual number keeps the suite quick.
  private let count = ProcessInfo.processInfo.environment["KEYS"].flatMap(Int.init) ?? 400

  private nonisolated static let seeds: [UInt64] =
    ProcessInfo.processInfo.environment["SEED"].flatMap(UInt64.init).map { [$0] } ?? [1, 2, 3, 4]
}
