import Foundation
import GRDB

/// Where completed reminders are cleared away.
public enum ClearScope: Hashable, Sendable {
  /// In a list, a smart list or a tag.
  case list(ReminderListQuery.Kind)
  /// Among what a search finds.
  case search(SearchQuery)
}

/// How long completed reminders have been left alone, in days.
public enum CompletedAge: Int, CaseIterable, Sendable {
  case any = 0
  case month = 30
  case halfYear = 180
  case year = 365

  /// What has changed since then is younger.
  func limit(in time: LocalTime) -> Date {
    time.start(of: time.today.adding(days: -rawValue))
  }
}

/// Counts the completed reminders that could be cleared away, by how long nothing changed in them.
public struct ClearableQuery: Query {
  /// Where.
  public var scope: ClearScope
  /// Decides how long ago something is.
  public var time: LocalTime

  /// The query for whoever looks at this time.
  public init(_ scope: ClearScope, time: LocalTime) {
    self.scope = scope
    self.time = time
  }

  /// Counts, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> [CompletedAge: Int] {
    var counts: [CompletedAge: Int] = [:]
    for age in CompletedAge.allCases {
      counts[age] = try scope.completed(leftAloneFor: age, in: time, db).count(db)
    }
    return counts
  }
}

extension ClearScope {
  /// The completed reminders there that have not changed for a while.
  func completed(
    leftAloneFor age: CompletedAge, in time: LocalTime, _ db: Database
  ) throws -> Condition {
    let found =
      switch self {
      case .list(let kind): try kind.condition(in: time, db).completed
      case .search(let query): try query.found(db).completed
      }
    let completed = Condition("(\(found.sql)) AND \(try SQL.isWritable(db))", found.arguments)
    // Today's are "any" too, also those of a clock that runs ahead.
    guard age != .any else { return completed }
    return Condition(
      "(\(completed.sql)) AND coalesce(updatedAt, createdAt) < ?",
      completed.arguments + [age.limit(in: time).milliseconds])
  }
}

extension AppDatabase {
  /// Deletes the completed reminders of a place that have not changed for a while.
  public func clearCompleted(
    _ scope: ClearScope, leftAloneFor age: CompletedAge, in time: LocalTime
  ) async throws -> UndoStep {
    try await write { transaction in
      let condition = try scope.completed(leftAloneFor: age, in: time, transaction.db)
      let ids = try String.fetchAll(
        transaction.db, sql: "SELECT id FROM reminders WHERE \(condition.sql) ORDER BY id",
        arguments: condition.arguments)
      // An earlier schema completes a reminder without its open parts: they stay.
      return try transaction.deleteReminders(ids, withSubtasks: false)
    }
  }
}
