import Foundation
import GRDB
import TestSupport
import Testing

@testable import Cloud
@testable import SQLiteSync

/// A random schedule of three people with five devices who write, move, share, accept, leave and
/// end, while calls fail, processes die at any call or commit, and syncs are cut short.
///
/// Everything follows from the seed. What must be true in the end is in `SharingHealing.swift`.
struct SharingSimulation {
  let fleet: Fleet
  let devices: [SharingDevice]
  var trace: [String] = []
  var marks: Set<SharingMark> = []
  /// The rows that were made, of all tables but those of notes.
  private(set) var made: [String] = []
  private let swarm: SharingSwarm
  private var random: SplitMix64
  private var links: [ShareLink] = []
  private var count = 0

  private static let accounts = ["ann", "ben", "cat"].compactMap(AccountID.init(name:))

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    swarm = SharingSwarm(using: &random)
    let clock = TestClock(seed: seed)
    let births = Births(clock: clock)
    fleet = try Fleet(
      store: MemoryStore(now: { clock.now }), schema: .family, clock: clock)
    var devices: [SharingDevice] = []
    for (number, account) in [0, 0, 1, 1, 2].enumerated() {
      devices.append(
        try SharingDevice(
          number: number, fleet: fleet, account: Self.accounts[account], seed: random.next(),
          births: births))
    }
    self.devices = devices
    try begin()
    for device in devices { device.process.expose(to: swarm.faults) }
  }

  /// Everybody has two lists, and ann shares one of hers.
  private mutating func begin() throws {
    for index in [0, 2, 4] {
      for _ in 0..<2 {
        _ = makeList(on: devices[index])
        for _ in 0..<2 { _ = try insert("reminders", below: "lists", on: devices[index]) }
        _ = try insert("subtasks", below: "reminders", on: devices[index])
      }
    }
    try fleet.settle()
    let participants = [Self.accounts[1]: Share.Permission.write, Self.accounts[2]: .read]
    let link = try devices[0].device.synchronizer.share(
      table: "lists", key: keys("lists", on: devices[0])[0], title: "Ours",
      participants: participants, publicPermission: .none)
    links = [link]
    try fleet.settle()
    for index in [2, 4] { try devices[index].device.synchronizer.accept(link) }
    try fleet.settle()
  }

  /// Runs the schedule, lets everybody recover, and says what is not as it should be.
  mutating func run(steps: Int) throws -> [String] {
    for _ in 0..<steps {
      let device = devices[pick(devices.count)]
      let step = swarm.step(using: &random)
      if device.process.isDead, pick(3) == 0 {
        trace.append("\(device.name) relaunch: \(relaunch(device))")
      }
      guard !device.process.isDead || step == .relaunch else { continue }
      trace.append("\(device.name) \(step): \(try perform(step, on: device))")
      if device.process.isDead { marks.insert(.crashed) }
      trace += try watch()
    }
    return try heal()
  }

  private mutating func pick(_ count: Int) -> Int {
    Int(random.next() % UInt64(max(count, 1)))
  }

  private mutating func pick(_ values: [String]) -> String? {
    values.isEmpty ? nil : values[pick(values.count)]
  }

  // MARK: - What happens

  private mutating func perform(
    _ step: SharingSwarm.Step, on device: SharingDevice
  ) throws -> String {
    guard step.needsNobody || !device.isSignedOut else { return "signed out" }
    switch step {
    case .signOut: return try signOut(device)
    case .signIn: return signIn(device)
    case .makeList: return makeList(on: device)
    case .makeReminder: return try insert("reminders", below: "lists", on: device)
    case .makeSubtask: return try insert("subtasks", below: "reminders", on: device)
    case .makeNote: return try insert("notes", below: "lists", on: device)
    case .rename: return try rename(on: device)
    case .move: return try move(on: device)
    case .delete: return try delete("reminders", on: device)
    case .deleteList: return try delete("lists", on: device)
    case .share, .publish, .permit, .leave, .unshare: return try share(step, on: device)
    case .accept: return try accept(on: device)
    case .reset: return try reset(on: device)
    case .sync: return device.attempt { try $0.sync() }
    case .fetch: return device.attempt { try $0.fetch() }
    case .send: return device.attempt { try $0.send() }
    case .interruptedSync: return interruptedSync(device)
    case .crash: return crash(device)
    case .relaunch: return relaunch(device)
    case .weather: return changeWeather(of: device)
    case .clock:
      device.device.skew = Int64(pick(172_800_000)) - 86_400_000
      return "\(device.device.skew)"
    case .pause: return pause()
    case .checkpoint: return checkpoint(device)
    }
  }

  /// A write that may be refused, because what it is about may only be read.
  private mutating func write(
    _ device: SharingDevice, _ sql: String, _ arguments: [String]
  ) -> String {
    do {
      try device.device.execute(sql, StatementArguments(arguments))
      return sql + " \(arguments)"
    } catch let error as DatabaseError where error.message == SyncEngine.writePermissionError {
      marks.insert(.refusedWrite)
      return "may not"
    } catch {
      return "FAILED \(error)"
    }
  }

  private mutating func next(_ prefix: String) -> String {
    count += 1
    return "\(prefix)\(count)"
  }

  private func keys(_ table: String, on device: SharingDevice) throws -> [String] {
    try device.device.rows("SELECT id FROM \(table) ORDER BY 1")
  }

  private mutating func makeList(on device: SharingDevice) -> String {
    let key = next("l")
    made.append(key)
    return write(device, "INSERT INTO lists VALUES (?, ?)", [key, next("List")])
  }

  private mutating func insert(
    _ table: String, below parent: String, on device: SharingDevice
  ) throws -> String {
    guard let parentKey = pick(try keys(parent, on: device)) else { return "nothing there" }
    let key = next("r")
    let result = write(
      device, "INSERT INTO \(table) VALUES (?, ?, ?)", [key, next("New"), parentKey])
    if table != "notes", result.hasPrefix("INSERT") { made.append(key) }
    return result
  }

  private mutating func rename(on device: SharingDevice) throws -> String {
    let table = ["lists", "reminders", "reminders", "subtasks"][pick(4)]
    guard let key = pick(try keys(table, on: device)) else { return "nothing there" }
    return write(device, "UPDATE \(table) SET title = ? WHERE id = ?", [next("Title"), key])
  }

  private mutating func move(on device: SharingDevice) throws -> String {
    guard let key = pick(try keys("reminders", on: device)),
      let list = pick(try keys("lists", on: device))
    else { return "nothing there" }
    return write(device, "UPDATE reminders SET listID = ? WHERE id = ?", [list, key])
  }

  private mutating func delete(_ table: String, on device: SharingDevice) throws -> String {
    guard let key = pick(try keys(table, on: device)) else { return "nothing there" }
    return write(device, "DELETE FROM \(table) WHERE id = ?", [key])
  }

  // MARK: - What people do together

  private mutating func share(
    _ step: SharingSwarm.Step, on device: SharingDevice
  ) throws -> String {
    guard let list = pick(try keys("lists", on: device)) else { return "nothing there" }
    let account = Self.accounts[pick(Self.accounts.count)]
    let permission = Share.Permission.allCases[1 + pick(2)]
    let isRemoval = pick(4) == 0
    let publicPermission = Share.Permission.allCases[pick(3)]
    var link: ShareLink?
    let result = device.attempt { device in
      let synchronizer = device.synchronizer
      switch step {
      case .permit:
        try synchronizer.setPermissions(
          table: "lists", key: list,
          participants: [account: isRemoval ? .none : permission], publicPermission: nil)
      case .leave: try synchronizer.leave(table: "lists", key: list)
      case .unshare: try synchronizer.unshare(table: "lists", key: list)
      default:
        link = try synchronizer.share(
          table: "lists", key: list, title: list,
          participants: step == .publish ? [:] : [account: permission],
          publicPermission: step == .publish ? publicPermission : .none)
      }
    }
    if let link, !links.contains(link) { links.append(link) }
    if step == .leave, result == "done" { marks.insert(.left) }
    return "\(list) \(account) \(permission) \(result)"
  }

  private mutating func accept(on device: SharingDevice) throws -> String {
    guard !links.isEmpty else { return "nothing there" }
    let link = links[pick(links.count)]
    return link.zone.name + " " + device.attempt { try $0.synchronizer.accept(link) }
  }

  /// The log of a zone is begun anew, as a repair does.
  ///
  /// What only a device had that has signed out since is lost with it.
  private mutating func reset(on device: SharingDevice) throws -> String {
    let zones = try device.device.synchronizer.zones().filter { $0.access == .owner }
    let zone = zones[pick(zones.count)]
    let before = try copies(in: zone.log.id)
    let result = device.attempt { _ in try zone.log.reset(reason: "a test") }
    if try copies(in: zone.log.id).isEmpty {
      let (inZone, known) = (Set(before.keys.map { RecordName.parsing($0).key }), try known())
      made.removeAll { inZone.contains($0) && !known.contains($0) }
    }
    if result == "done" { marks.insert(.reset) }
    return zone.log.id.name + " " + result
  }

  // MARK: - Accounts

  /// What was not sent is lost only if the person says so; and the history goes.
  private mutating func signOut(_ device: SharingDevice) throws -> String {
    guard !device.isSignedOut else { return "is signed out" }
    let losesEdits = pick(3) == 0
    // Who cannot ask the cloud whether it still has everything waits until that is possible.
    let answer = device.attempt { try $0.synchronizer.noticeRebuiltZones() }
    guard answer == "done" else { return answer }
    let lost = try device.device.rows("SELECT r.primaryKey \(SignOut.lostByTheCloud)")
    let history = try device.device.rows(
      "SELECT primaryKey FROM sync_history WHERE field IS NULL")
    let unsent = try device.device.outbox().map {
      $0.split(separator: " ")[1].split(separator: ":")[0]
    }
    let result = device.signOut(losingEdits: losesEdits)
    if device.isSignedOut {
      marks.insert(.signedOut)
      made.removeAll {
        history.contains($0) || lost.contains($0) || unsent.contains(Substring($0))
      }
    } else if result == "unsentEdits" {
      marks.insert(.keptFromSigningOut)
    }
    return result
  }

  private mutating func signIn(_ device: SharingDevice) -> String {
    guard device.isSignedOut else { return "is signed in" }
    let before = device.device.container.account
    // Everybody keeps a device.
    let switches = !device.number.isMultiple(of: 2) && pick(2) == 0
    let account = switches ? Self.accounts[pick(Self.accounts.count)] : before
    let result = device.signIn(account)
    if result == "done" { marks.insert(account == before ? .signedInAgain : .switched) }
    return "\(account) \(result)"
  }

  // MARK: - What goes wrong

  /// The user stops the engine after some batches.
  private mutating func interruptedSync(_ device: SharingDevice) -> String {
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
  private mutating func crash(_ device: SharingDevice) -> String {
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

  private mutating func changeWeather(of device: SharingDevice) -> String {
    let all = RandomFaults.Weather.allCases
    device.process.weather = all[pick(all.count)]
    return "\(device.process.weather)"
  }

  private mutating func pause() -> String {
    let lengths: [Int64] = [100, 5_000, 60_000, 3_600_000, 20 * 3_600_000]
    let length = lengths[pick(lengths.count)]
    fleet.clock.advance(milliseconds: length)
    return "\(length) ms"
  }

  /// A device folds the logs of its account's zones, for those who come later.
  private mutating func checkpoint(_ device: SharingDevice) -> String {
    var isDone = false
    let result = device.attempt { device in
      for zone in try device.synchronizer.zones() where zone.access == .owner {
        if try zone.log.maintain(Self.maintenance).checkpoint != nil { isDone = true }
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
