import Foundation
import GRDB
import RemindersTestSupport

@testable import SQLiteSync
@testable import SQLiteSyncCloud

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
      _ = device.relaunch(upgrading: device.isOld)
      if device.isSignedOut { trace.append(device.signIn(device.device.container.account)) }
    }
    try people.cloud?.removeUnreadable()
    // Longer than what was refused waits, also when a clock was a day ahead.
    fleet.clock.advance(milliseconds: 3 * 86_400_000)
    var rounds = 0
    repeat {
      fleet.clock.advance(milliseconds: 600_000)
      for device in devices {
        let before = device.device.events.count
        try sync(device)
        let known = try watch(device.device.events.dropFirst(before)) + watch()
        if !known.isEmpty { trace += ["\(device.name) heals"] + known }
      }
      rounds += 1
    } while try rounds < 4
      || (rounds < Self.enoughRounds && !(isQuiet() && restlessness().isEmpty))
    try noteEvents()
    try noteLeaks()
    return try findings() + restlessness() + leaks
  }

  /// Those who keep to the rules, and whose devices are to be right in the end.
  private var honest: [SharingDevice] {
    devices.filter { !people.forgers.contains($0.device.container.account) }
  }

  /// What a forger's own devices make of what he did is his affair.
  ///
  /// Where he has damaged a log, its owner repairs it: that needs a device that has read all of it.
  private mutating func sync(_ device: SharingDevice) throws {
    guard people.cloud != nil else { return try device.sync() }
    let result = device.attempt { try $0.sync() }
    trace.append("\(device.name) \(result)")
    guard result.hasPrefix(CloudError.damaged("").label) else { return }
    for device in devices {
      trace.append("\(device.name) repairs: \(device.attempt { try $0.repairCloud() })")
    }
  }

  private func isQuiet() throws -> Bool {
    try honest.allSatisfy { try $0.isQuiet() }
  }

  private mutating func findings() throws -> [String] {
    try noteForsakenRows()
    var findings: [String] = trace.filter { $0.contains("FAILED") }
    for device in honest {
      let own =
        try device.findings(leavingOut: isExposed, rows: isExposed)
        + device.differencesFromCloud(leavingOut: isExposed, rows: isExposed)
        + device.placesTaken(leavingOut: isExposed)
      findings += own.map { "\(device.name): \($0)" }
    }
    let groups = Dictionary(grouping: honest) { $0.device.container.account.rawValue }
    for (account, group) in groups.sorted(by: { $0.key < $1.key }) {
      let exposed = try Set(group.flatMap { try $0.rows(in: isExposed) })
      for other in group.dropFirst() {
        findings += try group[0].differences(from: other) {
          isExposed($0) || exposed.contains($0)
        }.map { "\(account): \($0)" }
      }
    }
    return try findings + lost() + forged() + opened()
      + (fates?.findings(made: made.filter { !isExposed($0) }, there: titles(), tags: tags()) ?? [])
  }

  /// Rows that nobody has, and no history keeps.
  private func lost() throws -> [String] {
    let known = try known()
    return made.filter { !known.contains($0) && !isExposed($0) }.map { "\($0) is lost" }
  }

  private func isExposed(_ zone: ZoneID) -> Bool {
    forsaken.contains(zone) || people.cloud != nil && secrets.isExposed(zone: zone)
  }

  private func isExposed(_ row: String) -> Bool {
    forsakenRows.contains(row) || people.cloud != nil && secrets.isExposed(row: row)
  }

  /// Whoever has rows of a zone that nobody fills again waits for its owner, and keeps them.
  private mutating func noteForsakenRows() throws {
    forsaken = try forsaken.filter { try readableCopies(in: $0)?.isEmpty == true }
    let zones = forsaken.map { "'\($0.path)'" }.joined(separator: ",")
    let sql = """
      SELECT r.primaryKey FROM sync_records r JOIN sync_zones z ON z.id = r.zoneID
      WHERE z.owner || '/' || z.name IN (\(zones))
      """
    for device in devices { forsakenRows.formUnion(try device.device.rows(sql)) }
  }

  /// The keys of the rows that somebody has, or whose deletion a history keeps.
  func known() throws -> Set<String> {
    let sql = "SELECT primaryKey FROM sync_history WHERE field IS NULL"
    return try devices.reduce(into: []) { known, device in
      known.formUnion(try rows(on: device))
      known.formUnion(try device.device.database.inDatabase { try String.fetchSet($0, sql: sql) })
    }
  }

  /// What each row says that somebody has.
  private func titles() throws -> [String: Set<String>] {
    let sql = ["lists", "reminders", "subtasks"].map { "SELECT id || '|' || title FROM \($0)" }
    return try devices.reduce(into: [:]) { titles, device in
      for row in try device.device.rows(sql.joined(separator: " UNION ALL ")) {
        let parts = row.split(separator: "|", maxSplits: 1).map(String.init)
        titles[parts[0], default: []].insert(parts.count > 1 ? parts[1] : "")
      }
    }
  }

  /// The tags on reminders that somebody has.
  private func tags() throws -> Set<String> {
    try devices.reduce(into: []) {
      $0.formUnion(try $1.device.rows("SELECT id FROM reminderTags"))
    }
  }

  /// The keys of the rows that a device has.
  ///
  /// Not in a transaction: a process that died refuses to end one.
  func rows(on device: SharingDevice) throws -> Set<String> {
    let sql = "SELECT id FROM lists UNION SELECT id FROM reminders UNION SELECT id FROM subtasks"
    return try device.device.database.inDatabase { try String.fetchSet($0, sql: sql) }
  }

  /// What one more sync still does.
  ///
  /// Where there are forgers, what they wrote may be looked at again and again.
  private mutating func restlessness() throws -> [String] {
    let facts = people.cloud == nil ? 3 : 2
    let before = try honest.map { try $0.work().prefix(facts) }
    for device in honest { try sync(device) }
    let after = try honest.map { try $0.work().prefix(facts) }
    return before == after ? [] : ["not at rest: \(before), then \(after)"]
  }

  // MARK: - What forgers must not bring about

  /// Looks whether something was opened or uploaded that is none of a forger's business: see
  /// `SharingSecrets`.
  mutating func noteLeaks() throws {
    guard let cloud = people.cloud else { return }
    leaks += cloud.takeGrants().compactMap { secrets.objection(to: $0) }
    for creation in cloud.takeCreations()
    where !people.forgers.contains(cloud.account(of: creation.user)) {
      guard creation.key.prefix.components.last == "log",
        let bytes = try cloud.read(creation.key, limit: CloudLimits.readBytes)
      else { continue }
      let commit = try Commit.read(SealedFile(Array(bytes)))
      let names = creation.key.prefix.components
      guard let owner = AccountID(rawValue: names[1]) else { continue }
      let zone = ZoneID(name: commit.zone, owner: owner)
      for case .save(let record, _) in commit.operations {
        guard case .text(let text)? = record.fields["title"]?.value else { continue }
        if let leak = secrets.objection(to: text, in: zone) { leaks.append(leak) }
      }
    }
  }

  /// Directories in which others may do something else than the share says by now: whoever was
  /// removed is kept out, and whoever was let in can come.
  private func opened() throws -> [String] {
    guard let cloud = people.cloud else { return [] }
    return try honest.flatMap { device in
      let zones = try device.device.synchronizer.zones()
      return try zones.filter { $0.access == .owner && !isExposed($0.log.id) }.flatMap { zone in
        let share = try device.device.database.inDatabase {
          try ZoneShare(of: zone.id, in: $0)?.shareInCloud
        }
        guard share != nil || zone.id == SyncZone.defaultID else { return [String]() }
        let container = CloudContainer(
          store: fleet.store, account: zone.log.id.owner, device: UUID(), app: "watch",
          environment: .live)
        _ = try container.open(expecting: nil)
        let log = container.zone(zone.log.id)
        guard try log.exists() else { return [String]() }
        let protection = ZoneProtection(share, user: cloud.user)
        let directories = protection.directories(of: log.layout, epoch: try log.manifest().epoch)
        return try directories.compactMap { prefix, expected in
          guard let access = try cloud.access(in: prefix), access != expected else { return nil }
          return "\(device.name): \(prefix) lets in \(access), and not \(expected)"
        }
      }
    }
  }

  /// Rows out of the forgers' reach that say something forged, or are where nobody put them.
  private func forged() throws -> [String] {
    guard people.cloud != nil else { return [] }
    return try honest.flatMap { device in
      let rows = try device.device.database.inDatabase { db in
        try Row.fetchAll(
          db,
          sql: """
            SELECT id, title, id AS list FROM lists
            UNION ALL SELECT id, title, listID FROM reminders
            UNION ALL SELECT s.id, s.title, listID FROM subtasks s
              JOIN reminders r ON r.id = reminderID
            """)
      }
      return rows.compactMap { row -> String? in
        let (key, title, list): (String, String, String?) = (row["id"], row["title"], row["list"])
        guard let places = secrets.places(ofRow: key), !secrets.isExposed(row: key),
          secrets.isKnown(row: key, to: device.device.container.account),
          list.map({ !secrets.isExposed(list: $0) || places.contains($0) }) ?? true,
          title == "Forged" || !places.contains(list ?? "")
        else { return nil }
        return "\(device.name) has \(key) as \(title) in \(list ?? "nothing"), not \(places)"
      }
    }
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
      case .sentRecordZoneChanges(_, _, let failed, _):
        if failed.contains(where: { $0.error.code == .permissionFailure }) {
          marks.insert(.refusedByCloud)
        }
      default: break
      }
    }
  }
}
