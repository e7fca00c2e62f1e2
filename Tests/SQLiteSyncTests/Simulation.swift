import Cloud
import Foundation
import GRDB
import TestSupport

@testable import SQLiteSync

/// Devices that edit, sync, stop and crash at random over one cloud, and then heal.
///
/// Everything follows from the seed. The engine, the cloud and SQLite are the production ones.
struct Simulation {
  /// What went wrong, and how to see it again.
  struct Violation: Error, CustomStringConvertible {
    let seed: UInt64
    let step: Int
    let what: String

    var description: String {
      "seed \(seed), step \(step): \(what)\nReplay: make simulate SEED=\(seed)"
    }
  }

  let seed: UInt64
  let steps: Int
  private var random: SplitMix64
  private let fleet: Fleet
  private let store: FlakyStore
  private var devices: [Device] = []
  private var oracle = Oracle()
  private(set) var trace: [String] = []

  init(seed: UInt64, steps: Int) throws {
    self.seed = seed
    self.steps = steps
    random = SplitMix64(seed: seed)
    store = FlakyStore(seed: seed)
    fleet = try Fleet(store: store, seed: seed)
    let count = Int.random(in: 2...4, using: &random)
    let isSkewed = Int.random(in: 0..<3, using: &random) == 0
    for _ in 0..<count {
      let device = try fleet.device()
      if isSkewed { device.skew = Int64.random(in: -36_000_000...36_000_000, using: &random) }
      devices.append(device)
    }
    store.faultPercent = [0, 0, 3, 10].randomElement(using: &random) ?? 0
  }

  /// Runs the schedule, heals, and checks.
  ///
  /// Throws the first violation.
  mutating func run() throws {
    for step in 0..<steps {
      do {
        try act(step)
      } catch let violation as Violation {
        throw violation
      } catch {
        throw Violation(seed: seed, step: step, what: "\(trace.last ?? ""): \(error)")
      }
    }
    store.faultPercent = 0
    do {
      try heal()
    } catch let violation as Violation {
      throw violation
    } catch {
      throw Violation(seed: seed, step: steps, what: "healing: \(error)")
    }
  }

  // MARK: - The schedule

  private mutating func act(_ step: Int) throws {
    let index = devices.indices.randomElement(using: &random) ?? 0
    let device = devices[index]
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<55: try edit(device, index)
    case 55..<75: try attempt(device, index, "sync") { try $0.sync() }
    case 75..<85: try attempt(device, index, "fetch") { try $0.fetch() }
    case 85..<95: try attempt(device, index, "send") { try $0.send() }
    default:
      trace.append("\(index) relaunch")
      do {
        try device.relaunch()
      } catch let error as CloudError where Self.isFault(error) {
        trace.append("  " + error.label)
      }
    }
    try check(device, step: step)
    if let watched = ProcessInfo.processInfo.environment["WATCH"] {
      trace.append("    " + (try device.watch(watched)))
    }
  }

  private mutating func attempt(
    _ device: Device, _ index: Int, _ name: String, _ body: (Device) throws -> Void
  ) throws {
    trace.append("\(index) \(name)")
    do {
      try body(device)
    } catch let error as CloudError where Self.isFault(error) {
      trace.append("  " + error.label)
    }
  }

  private static func isFault(_ error: CloudError) -> Bool {
    switch error.code {
    case .networkUnavailable, .accountTemporarilyUnavailable, .quotaExceeded, .permissionFailure:
      true
    default: false
    }
  }

  /// One transaction of one to three random statements; a few are rolled back.
  private mutating func edit(_ device: Device, _ index: Int) throws {
    let count = Int.random(in: 1...3, using: &random)
    let rollsBack = Int.random(in: 0..<12, using: &random) == 0
    var statements: [String] = []
    for _ in 0..<count { statements.append(Edits.statement(using: &random)) }
    trace.append("\(index) \(statements.joined(separator: "; "))\(rollsBack ? " ROLLBACK" : "")")
    do {
      try device.write { db in
        for statement in statements { try db.execute(sql: statement) }
        if rollsBack { throw RolledBack() }
      }
    } catch is RolledBack {
      return
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      trace.append("  refused")
      return
    }
    // Noting folds, so that half of the schedules fold edits one by one and half many at once.
    if seed.isMultiple(of: 2) { try oracle.note(device) }
  }

  private struct RolledBack: Error {}

  // MARK: - The invariants

  private func check(_ device: Device, step: Int) throws {
    let broken = try device.rows("PRAGMA foreign_key_check")
    guard broken.isEmpty else {
      throw Violation(seed: seed, step: step, what: "foreign keys: \(broken)")
    }
  }

  private mutating func heal() throws {
    var rounds = 0
    repeat {
      rounds += 1
      guard rounds <= 10 else { throw violation("not quiet after 10 rounds: \(try unrest())") }
      // Longer than any back-off.
      fleet.clock.advance(milliseconds: 600_000)
      for device in devices { try device.sync() }
    } while try !isQuiet()
    try expectEqual("rows") { try $0.contents().sorted { $0.key < $1.key }.map { "\($0)" } }
    try expectEqual("clocks") { try $0.clocks() }
    try oracle.check(devices[0]) { violation($0) }
    for device in devices { try check(device, step: steps) }
  }

  private func isQuiet() throws -> Bool {
    let tokens = try devices.map { try $0.rows("SELECT token FROM sync_zones") }
    return try Set(tokens).count == 1 && devices.allSatisfy { try $0.counts() == SyncCounts() }
  }

  private func unrest() throws -> String {
    try devices.enumerated().map { index, device in
      """
      \(index): \(try device.counts()) \
      \(try device.rows("SELECT * FROM sync_pending")) \
      \(try device.rows("SELECT recordID, reason, needs, error FROM sync_parked"))
      """
    }.joined(separator: "\n")
  }

  private func expectEqual(_ what: String, _ read: (Device) throws -> [String]) throws {
    let first = try read(devices[0])
    for (index, device) in devices.enumerated().dropFirst() {
      let other = try read(device)
      guard first != other else { continue }
      let onlyFirst = Set(first).subtracting(other).sorted()
      let onlyOther = Set(other).subtracting(first).sorted()
      throw violation("\(what) differ: 0 has \(onlyFirst), \(index) has \(onlyOther)")
    }
  }

  private func violation(_ what: String) -> Violation {
    Violation(seed: seed, step: steps, what: what)
  }
}

