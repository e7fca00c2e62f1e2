import GRDB
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// Each scenario with a fault at its first call of the store, then at its second, and so on until
/// it has no more calls: afterwards everything is as if nothing had happened.
///
/// SQLite's tests let memory run out in the same way.
struct FaultPointTests {
  /// What goes wrong, once.
  enum Fault: CaseIterable {
    case crashBefore, crashAfter, unreachable, fullDisk, denied, lostDone, lostNotDone, repeated
    case crashBeforeCommit, crashAfterCommit

    var atCall: FaultyStore.Fault? {
      switch self {
      case .crashBefore: .crashBefore
      case .crashAfter: .crashAfter
      case .unreachable: .failure(FaultyStore.lost)
      case .fullDisk: .failure(CloudError(.quotaExceeded, "The disk is full."))
      case .denied: .failure(CloudError(.permissionFailure, "Not permitted."))
      case .lostDone: .unknownDone
      case .lostNotDone: .unknownNotDone
      case .repeated: .repeated
      case .crashBeforeCommit, .crashAfterCommit: nil
      }
    }

    /// The calls at which it makes a difference.
    func strikes(_ kind: FaultyStore.Call.Kind) -> Bool {
      switch self {
      case .crashBefore, .unreachable: true
      case .crashAfter, .denied: kind == .create || kind == .delete
      case .fullDisk, .lostDone, .lostNotDone, .repeated: kind == .create
      case .crashBeforeCommit, .crashAfterCommit: false
      }
    }

    var atCommit: CommitCrash.Moment? {
      switch self {
      case .crashBeforeCommit: .before
      case .crashAfterCommit: .after
      default: nil
      }
    }

    /// Goes wrong at the call or commit of this number while something is done, and never again.
    ///
    /// Returns whether there was such a call or commit, and whether the process died of it.
    func strike(
      _ store: FaultyStore, _ commits: CommitCrash, at number: Int, _ work: () throws -> Void
    ) rethrows -> (happened: Bool, hasDied: Bool) {
      let struck = Mutex(0)
      store.plan { call in
        guard strikes(call.kind) else { return nil }
        return struck.withLock { count in
          count += 1
          return count == number ? atCall : nil
        }
      }
      if let moment = atCommit { commits.arm(commit: number, moment) }
      try work()
      commits.disarm()
      let hasDied = store.isDown
      store.restart()
      return (atCall == nil ? hasDied : struck.withLock { $0 } >= number, hasDied)
    }
  }

  @Test(arguments: Scenario.all, Fault.allCases)
  func nothingIsLostWhereverAFaultStrikes(scenario: Scenario, fault: Fault) throws {
    let beginning = try Beginning(scenario)
    var outcomes: [[String: [String]]] = []
    var happened = true
    // The last performance is undisturbed: there is no such call any more.
    while happened {
      let run = try Run(beginning)
      happened = try run.perform(fault, at: outcomes.count + 1)
      outcomes.append(try run.outcome())
    }
    let expected = outcomes.removeLast()
    for (index, outcome) in outcomes.enumerated() {
      #expect(outcome == expected, "\(fault) at \(index + 1)")
    }
    if fault == .crashBefore {
      #expect(!outcomes.isEmpty, "The scenario never reached the store.")
    }
  }
}

/// Something that one device does while another one is there.
struct Scenario: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Whether the device has opened the cloud and knows what is in it before.
  var isNew = false
  /// What happens before, without faults, to the device and the other one.
  var before: @Sendable (Device, Device) throws -> Void = { _, _ in }
  /// What the device does, where the faults are.
  var act: @Sendable (Device) throws -> Void = { try $0.sync() }

  static let all = [
    Scenario(testDescription: "the first device of a cloud", isNew: true) { ann, _ in
      try insert(ann, "a")
    },
    Scenario(testDescription: "a new device, with rows, of a cloud with others", isNew: true) {
      try insert($0, "a")
      try insert($1, "b")
      try $1.sync()
    },
    Scenario(testDescription: "a commit") { ann, _ in
      try ann.execute("UPDATE lists SET title = 'Family'")
      try insert(ann, "a")
    },
    Scenario(testDescription: "a commit with an asset") { ann, _ in
      try ann.execute("INSERT INTO covers VALUES ('l', zeroblob(9000))")
    },
    Scenario(testDescription: "a deletion") { ann, _ in try ann.execute("DELETE FROM lists") },
    Scenario(testDescription: "a fetch") { _, ben in
      for id in ["a", "b", "c"] {
        try insert(ben, id)
        try ben.sync()
      }
      try ben.execute("DELETE FROM reminders WHERE id = 'a'")
      try ben.sync()
    },
    Scenario(testDescription: "a fetch of an asset") { _, ben in
      try ben.execute("INSERT INTO covers VALUES ('l', zeroblob(9000))")
      try ben.sync()
    },
    Scenario(testDescription: "a conflict") { ann, ben in
      try ben.execute("UPDATE reminders SET title = 'Ben', notes = 'Ben'")
      try ben.sync()
      try ann.execute("UPDATE reminders SET title = 'Ann', dueDate = 1")
    },
    Scenario(testDescription: "a child below a deleted parent") { ann, ben in
      try ben.execute("DELETE FROM lists")
      try ben.sync()
      try insert(ann, "a")
    },
    Scenario(testDescription: "a relaunch with unsent edits") { ann, _ in
      try insert(ann, "a")
    } act: {
      try $0.relaunch()
      try $0.sync()
    },
    Scenario(testDescription: "a checkpoint") {
      try manyCommits($0, $1)
      try $0.sync()
    } act: {
      try maintain($0)
    },
    Scenario(testDescription: "a collection of what is folded") {
      try manyCommits($0, $1)
      try $0.sync()
      try maintain($1)
    } act: {
      try maintain($0)
    },
    Scenario(testDescription: "a new device of a cloud with a checkpoint", isNew: true) {
      try manyCommits($0, $1)
      try maintain($1)
    },
  ]

  private static func insert(_ device: Device, _ id: String) throws {
    try device.execute("INSERT OR IGNORE INTO lists (id, title) VALUES ('l', 'Personal')")
    try device.execute(
      "INSERT INTO reminders (id, title, listID) VALUES (?, 'Haircut', 'l')", [id])
  }

  private static func manyCommits(_: Device, _ ben: Device) throws {
    for id in ["a", "b", "c", "d"] {
      try insert(ben, id)
      try ben.sync()
    }
  }

  /// Folds everything and keeps nothing, at once.
  private static func maintain(_ device: Device) throws {
    var policy = MaintenancePolicy.standard
    policy.commits = 4
    policy.bytes = 0
    policy.keptCommits = 0
    policy.keptCommitAge = 0
    policy.announcement = 0
    _ = try device.zone.maintain(policy)
  }
}

