import GRDB
import RemindersTestSupport

/// A random edit over `SimulatedSchema`: few keys, so that devices meet.
struct RandomEdit: CustomStringConvertible {
  /// One statement; equal texts are compiled once.
  struct Statement {
    let sql: String
    let arguments: [DatabaseValue]

    init(_ sql: String, _ arguments: (any DatabaseValueConvertible)?...) {
      self.sql = sql
      self.arguments = arguments.map { $0?.databaseValue ?? .null }
    }
  }

  let statements: [Statement]

  func execute(in db: Database) throws {
    for statement in statements {
      try db.cachedStatement(sql: statement.sql)
        .execute(arguments: StatementArguments(statement.arguments))
    }
  }

  var description: String {
    statements.map { "\($0.sql) \($0.arguments)" }.joined(separator: "; ")
  }
}

// MARK: - What can happen

extension RandomEdit {
  init(version: SimulatedSchema.Version, using random: inout SplitMix64) {
    let kinds = version == .new ? Self.kinds + Self.newKinds : Self.kinds
    var pick = Int.random(in: 0..<kinds.reduce(0) { $0 + $1.weight }, using: &random)
    for kind in kinds {
      pick -= kind.weight
      if pick < 0 {
        var values = Values(random: random)
        statements = kind.make(&values)
        random = values.random
        return
      }
    }
    statements = []
  }
}

extension RandomEdit {
  private struct Kind {
    let weight: Int
    let make: @Sendable (inout Values) -> [Statement]

    init(_ weight: Int, _ make: @escaping @Sendable (inout Values) -> [Statement]) {
      self.weight = weight
      self.make = make
    }
  }

  private static let kinds = lists + reminders + keys + tags + others

  private static let lists = [
    Kind(10) {
      [Statement("INSERT OR IGNORE INTO lists (id, title) VALUES (?, ?)", $0.list, $0.text)]
    },
    Kind(5) { [Statement("UPDATE lists SET title = ? WHERE id = ?", $0.text, $0.list)] },
    Kind(2) { _ in [Statement("UPDATE lists SET color = color + 1")] },
    Kind(5) { [Statement("DELETE FROM lists WHERE id = ?", $0.list)] },
    Kind(3) {
      [
        Statement(
          """
          INSERT INTO covers (listID, image) SELECT id, zeroblob(?) FROM lists LIMIT 1
          ON CONFLICT DO UPDATE SET image = excluded.image
          """, $0.size)
      ]
    },
  ]

  private static let reminders = [
    Kind(16) {
      [
        Statement(
          "INSERT OR IGNORE INTO reminders (id, title, listID) VALUES (?, ?, \($0.anyList))",
          $0.reminder, $0.text)
      ]
    },
    Kind(5) { [Statement("UPDATE reminders SET title = ? WHERE id = ?", $0.text, $0.reminder)] },
    Kind(5) {
      [Statement("UPDATE reminders SET dueDate = ? WHERE id = ?", $0.number, $0.reminder)]
    },
    Kind(5) {
      [Statement("UPDATE reminders SET priority = ? WHERE id = ?", $0.number, $0.reminder)]
    },
    Kind(5) {
      [
        Statement(
          "UPDATE reminders SET notes = ?, dueDate = ? WHERE id = ?", $0.text, $0.number,
          $0.reminder)
      ]
    },
    Kind(2) {
      [Statement("UPDATE reminders SET priority = ? WHERE title < ?", $0.number, $0.text)]
    },
    Kind(8) {
      [Statement("UPDATE reminders SET listID = \($0.anyList) WHERE id = ?", $0.reminder)]
    },
    Kind(2) {
      [
        Statement(
          """
          UPDATE reminders SET notes = lists.title, priority = ?
          FROM lists WHERE lists.id = reminders.listID
          """, $0.number)
      ]
    },
    Kind(6) { [Statement("DELETE FROM reminders WHERE id = ?", $0.reminder)] },
    Kind(2) { _ in [Statement("UPDATE reminders SET title = title")] },
  ]

  private static let keys = [
    Kind(4) {
      [
        Statement(
          "INSERT OR REPLACE INTO reminders (id, title, listID) VALUES (?, ?, \($0.anyList))",
          $0.reminder, $0.text)
      ]
    },
    Kind(4) {
      [
        Statement(
          """
          INSERT INTO reminders (id, title) VALUES (?, ?)
          ON CONFLICT DO UPDATE SET title = excluded.title
          """, $0.reminder, $0.text)
      ]
    },
    Kind(3) {
      [
        Statement("UPDATE OR IGNORE reminders SET id = ? WHERE id = ?", $0.reminder, $0.reminder)
      ]
    },
    Kind(3) { values in
      let id = values.reminder
      return [
        Statement("DELETE FROM reminders WHERE id = ?", id),
        Statement("INSERT INTO reminders (id, title) VALUES (?, ?)", id, values.text),
      ]
    },
  ]

