import GRDB
import RemindersTestSupport

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// What happens to devices, and what goes wrong.
extension SharingSimulation {
  // MARK: - Accounts

  /// What was not sent is lost only if the person says so; and the history goes.
  mutating func signOut(_ device: SharingDevice) throws -> String {
    guard !device.isSignedOut else { return "is signed out" }
    let losesEdits = pick(3) == 0
    // Who cannot ask the cloud whether it still has everything waits until that is possible.
    let answer = device.attempt { try $0.synchronizer.noticeRebuiltZones() }
    guard answer == "done" else { return answer }
    let lost = try device.device.rows("SELECT r.primaryKey \(MetadataStore.lostByCloud)")
    let history = try device.device.rows(
      "SELECT primaryKey FROM sync_history WHERE field IS NULL")
    let unsent = try device.device.outbox().map {
      $0.split(separator: " ")[1].split(separator: ":")[0]
    }
    let unfilled = try device.device.synchronizer.zones().filter {
      try $0.access == .owner && readableCopies(in: $0.log.id)?.isEmpty == true
    }
    let result = device.signOut(losingEdits: losesEdits)
    if device.isSignedOut {
      marks.insert(.signedOut)
      if losesEdits { forsaken.formUnion(unfilled.map(\.log.id)) }
      try lose(Set(history + lost + unsent.map(String.init)))
    } else if result == "unsentEdits" {
      marks.insert(.keptFromSigningOut)
    }
    return result
  }

  /// Rows that are lost for good, with those of the zones that no device knows of without them.
  mutating func lose(_ keys: Set<String>) throws {
    let known = try known()
    let below = try keys.compactMap(ZoneID.init(path:)).flatMap { zone in
      try readableCopies(in: zone)?.keys.map { RecordName.parsing($0).key } ?? []
    }
    made.removeAll { keys.contains($0) || below.contains($0) && !known.contains($0) }
  }

  mutating func signIn(_ device: SharingDevice) -> String {
    guard device.isSignedOut else { return "is signed in" }
    let before = device.device.container.account
    // Everybody keeps a device.
    let switches = people.cloud == nil && !device.number.isMultiple(of: 2) && pick(2) == 0
    let account = switches ? people.accounts[pick(people.accounts.count)] : before
    let result = device.signIn(account)
    if result == "done" { marks.insert(account == before ? .signedInAgain : .switched) }
    return "\(account) \(result)"
  }

  // MARK: - What goes wrong

  /// A forger writes something somewhere.
  mutating func forge() throws -> String {
    guard let cloud = people.cloud else { return "nobody does" }
    let forgers = people.accounts.filter(people.forgers.contains)
    let account = forgers[pick(forgers.count)]
    let kind = SharingForger.Kind.allCases[pick(SharingForger.Kind.allCases.count)]
    let forger = SharingForger(
      store: cloud.seen(by: cloud.user(of: account) ?? "0"), clock: fleet.clock, account: account,
      world: .init(
        people: people.accounts, zones: secrets.zones, names: secrets.names,
        devices: devices.map(\.device.container.device)))
    let result = forger.forge(kind, using: &random)
    if result.hasPrefix("accounts/") { marks.insert(.forged) }
    return "\(account) \(kind): \(result)"
  }

  /// The user stops the engine after some batches.
  mutating func interruptedSync(_ device: SharingDevice) -> String {
    var batches = pick(5)
    device.device.synchronizer.shouldStop = {
      batches -= 1
      return batches < 0
    }
    let result = device.attempt { try $0.sync() }
    device.device.synchronizer.shouldStop = { false }
    if batches < 0 { marks.insert(.interrupted) }
    return result
  }

  /// The process dies at one of the commits of a sync, or after it.
  mutating func crash(_ device: SharingDevice) -> String {
    let moment: CommitCrash.Moment = pick(2) == 0 ? .before : .after
    let commit = 1 + pick(8)
    device.process.willDie(atCommit: commit, moment)
    let result = device.attempt { try $0.sync() }
    device.process.willLive()
    if device.process.isDead {
      marks.insert(moment == .before ? .crashedBeforeCommit : .crashedAfterCommit)
    }
    return "\(moment) commit \(commit): \(result)"
  }

  func relaunch(_ device: SharingDevice) -> String { device.relaunch() }

  /// The app is updated.
  mutating func upgrade(_ device: SharingDevice) -> String {
    guard device.isOld else { return "is new" }
    marks.insert(.upgraded)
    return device.relaunch(upgrading: true)
  }

  mutating func changeWeather(of device: SharingDevice) -> String {
    let all = RandomFaults.Weather.allCases
    device.process.weather = all[pick(all.count)]
    return "\(device.process.weather)"
  }

  mutating func pause() -> String {
    let lengths: [Int64] = [100, 5_000, 60_000, 3_600_000, 20 * 3_600_000]
    let length = lengths[pick(lengths.count)]
    fleet.clock.advance(milliseconds: length)
    return "\(length) ms"
  }

  /// A device folds the logs of its account's zones, for those who come later.
  mutating func checkpoint(_ device: SharingDevice) -> String {
    var isDone = false
    let result = device.attempt { device in
      for zone in try device.synchronizer.zones() where zone.access == .owner {
        do {
          if try zone.log.maintain(Self.maintenance).checkpoint != nil { isDone = true }
        } catch let error as CloudError where error.code == .userDeletedZone {
          throw CloudError(.unknownItem, "Another device was faster.")
        }
      }
    }
    if isDone { marks.insert(.checkpointed) }
    return result
  }

  /// Folds often, and keeps little: who is away for long has to fetch everything again.
  private static let maintenance: MaintenancePolicy = {
    var policy = MaintenancePolicy.standard
    policy.commits = 4
    policy.bytes = 0
    policy.keptCommits = 2
    policy.keptCommitAge = 0
    return policy
  }()
}
