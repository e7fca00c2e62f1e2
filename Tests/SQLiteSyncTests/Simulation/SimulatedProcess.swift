import GRDB
import RemindersTestSupport
import Synchronization

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// The process of a simulated device: its faulty way to the cloud, and when it dies.
final class SimulatedProcess {
  /// The way to the cloud.
  let store: FaultyStore
  private let faults: RandomFaults
  private let commits: CommitCrash
  private let calls = CallCount()

  /// A process without faults until `expose`; those to come follow from `seed`.
  init(cloud: any ObjectStore, seed: UInt64, births: Births) {
    let faults = RandomFaults(seed: seed)
    let cache = NegativeCache(births: births)
    let calls = calls
    self.faults = faults
    store = FaultyStore(cloud) { call in
      if calls.isTooMany() { return .failure(CallCount.endless) }
      let fault = faults.plan(
        call, canBeStale: cache.canBeStale(call), isListed: { !births.isNew($0) })
      if fault == nil { cache.note(call) }
      return fault
    }
    commits = CommitCrash(of: store)
  }

  /// Lets calls to the cloud fail from now on.
  func expose(to chances: RandomFaults.Chances) { faults.chances = chances }

  var weather: RandomFaults.Weather {
    get { faults.weather }
    set { faults.weather = newValue }
  }

  /// The faults that it met.
  var met: Set<RandomFaults.Met> { faults.met }

  var isDead: Bool { store.isDown }

  /// Begins something that must come to an end: see `CallCount`.
  func begin() { calls.begin() }

  /// Lets the process die at one of its next commits to the database.
  func willDie(atCommit number: Int, _ moment: CommitCrash.Moment) {
    commits.arm(commit: number, moment)
  }

  /// Lets it not die at a commit.
  func willLive() { commits.disarm() }

  /// Ends the process.
  ///
  /// Its database is as it left it.
  func quit() {
    store.revive()
    commits.disarm()
  }

  /// Lets the process die at commits to this database.
  func observe(_ database: DatabaseQueue) {
    database.add(transactionObserver: commits, extent: .databaseLifetime)
  }

  /// Whether an error is what faults may come to.
  ///
  /// Other errors would be the engine's fault.
  static func isFault(_ error: CloudError) -> Bool {
    switch error.code {
    case .networkUnavailable, .accountTemporarilyUnavailable, .quotaExceeded, .zoneNotFound,
      .assetFileNotFound:
      true
    // A commit that a cache hides looks like a hole in the log.
    case .internalError: error.reason.hasSuffix("is missing, and later ones are there.")
    default: false
    }
  }
}

/// Calls to the cloud since something began: what goes on for ever would hang the simulation.
private final class CallCount: Sendable {
  /// Many times as many as the longest sync takes.
  private static let limit = 100_000

  /// What all calls beyond the limit come to: it is no fault that anybody may meet.
  static let endless = CloudError(.internalError, "It never comes to an end.")

  private let count = Mutex(0)

  func begin() { count.withLock { $0 = 0 } }

  /// Counts a call.
  func isTooMany() -> Bool {
    count.withLock { count in
      count += 1
      return count > Self.limit
    }
  }
}
