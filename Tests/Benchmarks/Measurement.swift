import Foundation

/// What several rounds of one thing took, in seconds or as a ratio.
struct Measurement {
  let rounds: [Double]

  /// The middle round: of noise on a shared machine it shows least.
  var median: Double {
    let sorted = rounds.sorted()
    return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
  }

  var least: Double { rounds.min() ?? .nan }
  var most: Double { rounds.max() ?? .nan }

  /// How long so many of a hundred take at most.
  func percentile(_ percent: Int) -> Double {
    let sorted = rounds.sorted()
    return sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, sorted.count * percent / 100)]
  }

  /// `2.1 ms, p99 4.0 ms`.
  var asPercentiles: String {
    String(format: "%.1f ms, p99 %.1f ms", percentile(50) * 1_000, percentile(99) * 1_000)
  }

  /// Round by round, this one over the other.
  func ratio(to other: Measurement) -> Measurement {
    Measurement(rounds: zip(rounds, other.rounds).map { $0 / $1 })
  }

  /// `1.43 × (1.40–1.52)`.
  var asRatio: String {
    String(format: "%.2f × (%.2f–%.2f)", median, least, most)
  }

  /// `7.2 ms (6.9–8.0)`.
  var asTime: String {
    let (factor, unit) =
      median < 0.000_9 ? (1_000_000.0, "µs") : median < 1 ? (1_000.0, "ms") : (1.0, "s")
    let digits = median * factor < 10 ? 2 : 0
    func text(_ seconds: Double) -> String { String(format: "%.\(digits)f", seconds * factor) }
    return "\(text(median)) \(unit) (\(text(least))–\(text(most)))"
  }
}

/// Stopwatches.
enum Stopwatch {
  /// Seconds that pass while `body` runs.
  static func wall(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start).seconds
  }

  /// Seconds that pass while `body` runs.
  static func wait(_ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - start).seconds
  }

  /// Seconds that the processors work for this process while `body` runs.
  ///
  /// For ratios of pure computation, on a machine that others use too.
  static func processor(_ body: () throws -> Void) rethrows -> Double {
    let start = processorTime
    try body()
    return processorTime - start
  }

  /// Seconds that the processors work for this process while `body` runs.
  static func processor(_ body: () async throws -> Void) async rethrows -> Double {
    let start = processorTime
    try await body()
    return processorTime - start
  }

  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

extension Duration {
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}

/// The one table that `make bench` prints.
struct Report {
  /// What was measured, what it came to, and what it is held against.
  struct Line {
    let name: String
    let result: String
    let reference: String
  }

  private(set) var lines: [Line] = []

  mutating func add(_ name: String, _ result: String, against reference: String) {
    lines.append(Line(name: name, result: result, reference: reference))
    FileHandle.standardError.write(Data("\(name): \(result)\n".utf8))
  }

  /// The table, in Markdown.
  var text: String {
    let rows =
      [["", "median (least–most)", "held against"], ["---", "---", "---"]]
      + lines.map { [$0.name, $0.result, $0.reference] }
    return rows.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }
}
