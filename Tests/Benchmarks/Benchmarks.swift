import Foundation

/// Prints one table of what things cost: `make bench [ROUNDS=n] [ONLY=name]`.
///
/// The names are capture, keys, sync, bulk, commands, cloud, stores, screen and hostile; and
/// million, which takes minutes and is only run when it is named.
///
/// Every figure is a median of several rounds with the least and the most beside it; nothing slow
/// is left out. Ratios are to the same work in plain SQLite, in the same run.
///
/// The same figures go as JSON into the file that `BENCH_JSON` names.
@main
struct Benchmarks {
  static func main() async {
    do {
      if try ChildRun.answer(CommandLine.arguments) { return }
      try await run()
    } catch {
      FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run() async throws {
    let environment = ProcessInfo.processInfo.environment
    let rounds = environment["ROUNDS"].flatMap(Int.init) ?? 5
    var report = Report()
    let only = environment["ONLY"]
    func isWanted(_ name: String) -> Bool { only.map { $0 == name } ?? true }
    if isWanted("capture") { try CaptureBenchmarks(rounds: rounds).run(into: &report) }
    if isWanted("keys") { try MigrationBenchmarks(rounds: rounds).run(into: &report) }
    if isWanted("sync") { try await SyncBenchmarks(rounds: rounds).run(into: &report) }
    if isWanted("bulk") { try await BulkBenchmarks(rounds: rounds).run(into: &report) }
    if only == "million" { try await BulkBenchmarks(rounds: 1).runMillion(into: &report) }
    if isWanted("commands") { try await CommandBenchmarks(rounds: rounds).run(into: &report) }
    if isWanted("cloud") { try CloudBenchmarks(rounds: max(1, rounds / 2)).run(into: &report) }
    if isWanted("stores") { try await StoreBenchmarks().run(into: &report) }
    if isWanted("screen") { try ScreenBenchmarks(rounds: rounds).run(into: &report) }
    if isWanted("hostile") { try HostileBenchmarks().run(into: &report) }
    print(header(rounds))
    print(report.text)
    if let file = environment["BENCH_JSON"] { try report.json().write(to: URL(filePath: file)) }
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
