import Foundation
import RemindersTestSupport
import Testing

/// Random schedules of devices with one series: see `SeriesSimulation`.
///
/// `make simulate-series` runs more of them, and one again: SERIES_SEED=n, SERIES_SEEDS=n,
/// SERIES_FROM=n.
struct SeriesSimulationTests {
  /// As many as there are cores to run them.
  private static let lanes = 2
  private static let steps = 24
  /// From which number of seeds on everything must have happened in one of them.
  private static let manySeeds = 40

  @Test func devicesAgreeOnASeries() async {
    let first = Self.number("FROM") ?? 1
    let seeds =
      Self.number("SEED").map { $0...$0 } ?? first...(first + (Self.number("SEEDS") ?? 40) - 1)
    let left = Seeds(seeds)
    let (acts, failures) = await withTaskGroup(of: (Set<SeriesSimulation.Act>, Int).self) { group in
      for _ in 0..<Self.lanes {
        group.addTask { await Self.run(left, isVerbose: seeds.count == 1) }
      }
      return await group.reduce(into: (Set(), 0)) {
        $0.0.formUnion($1.0)
        $0.1 += $1.1
      }
    }
    print(failureRate(schedules: seeds.count, failures: failures))
    if seeds.count >= Self.manySeeds {
      #expect(acts == Set(SeriesSimulation.Act.allCases), "The simulation is asleep.")
    }
  }

  private static func run(
    _ seeds: Seeds, isVerbose: Bool
  ) async -> (acts: Set<SeriesSimulation.Act>, failures: Int) {
    var (acts, failures): (Set<SeriesSimulation.Act>, Int) = ([], 0)
    while let seed = seeds.next() {
      do {
        var simulation = SeriesSimulation(seed: seed, steps: steps)
        defer {
          acts.formUnion(simulation.happened)
          if isVerbose { print(simulation.trace.joined(separator: "\n")) }
        }
        try await simulation.run()
      } catch {
        failures += 1
        Issue.record("\(error)")
      }
    }
    return (acts, failures)
  }

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment["SERIES_\(name)"].flatMap(UInt64.init)
  }
}
