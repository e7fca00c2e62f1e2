import Foundation
import GRDB

/// The real program as a child: what looks and one addition take at 100,000 reminders, beside
/// SQLite's shell on the same file; the first syncs of two devices with them, and imports, beside
/// the same rows in plain statements.
///
/// Times are of the processors, save the one until the first byte.
struct CommandBenchmarks {
  let rounds: Int
  private let count = 100_000

  func run(into report: inout Report) async throws {
    let data = try AppData()
    try data.fill(count)
    try data.database.close()
    // With all that waits to be sent.
    try measure(Command.export, "before the first sync", on: data, into: &report)
    try await measureSyncs(of: data, into: &report)
    for command in Command.all { try measure(command, on: data, into: &report) }
    for count in [20_000, 100_000] {
      try await measureImport(
        of: count, "import", what: "lines of todo.txt",
        rounds: count == self.count ? max(1, rounds / 2) : rounds, file: todoText, into: &report)
    }
    try await measureImport(
      of: 20_000, "import-legacy", what: "reminders", rounds: rounds, file: legacyFile,
      into: &report)
  }

  // MARK: - One command

  /// A command on 100,000 reminders.
  private struct Command {
    let arguments: [String]
    /// What SQLite's shell is asked for the same.
    var sql: String?
    var goal = "no goal"
    /// Set where somebody waits for the first byte.
    var firstByteGoal: String?
    var memoryGoal: String?

    static let all = [
      Command(arguments: ["--version"], goal: "what every command takes"),
      Command(
        arguments: ["list"], sql: select(shown, open),
        goal: "ours must ≤ 400 ms; calcurse 123 ms",
        firstByteGoal: "ours must ≤ 40 ms", memoryGoal: "no goal"),
      Command(
        arguments: ["list", "--json"], sql: select("*, \(tags)", open), memoryGoal: "no goal"),
      export,
      Command(
        arguments: ["list", "--smart", "today"],
        sql: select(
          shown, open + " AND (dueDate IS NULL) = 0 AND dueDate < date('now', '+1 day')"),
        goal: "ours must ≤ 15 ms; calcurse 10–23 ms at 10,000"),
      Command(
        arguments: ["search", "77777"],
        // The plus keeps SQLite from walking along all that is open.
        sql: select(
          shown,
          """
          WHERE +(status = 2) = 0 AND id IN (
            SELECT reminderID FROM reminderTexts
            WHERE id IN (SELECT rowid FROM reminderIndex WHERE reminderIndex MATCH '"77777"'))
          """), goal: "ours must ≤ 15 ms"),
      Command(
        arguments: ["add", "Buy bread tomorrow"],
        sql: """
          INSERT INTO reminders (title, dueDate, remindersListID)
          VALUES ('Buy bread', date('now', '+1 day'), 'list')
          """, goal: "ours must ≤ 15 ms"),
    ]

    static let export = Command(
      arguments: ["export"], sql: "SELECT *, \(tags) FROM reminders",
      goal: "ours must ≤ 1,200 ms; taskwarrior 3,200 ms",
      memoryGoal: "ours must ≤ 60 MB; taskwarrior 437 MB")

    private static let tags =
      "(SELECT group_concat(tagTitle) FROM reminderTags WHERE reminderID = reminders.id)"
    /// The columns that `list` prints.
    private static let shown = """
      substr(id, 1, 8), status, isFlagged, priority, title, dueDate, \(tags),
      (SELECT title FROM remindersLists WHERE id = remindersListID)
      """
    private static let open = "WHERE (status = 2) = 0"

    private static func select(_ columns: String, _ condition: String) -> String {
      """
      SELECT \(columns) FROM reminders \(condition)
      ORDER BY dueDate IS NULL, dueDate, position, id
      """
    }
  }

  private func measure(
    _ command: Command, _ when: String? = nil, on data: AppData, into report: inout Report
  ) throws {
    var (ours, shell): ([ChildRun], [ChildRun]) = ([], [])
    for _ in 0..<max(5, rounds) {
      ours.append(try data.run(command.arguments))
      if let sql = command.sql {
        shell.append(try ChildRun.measure("/usr/bin/sqlite3", [data.file.path, sql]))
      }
    }
    let words = ["reminders"] + command.arguments + (when.map { [$0] } ?? [])
    let name = words.joined(separator: " ")
    let (processor, base) = (ours.map(\.resources).processor(), shell.map(\.resources))
    let beside =
      base.isEmpty
      ? ""
      : "sqlite3 in this run \(base.processor().text): "
        + "\(processor.ratio(to: base.processor()).text); "
    report.add("\(name), CPU", processor, against: beside + command.goal)
    if let goal = command.firstByteGoal {
      report.add(
        "\(name), to the first byte", Measurement(rounds: ours.compactMap(\.firstByte)),
        against: goal)
    }
    if let goal = command.memoryGoal {
      report.add(
        "\(name), memory", ours.map(\.resources).memory,
        against: "sqlite3 in this run \(base.memory.text); \(goal)")
    }
  }

