import Foundation

/// What several rounds of one thing came to.
struct Measurement {
  /// What the figures count.
  enum Unit: String {
    case seconds = "s"
    case bytes = "B"
    case ratio = "×"
    case times
  }

  let rounds: [Double]
  var unit = Unit.seconds

  /// The middle round: of noise on a shared machine it shows least.
  var median: Double {
    let sorted = rounds.sorted()
    return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
  }

  var least: Double { rounds.min() ?? .nan }
  var most: Double { rounds.max() ?? .nan }

  /// How much so many of a hundred are at most.
  private func percentile(_ percent: Int) -> Double {
    let sorted = rounds.sorted()
    return sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, sorted.count * percent / 100)]
  }

  /// Round by round, this one over the other.
  func ratio(to other: Measurement) -> Measurement {
    Measurement(rounds: zip(rounds, other.rounds).map { $0 / $1 }, unit: .ratio)
  }

  /// `7.20 ms (6.90–8.00)`, `1.43 × (1.40–1.52)`.
  var text: String {
    "\(number(median)) \(scale.name) (\(number(least))–\(number(most)))"
  }

  /// `7.20 ms, p99 9.10, most 12.00`.
  var percentiles: String {
    "\(number(median)) \(scale.name), p99 \(number(percentile(99))), most \(number(most))"
  }

  private func number(_ figure: Double) -> String {
    let isWhole = unit == .times || unit != .ratio && median * scale.factor >= 10
    return String(format: "%.\(isWhole ? 0 : 2)f", figure * scale.factor)
  }

  /// The unit in which the median is a number of few digits.
  private var scale: (factor: Double, name: String) {
    switch unit {
    case .seconds where median < 0.000_9: (1_000_000, "µs")
    case .seconds where median < 1: (1_000, "ms")
    case .bytes where median >= 1_000_000: (0.000_001, "MB")
    case .bytes where median >= 1_000: (0.001, "kB")
    case .seconds, .bytes, .ratio, .times: (1, unit.rawValue)
    }
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
