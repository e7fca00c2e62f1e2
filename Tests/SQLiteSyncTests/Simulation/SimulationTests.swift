import Foundation
import Synchronization
import Testing

/// Random schedules of devices over one cloud: see `Simulation`.
///
/// `make simulate` runs more of them, and one again: SEED=n, SEEDS=n, FROM=n, STEPS=n, WATCH=key.
struct SimulationTests {
  /// As many as there are cores to run them.
  private static let lanes: UInt64 = 2
  private static let environment = ProcessInfo.processInfo.environment
  private static let steps = number("STEPS").flatMap(Int.init(exactly:)) ?? 80
  /// From which number of seeds on everything must have happened in one of them.
  private static let manySeeds = 300

  @Test func devicesAgreeWhateverHappens() async throws {
    let first = Self.number("FROM") ?? 1
    let seeds =
      Self.number("SEED").map { $0...$0 } ?? first...(first + (Self.number("SEEDS") ?? 500) - 1)
    let marks = await withTaskGroup(of: Set<Mark>.self) { group in
      for lane in 0..<Self.lanes {
        group.addTask {
          Self.run(seeds.filter { $0 % Self.lanes == lane }, isVerbose: seeds.count == 1)
        }
      }
      return await group.reduce(into: Set<Mark>()) { $0.formUnion($1) }
    }
    if seeds.count >= Self.manySeeds {
      #expect(Set(Mark.allCases).subtracting(marks) == [], "The simulation is asleep.")
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

  private static func run(_ seeds: [UInt64], isVerbose: Bool) -> Set<Mark> {
    var marks: Set<Mark> = []
    for seed in seeds {
      do {
        var simulation = try Simulation(seed: seed, steps: steps)
        defer {
          marks.formUnion(simulation.marks)
          if isVerbose { print(simulation.trace.joined(separator: "\n")) }
        }
        try simulation.run()
      } catch {
        Issue.record("\(error)")
      }
    }
    return marks
  }

  private static func number(_ name: String) -> UInt64? {
    environment[name].flatMap(UInt64.init)
  }
}
