import GRDB
import Synchronization

/// Lets a process die at one of its commits to its database, and lets nothing be written by it
/// afterwards.
public final class CommitCrash: TransactionObserver, Sendable {
  /// When the process dies.
  public enum Moment: Sendable {
    /// What was written is lost.
    case before
    /// What was written stays, and nobody hears of it.
    case after
  }

  private struct Plan {
    var commits: Int
    let moment: Moment
  }

  private let store: FaultyStore
  private let plan = Mutex<Plan?>(nil)

  /// Deaths of the process whose way to the cloud is `store`.
  public init(of store: FaultyStore) {
    self.store = store
  }

  /// Lets the process die at the `commit`-th commit from now on, counted from 1.
  public func arm(commit: Int, _ moment: Moment) {
    plan.withLock { $0 = Plan(commits: commit, moment: moment) }
  }

  /// Lets it live.
  public func disarm() {
    plan.withLock { $0 = nil }
  }

  /// See `TransactionObserver`.
  public func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }

  /// See `TransactionObserver`.
  public func databaseDidChange(with event: DatabaseEvent) {}

  /// Refuses the commits of a dead process, and the one at which it dies.
  public func databaseWillCommit() throws {
    let dies = plan.withLock { plan in
      plan?.commits -= 1
      return plan?.commits == 0 && plan?.moment == .before
    }
    if dies { store.die() }
    if store.isDown { throw FaultyStore.crash }
  }

  /// Dies with what was written.
  public func databaseDidCommit(_ db: Database) {
    let dies = plan.withLock { $0?.commits == 0 && $0?.moment == .after }
    if dies { store.die() }
  }

  /// See `TransactionObserver`.
  public func databaseDidRollback(_ db: Database) {}
}
