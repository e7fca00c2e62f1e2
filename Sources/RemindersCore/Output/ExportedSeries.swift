import Foundation
import GRDB

/// Which occurrence of its series a reminder is, as its columns say it.
struct ExportedSeries: Sendable {
  /// The text of the column `occurrence`.
  let stored: String
  /// That of `seriesTime`.
  let seriesTime: String?

  /// Of every reminder that says so.
  static func all(_ db: Database) throws -> [Reminder.ID: ExportedSeries] {
    guard try db.schemaVersion.fields.contains(.recurrence) else { return [:] }
    return try Row.fetchAll(
      db, sql: "SELECT id, occurrence, seriesTime FROM reminders WHERE occurrence NOTNULL"
    ).reduce(into: [:]) { series, row in
      try series[row.read(0)] = ExportedSeries(stored: row.read(1), seriesTime: row.read(2))
    }
  }

  /// Nil where another program wrote the text.
  var occurrence: Occurrence? { Occurrence(stored: stored) }

  /// The place by whose clocks the series is due.
  func home(of due: DueDate?) -> TimeZone? {
    SeriesClock.home(of: due, occurrence, seriesTime: seriesTime)
  }
}
