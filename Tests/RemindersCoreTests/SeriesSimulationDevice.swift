import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSync
import SQLiteSyncCloud

@testable import RemindersCore

/// A device in a simulation, with its own way to the cloud.
final class SeriesSimulationDevice {
  /// Something that can be undone.
  struct Step {
    let step: UndoStep
    /// The occurrence that it completed.
    var completed: Occurrence?
  }

  /// The reminder, or what was completed of it.
  struct Occurred {
    let id: Reminder.ID
    let day: String
    let isOpen: Bool
    /// The one that it says it is.
    let occurrence: Occurrence?
  }

  let schema: SchemaVersion
  let faults: RandomFaults
  var steps: [Step] = []
  private let device: SeriesSyncTests.Device
  private let store: FaultyStore
  private let timeZone: TimeZone

  init(_ schema: SchemaVersion, _ cloud: MemoryStore, seed: UInt64, in timeZone: TimeZone) throws {
    (self.schema, self.timeZone) = (schema, timeZone)
    let faults = RandomFaults(seed: seed)
    self.faults = faults
    store = FaultyStore(cloud) { faults.plan($0, canBeStale: false) }
    var environment = CloudEnvironment.live
    environment.pause = { _ in }
    device = try SeriesSyncTests.Device(
      schema, store, timeZone: timeZone, environment: environment)
  }

  var database: AppDatabase { device.database }
  var clock: ManualClock { device.clock }
  var time: LocalTime { LocalTime(now: clock.now, timeZone: timeZone) }

  /// Whatever came of it: here also the second time meets faults.
  func sync() async throws {
    try await device.exchange()
    try await database.rollOver()
    try await device.exchange()
  }

  /// Synchronizes as far as its way to the cloud lets it; returns what that met.
  func syncIfPossible() async throws -> String {
    do {
      try await sync()
      return "everything"
    } catch let error as CloudError
      where [.networkUnavailable, .quotaExceeded].contains(error.code)
    {
      return error.reason
    }
  }

  /// Lets it meet no more faults, and the cloud carry out what it has got.
  func heal() {
    store.landLate()
    store.restart()
  }

  // MARK: - What it has

  func columns(of id: Reminder.ID) throws -> RowChange.Columns? {
    try database.writer.read { db in
      try Row.fetchOne(db, sql: "SELECT * FROM reminders WHERE id = ?", arguments: [id])
        .map { row in Dictionary(uniqueKeysWithValues: row.map { ($0, $1) }) }
    }
  }

  func line(of id: Reminder.ID) throws -> String {
    guard let row = try columns(of: id) else { return "gone" }
    return "\(row.text("dueDate") ?? "no date") status \(row["status"] ?? .null) "
      + (row.text("occurrence") ?? "")
  }

  func parts(of id: Reminder.ID) throws -> [Reminder.ID] {
    guard schema == .current else { return [] }
    return try database.writer.read { db in
      try String.fetchAll(
        db, sql: "SELECT id FROM reminders WHERE parentID = ? ORDER BY title, id", arguments: [id])
    }
  }

  /// All that devices must agree on, as far as a schema has it.
  func rows(in schema: SchemaVersion) throws -> [String] {
    try database.writer.read { db in
      let known = Set(schema.ownColumns + schema.columnFields.map(\.column) + ["id"])
      return try schema.tables.flatMap { table in
        try Row.fetchAll(db, sql: "SELECT * FROM \(table.name)").map { row in
          let names = row.columnNames.filter { table != .reminders || known.contains($0) }
          return "\(table.name) "
            + names.map { "\($0)=\(row[$0] as DatabaseValue)" }
            .joined(separator: " ")
        }
      }.sorted()
    }
  }

  /// The reminder and what was completed of it.
  func series() throws -> [Occurred] {
    try database.writer.read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT id, dueDate, status, occurrence FROM reminders WHERE title = 'Bins'
          ORDER BY dueDate, id
          """
      ).map { row in
        Occurred(
          id: row[0], day: row[1] ?? "", isOpen: row[2] == 0,
          occurrence: Occurrence(stored: row[3]))
      }
    }
  }
}

extension RowChange.Columns {
  /// Whether it is a reminder that is still to be done.
  var isOpen: Bool {
    self["status"] == Reminder.Status.incomplete.rawValue.databaseValue
  }
}
