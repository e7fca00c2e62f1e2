import Foundation
import Testing

@testable import SQLiteSyncCloud
@testable import SQLiteSyncCloudSimulation

/// Random schedules of the production log over a disk that loses power, on devices that stall, die,
/// and get no answer.
///
/// `make simulate-cloud SEED=n SEEDS=n` runs others. A failure prints the schedule of its seed.
@Suite(.serialized) struct ProtocolSimulationTests {
  @Test func noScheduleLosesAnything() {
    let settings = ProcessInfo.processInfo.environment
    let first = settings["SEED"].flatMap(UInt64.init) ?? 1
    let count = settings["SEEDS"].flatMap(UInt64.init) ?? 100_000
    let outcome = Campaign.run(first..<(first + count))
    if let failure = outcome.failure {
      Issue.record(
        """
        \(failure.violation)
        \(Campaign.trace(failure.seed).suffix(200).joined(separator: "\n"))
        Again: make simulate-cloud SEED=\(failure.seed) SEEDS=1
        """)
    } else if count >= 10_000 {
      #expect(outcome.missing.isEmpty, "the schedules are asleep: this never happened")
    }
  }

  @Test func aSeedReplays() {
    for seed: UInt64 in 1...10 {
      let trace = Campaign.trace(seed)
      #expect(trace.count > 50)
      #expect(trace == Campaign.trace(seed))
    }
  }

  /// Bugs that are put in, and the number of schedules among which one must find them.
  static let gate: [(bugs: Set<SeededBug>, budget: UInt64)] = [
    ([.writerIgnoresFloor], 10_000),
    ([.readerIgnoresFloor], 10_000),
    ([.writerIgnoresFloor, .readerIgnoresFloor], 10_000),
    ([.readerIgnoresFloor, .noChain], 10_000),
    ([.noBarrier], 10_000),
    ([.noBarrier, .noChain], 10_000),
    ([.noWriterBarrier], 10_000),
    ([.noMetaBarrier], 10_000),
    ([.noSynchronization], 10_000),
    ([.noReconciliation], 10_000),
    ([.wallClock], 10_000),
    ([.earlierWins], 10_000),
    ([.noAnnouncement], 10_000),
  ]

  @Test(arguments: gate)
  func aBugThatIsPutInIsFound(bugs: Set<SeededBug>, budget: UInt64) {
    let outcome = Campaign.run(1..<(1 + budget), bugs: bugs)
    #expect(outcome.failure != nil, "\(outcome.count) schedules did not find it")
  }

  /// The chain is the second line of defence: without it alone nothing is lost, because readers
  /// wait until a commit is durable and look at the floor.
  @Test func withoutTheChainTheOtherDefencesAreEnough() {
    let outcome = Campaign.run(1..<2_000, bugs: [.noChain])
    #expect(outcome.failure == nil, "\(outcome.failure?.violation ?? "")")
  }
}
