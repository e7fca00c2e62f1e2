import Foundation
import GRDB
import RemindersCore
import SQLiteSync
import SQLiteSyncCloud

/// What a record costs where many come at once, in processor time: a first upload and a first
/// download, on a bare table and on the app's own schema, with its search index, counts and orders.
struct BulkBenchmarks {
  let rounds: Int
  private let count = 20_000
  private static let lists = 20

  /// A device with one schema or the other.
  private struct Device {
    let place: Place
    let database: any DatabaseWriter
    let engine: SyncEngine
    /// Keeps the app's database, which watches its own file.
    let owner: Any
  }

  func run(into report: inout Report) async throws {
    try await bulk(
      "bare table", goals: (upload: "≤ 50", download: "≤ 30"), device: Self.bare,
      insert: { try Workload.insert(0..<count, in: $0) }, into: &report)
    try await bulk(
      "app's schema", goals: (upload: "≤ 60", download: "≤ 90"), device: Self.app,
      insert: insertReminders, into: &report)
  }

  private func bulk(
    _ name: String, goals: (upload: String, download: String),
    device: (Place) throws -> Device, insert: @escaping @Sendable (Database) throws -> Void,
    into report: inout Report
  ) async throws {
    var (own, upload, download): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<rounds {
      let cloud = try Place()
      let (ann, ben) = (try device(cloud), try device(cloud))
      own.append(try Stopwatch.processor { try ann.database.write(insert) } / Double(count))
      upload.append(
        try await Stopwatch.processor { try await ann.engine.syncChanges() } / Double(count))
      download.append(
        try await Stopwatch.processor { try await ben.engine.syncChanges() } / Double(count))
    }
    let insertion = Measurement(rounds: own)
    report.add(
      "\(name): one INSERT of \(count), with capture, CPU", insertion.asTime,
      against: "SQLite's own cost, with the table's triggers")
    for (what, rounds, goal) in [
      ("first upload", upload, goals.upload), ("first download", download, goals.download),
    ] {
      let measured = Measurement(rounds: rounds)
      report.add(
        "\(name): a record of \(count), \(what), CPU", measured.asTime,
        against: "the INSERT in this run: \(measured.ratio(to: insertion).asRatio); \(goal) µs")
    }
  }

  private static func container(_ cloud: Place) -> CloudContainer {
    CloudContainer(
      directory: cloud.url, account: AccountID(userID: getuid()), device: UUID(), app: "bench")
  }

  private static func bare(over cloud: Place) throws -> Device {
    let site = try Site(cloud: cloud)
    return Device(place: site.place, database: site.database, engine: site.engine, owner: site)
  }

  private static func app(over cloud: Place) throws -> Device {
    let place = try Place()
    let app = try AppDatabase(directory: place.url)
    return Device(
      place: place, database: app.writer, engine: try app.engine(for: container(cloud)), owner: app)
  }

  private func insertReminders(_ db: Database) throws {
    for list in 0..<Self.lists {
      try db.execute(
        sql: "INSERT INTO remindersLists (id, title) VALUES (?, ?)",
        arguments: ["list-\(list)", "List \(list)"])
    }
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO reminders (id, title, notes, dueDate, isFlagged, priority, position,
          remindersListID)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """)
    for number in 0..<count {
      try statement.execute(arguments: [
        Workload.key(number), "Buy \(number) litres of milk",
        "From the shop at the corner of the street.", "2026-11-21T09:30:00Z", number % 7 == 0,
        number % 4, Double(number), "list-\(number % Self.lists)",
      ])
    }
  }
}
