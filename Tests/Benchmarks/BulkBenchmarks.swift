import Foundation
import GRDB
import RemindersCore
import SQLiteSync
import SQLiteSyncCloud

/// What a record costs where many come at once: a first upload and a first download, an edit and a
/// deletion of all of them, on a bare table and on the app's own schema, with its search index,
/// counts and orders.
struct BulkBenchmarks {
  let rounds: Int
  private static let lists = 20

  /// A device with one schema or the other.
  private struct Device {
    let place: Place
    let database: any DatabaseWriter
    let engine: SyncEngine
    /// Keeps the app's database, which watches its own file.
    let owner: Any
  }

  /// One schema or the other.
  private struct Kind {
    let name: String
    /// Whose rows are new.
    let tables: [String]
    let goals: (insert: String, upload: String, download: String)
    let device: (Place) throws -> Device
    let insert: @Sendable (Int, Database) throws -> Void
  }

  private let bare = Kind(
    name: "bare table", tables: ["reminders"],
    goals: ("", "; ours must ≤ 50 µs", "; ours must ≤ 30 µs"),
    device: Self.bare, insert: { try Workload.insert(0..<$0, in: $1) })

  private let app = Kind(
    name: "app's schema", tables: PagedCopy.appTables,
    goals: ("; ours must ≤ 60 µs", "; ours must ≤ 60 µs", "; ours must ≤ 90 µs"),
    device: Self.app, insert: Self.insertReminders)

  func run(into report: inout Report) async throws {
    for kind in [bare, app] {
      try await bulk(kind, of: 20_000, rounds: rounds, into: &report)
      try await bulk(kind, of: 100_000, rounds: max(1, rounds / 2), into: &report)
    }
  }

  /// The same once with 1,000,000 records on a bare table, which takes minutes and 2 GB of disk.
  func runMillion(into report: inout Report) async throws {
    try await bulk(bare, of: 1_000_000, rounds: 1, into: &report)
  }

  private func bulk(
    _ kind: Kind, of count: Int, rounds: Int, into report: inout Report
  ) async throws {
    var (insert, copy): ([Resources], [Resources]) = ([], [])
    var (upload, download): ([Resources], [Resources]) = ([], [])
    var later: [String: [Resources]] = [:]
    for _ in 0..<rounds {
      let cloud = try Place()
      let (ann, ben) = (try kind.device(cloud), try kind.device(cloud))
      insert.append(
        try await .measure { try ann.database.write { try kind.insert(count, $0) } })
      let plain = try kind.device(cloud)
      copy.append(
        try await .measure {
          try PagedCopy.run(from: ann.database, tables: kind.tables, into: plain.database)
        })
      upload.append(try await .measure { try await ann.engine.syncChanges() })
      download.append(try await .measure { try await ben.engine.syncChanges() })
      for (change, sql) in Self.changes {
        try await ann.database.write { try $0.execute(sql: sql) }
        for (what, device) in [("sent", ann), ("fetched", ben)] {
          later["\(change), \(what)", default: []].append(
            try await .measure { try await device.engine.syncChanges() })
        }
      }
    }
    let name = "\(kind.name), \(count.formatted(.number.locale(Locale(identifier: "en_US"))))"
    let (base, goals) = (copy.processor(of: count), kind.goals)
    report.add(
      "\(name) records: INSERT … SELECT in pages of 2,000, CPU a record", base,
      against: "SQLite's own cost, with all triggers and capture")
    for (what, measured, goal) in [
      ("INSERT row by row", insert, goals.insert), ("first upload", upload, goals.upload),
      ("first download", download, goals.download),
    ] + later.sorted(by: { $0.key < $1.key }).map({ ($0.key, $0.value, "") }) {
      let processor = measured.processor(of: count)
      report.add(
        "\(name) records: \(what), CPU a record", processor,
        against: "SQLite's own in this run: \(processor.ratio(to: base).text)\(goal)")
      report.add(
        "\(name) records: \(what), written a record", measured.written(of: count),
        against: "SQLite's own in this run \(copy.written(of: count).text)")
      report.add(
        "\(name) records: \(what), memory over the start", measured.memory,
        against: "SQLite's own in this run \(copy.memory.text); ours must ≤ 100 MB")
    }
  }

  /// What is done to all records once both have them.
  private static let changes = [
    ("all edited", "UPDATE reminders SET title = title || '!'"),
    ("all deleted", "DELETE FROM reminders"),
  ]

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

  @Sendable private static func insertReminders(_ count: Int, _ db: Database) throws {
    for list in 0..<lists {
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
        number % 4, Double(number), "list-\(number % lists)",
      ])
    }
  }
}
