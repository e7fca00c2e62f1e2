import Foundation
import GRDB

/// The rows of the benchmarks: a table of reminders as an app has it, with an index and a parent.
enum Workload {
  static let tables = ["lists", "reminders"]

  static let schema = """
    CREATE TABLE lists (
      id TEXT PRIMARY KEY NOT NULL,
      title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT ''
    );
    CREATE TABLE reminders (
      id TEXT PRIMARY KEY NOT NULL,
      title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
      notes TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
      dueDate TEXT,
      isFlagged INTEGER NOT NULL ON CONFLICT REPLACE DEFAULT 0,
      priority INTEGER,
      status INTEGER NOT NULL ON CONFLICT REPLACE DEFAULT 0,
      position REAL,
      url TEXT,
      listID TEXT REFERENCES lists (id) ON DELETE CASCADE
    );
    CREATE INDEX remindersByList ON reminders (listID, position);
    INSERT INTO lists (id, title) VALUES ('l', 'Personal');
    """

  private static let insertion = """
    INSERT INTO reminders (id, title, notes, dueDate, isFlagged, priority, status, position, listID)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'l')
    """

  /// The key of a row: as random as a UUID, and the same in every run.
  static func key(_ number: Int) -> String {
    var bits = UInt64(number) &* 0x9e37_79b9_7f4a_7c15
    bits ^= bits >> 29
    return String(
      format: "%08x-%04x-4%03x-8%03x-%012lx",
      UInt32(truncatingIfNeeded: bits), UInt32(bits >> 32 & 0xffff), UInt32(bits >> 48 & 0xfff),
      UInt32(bits >> 20 & 0xfff), UInt(number))
  }

  static func insert(_ numbers: Range<Int>, in db: Database) throws {
    let statement = try db.cachedStatement(sql: insertion)
    for number in numbers {
      try statement.execute(arguments: [
        key(number), "Buy \(number) litres of milk", "From the shop at the corner of the street.",
        "2026-11-21T09:30:00Z", number % 7 == 0, number % 4, 0, Double(number),
      ])
    }
  }

  static func update(_ numbers: Range<Int>, in db: Database) throws {
    let statement = try db.cachedStatement(sql: "UPDATE reminders SET title = ? WHERE id = ?")
    for number in numbers {
      try statement.execute(arguments: ["Buy \(number) pints of milk", key(number)])
    }
  }

  static func delete(_ numbers: Range<Int>, in db: Database) throws {
    let statement = try db.cachedStatement(sql: "DELETE FROM reminders WHERE id = ?")
    for number in numbers { try statement.execute(arguments: [key(number)]) }
  }
}
