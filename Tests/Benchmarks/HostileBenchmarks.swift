import Foundation
import GRDB

/// The real program on a real terminal, over what another program or another person may have made:
/// how long each key waits for the first that is written, which says that it has arrived, and for
/// the last, which is what it led to.
struct HostileBenchmarks {
  func run(into report: inout Report) throws {
    let data = try AppData()
    try data.fill(100_000)
    try data.database.write(Self.add)
    for (columns, rows) in [(80, 24), (100, 30), (200, 60)] {
      let answers = try Self.answers(data, columns: columns, rows: rows)
      let what = "keys, titles of 1 MB and notes of 7 MB among 100,000, \(columns) × \(rows)"
      let strokes = Measurement(rounds: answers.map(\.start))
      report.add(
        "hostile: \(what)", strokes,
        as: strokes.percentiles + Self.worst(answers.map { ($0.key, $0.start) }),
        against: "ours must most ≤ 50 ms")
      let ends = Measurement(rounds: answers.map(\.end))
      report.add(
        "hostile: the same until nothing more is drawn", ends,
        as: ends.percentiles + Self.worst(answers.map { ($0.key, $0.end) }), against: "")
    }
  }

  private typealias Answer = (key: String, start: Double, end: Double)

  /// Presses all keys; those that nothing follows, such as one that moves beyond the last line, are
  /// left out.
  private static func answers(_ data: AppData, columns: Int, rows: Int) throws -> [Answer] {
    let terminal = try Terminal(AppData.program, data.arguments, columns: columns, rows: rows)
    try terminal.press(until: "Everything")
    // What is sent meanwhile would be measured, too.
    terminal.press("s", silence: 1)
    terminal.settle(silence: 3)
    return keys.compactMap { key in
      terminal.answer(to: key, silence: 0.08, within: 3).map { (key, $0.start, $0.end) }
    }
  }

  /// The three keys that took longest.
  private static func worst(_ answers: [(key: String, seconds: Double)]) -> String {
    let most = Dictionary(answers, uniquingKeysWith: max).sorted { $0.value > $1.value }.prefix(3)
    let texts = most.map { "\($0.key.debugDescription) \(Int($0.value * 1000)) ms" }
    return " (\(texts.joined(separator: ", ")))"
  }

  private static let (enter, escape, tab, save) = ("\r", "\u{1B}", "\t", "\u{13}")

  /// How many rows in Today come before the parts: two that come again, then what is hostile.
  private static let hostileRows = 9
  /// How many come before the one with notes of 7 MB whose title can be edited.
  private static let shortTitle = 7

  /// In Today, where what is hostile comes first and every part names its parent, then in its list,
  /// the search and the agenda: what moves, what writes and what opens something, of each row.
  private static let keys: [String] =
    ["gt"] + repeated(["j"], 40) + repeated(["k"], 10) + ["\u{06}", "\u{06}", "\u{02}", "G"]
    + [
      ["f", "f"], ["+", "-"], ["x", "x"], ["D", "1", enter, "u"], ["d", "u"], ["f", "u", "U", "u"],
      ["y"], ["t", "h", enter, "u"], ["m", "E", enter, "u"], ["H", "j", "j", escape],
      ["Z", escape], ["e", escape],
    ].flatMap { ["gg"] + repeated($0 + ["j"], hostileRows) }
    + ["gg"] + repeated(["j"], shortTitle)
    + ["e", "x", tab, "x", tab, tab, tab, tab, escape, "y", "e", "x", save, "u"]
    + ["gg", "v"] + repeated(["j"], hostileRows)
    + ["v", "f", "f", "+", "-", "y", escape, "V", "f", "f", escape]
    + ["gl", enter, "gg", "j", "J", "K", ">", "u", "o", "j", enter, "o", "k", enter, ".", "."]
    + ["/", "l", "o", "r", enter] + repeated(["j"], 5) + ["f", "f", "e", escape, "n", "N", escape]
    + ["gA"] + repeated(["j"], 12) + ["f", "f", "e", escape, "]", "]", "[", escape]
    + ["h", "j", "k", "e", "l", "S", "2", "3", "1", escape, "gf", "gs", "gc", "ga", "gd", escape]
    + ["a"] + repeated(["x"], 5) + [escape, "y", "?", escape, ":", "f", escape, "gm", escape]

  private static func repeated(_ keys: [String], _ count: Int) -> [String] {
    (0..<count).flatMap { _ in keys }
  }

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
