import GRDB
import RemindersTestSupport

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// A device of the simulation of sharing: everything about its way to the cloud, its process and
/// its clock may go wrong.
final class SharingDevice {
  let number: Int
  let device: Device
  let process: SimulatedProcess
  /// Whether its version of the app has no subtasks: it does not know what their rows are.
  private(set) var isOld: Bool
  private var needsOpening = false

  /// - Parameter cloud: The cloud as the account's Unix user sees it.
  init(
    number: Int, isOld: Bool, fleet: Fleet, account: AccountID, cloud: any ObjectStore,
    seed: UInt64, births: Births
  ) throws {
    self.number = number
    self.isOld = isOld
    process = SimulatedProcess(cloud: cloud, seed: seed, births: births)
    var schema = Schema.family
    if isOld { schema.tables.removeAll { $0 == Self.laterTable } }
    device = try fleet.device(schema: schema, store: process.store, account: account)
    process.observe(device.database)
  }

  /// The table that the old version does not know.
  static let laterTable = "subtasks"

  var account: AccountID { device.container.account }

  /// As the trace names it.
  var name: String { "\(account) \(number)" }

  /// Lets the engine do something that the cloud, a rule or the end of the process may prevent.
  func attempt(_ body: (Device) throws -> Void) -> String {
    process.begin()
    do {
      if needsOpening { try device.synchronizer.open() }
      needsOpening = false
      try body(device)
      return "done"
    } catch let error as SyncError {
      return "\(error.reason)"
    } catch let error as CloudError where Self.isExpected(error) {
      return error.label + (process.isDead ? ", dies" : "")
    } catch {
      return "FAILED \(error)"
    }
  }

  /// A rule, a fault, or somebody who has not used this cloud yet.
  private static func isExpected(_ error: CloudError) -> Bool {
    SimulatedProcess.isFault(error) || error.reason.hasSuffix(GuardedStore.unreadable)
      || [.permissionFailure, .unknownItem, .notAuthenticated].contains(error.code)
  }

  /// Starts the process anew, with the new version of the app or with the one it had.
  func relaunch(upgrading: Bool = false) -> String {
    process.quit()
    needsOpening = false
    let isSignedOut = isSignedOut
    if upgrading { isOld = false }
    let tables = upgrading ? Schema.family.tables : nil
    let result = attempt {
      try $0.reinstall(tables: tables)
      if !isSignedOut { try $0.synchronizer.open() }
    }
    needsOpening = isSignedOut || result != "done"
    return result
  }

  // MARK: - Accounts

  /// Whether nobody is signed in, as the database says.
  var isSignedOut: Bool {
    do {
      return try device.database.readSnapshot(SyncAccount.init).isSignedOut
    } catch {
      preconditionFailure("The database cannot be read: \(error)")
    }
  }

  /// Signs out, losing what is unsent or not.
  func signOut(losingEdits: Bool) -> String {
    let result = attempt { try $0.signOut(discarding: losingEdits ? .max : 0) }
    return result + (isSignedOut ? whatStayed() : "")
  }

  /// What is left of the account that signed out: nothing should be.
  private func whatStayed() -> String {
    do {
      let rows = try device.contents().filter { !$0.value.isEmpty }
      let metadata = try device.rows("SELECT id FROM sync_records")
      return rows.isEmpty && metadata.isEmpty ? "" : " FAILED: \(rows) stayed, and \(metadata)"
    } catch {
      return " FAILED \(error)"
    }
  }

  /// Signs an account in.
  func signIn(_ account: AccountID) -> String {
    needsOpening = false
    let result = attempt { try $0.signIn(account) }
    needsOpening = true
    return result
  }

  // MARK: - In the end

  /// Synchronizes while nothing goes wrong any more.
  func sync() throws {
    process.begin()
    try device.sync()
  }

  /// How much this device has fetched, sent and written so far.
  func work() throws -> [Int] {
    let writes = try device.database.readSnapshot { $0.totalChangesCount }
    return [device.synchronizer.sentCount, device.synchronizer.fetchedCount, writes]
  }

