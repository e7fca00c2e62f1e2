import Foundation
import GRDB
import RemindersCore

/// The real program and a data directory of its own.
struct AppData {
  /// `reminders`, beside this program.
  static let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appending(path: "reminders").path

  let place: Place
  /// Its database.
  let file: URL
  let database: DatabasePool

  /// A directory in which the program has made its empty database.
  init() throws {
    place = try Place()
    file = place.url.appending(path: AppDatabase.fileName)
    _ = try ChildRun.measure(Self.program, ["lists", "--data-dir", place.url.path])
    database = try DatabasePool(path: file.path, configuration: .synchronized)
  }

  /// What a command is told beside its own arguments.
  var arguments: [String] { ["--data-dir", place.url.path] }

  /// Runs a command on the data.
  func run(_ command: [String]) throws -> ChildRun {
    try ChildRun.measure(Self.program, command + arguments)
  }

  /// Makes reminders in one list, each with a tag; four of five are open.
  func fill(_ count: Int) throws {
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
    }
  }
}