/// What a scenario begins with: made once, and copied for each performance.
private struct Beginning {
  let scenario: Scenario
  let clock = TestClock()
  let store: any ObjectStore
  let ann: Device
  let ben: Device

  init(_ scenario: Scenario) throws {
    self.scenario = scenario
    let clock = clock
    let fleet = try Fleet(
      store: MemoryStore(now: { clock.now }), schema: SimulatedSchema.schema(.old), clock: clock)
    store = fleet.store
    let image = try SimulatedSchema.image(.old)
    ann = try fleet.device(image: image, opens: !scenario.isNew)
    ben = try fleet.device(image: image)
    if !scenario.isNew {
      try ben.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
      try ben.execute("INSERT INTO reminders (id, title, listID) VALUES ('r', 'Haircut', 'l')")
      for device in [ben, ann] { try device.sync() }
    }
    try scenario.before(ann, ben)
  }
}

/// One performance of a scenario, with or without a fault.
private final class Run {
  private let scenario: Scenario
  private let fleet: Fleet
  private let store: FaultyStore
  private let commits: CommitCrash
  private let ann: Device
  private let ben: Device

  init(_ beginning: Beginning) throws {
    scenario = beginning.scenario
    let clock = TestClock(copying: beginning.clock)
    let cloud = MemoryStore(now: { clock.now })
    _ = try CloudCopy(from: beginning.store, to: cloud).run()
    fleet = try Fleet(store: cloud, schema: SimulatedSchema.schema(.old), clock: clock)
    store = FaultyStore(cloud)
    commits = CommitCrash(of: store)
    ann = try fleet.device(copying: beginning.ann, store: store, opens: !scenario.isNew)
    ben = try fleet.device(copying: beginning.ben)
    ann.database.add(transactionObserver: commits, extent: .databaseLifetime)
    store.restart()
  }

  private func perform() throws {
    if scenario.isNew { try ann.synchronizer.open() }
    try scenario.act(ann)
  }

  /// Performs with a fault at the call or commit of this number; false when there is none.
  func perform(_ fault: FaultPointTests.Fault, at number: Int) throws -> Bool {
    var failure: CloudError?
    let (happened, hasDied) = try fault.strike(store, commits, at: number) {
      do {
        try perform()
      } catch let error as CloudError {
        // The fault, as the engine reports it.
        failure = error
      }
    }
    if let failure, !happened { throw failure }
    if hasDied { try ann.relaunch() }
    return happened
  }

  /// What is everywhere once the process runs again and the cloud works.
  func outcome() throws -> [String: [String]] {
    fleet.clock.advance(milliseconds: 2 * SendFailures.holdMilliseconds)
    try ann.synchronizer.open()
    for device in [ann, ben, ann] { try device.sync() }
    let cloud = try CloudImage(cloud: ben.zone)
    for device in [ann, ben] {
      #expect(try CloudImage(of: device).differences(from: cloud) == nil)
      #expect(try device.counts() == SyncCounts())
      #expect(try device.rows("PRAGMA foreign_key_check") == [])
      #expect(try device.rows(SimulatedSchema.lostWithoutTrace) == [])
      #expect(try device.strays() == [])
    }
    #expect(try ann.contents() == ben.contents())
    return try ann.contents()
  }
}

extension Device {
  /// The zone of this device's account.
  var zone: ZoneLog {
    container.zone(ZoneID(name: SyncConfiguration().zone, owner: container.account))
  }
}
