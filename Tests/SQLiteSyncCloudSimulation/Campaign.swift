import Foundation
import Synchronization

@testable import SQLiteSyncCloud

/// The schedules of consecutive seeds, run on two threads.
struct Campaign {
  /// A schedule in which something was lost.
  struct Failure: Sendable {
    let seed: UInt64
    let violation: String
  }

  struct Outcome: Sendable {
    var count = 0
    /// The failure of the least seed.
    var failure: Failure?
    var marks = [Int](repeating: 0, count: Ledger.Mark.allCases.count)

    /// What never happened.
    var missing: [Ledger.Mark] { Ledger.Mark.allCases.filter { marks[$0.rawValue] == 0 } }

    fileprivate mutating func add(_ schedule: Schedule, _ violation: String?) {
      count += 1
      for (index, count) in schedule.ledger.marks.enumerated() { marks[index] += count }
      if let violation, failure.map({ schedule.seed < $0.seed }) ?? true {
        failure = Failure(seed: schedule.seed, violation: violation)
      }
    }

    fileprivate mutating func add(_ other: Outcome) {
      count += other.count
      marks = zip(marks, other.marks).map(+)
      if let theirs = other.failure, failure.map({ theirs.seed < $0.seed }) ?? true {
        failure = theirs
      }
    }
  }

  /// Runs the schedules of these seeds until one fails.
  static func run(_ seeds: Range<UInt64>, bugs: Set<SeededBug> = []) -> Outcome {
    let total = Mutex(Outcome())
    let next = Mutex(seeds.lowerBound)
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
      let workers = Schedule.makeWorkers()
      var own = Outcome()
      while own.failure == nil {
        let seed = next.withLock { next in
          defer { next += 1 }
          return next
        }
        guard seed < seeds.upperBound else { break }
        let schedule = Schedule(seed: seed, bugs: bugs, workers: workers)
        own.add(schedule, schedule.run())
        if own.failure != nil { next.withLock { $0 = seeds.upperBound } }
      }
      for worker in workers { worker.end() }
      total.withLock { [own] total in total.add(own) }
    }
    return total.withLock { $0 }
  }

  /// What happens in the schedule of a seed, line by line.
  static func trace(_ seed: UInt64, bugs: Set<SeededBug> = []) -> [String] {
    let workers = Schedule.makeWorkers()
    let schedule = Schedule(seed: seed, bugs: bugs, workers: workers, isTraced: true)
    _ = schedule.run()
    for worker in workers { worker.end() }
    return schedule.lines
  }
}
