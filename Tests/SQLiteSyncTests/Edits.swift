import TestSupport

/// Random statements over `Schema.reminders`: few keys, so that devices meet.
enum Edits {
  static func statement(using random: inout SplitMix64) -> String {
    let weighted: [(Int, (inout SplitMix64) -> String)] = [
      (10, insertList), (16, insertReminder), (20, updateReminder), (8, moveReminder),
      (6, deleteReminder), (5, deleteList), (5, updateList), (6, insertTag), (4, deleteTag),
      (10, tagReminder), (5, untagReminder), (4, replaceReminder), (4, upsertReminder),
      (3, renameTag), (5, orphan), (5, foster), (6, node), (2, rekeyReminder), (2, noOp),
      (3, cover),
    ]
    var pick = Int.random(in: 0..<weighted.reduce(0) { $0 + $1.0 }, using: &random)
    for (weight, make) in weighted {
      if pick < weight { return make(&random) }
      pick -= weight
    }
    return noOp(&random)
  }

  private static func id(_ prefix: String, _ random: inout SplitMix64) -> String {
    "'\(prefix)\(Int.random(in: 0..<5, using: &random))'"
  }

  private static func list(_ random: inout SplitMix64) -> String { id("l", &random) }
  private static func reminder(_ random: inout SplitMix64) -> String { id("r", &random) }
  private static func tag(_ random: inout SplitMix64) -> String {
    ["'car'", "'Car'", "'kids'", "'night'"].randomElement(using: &random) ?? "'car'"
  }

  private static func text(_ random: inout SplitMix64) -> String {
    "'\(Int.random(in: 0..<1000, using: &random))'"
  }

  private static func number(_ random: inout SplitMix64) -> String {
    ["NULL", "1", "2", "3", "-9223372036854775808"].randomElement(using: &random) ?? "1"
  }

  /// A list that exists, so that most inserts are accepted.
  private static func anyList(_ random: inout SplitMix64) -> String {
    Bool.random(using: &random)
      ? "(SELECT id FROM lists ORDER BY id LIMIT 1)" : "(SELECT max(id) FROM lists)"
  }

  private static func insertList(_ random: inout SplitMix64) -> String {
    "INSERT OR IGNORE INTO lists (id, title) VALUES (\(list(&random)), \(text(&random)))"
  }

  private static func insertReminder(_ random: inout SplitMix64) -> String {
    """
    INSERT OR IGNORE INTO reminders (id, title, listID) \
    VALUES (\(reminder(&random)), \(text(&random)), \(anyList(&random)))
    """
  }

  private static func updateReminder(_ random: inout SplitMix64) -> String {
    let id = reminder(&random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return "UPDATE reminders SET title = \(text(&random)) WHERE id = \(id)"
    case 1: return "UPDATE reminders SET dueDate = \(number(&random)) WHERE id = \(id)"
    case 2: return "UPDATE reminders SET priority = \(number(&random)) WHERE id = \(id)"
    default:
      return "UPDATE reminders SET notes = \(text(&random)), dueDate = 5 WHERE id = \(id)"
    }
  }

  private static func moveReminder(_ random: inout SplitMix64) -> String {
    "UPDATE reminders SET listID = \(anyList(&random)) WHERE id = \(reminder(&random))"
  }

  private static func deleteReminder(_ random: inout SplitMix64) -> String {
    "DELETE FROM reminders WHERE id = \(reminder(&random))"
  }

  private static func deleteList(_ random: inout SplitMix64) -> String {
    "DELETE FROM lists WHERE id = \(list(&random))"
  }

  private static func updateList(_ random: inout SplitMix64) -> String {
    "UPDATE lists SET title = \(text(&random)) WHERE id = \(list(&random))"
  }

  private static func insertTag(_ random: inout SplitMix64) -> String {
    "INSERT OR IGNORE INTO tags (title) VALUES (\(tag(&random)))"
  }

  private static func deleteTag(_ random: inout SplitMix64) -> String {
    "DELETE FROM tags WHERE title = \(tag(&random))"
  }

  private static func renameTag(_ random: inout SplitMix64) -> String {
    "UPDATE OR IGNORE tags SET title = \(tag(&random)) WHERE title = \(tag(&random))"
  }

  private static func tagReminder(_ random: inout SplitMix64) -> String {
    """
    INSERT OR IGNORE INTO reminderTags (id, reminderID, tagID) VALUES (\(id("j", &random)), \
    (SELECT max(id) FROM reminders), (SELECT title FROM tags ORDER BY title LIMIT 1))
    """
  }

  private static func untagReminder(_ random: inout SplitMix64) -> String {
    "DELETE FROM reminderTags WHERE id = \(id("j", &random))"
  }

  private static func replaceReminder(_ random: inout SplitMix64) -> String {
    """
    INSERT OR REPLACE INTO reminders (id, title, listID) \
    VALUES (\(reminder(&random)), \(text(&random)), \(anyList(&random)))
    """
  }

  private static func upsertReminder(_ random: inout SplitMix64) -> String {
    """
    INSERT INTO reminders (id, title) VALUES (\(reminder(&random)), \(text(&random))) \
    ON CONFLICT DO UPDATE SET title = excluded.title
    """
  }

  private static func rekeyReminder(_ random: inout SplitMix64) -> String {
    "UPDATE OR IGNORE reminders SET id = \(reminder(&random)) WHERE id = \(reminder(&random))"
  }

  private static func orphan(_ random: inout SplitMix64) -> String {
    Bool.random(using: &random)
      ? """
      INSERT OR IGNORE INTO orphans (id, title, listID) \
      VALUES (\(id("o", &random)), \(text(&random)), \(anyList(&random)))
      """
      : "UPDATE orphans SET title = \(text(&random)) WHERE id = \(id("o", &random))"
  }

  private static func foster(_ random: inout SplitMix64) -> String {
    Bool.random(using: &random)
      ? "INSERT OR IGNORE INTO lists (id, title) VALUES ('inbox', 'Inbox')"
      : """
      INSERT OR IGNORE INTO fosters (id, title, listID) \
      VALUES (\(id("f", &random)), \(text(&random)), \(anyList(&random)))
      """
  }

  private static func node(_ random: inout SplitMix64) -> String {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: "DELETE FROM nodes WHERE id = \(id("n", &random))"
    case 1: "UPDATE nodes SET parentID = (SELECT min(id) FROM nodes) WHERE id = \(id("n", &random))"
    default:
      """
      INSERT OR IGNORE INTO nodes (id, title, parentID) \
      VALUES (\(id("n", &random)), \(text(&random)), (SELECT max(id) FROM nodes))
      """
    }
  }

  private static func cover(_ random: inout SplitMix64) -> String {
    let size = Int.random(in: 1..<9000, using: &random)
    return """
      INSERT INTO covers (listID, image) SELECT id, zeroblob(\(size)) FROM lists LIMIT 1 \
      ON CONFLICT DO UPDATE SET image = excluded.image
      """
  }

  private static func noOp(_ random: inout SplitMix64) -> String {
    "UPDATE reminders SET title = title"
  }
}
