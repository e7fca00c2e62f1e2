import Foundation
import GRDB

/// The real program on a real terminal, over what another program or another person may have made:
/// how long each key waits for the first that is written.
struct HostileBenchmarks {
  func run(into report: inout Report) throws {
    let data = try AppData()
    try data.fill(100_000)
    try data.database.write(Self.add)
    for (columns, rows) in [(80, 24), (200, 60)] {
      let terminal = try Terminal(AppData.program, data.arguments, columns: columns, rows: rows)
      try terminal.press(until: "Everything")
      // What is sent meanwhile would be measured, too.
      _ = terminal.press("s", silence: 1)
      terminal.settle(silence: 2)
      let answers = Self.keys.flatMap { keys, count in
        (0..<count).map { _ in (keys, terminal.press(keys, silence: 0.05, isFirst: true)) }
      }
      let worst = answers.max { $0.1 < $1.1 }.map { " (\($0.0.debugDescription))" } ?? ""
      let strokes = Measurement(rounds: answers.map(\.1))
      report.add(
        "hostile: keys, titles of 1 MB and notes of 7 MB among 100,000, \(columns) × \(rows)",
        strokes, as: strokes.percentiles + worst, against: "ours must most ≤ 50 ms")
    }
  }

  /// Through Today, where every part names its parent, the list, the search, the agenda, the form.
  private static let keys = [
    ("gt", 1), ("j", 40), ("k", 10), ("\u{06}", 3), ("G", 1), ("gg", 1), ("f", 4), ("gl", 1),
    ("ga", 1), ("j", 20), ("/", 1), ("l", 1), ("o", 1), ("r", 1), ("\u{1B}", 1), ("gA", 1),
    ("j", 20), ("]", 3), ("[", 3), ("\u{1B}", 1), ("gt", 1), ("e", 1), ("\t", 4), ("\u{1B}", 1),
    ("a", 1), ("x", 10), ("\u{1B}", 1), ("?", 1), ("\u{1B}", 1),
  ]

  private static func add(_ db: Database) throws {
    let words = String(repeating: "Lorem ipsum dolor ", count: 1 << 16)
    let texts = [
      (String(repeating: "x", count: 1 << 20), ""), (words, words),
      ("e" + String(repeating: "\u{301}", count: 1 << 19), ""),
      (String(repeating: "日本", count: 1 << 17), String(repeating: "日", count: 1 << 21)),
      (String(repeating: "👩‍👩‍👧", count: 1 << 14), String(repeating: "\n", count: 1 << 21)),
      ("Notes", String(repeating: "x", count: 7 << 20)),
      ("\u{202E}\u{2066}שלום", String(repeating: words, count: 6)),
    ]
    try db.execute(
      sql: "INSERT INTO remindersLists (id, title, position) VALUES ('hostile', ?, -1)",
      arguments: [words])
    for (number, (title, notes)) in texts.enumerated() {
      try add(title, notes, number: number, to: db)
    }
    for number in texts.count..<texts.count + 300 {
      try add("Part \(number)", "", number: number, to: db, parent: id(1))
    }
    // What comes each minute is no rule here, and each day since 2000 is one.
    for (number, rule) in [(901, "++ FREQ=MINUTELY"), (902, "++ FREQ=DAILY")] {
      try add("Again", "", number: number, to: db)
      try db.execute(
        sql: "UPDATE reminders SET recurrence = ?, dueDate = '2000-01-01' WHERE id = ?",
        arguments: [rule, id(number)])
    }
  }

  private static func id(_ number: Int) -> String {
    "ffffffff-0000-4000-8000-" + String(format: "%012d", number)
  }

  private static func add(
    _ title: String, _ notes: String, number: Int, to db: Database, parent: String? = nil
  ) throws {
    try db.execute(
      sql: """
        INSERT INTO reminders (id, title, notes, dueDate, position, remindersListID, parentID)
        VALUES (?, ?, ?, date('now'), ?, 'hostile', ?)
        """, arguments: [id(number), title, notes, number, parent])
  }
}
