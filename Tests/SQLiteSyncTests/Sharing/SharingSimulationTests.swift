import Foundation
import Testing

/// Random schedules of people who share: see `SharingSimulation`.
///
/// SHARING_SEED=n runs one again and prints what happened, SHARING_SEEDS=n runs more.
struct SharingSimulationTests {
  private static let environment = ProcessInfo.processInfo.environment

  @Test func everyRowEndsInExactlyOnePlace() throws {
    let one = Self.environment["SHARING_SEED"].flatMap(UInt64.init)
    let count = Self.environment["SHARING_SEEDS"].flatMap(UInt64.init) ?? 20
    for seed in one.map({ $0...$0 }) ?? 1...count {
      var simulation = try SharingSimulation(seed: seed)
      let findings = try simulation.run(steps: 120)
      #expect(findings == [], "SHARING_SEED=\(seed)")
      if one != nil { print(simulation.trace.joined(separator: "\n")) }
    }
  }
}
