import Foundation
import Testing

/// Random schedules of devices over one cloud: see `Simulation`.
///
/// `make simulate` runs more of them.
struct SimulationTests {
  /// As many as there are cores to run them.
  static let lanes: UInt64 = 2

  @Test(arguments: 0..<lanes)
  func devicesAgreeWhateverHappens(lane: UInt64) throws {
    let environment = ProcessInfo.processInfo.environment
    let steps = environment["STEPS"].flatMap(Int.init) ?? 100
    let count = environment["SEEDS"].flatMap(UInt64.init) ?? 120
    let only = environment["SEED"].flatMap(UInt64.init)
    for seed in only.map({ $0...$0 }) ?? 1...count where seed % Self.lanes == lane {
      let violation = try violation(of: seed, steps: steps, isVerbose: only != nil)
      if let violation {
        Issue.record("\(violation)")
        return
      }
    }
  }

  private func violation(
    of seed: UInt64, steps: Int, isVerbose: Bool
  ) throws -> (any Error)? {
    var simulation = try Simulation(seed: seed, steps: steps)
    do {
      try simulation.run()
      return nil
    } catch {
      if isVerbose { print(simulation.trace.joined(separator: "\n")) }
      return error
    }
  }
}