  // MARK: - Many records

  /// The first sync of the device that has all, and those of devices that have nothing.
  private func measureSyncs(of data: AppData, into report: inout Report) async throws {
    let cloud = data.place.url.appending(path: "cloud").path
    let upload = try data.run(["sync", "--cloud", cloud]).resources
    var (downloads, copies): ([Resources], [Resources]) = ([], [])
    for _ in 0..<max(1, rounds / 2) {
      let empty = try AppData()
      try empty.database.close()
      downloads.append(try empty.run(["sync", "--cloud", cloud]).resources)
      copies.append(try await copy(of: data))
    }
    for (what, ours, goal) in [("upload", [upload], 60), ("download", downloads, 90)] {
      // Each reminder has a tag.
      add(
        "reminders sync, first \(what) of \(Self.number(2 * count)) records", of: 2 * count,
        ours: ours, copies: copies, goal: goal, into: &report)
    }
  }

  private func measureImport(
    of count: Int, _ command: String, what: String, rounds: Int,
    file: (Int, Place) throws -> URL, into report: inout Report
  ) async throws {
    let place = try Place()
    let file = try file(count, place)
    var (ours, copies): ([Resources], [Resources]) = ([], [])
    for _ in 0..<rounds {
      let data = try AppData()
      try data.database.close()
      ours.append(try data.run([command, file.path]).resources)
      copies.append(try await copy(of: data))
    }
    add(
      "reminders \(command) of \(Self.number(count)) \(what)", of: count, ours: ours,
      copies: copies, goal: 90, into: &report)
  }

  /// What the same rows cost SQLite itself.
  private func copy(of data: AppData) async throws -> Resources {
    let plain = try AppData()
    let source = try DatabaseQueue(path: data.file.path)
    return try await .measure {
      try PagedCopy.run(from: source, tables: PagedCopy.appTables, into: plain.database)
      // As a command does, it leaves everything in the main file.
      try plain.database.close()
    }
  }

  private func add(
    _ name: String, of count: Int, ours: [Resources], copies: [Resources], goal: Int,
    into report: inout Report
  ) {
    let (processor, base) = (ours.processor(of: count), copies.processor(of: count))
    report.add(
      "\(name), CPU a record", processor,
      against: "the same rows by INSERT … SELECT in pages of 2,000 in this run \(base.text): "
        + "\(processor.ratio(to: base).text); ours must ≤ \(goal) µs")
    report.add(
      "\(name), written a record", ours.written(of: count),
      against: "the same rows in this run \(copies.written(of: count).text)")
    report.add(
      "\(name), memory", ours.memory,
      against: "the same rows in this run, over the start \(copies.memory.text)")
  }

  private static func number(_ count: Int) -> String {
    count.formatted(.number.locale(Locale(identifier: "en_US")))
  }

  private func todoText(_ count: Int, in place: Place) throws -> URL {
    let file = place.url.appending(path: "todo.txt")
    let lines = (0..<count).map { number in
      "(\(["A", "B", "C"][number % 3])) Buy \(number) litres of milk from the shop at the corner "
        + "+Everything @\(["home", "work", "errand"][number % 3]) due:2027-03-\(10 + number % 20)\n"
    }
    try Data(lines.joined().utf8).write(to: file)
    return file
  }

  /// Integer keys, and a join table without one.
  private func legacyFile(_ count: Int, in place: Place) throws -> URL {
    let file = place.url.appending(path: "legacy.sqlite")
    let database = try DatabaseQueue(path: file.path)
    try database.write { db in
      try db.execute(
        sql: """
          CREATE TABLE remindersLists (id INTEGER PRIMARY KEY, title TEXT NOT NULL);
          CREATE TABLE reminders (
            id INTEGER PRIMARY KEY, title TEXT NOT NULL, notes TEXT NOT NULL, dueDate TEXT,
            isFlagged INTEGER NOT NULL, priority INTEGER,
            remindersListID INTEGER NOT NULL REFERENCES remindersLists (id));
          CREATE TABLE tags (id INTEGER PRIMARY KEY, title TEXT NOT NULL);
          CREATE TABLE reminderTags (
            reminderID INTEGER NOT NULL REFERENCES reminders (id),
            tagID INTEGER NOT NULL REFERENCES tags (id));
          INSERT INTO remindersLists (title) VALUES ('Personal'), ('Family'), ('Business');
          INSERT INTO tags (title) VALUES ('car'), ('health'), ('shop');
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
          INSERT INTO reminders
          SELECT i, 'Buy ' || i || ' litres of milk', 'From the shop at the corner.',
            '2026-12-01 09:30:00.000', i % 7 = 0, nullif(i % 4, 0), 1 + i % 3 FROM n;
          INSERT INTO reminderTags SELECT id, 1 + id % 3 FROM reminders;
          """)
    }
    try database.close()
    return file
  }
}