  private static let tags = [
    Kind(6) { [Statement("INSERT OR IGNORE INTO tags (title) VALUES (?)", $0.tag)] },
    Kind(4) { [Statement("DELETE FROM tags WHERE title = ?", $0.tag)] },
    Kind(3) {
      [Statement("UPDATE OR IGNORE tags SET title = ? WHERE title = ?", $0.tag, $0.tag)]
    },
    Kind(10) {
      [
        Statement(
          """
          INSERT OR IGNORE INTO reminderTags (id, reminderID, tagID) VALUES (?,
            (SELECT max(id) FROM reminders), (SELECT title FROM tags ORDER BY title LIMIT 1))
          """, $0.id("j"))
      ]
    },
    Kind(5) { [Statement("DELETE FROM reminderTags WHERE id = ?", $0.id("j"))] },
  ]

  private static let others = [
    Kind(3) {
      [
        Statement(
          "INSERT OR IGNORE INTO orphans (id, title, listID) VALUES (?, ?, \($0.anyList))",
          $0.id("o"), $0.text)
      ]
    },
    Kind(2) { [Statement("UPDATE orphans SET title = ? WHERE id = ?", $0.text, $0.id("o"))] },
    Kind(2) { _ in
      [Statement("INSERT OR IGNORE INTO lists (id, title) VALUES ('inbox', 'Inbox')")]
    },
    Kind(3) {
      [
        Statement(
          "INSERT OR IGNORE INTO fosters (id, title, listID) VALUES (?, ?, \($0.anyList))",
          $0.id("f"), $0.text)
      ]
    },
    Kind(3) {
      [
        Statement(
          """
          INSERT OR IGNORE INTO nodes (id, title, parentID)
          VALUES (?, ?, (SELECT max(id) FROM nodes))
          """, $0.id("n"), $0.text)
      ]
    },
    Kind(2) {
      [
        Statement(
          "UPDATE nodes SET parentID = (SELECT min(id) FROM nodes) WHERE id = ?", $0.id("n"))
      ]
    },
    Kind(1) { [Statement("DELETE FROM nodes WHERE id = ?", $0.id("n"))] },
  ]

  /// What only the new version of the app can do.
  private static let newKinds = [
    Kind(6) { [Statement("UPDATE reminders SET url = ? WHERE id = ?", $0.text, $0.reminder)] },
    Kind(4) {
      [Statement("UPDATE reminders SET isFlagged = 1 - isFlagged WHERE id = ?", $0.reminder)]
    },
    Kind(2) {
      [Statement("UPDATE lists SET icon = zeroblob(?) WHERE id = ?", $0.size, $0.list)]
    },
    Kind(6) {
      [
        Statement(
          """
          INSERT OR REPLACE INTO links (id, title, reminderID)
          VALUES (?, ?, (SELECT max(id) FROM reminders))
          """, $0.id("k"), $0.text)
      ]
    },
    Kind(3) { [Statement("DELETE FROM links WHERE id = ?", $0.id("k"))] },
  ]

  /// A list of rows that nobody would type: more than one request may hold.
  static func bulk(_ count: Int) -> RandomEdit {
    let insert = Statement(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      INSERT OR IGNORE INTO nodes (id, title) SELECT 'b' || i, i FROM n
      """, count)
    return RandomEdit(statements: [insert])
  }
}

/// Random values for edits.
private struct Values {
  var random: SplitMix64

  var list: String { mutating get { id("l") } }
  var reminder: String { mutating get { id("r") } }
  var tag: String {
    mutating get { ["car", "Car", "kids", "night"].randomElement(using: &random) ?? "car" }
  }
  var text: String { mutating get { "\(Int.random(in: 0..<1000, using: &random))" } }
  var number: Int64? {
    mutating get { [nil, 1, 2, 3, Int64.min].randomElement(using: &random) ?? nil }
  }
  /// Bytes that lie in a commit, or are too many for it.
  var size: Int { mutating get { Int.random(in: 1..<9000, using: &random) } }
  /// A list that exists, so that most inserts are accepted.
  var anyList: String {
    mutating get {
      Bool.random(using: &random)
        ? "(SELECT id FROM lists ORDER BY id LIMIT 1)" : "(SELECT max(id) FROM lists)"
    }
  }

  mutating func id(_ prefix: String) -> String {
    "\(prefix)\(Int.random(in: 0..<5, using: &random))"
  }
}