  /// Whether nothing is left to do.
  func isQuiet() throws -> Bool {
    try device.counts() == SyncCounts() && device.unsettled() == []
  }

  /// What is not settled on this device, but for what concerns zones and rows that are left out.
  func findings(
    leavingOut isLeftOut: (ZoneID) -> Bool, rows isRowLeftOut: (String) -> Bool
  ) throws -> [String] {
    let violations = try device.rows("PRAGMA foreign_key_check")
    return try counts(leavingOut: isLeftOut, rows: isRowLeftOut) + violations
      + quarantined(leavingOut: isLeftOut, rows: isRowLeftOut) + heldAtHome()
      + device.strays().filter { !isRowLeftOut(RecordName.parsing($0).key) }.map { "stray \($0)" }
      + unsettled(leavingOut: isLeftOut) + accessFindings(leavingOut: isLeftOut)
  }

  private func counts(
    leavingOut isLeftOut: (ZoneID) -> Bool, rows isRowLeftOut: (String) -> Bool
  ) throws -> [String] {
    let counts = try device.counts()
    guard counts != SyncCounts() else { return [] }
    let outbox = try counts.pending == 0 ? [] : Array(device.outbox())
    guard try !device.synchronizer.zones().contains(where: { isLeftOut($0.log.id) }) else {
      return outbox.filter {
        !isRowLeftOut(String($0.split(separator: " ")[1].prefix { $0 != ":" }))
      }
    }
    return ["\(counts) \(outbox)"]
  }

  /// Records of which a version is held in the zone in which they live.
  private func heldAtHome() throws -> [String] {
    try device.rows(
      """
      SELECT 'held at home ' || r.primaryKey FROM sync_leftovers l
      JOIN sync_records r ON r.id = l.recordID AND r.zoneID = l.zoneID WHERE r.tag NOTNULL
      """)
  }

  /// Records that wait or are quarantined, and what for.
  private func quarantined(
    leavingOut isLeftOut: (ZoneID) -> Bool, rows isRowLeftOut: (String) -> Bool
  ) throws -> [String] {
    let zones = try device.synchronizer.zones().map(\.log.id).filter(isLeftOut).map(\.path)
    return try device.rows(
      """
      SELECT r.primaryKey, z.owner || '/' || z.name, p.reason, p.needs FROM sync_parked p
      JOIN sync_records r ON r.id = p.recordID LEFT JOIN sync_zones z ON z.id = r.zoneID
      WHERE p.reason IN ('waiting', 'quarantined')
      """
    ).filter { line in
      let needs = line.split(separator: "|").last.map { RecordName.parsing(String($0)).key }
      return !zones.contains { line.contains("|\($0)|") } && needs.map(isRowLeftOut) != true
    }
  }

  private func unsettled(leavingOut isLeftOut: (ZoneID) -> Bool) throws -> [String] {
    let zones = try device.synchronizer.zones().filter { isLeftOut($0.log.id) }.map(\.id)
    return try device.unsettled().filter { line in
      !line.hasPrefix("staleCopy|") || !zones.contains { line.hasSuffix("|\($0)") }
    }
  }

  /// Zones in which this account may do something else than their owners say.
  private func accessFindings(leavingOut isLeftOut: (ZoneID) -> Bool) throws -> [String] {
    try zones(leavingOutDamaged: isLeftOut).compactMap { zone in
      guard zone.access != .owner else { return nil }
      let share = try CloudImage.copies(in: zone.log)[Share.recordName]?.share
      let permission = share?.permission(of: device.container.account)
      return permission?.rawValue == zone.access.rawValue
        ? nil : "\(zone.log.id.path): \(zone.access) is not \(permission ?? .none)"
    }
  }

