import Foundation
import RemindersTestSupport
import Testing

/// Random schedules over columns with merge policies: see `MergeSimulation`.
///
/// `make simulate-merges` runs more of them, and one again: MERGE_SEED=n, MERGE_SEEDS=n,
/// MERGE_FROM=n.
struct MergeSimulationTests {
  private static let steps = 120
  /// As many as there are cores to run them.
  private static let lanes = 2

  @Test func everyEditCountsOnce() async throws {
    let first = Self.number("FROM") ?? 1
    let seeds =
      Self.number("SEED").map { $0...$0 } ?? first...(first + (Self.number("SEEDS") ?? 100) - 1)
    let left = Seeds(seeds)
    let merged = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<Self.lanes {
        group.addTask { Self.run(left, isVerbose: seeds.count == 1) }
      }
      return await group.reduce(0, +)
    }
    #expect(merged > 0 || seeds.count < 10, "The simulation is asleep.")
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func seedIsReplayedExactly(seed: UInt64) throws {
    var (first, second) = (
      try MergeSimulation(seed: seed, steps: Self.steps),
      try MergeSimulation(seed: seed, steps: Self.steps)
    )
    try first.run()
    try second.run()
    #expect(first.trace == second.trace)
    #expect(first.merged == second.merged)
  }

  /// Returns how many conflicts were merged.
  private static func run(_ seeds: Seeds, isVerbose: Bool) -> Int {
    var merged = 0
    while let seed = seeds.next() {
      do {
        var simulation = try MergeSimulation(seed: seed, steps: steps)
        defer {
          merged += simulation.merged
          if isVerbose { print(simulation.trace.joined(separator: "\n")) }
        }
        try simulation.run()
      } catch {
        Issue.record("\(error)")
      }
    }
    return merged
  }

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment["MERGE_\(name)"].flatMap(UInt64.init)
  }
}
