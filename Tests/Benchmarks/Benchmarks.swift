import Foundation

/// Prints one table of what things cost: `make bench [ROUNDS=n] [ONLY=name]`.
///
/// The names are capture, keys, sync, bulk, cloud, stores, screen and hostile.
///
/// Every figure is a median of several rounds with the least and the most beside it; nothing slow
/// is left out. Ratios are to the same work in plain SQLite, in the same run.
@main
struct Benchmarks {
  static func main() async {
    do {
      try await run()
    } catch {
      FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run() async throws {
    let rounds = ProcessInfo.processInfo.environment["ROUNDS"].flatMap(Int.init) ?? 5
    var report = Report()
    let only = ProcessInfo.processInfo.environment["ONLY"]
    func isWanted(_ name: String) -> Bool { only.map { $0 == name } ?? true }
    if isWanted("capture") { try CaptureBenchmarks(rounds: rounds).run(into: &report) }
    if isWanted("keys") { try MigrationBenchmarks(rounds: rounds).run(into: &report) }
    if isWanted("sync") { try await SyncBenchmarks(rounds: rounds).run(into: &report) }
    if isWanted("bulk") { try await BulkBenchmarks(rounds: rounds).run(into: &report) }
    if isWanted("cloud") { try CloudBenchmarks(rounds: max(1, rounds / 2)).run(into: &report) }
    if isWanted("stores") { try await StoreBenchmarks().run(into: &report) }
    if isWanted("screen") { try ScreenBenchmarks(rounds: rounds).run(into: &report) }
    if isWanted("hostile") { try HostileBenchmarks().run(into: &report) }
    print(header(rounds))
    print(report.text)
  }

  private static func header(_ rounds: Int) -> String {
    var load = [0.0, 0.0, 0.0]
    getloadavg(&load, 3)
    return "\(Date().formatted(.iso8601)), "
      + "\(ProcessInfo.processInfo.processorCount) processors, "
      + "load \(String(format: "%.1f", load[0])), "
      + "\(rounds) rounds (half as many of 100,000 records)\n"
  }
}
