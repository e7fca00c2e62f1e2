import Foundation
import RemindersTestSupport
import Testing

/// Random schedules of people who share: see `SharingSimulation`.
///
/// `make simulate-sharing` runs more of them, and one again: SHARING_SEED=n, SHARING_SEEDS=n,
/// SHARING_FROM=n, WATCH=key.
struct SharingSimulationTests {
  private static let environment = ProcessInfo.processInfo.environment
  /// As many as there are cores to run them.
  private static let lanes = 2
  /// From which number of seeds on everything must have happened in one of them.
  private static let manySeeds = 150

  @Test func everyRowEndsInExactlyOnePlace() async throws {
    let first = Self.number("SHARING_FROM") ?? 1
    let seeds =
      Self.number("SHARING_SEED").map { $0...$0 }
      ?? first...(first + (Self.number("SHARING_SEEDS") ?? 150) - 1)
    let left = Seeds(seeds)
    let (marks, failures) = await withTaskGroup(of: (Set<SharingMark>, Int).self) { group in
      for _ in 0..<Self.lanes {
        group.addTask { Self.run(left, isVerbose: seeds.count == 1) }
      }
      return await group.reduce(into: (Set<SharingMark>(), 0)) { all, lane in
        all.0.formUnion(lane.0)
        all.1 += lane.1
      }
    }
    if seeds.count > 1 {
      print(failureRate(schedules: seeds.count, failures: failures))
    }
    if seeds.count >= Self.manySeeds {
      #expect(Set(SharingMark.allCases).subtracting(marks) == [], "The simulation is asleep.")
    }
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func aSeedIsReplayedExactly(seed: UInt64) throws {
    var (first, second) = try (SharingSimulation(seed: seed), SharingSimulation(seed: seed))
    #expect(try first.run(steps: 60) == second.run(steps: 60))
    #expect(first.trace == second.trace)
    #expect(first.marks == second.marks)
  }

  private static func run(
    _ seeds: Seeds, isVerbose: Bool
  ) -> (marks: Set<SharingMark>, failures: Int) {
    var marks: Set<SharingMark> = []
    var failures = 0
    while let seed = seeds.next() {
      do {
        var simulation = try SharingSimulation(seed: seed)
        defer {
          marks.formUnion(simulation.marks)
          if isVerbose { print(simulation.trace.joined(separator: "\n")) }
        }
        let findings = try simulation.run(steps: 120)
        failures += findings.isEmpty ? 0 : 1
        #expect(findings == [], "Replay: make simulate-sharing SHARING_SEED=\(seed)")
      } catch {
        failures += 1
        Issue.record("SHARING_SEED=\(seed): \(error)")
      }
    }
    return (marks, failures)
  }

  private static func number(_ name: String) -> UInt64? {
    environment[name].flatMap(UInt64.init)
  }
}
