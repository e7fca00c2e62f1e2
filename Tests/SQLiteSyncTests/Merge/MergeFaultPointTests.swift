import GRDB
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// An increment that is sent with a fault at the first call of the store or commit to the database,
/// then at the second, and so on: whatever the others do before its device hears what came of it,
/// it counts once.
struct MergeFaultPointTests {
  /// What happens between the fault and the next sync.
  enum Meanwhile: CaseIterable {
    case nothing
    /// Another device counts on, over what came of the increment.
    case other
    /// The same, and the log is folded: the increment's own commit is not in it any more.
    case otherAndFold
    /// This device counts on, before or after the others.
    case editThenOther, editThenOtherAndFold, otherThenEdit

    var edits: Int64 { self == .nothing || self == .other || self == .otherAndFold ? 0 : 100 }
    var others: Int64 { self == .nothing ? 0 : 10 }
    var folds: Bool { self == .otherAndFold || self == .editThenOtherAndFold }
  }

  @Test(arguments: FaultPointTests.Fault.allCases, Meanwhile.allCases)
  func incrementCountsOnce(fault: FaultPointTests.Fault, meanwhile: Meanwhile) throws {
    let beginning = try Beginning()
    var number = 0
    var happened = true
    while happened {
      number += 1
      let run = try Run(beginning, meanwhile)
      happened = try run.perform(fault, at: number)
      try run.check("\(fault) at \(number), \(meanwhile)")
    }
    #expect(number > 1)
  }

  /// Two devices that have counted, and an increment that is unsent: made once, and copied for each
  /// performance.
  private struct Beginning {
    let clock = TestClock()
    let cloud: MemoryStore
    let ann: Device
    let ben: Device

    init() throws {
      let clock = clock
      cloud = MemoryStore(now: { clock.now })
      let fleet = try Self.fleet(over: cloud, clock)
      (ann, ben) = try fleet.pair()
      try ann.execute("INSERT INTO counters (id, value) VALUES ('c', 5)")
      try fleet.settle()
      try ben.execute("UPDATE counters SET name = 'known to both'")
      try fleet.settle()
      try ann.execute("UPDATE counters SET value = value + 1")
    }

    static func fleet(over cloud: MemoryStore, _ clock: TestClock) throws -> Fleet {
      try Fleet(store: cloud, schema: MergeSimulation.schema, clock: clock) {
        $0.mergePolicies = MergeSimulation.policies
      }
    }
  }

  private final class Run {
    private let meanwhile: Meanwhile
    private let fleet: Fleet
    private let store: FaultyStore
    private let commits: CommitCrash
    private let ann: Device
    private let ben: Device

    init(_ beginning: Beginning, _ meanwhile: Meanwhile) throws {
      self.meanwhile = meanwhile
      let clock = TestClock(copying: beginning.clock)
      let cloud = MemoryStore(now: { clock.now })
      _ = try CloudCopy(from: beginning.cloud, to: cloud).run()
      fleet = try Beginning.fleet(over: cloud, clock)
      store = FaultyStore(cloud)
      commits = CommitCrash(of: store)
      ann = try fleet.device(copying: beginning.ann, store: store)
      ben = try fleet.device(copying: beginning.ben)
      ann.database.add(transactionObserver: commits, extent: .databaseLifetime)
      store.restart()
    }

    private func count(_ amount: Int64, on device: Device) throws {
      try device.execute("UPDATE counters SET value = value + ?", [amount])
    }

    func perform(_ fault: FaultPointTests.Fault, at number: Int) throws -> Bool {
      var failure: CloudError?
      let (happened, hasDied) = try fault.strike(store, commits, at: number) {
        do {
          try ann.sync()
        } catch let error as CloudError {
          failure = error
        }
      }
      if let failure, !happened { throw failure }
      if meanwhile.edits > 0, meanwhile != .otherThenEdit { try count(meanwhile.edits, on: ann) }
      if meanwhile.others > 0 {
        try ben.fetch()
        try count(meanwhile.others, on: ben)
        try ben.sync()
        if meanwhile.folds { try fold() }
      }
      if meanwhile == .otherThenEdit { try count(meanwhile.edits, on: ann) }
      if hasDied { try ann.relaunch() }
      return happened
    }

    /// Folds everything and keeps nothing, at once.
    private func fold() throws {
      var policy = MaintenancePolicy.standard
      policy.commits = 1
      policy.bytes = 0
      policy.keptCommits = 0
      policy.keptCommitAge = 0
      policy.announcement = 0
      for _ in 0..<2 { _ = try ben.zone.maintain(policy) }
    }

    func check(_ what: String) throws {
      fleet.clock.advance(milliseconds: 2 * SendFailures.holdMilliseconds)
      try ann.synchronizer.open()
      for device in [ann, ben, ann] { try device.sync() }
      for device in [ann, ben] {
        #expect(
          try device.rows("SELECT value FROM counters")
            == ["\(6 + meanwhile.edits + meanwhile.others)"], "\(what)")
        #expect(try device.rows("SELECT * FROM sync_bases") == [], "\(what)")
        #expect(try device.counts() == SyncCounts(), "\(what)")
      }
    }
  }
}