extension Device {
  /// What the device knows of the records with a key: for `WATCH=key make simulate SEED=…`.
  func watch(_ key: String) throws -> String {
    try database.read { db in
      let ids = try Int64.fetchAll(
        db, sql: "SELECT id FROM sync_records WHERE primaryKey = ?", arguments: [key])
      return try ids.map { id in
        let record = try MetadataStore(db: db).record(id: id)
        let pending = try MetadataStore(db: db).pending(of: id)
        let table = synchronizer.tables.tables.first { $0.id == record?.tableID }
        let row = try table.flatMap { try RowStore(db: db, table: $0).values(ofKey: key) }
        return "\(table?.name ?? "?") \(row ?? [:]) life \(record?.life.rawValue ?? 0) "
          + "death \(record?.death?.rawValue ?? 0) "
          + "\(record?.exceptions.mapValues(\.rawValue) ?? [:]) "
          + "tag \(record?.tag?.description ?? "-") \(pending.map { "\($0)" } ?? "sent")"
      }.joined(separator: " / ")
    }
  }

  /// Each live record's change tag and the clocks of its fields.
  func clocks() throws -> [String] {
    try database.read { db in
      let tables = synchronizer.tables
      return try Int64.fetchAll(db, sql: "SELECT id FROM sync_records").compactMap { id in
        guard let record = try MetadataStore(db: db).record(id: id), record.isAlive,
          let table = tables.tables.first(where: { $0.id == record.tableID })
        else { return nil }
        let fields = table.columns.map { "\($0.name)@\(record.clock(of: $0.name).rawValue)" }
        return "\(table.recordName(of: record.key)) \(record.tag?.description ?? "-") "
          + "\(record.life.rawValue) " + fields.sorted().joined(separator: " ")
      }.sorted()
    }
  }
}

/// Remembers the greatest clock that was ever written to each field, and with which value.
struct Oracle {
  private struct Edit {
    var clock: FieldClock
    var value: String
  }

  private var greatest: [String: Edit] = [:]
  /// Records that were deleted at some time, somewhere: an edit may have been lost to the deletion.
  private var deleted: Set<String> = []

  /// Folds what was edited and notes it.
  mutating func note(_ device: Device) throws {
    try device.synchronizer.foldEdits()
    let edits = try device.database.read { db in try Self.fields(of: device, db) }
    for (field, clock, value) in edits where clock > greatest[field]?.clock ?? .zero {
      greatest[field] = Edit(clock: clock, value: value)
    }
    try deleted.formUnion(Self.deaths(of: device))
  }

  /// Every field of a living row has at least the greatest clock that was noted for it, and its
  /// value if it is that very edit.
  ///
  /// A row that was deleted in between may have lost an edit to the deletion.
  func check(_ device: Device, violation: (String) -> any Error) throws {
    let deleted = try deleted.union(Self.deaths(of: device))
    for (field, clock, value) in try device.database.read({ try Self.fields(of: device, $0) }) {
      guard let edit = greatest[field] else { continue }
      let record = field.split(separator: "\t")[0]
      if clock < edit.clock, !deleted.contains(String(record)) {
        throw violation("\(field) has clock \(clock), and \(edit.clock) was written: \(edit.value)")
      }
      if clock == edit.clock, value != edit.value {
        throw violation("\(field) is \(value), and \(edit.value) was written at its clock")
      }
    }
  }

  private static func deaths(of device: Device) throws -> [String] {
    try device.rows(
      """
      SELECT t.name || ' ' || r.primaryKey FROM sync_records r
      JOIN sync_tables t ON t.id = r.tableID WHERE r.death IS NOT NULL
      """)
  }

  private static func fields(
    of device: Device, _ db: Database
  ) throws -> [(String, FieldClock, String)] {
    try device.synchronizer.tables.tables.flatMap { table in
      let keys = try String.fetchAll(
        db, sql: "SELECT primaryKey FROM sync_records WHERE tableID = ?", arguments: [table.id])
      return try keys.flatMap { key -> [(String, FieldClock, String)] in
        guard let values = try RowStore(db: db, table: table).values(ofKey: key),
          let record = try MetadataStore(db: db).record(tableID: table.id, key: key)
        else { return [] }
        return values.map {
          ("\(table.name) \(key)\t\($0.key)", record.clock(of: $0.key), "\($0.value)")
        }
      }
    }
  }
}
