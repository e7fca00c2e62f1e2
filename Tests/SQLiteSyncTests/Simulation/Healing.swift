import GRDB
import RemindersTestSupport

@testable import SQLiteSync

/// What must hold once the trouble is over: everybody is reachable, alive and right about the time.
extension Simulation {
  private static let enoughRounds = 10

  /// Longer than any back-off, also one that began a day ahead.
  private static let longPause: Int64 = 3 * 86_400_000

  mutating func heal() throws {
    for device in devices {
      marks.formUnion(device.process.met.map(Mark.init))
      device.process.expose(to: RandomFaults.Chances())
      device.process.weather = .fine
      device.process.store.landLate()
      device.wallClock = .ahead(0)
      device.device.skew = 0
      if device.process.isDead { try relaunch(device) }
      if swarm.watching != .never { try oracle.note(device.device) }
    }
    fleet.clock.advance(milliseconds: Self.longPause)
    try comeToRest()
    try checkAgreement()
    if Set(devices.map(\.version)).count > 1 {
      marks.insert(.mixedVersions)
      for device in devices where device.version == .old { try relaunch(device, as: .new) }
      try comeToRest()
      try checkAgreement()
    }
    try checkEqualRows()
    try checkDevices()
    if swarm.watching != .never {
      let lost = try oracle.check(devices.map(\.device))
      if !lost.isEmpty { throw violation("lost edits: \(lost)") }
    }
    try checkThatNothingIsLeftToDo()
    try noteEvents()
  }

  /// Lets all sync until nobody has anything new.
  private mutating func comeToRest() throws {
    for _ in 0..<Self.enoughRounds {
      fleet.clock.advance(milliseconds: 600_000)
      for device in devices { try device.work { try $0.sync() } }
      if try isQuiet() { return }
    }
    let unrest = try devices.map { device in
      """
      \(device.number): \(try device.device.counts()) \
      \(try device.device.rows("SELECT * FROM sync_pending")) \
      \(try device.device.rows("SELECT recordID, reason, needs, error FROM sync_parked"))
      """
    }
    throw violation("not quiet: " + unrest.joined(separator: "\n"))
  }

  private func isQuiet() throws -> Bool {
    let tokens = try devices.map { try $0.device.rows("SELECT token FROM sync_zones") }
    return try Set(tokens).count == 1
      && devices.allSatisfy { try $0.device.counts() == SyncCounts() }
  }

  /// Every device knows exactly what is in the cloud: each value, with its clock.
  private func checkAgreement() throws {
    let cloud = try CloudImage(cloud: devices[0].device.zone)
    for device in devices {
      if let differences = try CloudImage(of: device.device).differences(from: cloud) {
        throw violation("\(device.number) differs from the cloud: \(differences)")
      }
    }
  }

  /// Also where nobody has written: every column has the same default.
  private func checkEqualRows() throws {
    let first = try devices[0].device.contents()
    for device in devices.dropFirst() {
      let other = try device.device.contents()
      for (table, rows) in first where other[table] != rows {
        throw violation("\(table): 0 has \(rows), \(device.number) has \(other[table] ?? [])")
      }
    }
  }

  private func checkDevices() throws {
    for device in devices {
      let expectations: [(String, String, [String])] = [
        ("foreign keys", "PRAGMA foreign_key_check", []),
        ("integrity", "PRAGMA integrity_check", ["ok"]),
        ("search index", SimulatedSchema.indexErrors, []),
        ("lost without a trace", SimulatedSchema.lostWithoutTrace, []),
      ]
      for (name, sql, expected) in expectations {
        let found = try device.device.rows(sql)
        if found != expected { throw violation("\(device.number), \(name): \(found)") }
      }
      let strays = try device.device.strays()
      if !strays.isEmpty { throw violation("\(device.number) has strays: \(strays.sorted())") }
    }
  }

  private func checkThatNothingIsLeftToDo() throws {
    let before = try devices.map(Self.work)
    for device in devices { try device.work { try $0.sync() } }
    let after = try devices.map(Self.work)
    if before != after { throw violation("not at rest: \(before), then \(after)") }
  }

  private static func work(of device: SimulatedDevice) throws -> [Int] {
    let synchronizer = device.device.synchronizer
    let writes = try device.device.database.readSnapshot { $0.totalChangesCount }
    return [synchronizer.sentCount, synchronizer.fetchedCount, writes]
  }

  private mutating func noteEvents() throws {
    for device in devices where try device.device.rows("SELECT 1 FROM losses LIMIT 1") != [] {
      marks.insert(.lostToHistory)
    }
    for event in devices.flatMap(\.device.events) {
      switch event {
      case .merged: marks.insert(.merged)
      case .revived: marks.insert(.revived)
      case .waiting: marks.insert(.waited)
      case .fetchedDatabaseChanges(_, _, .expired): marks.insert(.fetchedWhole)
      case .sentRecordZoneChanges(_, _, let failed, _):
        for failure in failed {
          if failure.error.code == .serverRecordChanged { marks.insert(.serverRecordChanged) }
          if failure.error.code == .referenceViolation { marks.insert(.referenceViolation) }
        }
      case .nextRecordZoneChangeBatch(let changes, _) where changes.count >= 400:
        marks.insert(.splitBatch)
      default: break
      }
    }
  }
}
