import Foundation
import RemindersTestSupport
import Testing

/// An old app and a new one over one cloud, and files of before synchronization.
@Suite struct SchemaTests {
  @Test func `an old app and a new one lose nothing of each other`() throws {
    let new = try Program()
    let old = Program(beside: new, device: "attic")
    let made: [String: Any] = try new.json(
      ["add", "Read", "--url", "https://example.org", "--json"])
    let id = try #require(made["id"] as? String)
    try new.run("sync")
    try old.run("--schema", "1", "sync")
    let edited: [String: Any] = try old.json(
      ["--schema", "1", "edit", id, "--title", "Read it", "--json"])
    #expect(edited["url"] is NSNull && edited["title"] as? String == "Read it")
    let refused = try old.run("--schema", "1", "edit", id, "--url", "https://x.org")
    #expect(refused.status == 64 && refused.errors.contains("Schema 1 has no links"))
    try old.run("--schema=1", "sync")
    try new.run("sync")
    // Upgraded, without a sync.
    for program in [old, new] {
      let shown: [String: Any] = try program.json(["show", id, "--json"])
      #expect(shown["url"] as? String == "https://example.org")
      #expect(shown["title"] as? String == "Read it")
    }
    let back = try old.run("--schema", "1", "list")
    #expect(back.status == 64 && back.errors.contains("later schema"))
    #expect(try old.run("--schema", "7", "list").status == 64)
  }

  /// What three devices do offline with a reminder for today that comes again each day, the last
  /// one with an app that knows nothing of that; and what it comes to, in whatever order.
  struct Offline: Sendable {
    var actions: [[String]]
    var title = "Bins"
    /// In how many days the open one is due.
    var days = 0
    var rule = "++ FREQ=DAILY"
    var isSnoozed = false
    var isDone = false
  }

  private static let offline = [
    Offline(actions: [["done"], ["done"], ["done"]], days: 1, isDone: true),
    Offline(
      actions: [
        ["snooze", "2h"], ["edit", "--repeat", "every 2 days"], ["edit", "--title", "Bin"],
      ], title: "Bin", rule: "++ FREQ=DAILY;INTERVAL=2", isSnoozed: true),
    // Another due date ends a snooze.
    Offline(
      actions: [
        ["snooze", "2h"], ["edit", "--repeat", "every 2 days"],
        ["edit", "--title", "Bin", "--due", "tomorrow"],
      ], title: "Bin", days: 1, rule: "++ FREQ=DAILY;INTERVAL=2"),
    Offline(
      actions: [["done"], ["snooze", "2h"], ["edit", "--title", "Bin"]],
      title: "Bin", days: 1, isDone: true),
    Offline(
      actions: [["edit", "--title", "Bin"], ["edit", "--repeat", "every 2 days"], ["done"]],
      title: "Bin", days: 2, rule: "++ FREQ=DAILY;INTERVAL=2", isDone: true),
  ]

  private static let orders = [
    [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0],
  ]

  @Test(arguments: offline, orders)
  func `a series that is completed, snoozed and edited offline, once with an old app, stays one`(
    offline: Offline, order: [Int]
  ) throws {
    let desk = try Program()
    let programs = [
      desk, Program(beside: desk, device: "laptop"), Program(beside: desk, device: "attic"),
    ]
    let schemas: [[String]] = [[], [], ["--schema", "2"]]
    func run(_ index: Int, _ arguments: [String]) throws {
      let result = try programs[index].run(schemas[index] + arguments)
      #expect(result.status == 0, "\(arguments): \(result.errors)")
    }
    let made: [String: Any] = try desk.json(
      ["add", "Bins", "--due", "today", "--repeat", "every day", "--json"])
    let id = try #require(made["id"] as? String)
    for index in 0...2 { try run(index, ["sync"]) }
    for index in order {
      let action = offline.actions[index]
      try run(index, [action[0], id] + action.dropFirst())
    }
    for index in order + [0, 1, 2, 0, 1, 2] { try run(index, ["sync"]) }
    let day = Date.ISO8601FormatStyle().year().month().day()
    let due = try day.parse(#require(made["dueDate"] as? String))
      .addingTimeInterval(Double(offline.days) * 86_400)
    for (program, schema) in zip(programs, schemas) {
      let open: [[String: Any]] = try program.json(schema + ["list", "--json"])
      #expect(open.map { $0["dueDate"] as? String } == [day.format(due)])
      #expect(open.map { $0["title"] as? String } == [offline.title])
      let done: [[String: Any]] = try program.json(
        schema + ["list", "--smart", "completed", "--json"])
      #expect(
        done.map { $0["dueDate"] as? String }
          == (offline.isDone ? [made["dueDate"] as? String] : []))
      guard schema.isEmpty else { continue }
      #expect(open.map { $0["recurrence"] as? String } == [offline.rule])
      #expect(open.map { $0["snoozedUntil"] is String } == [offline.isSnoozed])
    }
  }

  @Test func `a file of before synchronization is taken over`() throws {
    let program = try Program()
    let file = program.directory.appending(path: "old.sqlite").path
    try SQLiteShell.run(
      """
      CREATE TABLE remindersLists (id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE reminders (id INTEGER PRIMARY KEY, title TEXT, remindersListID INTEGER
        REFERENCES remindersLists (id));
      INSERT INTO remindersLists VALUES (1, 'Home');
      INSERT INTO reminders VALUES (1, 'Milk', 1);
      """, on: file)
    // How far it is, only a terminal sees.
    let result = try program.run("import-legacy", file)
    #expect(result.status == 0 && result.errors == "Took over 1 list, 1 reminder.\n")
    let seen = try program.runInTerminal("import-legacy", file)
    #expect(seen.contains("Taking over █") && seen.contains("█ 100 %"))
    #expect(seen.hasSuffix("\rTook over nothing new; 2 rows were here.\r\n"))
    #expect(try program.run("list").output.contains("Milk"))
    #expect(
      try program.run("import-legacy", file).errors == "Took over nothing new; 2 rows were here.\n")
    #expect(try program.run("import-legacy", "/nowhere").status == 1)
  }
}
