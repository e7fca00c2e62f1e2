import Foundation
import GRDB
import RemindersTestSupport
import Synchronization

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// Devices that edit, sync, stop and crash at random over one cloud, and then heal.
///
/// Everything follows from the seed. The engine, the cloud and SQLite are the production ones. The
/// trouble of a seed is its `Swarm`'s; what must hold afterwards is in `Healing.swift`.
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
  let swarm: Swarm
  let fleet: Fleet
  var devices: [SimulatedDevice] = []
  var oracle = Oracle()
  var trace: [String] = []
  var marks: Set<Mark> = []
  private var random: SplitMix64
  private let births: Births

  /// - Parameter plainRun: See `PlainPage`; nil lets half of the seeds do all that can be done in
  ///   bulk that way, and the others as the engine does.
  init(seed: UInt64, steps: Int, plainRun: Int? = nil) throws {
    self.seed = seed
    random = SplitMix64(seed: seed)
    swarm = Swarm(over: Liar(seed: seed), using: &random)
    self.steps = steps * swarm.length
    let clock = TestClock(seed: seed)
    births = Births(clock: clock)
    fleet = try Fleet(store: MemoryStore(now: clock.server(seed: seed)), clock: clock) {
      configuration in
      guard seed.isMultiple(of: 2) || plainRun != nil else { return }
      configuration.plainRun = plainRun ?? 1
      configuration.bulkOfEdits = 1
      configuration.partOfEdits = 4
    }
    for _ in 0..<swarm.deviceCount { try join() }
    marks.insert(swarm.liar.mark)
    if swarm.deviceCount > 4 { marks.insert(.manyDevices) }
    if swarm.length > 1 { marks.insert(.longSchedule) }
    if swarm.bulk > 0 {
      try devices[0].write { try RandomEdit.bulk(swarm.bulk).execute(in: $0) }
    }
  }

  /// Runs the schedule, heals, and checks.
  ///
  /// Throws the first violation.
  mutating func run() throws {
    for step in 0..<steps {
      do {
        try act()
        if let watched = ProcessInfo.processInfo.environment["WATCH"] {
          try trace += devices.filter { !$0.process.isDead }.map {
            "    \($0.number) " + (try $0.device.watch(watched))
          }
        }
      } catch {
        throw Violation(seed: seed, step: step, what: "\(trace.last ?? ""): \(error)")
      }
    }
    do {
      try heal()
    } catch let violation as Violation {
      throw violation
    } catch {
      throw Violation(seed: seed, step: steps, what: "healing: \(error)")
    }
  }

  // MARK: - The schedule

  private mutating func act() throws {
    let device = devices[Int.random(in: 0..<devices.count, using: &random)]
    let step = swarm.step(using: &random)
    if step == .foreignEdit { return try foreignEdit() }
    if step == .forge { return try forge() }
    guard !device.process.isDead else {
      if Int.random(in: 0..<3, using: &random) == 0 { try relaunch(device) }
      return
    }
    switch step {
    case .edit: try edit(device)
    case .sync: try work(device, "sync") { try $0.sync() }
    case .fetch: try work(device, "fetch") { try $0.fetch() }
    case .send: try work(device, "send") { try $0.send() }
    case .interruptedSync: try interruptedSync(device)
    case .relaunch: try relaunch(device)
    case .crash: try crash(device)
    case .upgrade: try relaunch(device, as: .new)
    case .join: if devices.count < Swarm.mostDevices { try join() }
    case .weather: change(&device.process.weather, of: device)
    case .clock: change(&device.wallClock, of: device)
    case .pause: pause()
    case .checkpoint: try checkpoint(device)
    case .foreignEdit, .forge: break
    }
    guard !device.process.isDead else { return }
    let broken = try device.device.database.inDatabase { db in
      try Row.fetchAll(db.cachedStatement(sql: "PRAGMA foreign_key_check"))
    }
    if !broken.isEmpty { throw violation("foreign keys: \(broken)") }
  }

  private mutating func join() throws {
    let number = devices.count
    if number >= swarm.deviceCount { marks.insert(.joinedLate) }
    if marks.contains(.checkpointed) { marks.insert(.joinedFromCheckpoint) }
    trace.append("\(number) joins")
    let device = try SimulatedDevice(
      number: number, fleet: fleet, version: swarm.versions[number % swarm.versions.count],
      swarm: swarm, seed: random.next(), births: births)
    device.process.expose(to: swarm.faults)
    devices.append(device)
  }

  /// One transaction of one to three random edits.
  private mutating func edit(_ device: SimulatedDevice) throws {
    let edits = randomEdits(for: device)
    // Which of them is undone by a savepoint, and whether all of them are by a rollback.
    let undone = swarm.rollsBack ? Int.random(in: 0..<9, using: &random) : .max
    let rollsBack = swarm.rollsBack && Int.random(in: 0..<12, using: &random) == 0
    trace.append("\(device.number) \(edits)\(rollsBack ? " ROLLBACK" : "") \(undone)")
    do {
      try device.write { db in
        for (index, edit) in edits.enumerated() {
          guard index == undone else {
            try edit.execute(in: db)
            continue
          }
          try db.inSavepoint {
            try edit.execute(in: db)
            return .rollback
          }
        }
        if rollsBack { throw RolledBack() }
      }
      if undone < edits.count { marks.insert(.rolledBackToSavepoint) }
    } catch is RolledBack {
      marks.insert(.rolledBack)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      marks.insert(.refusedEdit)
      trace.append("  refused")
    }
    if swarm.watching == .everyEdit { try oracle.note(device.device) }
  }

  private struct RolledBack: Error {}

  private mutating func randomEdits(for device: SimulatedDevice) -> [RandomEdit] {
    (0..<Int.random(in: 1...3, using: &random)).map { _ in
      RandomEdit(version: device.version, using: &random)
    }
  }

  /// Another program writes to the file of the first device, whether its app runs or not.
  private mutating func foreignEdit() throws {
    let edits = randomEdits(for: devices[0])
    trace.append("0 from elsewhere: \(edits)")
    marks.insert(.foreignEdit)
    do {
      try devices[0].writeFromElsewhere { db in for edit in edits { try edit.execute(in: db) } }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      trace.append("  refused")
    }
  }

  // MARK: - The engine's steps

  private mutating func work(
    _ device: SimulatedDevice, _ name: String, _ body: (Device) throws -> Void
  ) throws {
    trace.append("\(device.number) \(name)")
    if swarm.watching != .never { try oracle.note(device.device) }
    do {
      try device.work(body)
    } catch let error as CloudError where SimulatedProcess.isFault(error) {
      trace.append("  \(error.label)\(device.process.isDead ? ", dies" : "")")
    }
  }

  /// The user stops the engine after some batches.
  private mutating func interruptedSync(_ device: SimulatedDevice) throws {
    let synchronizer = device.device.synchronizer
    var batches = Int.random(in: 0...3, using: &random)
    synchronizer.shouldStop = {
      batches -= 1
      return batches < 0
    }
    try work(device, "sync, interrupted after \(batches)") { try $0.sync() }
    if batches < 0 { marks.insert(.interrupted) }
    synchronizer.shouldStop = { false }
  }

  /// The process dies at one of the commits of a sync, or after it.
  private mutating func crash(_ device: SimulatedDevice) throws {
    let moment: CommitCrash.Moment = Bool.random(using: &random) ? .before : .after
    let commit = Int.random(in: 1...4, using: &random)
    if swarm.watching != .never { try oracle.note(device.device) }
    device.process.willDie(atCommit: commit, moment)
    try work(device, "sync, dies \(moment) commit \(commit)") { try $0.sync() }
    device.process.willLive()
    if device.process.isDead {
      marks.insert(moment == .before ? .crashedBeforeCommit : .crashedAfterCommit)
    }
  }

  mutating func relaunch(
    _ device: SimulatedDevice, as version: SimulatedSchema.Version? = nil
  ) throws {
    trace.append("\(device.number) relaunch\(version == nil ? "" : " as the new version")")
    marks.insert(swarm.isOnDisk && device.number == 0 ? .reopenedFile : .relaunched)
    if version != nil, device.version == .old { marks.insert(.upgraded) }
    device.quit()
    // Launching folds, as the engine's other work does.
    if swarm.watching != .never { try oracle.note(device.device) }
    do {
      try device.launch(as: version)
    } catch let error as CloudError where SimulatedProcess.isFault(error) {
      trace.append("  " + error.label)
    }
  }

  /// Some device folds the log into a checkpoint, for those who come later.
  private mutating func checkpoint(_ device: SimulatedDevice) throws {
    let policy = Self.maintenance
    var isDone = false
    try work(device, "checkpoint") { device in
      isDone = try device.zone.maintain(policy).checkpoint != nil
    }
    if isDone { marks.insert(.checkpointed) }
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

  // MARK: - The world

  private mutating func change(
    _ weather: inout RandomFaults.Weather, of device: SimulatedDevice
  ) {
    weather = RandomFaults.Weather.allCases.randomElement(using: &random) ?? .fine
    trace.append("\(device.number) \(weather)")
  }

  private mutating func change(
    _ wallClock: inout SimulatedDevice.WallClock, of device: SimulatedDevice
  ) {
    switch Int.random(in: 0..<4, using: &random) {
    case 1:
      // From a tenth of the speed to thrice of it.
      wallClock = .drifting(
        since: fleet.clock.now, perMille: Int64.random(in: -900...2_000, using: &random))
      marks.insert(.clockDrifted)
    case 0:
      wallClock = .stuck(at: fleet.clock.now)
      marks.insert(.clockStuck)
    default:
      wallClock = .ahead(Int64.random(in: -86_400_000...86_400_000, using: &random))
      marks.insert(.clockJumped)
    }
    trace.append("\(device.number) clock \(wallClock)")
  }

  /// What is not a commit that counts lies at the next number of the log.
  private mutating func forge() throws {
    let kind = Forger.Kind.allCases.randomElement(using: &random) ?? .junk
    guard let forgery = try Forger(fleet).forge(kind) else { return }
    births.note(forgery.path)
    forgery.madeAnew.map { oracle.note($0) }
    trace.append("somebody forges \(forgery.path): \(kind)")
    marks.insert(.forged)
  }

  private mutating func pause() {
    let lengths: [Int64] = [100, 5_000, 60_000, 3_600_000, 20 * 3_600_000]
    let length = lengths.randomElement(using: &random) ?? 0
    trace.append("\(length) ms pass")
    fleet.clock.advance(milliseconds: length)
  }

  func violation(_ what: String) -> Violation {
    Violation(seed: seed, step: steps, what: what)
  }
}
