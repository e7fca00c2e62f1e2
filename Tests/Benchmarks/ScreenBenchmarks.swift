import Foundation
import GRDB

/// The real program on a real terminal, with 100,000 reminders in one list.
struct ScreenBenchmarks {
  let rounds: Int
  private let count = 100_000

  func run(into report: inout Report) throws {
    let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "reminders").path
    let place = try Place()
    let arguments = ["--data-dir", place.url.path]
    try fill(place, program, arguments)
    try whileSyncing(program, arguments, into: &report)
    try firstFrame(program, arguments, into: &report)
    try keys(program, arguments, into: &report)
  }

  // MARK: - Measures

  private func whileSyncing(
    _ program: String, _ arguments: [String], into report: inout Report
  ) throws {
    let terminal = try Terminal(program, arguments)
    try terminal.press(until: "litres")
    try terminal.press(until: "sending")
    let strokes = try strokes(in: terminal)
    report.add(
      "screen: j and k, to the row under the cursor, while 100,000 reminders are sent",
      Self.percentiles(strokes), against: "ours must p99 ≤ 16 ms; dooit 3,000 ms")
    try terminal.press(until: "in sync", within: 600)
    _ = terminal.press("q", silence: 0.2)
  }

  private func firstFrame(
    _ program: String, _ arguments: [String], into report: inout Report
  ) throws {
    var seconds: [Double] = []
    for _ in 0..<max(5, rounds) {
      let terminal = try Terminal(program, arguments)
      seconds.append(try terminal.press(until: "litres"))
      terminal.settle()
    }
    report.add(
      "screen: from the start of the program to its first reminders",
      Measurement(rounds: seconds).asTime,
      against: "ours must ≤ 60 ms; calcurse 242 ms, dooit 7.8 s, vit 43 s")
  }

  private func keys(_ program: String, _ arguments: [String], into report: inout Report) throws {
    let terminal = try Terminal(program, arguments)
    try terminal.press(until: "litres")
    terminal.settle()
    report.add(
      "screen: j and k, to the row under the cursor", Self.percentiles(try strokes(in: terminal)),
      against: "ours must p99 ≤ 16 ms; vit 4 ms, calcurse 74 ms, dooit 3,000 ms")
    terminal.settle()
    report.add(
      "screen: memory", Self.megabytes(try terminal.memory),
      against: "ours must ≤ 80 MB; calcurse 56 MB, dooit 62 MB, vit 770 MB")
    // The cursor stays in its row of the screen, so only the rest says that a page was turned.
    let pages = (0..<300).map { _ in terminal.press("\u{06}", silence: 0.02) }
    report.add(
      "screen: page down, to the last byte, 300 times", Self.percentiles(pages),
      against: "ours must p99 ≤ 16 ms")
    let ends = (0..<10).flatMap { _ in
      [terminal.press("G", silence: 0.05), terminal.press("gg", silence: 0.05)]
    }
    report.add(
      "screen: to the last reminder and back, to the last byte", Self.percentiles(ends),
      against: "")
    _ = terminal.press("G", silence: 0.05)
    terminal.settle()
    let writes = (0..<100).map { _ in terminal.press("f", silence: 0.05) }
    report.add(
      "screen: flag the last reminder, to the last byte", Self.percentiles(writes),
      against: "")
    terminal.settle(silence: 2)
    report.add(
      "screen: memory after all of this", Self.megabytes(try terminal.memory),
      against: "ours must ≤ 80 MB")
    report.add(
      "screen: wake-ups in ten idle seconds", "\(try wakeUps(of: terminal))",
      against: "ours must: the poll of the cloud; and libdispatch's own, each second")
    _ = terminal.press("s", silence: 1)
    report.add(
      "screen: wake-ups in ten idle seconds with synchronization stopped",
      "\(try wakeUps(of: terminal))",
      against: "ours must: the clock, each minute; and libdispatch's own, each second")
  }

  /// The median of three times ten seconds: in one of them the cloud's log may be folded.
  ///
  /// Threads that have ended meanwhile take their counts with them.
  private func wakeUps(of terminal: Terminal) throws -> Int {
    let counts = try (0..<3).map { _ in
      let before = try terminal.wakeUps
      terminal.settle(silence: 10)
      return try terminal.wakeUps.reduce(0) { $0 + max(0, $1.value - before[$1.key, default: 0]) }
    }
    return counts.sorted()[1]
  }

  /// Up and down, a few rows at a time: each stroke writes the sign before the current row.
  private func strokes(in terminal: Terminal) throws -> [Double] {
    try (0..<100).flatMap { _ in
      try (Array(repeating: "j", count: 5) + Array(repeating: "k", count: 5)).map {
        try terminal.press($0, until: Self.pointer)
      }
    }
  }

  private static let pointer = "▸"

  static func percentiles(_ seconds: [Double]) -> String {
    let sorted = seconds.sorted()
    func text(_ part: Double) -> String {
      String(format: "%.1f", sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))] * 1000)
    }
    return "p50 \(text(0.5)) ms, p99 \(text(0.99)) ms, most \(text(1)) ms"
  }

  private static func megabytes(_ bytes: Double) -> String {
    String(format: "%.0f MB", bytes / 1_000_000)
  }

  // MARK: - Data

  /// Makes the data, and adds what else there is to be.
  func fill(
    _ place: Place, _ program: String, _ arguments: [String],
    adding others: (Database) throws -> Void = { _ in }
  ) throws {
    let making = try Process.run(URL(filePath: program), arguments: ["lists"] + arguments)
    making.waitUntilExit()
    let database = try DatabasePool(path: place.url.appending(path: "reminders.sqlite").path)
    try database.write { db in
      try db.execute(
        sql: """
          INSERT INTO remindersLists (id, title) VALUES ('list', 'Everything');
          INSERT INTO tags (title) VALUES ('home'), ('work'), ('errand'), ('garden');
          WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(count - 1))
          INSERT INTO reminders
            (id, title, notes, dueDate, isFlagged, priority, status, position, remindersListID)
          SELECT printf('00000000-0000-4000-8000-%012d', i), 'Buy ' || i || ' litres of milk',
            CASE i % 3 WHEN 0 THEN 'From the shop at the corner, number ' || i ELSE '' END,
            CASE i % 4 WHEN 0 THEN NULL
              WHEN 1 THEN strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '+' || (i * 37 % 20000) || ' hours')
              ELSE date('now', '+' || (i * 7 % 900) || ' days')
            END, i % 10 = 0, nullif(i % 4, 0), CASE WHEN i % 10 < 2 THEN 2 ELSE 0 END, i, 'list'
          FROM n;
          INSERT INTO reminderTags (reminderID, tagTitle)
          SELECT id, CASE CAST(position AS INTEGER) % 4
            WHEN 0 THEN 'home' WHEN 1 THEN 'work' WHEN 2 THEN 'errand' ELSE 'garden' END
          FROM reminders;
          """)
      try others(db)
    }
    try database.close()
  }
}
