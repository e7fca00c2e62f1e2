import Foundation
import RemindersTestSupport
import Testing

/// Random schedules of devices over one cloud: see `Simulation`.
///
/// `make simulate` runs more of them, and one again: SEED=n, SEEDS=n, FROM=n, STEPS=n, WATCH=key.
struct SimulationTests {
  /// As many as there are cores to run them.
  private static let lanes = 2
  private static let environment = ProcessInfo.processInfo.environment
  private static let steps = number("STEPS").flatMap(Int.init(exactly:)) ?? 80
  /// From which number of seeds on everything must have happened in one of them.
  private static let manySeeds = 1_000

  @Test func devicesAgreeWhateverHappens() async throws {
    let first = Self.number("FROM") ?? 1
    let seeds =
      Self.number("SEED").map { $0...$0 } ?? first...(first + (Self.number("SEEDS") ?? 1_500) - 1)
    let left = Seeds(seeds)
    let result = await withTaskGroup(of: Result.self) { group in
      for _ in 0..<Self.lanes {
        group.addTask { Self.run(left, isVerbose: seeds.count == 1) }
      }
      return await group.reduce(into: Result()) { $0.add($1) }
    }
    print(failureRate(schedules: seeds.count, failures: result.failures))
    if seeds.count >= Self.manySeeds {
      #expect(Set(Mark.allCases).subtracting(result.marks) == [], "The simulation is asleep.")
    }
  }

  @Test(arguments: [UInt64(1), 2, 3, 4, 5])
  func aSeedIsReplayedExactly(seed: UInt64) throws {
    var (first, second) = (
      try Simulation(seed: seed, steps: Self.steps), try Simulation(seed: seed, steps: Self.steps)
    )
    try first.run()
    try second.run()
    #expect(first.trace == second.trace)
    #expect(first.marks == second.marks)
  }

  /// What came of many seeds.
  private struct Result {
    var marks: Set<Mark> = []
    var failures = 0

    mutating func add(_ other: Result) {
      marks.formUnion(other.marks)
      failures += other.failures
    }
  }

  @Test func provedFailureRateFollowsRuleOfThree() {
    #expect(
      failureRate(schedules: 1_500, failures: 0)
        == "1500 schedules, 0 failures: fewer than 1 in 500 fail, at 95 % confidence")
    #expect(failureRate(schedules: 1, failures: 0).hasSuffix("too few to prove anything"))
    #expect(failureRate(schedules: 1_500, failures: 2) == "1500 schedules, 2 failures")
  }

  private static func run(_ seeds: Seeds, isVerbose: Bool) -> Result {
    var result = Result()
    while let seed = seeds.next() {
      do {
        var simulation = try Simulation(seed: seed, steps: steps)
        defer {
          result.marks.formUnion(simulation.marks)
          if isVerbose { print(simulation.trace.joined(separator: "\n")) }
        }
        try simulation.run()
      } catch {
        result.failures += 1
        Issue.record("\(error)")
      }
    }
    return result
  }

  private static func number(_ name: String) -> UInt64? {
    environment[name].flatMap(UInt64.init)
  }
}
