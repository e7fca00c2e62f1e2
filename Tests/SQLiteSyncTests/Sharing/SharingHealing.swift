import GRDB
import TestSupport

@testable import SQLiteSync

/// What must be true of those who share once the trouble is over.
extension SharingSimulation {
  private static let enoughRounds = 12

  /// Lets everybody recover, and says what is not as it should be.
  mutating func heal() throws -> [String] {
    for device in devices {
      noteFaults(of: device)
      device.process.expose(to: RandomFaults.Chances())
      device.process.weather = .fine
      device.device.skew = 0
      _ = relaunch(device)
      if device.isSignedOut { trace.append(device.signIn(device.device.container.account)) }
    }
    // Longer than what was refused waits, also when a clock was a day ahead.
    fleet.clock.advance(milliseconds: 3 * 86_400_000)
    var rounds = 0
    repeat {
      fleet.clock.advance(milliseconds: 600_000)
      for device in devices {
        try device.sync()
        let known = try watch()
        if !known.isEmpty { trace += ["\(device.name) heals"] + known }
      }
      rounds += 1
    } while try rounds < 4 || (rounds < Self.enoughRounds && !isQuiet())
    try noteEvents()
    return try findings() + restlessness()
  }

  private func isQuiet() throws -> Bool {
    try devices.allSatisfy { try $0.isQuiet() }
  }

  private func findings() throws -> [String] {
    var findings: [String] = trace.filter { $0.contains("FAILED") }
    for device in devices {
      let own = try device.findings() + device.differencesFromCloud() + device.placesTaken()
      findings += own.map { "\(device.name): \($0)" }
    }
    let groups = Dictionary(grouping: devices) { $0.device.container.account.rawValue }
    for (account, group) in groups.sorted(by: { $0.key < $1.key }) {
      for other in group.dropFirst() {
        findings += try group[0].differences(from: other).map { "\(account): \($0)" }
      }
    }
    return try findings + lost()
  }

  /// Rows that nobody has, and no history keeps.
  private func lost() throws -> [String] {
    let known = try known()
    return made.filter { !known.contains($0) }.map { "\($0) is lost" }
  }

  /// The keys of the rows that somebody has, or whose deletion a history keeps.
  func known() throws -> Set<String> {
    let sql = """
      SELECT id FROM lists UNION SELECT id FROM reminders UNION SELECT id FROM subtasks
      UNION SELECT primaryKey FROM sync_history WHERE field IS NULL
      """
    // Not a transaction: a process that died refuses to end one.
    return try devices.reduce(into: []) { known, device in
      known.formUnion(try device.device.database.inDatabase { try String.fetchSet($0, sql: sql) })
    }
  }

  /// What one more sync still does.
  private func restlessness() throws -> [String] {
    let before = try devices.map { try $0.work() }
    for device in devices { try device.sync() }
    let after = try devices.map { try $0.work() }
    return before == after ? [] : ["not at rest: \(before), then \(after)"]
  }

  // MARK: - What happened

  private mutating func noteFaults(of device: SharingDevice) {
    for met in device.process.met {
      switch met {
      case .failure: marks.insert(.failedCall)
      case .lostAnswerDone, .lostAnswerNotDone: marks.insert(.lostAnswer)
      default: break
      }
    }
  }

  private mutating func noteEvents() throws {
    for device in devices
    where try device.device.rows("SELECT 1 FROM sync_leftovers WHERE isHeld LIMIT 1") != [] {
      marks.insert(.held)
    }
    for event in devices.flatMap(\.device.events) {
      switch event {
      case .fetchedDatabaseChanges(_, _, .followed): marks.insert(.followed)
      case .fetchedDatabaseChanges(_, _, .deleted): marks.insert(.ended)
      case .fetchedDatabaseChanges(_, _, .expired): marks.insert(.fetchedWhole)
      case .ignoredRecords: marks.insert(.ignored)
      case .sentRecordZoneChanges(_, _, let failed):
        if failed.contains(where: { $0.error.code == .permissionFailure }) {
          marks.insert(.refusedByCloud)
        }
      default: break
      }
    }
  }
}