  /// The zones, but for those that are left out and that a forger has damaged for good, or begun
  /// anew without saying whom they are shared with.
  private func zones(leavingOutDamaged isLeftOut: (ZoneID) -> Bool) throws -> [SyncZone] {
    try device.synchronizer.zones().filter { zone in
      do {
        _ = try CloudImage.copies(in: zone.log)
        return true
      } catch let error as CloudError where isLeftOut(zone.log.id) {
        guard [.internalError, .unknownItem].contains(error.code) else { throw error }
        return false
      }
    }
  }

  /// The keys of the rows that live in zones: also of those whose names only somebody else's have.
  func rows(in isWanted: (ZoneID) -> Bool) throws -> [String] {
    try device.synchronizer.zones().filter { isWanted($0.log.id) }.flatMap { zone in
      try device.rows("SELECT primaryKey FROM sync_records WHERE zoneID = \(zone.id)")
    }
  }

  /// Rows that one device of an account has and another has not, but for those that are left out.
  func differences(
    from other: SharingDevice, leavingOut isLeftOut: (String) -> Bool
  ) throws -> [String] {
    let (mine, theirs) = try (
      contents(leavingOut: isLeftOut), other.contents(leavingOut: isLeftOut)
    )
    return mine.keys.sorted().compactMap { table in
      mine[table] == theirs[table]
        ? nil : "\(table): \(mine[table] ?? []) is not \(theirs[table] ?? [])"
    }
  }

  private func contents(leavingOut isLeftOut: (String) -> Bool) throws -> [String: [String]] {
    try device.contents().mapValues { rows in
      rows.filter { !isLeftOut(String($0.prefix { $0 != "|" })) }
    }
  }

  /// What this device knows otherwise than a reader without a memory finds it in its zones.
  func differencesFromCloud(
    leavingOut isZoneLeftOut: (ZoneID) -> Bool, rows isLeftOut: (String) -> Bool
  ) throws -> [String] {
    let zones = try zones(leavingOutDamaged: isZoneLeftOut).map(\.log)
    let cloud = try CloudImage(cloud: zones, without: held())
    return try CloudImage(of: device).leavingOut(isLeftOut)
      .differences(from: cloud.leavingOut(isLeftOut)).map { [$0] } ?? []
  }

  /// Records that live in more than one zone that this account can see, as a reader without a
  /// memory finds them.
  func placesTaken(leavingOut isLeftOut: (ZoneID) -> Bool) throws -> [String] {
    let held = try held()
    var places: [String: [String]] = [:]
    for zone in try device.synchronizer.zones() where !isLeftOut(zone.log.id) {
      for (name, copy) in try CloudImage.copies(in: zone.log) where name != Share.recordName {
        guard case .record = copy.content, held[zone.log.id]?.contains(name) != true else {
          continue
        }
        places[name, default: []].append(zone.log.id.path)
      }
    }
    return places.filter { $0.value.count > 1 }.map { "\($0.key) is in \($0.value)" }.sorted()
  }

  /// The names of records that somebody put into a zone who has no say about them.
  private func held() throws -> [ZoneID: Set<String>] {
    try device.database.readSnapshot { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT z.name, z.owner, \(RecordName.sql(key: "r.primaryKey", table: "t.name")) AS record
          FROM sync_leftovers l JOIN sync_zones z ON z.id = l.zoneID
          JOIN sync_records r ON r.id = l.recordID JOIN sync_tables t ON t.id = r.tableID
          WHERE l.isHeld
          """)
      return rows.reduce(into: [:]) { held, row in
        guard let owner = AccountID(rawValue: row["owner"]) else { return }
        held[ZoneID(name: row["name"], owner: owner), default: []].insert(row["record"])
      }
    }
  }
}

extension Device {
  /// What `check --cloud --repair` does.
  func repairCloud() throws {
    let states = try synchronizer.zones().compactMap { zone in
      try synchronizer.position(in: zone).token.map {
        CloudCheck.DeviceState(zone: zone.log.id, token: $0)
      }
    }
    for finding in try CloudCheck(container, holding: states).run().findings {
      try CloudRepair(container).repair(finding)
    }
  }
}
