import GRDB

/// On which side of another row.
public enum Place: Hashable, Sendable {
  /// Directly above.
  case before
  /// Directly below.
  case after
}

extension AppDatabase {
  /// Puts a reminder directly before or after another in the manual order.
  ///
  /// - Throws: `AppError` when either does not exist.
  public func moveReminder(
    _ id: Reminder.ID, _ place: Place, _ other: Reminder.ID
  ) async throws -> UndoStep {
    try await write {
      try $0.move(RowID(.reminders, id), place, RowID(.reminders, other))
    }
  }

  /// Puts a list directly before or after another.
  ///
  /// - Throws: `AppError` when either does not exist.
  public func moveList(
    _ id: RemindersList.ID, _ place: Place, _ other: RemindersList.ID
  ) async throws -> UndoStep {
    try await write {
      try $0.move(RowID(.remindersLists, id), place, RowID(.remindersLists, other))
    }
  }
}

/// A row and its place.
struct Placed: Equatable {
  var key: String
  var position: Double
}

/// The positions that put a row directly after another: one edit where there is room between it
/// and the next, and otherwise as few of the following rows moved along as make some.
///
/// - Parameters:
///   - anchor: The position to come after.
///   - following: The first rows after it, in order.
///   - isAll: Whether there are no others.
/// - Returns: Nil when there is no room among the rows given.
func positions(
  putting key: String, after anchor: Double, following: [Placed], isAll: Bool
) -> [Placed]? {
  // Halving a gap over and over reaches the precision of a double after fifty times.
  let smallest = max(abs(anchor), 1) * 1e-9
  for count in 0...following.count {
    let step: Double
    if count < following.count {
      step = (following[count].position - anchor) / Double(count + 2)
    } else if isAll {
      // Where numbers are so large that one more makes no difference, a larger step.
      step = max(1, smallest)
    } else {
      break
    }
    guard step >= smallest else { continue }
    return ([key] + following.prefix(count).map(\.key)).enumerated().map {
      Placed(key: $1, position: anchor + step * Double($0 + 1))
    }
  }
  return nil
}

extension WriteTransaction {
  fileprivate func move(_ row: RowID, _ place: Place, _ other: RowID) throws -> UndoStep {
    let label = "Moved “\(try existingTitle(of: row))” \(place) “\(try existingTitle(of: other))”"
    guard row != other else { return UndoStep(label: label, changes: []) }
    let isView = row.table == .remindersLists && schema.hasListViews
    if !isView { try settlePlaces(in: row.table) }
    let placed = try places(putting: row, place, other)
    let rows = placed.map { RowID(isView ? .listViews : row.table, $0.key) }
    return try recording(label, touching: rows, leavesNotes: true) { inserted in
      for (row, place) in zip(rows, placed) {
        let columns = ["position": place.position.databaseValue]
        if isView {
          if try setView(of: row.key, columns) { inserted.append(row) }
        } else {
          try update(row, columns)
        }
      }
    }
  }

  /// The greatest place that rows are moved among.
  private static let most = AppTriggers.greatestPosition / 10

  /// Others may write rows without a place; they are shown as if they were at 0.
  ///
  /// And some that are at infinity, which has nothing after it.
  private func settlePlaces(in table: AppTable) throws {
    for rows in stretches(of: table) {
      try db.execute(
        sql: """
          UPDATE \(table.name) SET position = 0 WHERE \(rows) AND position IS NULL;
          UPDATE \(table.name) SET position = \(Self.most)
          WHERE \(rows) AND position > \(Self.most);
          UPDATE \(table.name) SET position = -\(Self.most)
          WHERE \(rows) AND position < -\(Self.most);
          """)
    }
  }

  /// Conditions on the rows of a table that each have an index by place.
  private func stretches(of table: AppTable) -> [String] {
    table == .reminders ? [0, 1].map { "\(SQL.isCompleted) = \($0)" } : ["TRUE"]
  }

  /// Rows with their places: of lists those that the person sees, as they would be settled.
  private func places(in table: AppTable) -> String {
    guard table == .remindersLists, schema.hasListViews else { return table.name }
    return """
      (
        SELECT id, max(-\(Self.most), min(\(Self.most), coalesce(position, 0))) AS position
        FROM \(SQL.lists(in: schema))
      )
      """
  }

  private func places(putting row: RowID, _ place: Place, _ other: RowID) throws -> [Placed] {
    let target = try neighbours(of: other, ">=", "ASC", except: row, limit: 1)
    var anchor = target.first
    if place == .before {
      anchor = try neighbours(of: other, "<", "DESC", except: row, limit: 1).first
    }
    var limit = 4
    while true {
      let following = try anchor.map {
        try neighbours(of: RowID(row.table, $0.key), ">", "ASC", except: row, limit: limit)
      }
      // Before the first row there is always room.
      let first = target[0].position
      let after = anchor?.position ?? (first - max(2, abs(first) * 1e-8))
      if let places = positions(
        putting: row.key, after: after, following: following ?? target,
        isAll: (following?.count ?? limit) < limit)
      {
        return places
      }
      limit *= 4
    }
  }

  /// The rows on one side of another in the manual order, the nearest first.
  private func neighbours(
    of other: RowID, _ comparison: String, _ direction: String, except row: RowID, limit: Int
  ) throws -> [Placed] {
    let places = places(in: row.table)
    let nearest = "ORDER BY position \(direction), id \(direction) LIMIT \(limit)"
    let found = stretches(of: row.table).map { rows in
      """
      SELECT * FROM (
        SELECT id, position FROM \(places)
        WHERE \(rows) AND (position, id) \(comparison)
          (SELECT position, id FROM \(places) WHERE id = ?1) AND id <> ?2
        \(nearest)
      )
      """
    }
    return try Row.fetchAll(
      db, sql: "\(found.joined(separator: " UNION ALL ")) \(nearest)",
      arguments: [other.key, row.key]
    ).map { try Placed(key: $0.read("id"), position: $0.read("position")) }
  }

  /// The title of a list or reminder.
  ///
  /// - Throws: `AppError` when it does not exist.
  func existingTitle(of row: RowID) throws -> String {
    guard
      let title = try String.fetchOne(
        db.cachedStatement(
          sql: "SELECT substr(title, 1, \(longestTitle)) FROM \(row.table.name) WHERE id = ?"),
        arguments: [row.key])
    else {
      let kind = row.table == .remindersLists ? "list" : "reminder"
      throw AppError(
        .noSuchItem, "That \(kind) is not there any more.",
        hint: "It may have been deleted on another device.")
    }
    return title.shortened(to: 200)
  }
}
