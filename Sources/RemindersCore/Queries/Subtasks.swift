import Foundation
import GRDB

/// How many reminders are parts of another, and how many of them are done.
///
/// There is one level: a part has no parts. What is part of something that is gone, in another
/// list, or itself a part, is an ordinary reminder; so whatever devices do to each other's parents,
/// nothing is hidden.
public struct Subtasks: Hashable, Sendable {
  /// All of them.
  public let total: Int
  /// The completed ones.
  public let done: Int

  /// Nil for none.
  init?(total: Int, done: Int) {
    guard total > 0 else { return nil }
    self.total = total
    self.done = done
  }

  /// How many parts a row has, and how many of them are done.
  static func counts(of row: String, in schema: SchemaVersion) -> String {
    guard schema.fields.contains(.parent) else { return "0, 0" }
    let count = """
      SELECT count(*) FROM reminders AS part
      WHERE \(row).parentID IS NULL AND part.parentID = \(row).id
        AND part.remindersListID = \(row).remindersListID
      """
    return "(\(count)), (\(count) AND \(SQL.isCompleted("part")))"
  }
}

extension Subtasks {
  /// Whether any reminder is a part of another.
  static func exist(_ db: Database) throws -> Bool {
    guard try db.schemaVersion.fields.contains(.parent) else { return false }
    let sql = "SELECT EXISTS (SELECT 1 FROM reminders WHERE parentID NOTNULL)"
    return try Bool.fetchOne(db, sql: sql) ?? false
  }

  /// The title of the parent of a row and these counts, for very many rows: nothing is looked up
  /// for each where there are no parts.
  static func columns(
    of row: String, in schema: SchemaVersion, _ db: Database
  ) throws -> String {
    guard try exist(db) else { return "NULL, 0, 0" }
    return """
      (
        SELECT \(SQL.beginning(of: "parent.title")) FROM reminders AS parent
        WHERE parent.id = \(row).parentID AND parent.parentID IS NULL
          AND parent.remindersListID = \(row).remindersListID
      ), \(counts(of: row, in: schema))
      """
  }
}

extension [ReminderRow] {
  /// The same rows, each part below the reminder that it is a part of, if that is among them.
  func underParents() -> [ReminderRow] {
    guard contains(where: { $0.parentTitle != nil }) else { return self }
    let ids = Set(map(\.id))
    func parent(_ row: ReminderRow) -> Reminder.ID? {
      row.parentTitle == nil ? nil : row.parentID.flatMap { ids.contains($0) ? $0 : nil }
    }
    let parts = Dictionary(grouping: self.filter { parent($0) != nil }) { parent($0) }
    return filter { parent($0) == nil }.flatMap { row in
      [row]
        + (parts[row.id] ?? []).map { part in
          var part = part
          part.isUnderParent = true
          return part
        }
    }
  }
}

extension WriteTransaction {
  /// The reminders that are parts of others.
  func subtasks(of ids: [Reminder.ID]) throws -> [Reminder.ID] {
    guard schema.fields.contains(.parent), !ids.isEmpty else { return [] }
    // Each that is asked for is looked up, rather than each that is part of anything.
    return try String.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT part.id FROM json_each(?) AS wanted
          CROSS JOIN reminders AS part ON part.parentID = wanted.value
          JOIN reminders AS parent
            ON parent.id = part.parentID AND parent.remindersListID = part.remindersListID
          WHERE parent.parentID IS NULL ORDER BY wanted.key, part.position, part.id
          """), arguments: [String(decoding: try JSONEncoder().encode(ids), as: UTF8.self)])
  }

  /// The list of the reminder that another is to be a part of.
  ///
  /// - Throws: `AppError` when it cannot be.
  func listOfParent(_ parent: Reminder.ID, for id: Reminder.ID) throws -> DatabaseValue {
    let row = RowID(.reminders, parent)
    let title = try existingTitle(of: row)
    let columns = try state(of: [row])[row] ?? [:]
    guard parent != id, columns["parentID"]?.isNull ?? true, try subtasks(of: [id]).isEmpty else {
      throw AppError(
        .invalidInput, "It cannot be a part of “\(title)”.",
        hint: "A part has no parts itself.")
    }
    return columns["remindersListID"] ?? .null
  }
}
