import Foundation
import SQLiteSyncHashing
import Synchronization

/// Whether a place creates an object once.
///
/// There are services, and caches before them, that ignore `If-None-Match`, or look and then write:
/// two devices would both be told that their commit is the next one. What has passed is remembered
/// in the bucket, for each way to it.
extension S3Store {
  /// Where the probe works; no listing shows it.
  static let probeFolder = ".probe"
  private static let writers = 8
  private static let rounds = 3

  /// What a probe has shown.
  enum Verdict {
    case fit
    case unfit(S3Failure)
  }

  /// Throws when the place does not do what a cloud needs.
  func requireProbed() throws(S3Failure) {
    try verdict.withLock { verdict throws(S3Failure) in
      let known: Verdict
      if let verdict { known = verdict } else { known = try probe() }
      verdict = known
      if case .unfit(let failure) = known { throw failure }
    }
  }

  private func probe() throws(S3Failure) -> Verdict {
    let way = SHA256.digest(of: Array(try client.endpointName().utf8)).hexadecimal.prefix(16)
    let mark = "\(Self.probeFolder)/\(way)"
    guard try read(path: mark, limit: 1) == nil else { return .fit }
    onProbe(true)
    defer { onProbe(false) }
    for _ in 1...Self.rounds {
      if let failure = try probeOnce() { return .unfit(failure) }
    }
    switch create(path: mark, Data("Objects are created once.\n".utf8)) {
    case .created, .exists: return .fit
    case .failed(let error), .unknown(let error): throw S3Failure(error: error, isCertain: true)
    }
  }

  /// Eight create one name, each over a connection of its own that has looked for it before.
  ///
  /// - Returns: What is wrong with the place, if something is.
  private func probeOnce() throws(S3Failure) -> S3Failure? {
    let path = "\(Self.probeFolder)/\(UUID().lowercaseString)"
    let outcomes = Mutex<[(writer: Int, outcome: CreateOutcome)]>([])
    let isReady = DispatchSemaphore(value: 0)
    let start = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    for writer in 0..<Self.writers {
      group.enter()
      Thread {
        let outcome = self.race(path, writer) {
          isReady.signal()
          start.wait()
        }
        outcomes.withLock { $0.append((writer, outcome)) }
        group.leave()
      }.start()
    }
    for _ in 0..<Self.writers { isReady.wait() }
    for _ in 0..<Self.writers { start.signal() }
    group.wait()
    let failure = try judge(outcomes.withLock(\.self), path)
    do throws(S3Failure) {
      try delete(path: path)
    } catch {
      // A key that may not delete leaves a few bytes there.
    }
    return failure
  }

  private func race(_ path: String, _ writer: Int, whenReady: () -> Void) -> CreateOutcome {
    do throws(S3Failure) {
      let found = try read(path: path, limit: 1)
      whenReady()
      return found == nil ? create(path: path, Self.bytes(writer)) : .exists
    } catch {
      whenReady()
      return .failed(error.error)
    }
  }

  private static func bytes(_ writer: Int) -> Data { Data("writer \(writer)\n".utf8) }

  private func judge(
    _ outcomes: [(writer: Int, outcome: CreateOutcome)], _ path: String
  ) throws(S3Failure) -> S3Failure? {
    var winners: [Int] = []
    for (writer, outcome) in outcomes {
      switch outcome {
      case .created: winners.append(writer)
      case .exists: break
      case .failed(let error), .unknown(let error): throw S3Failure(error: error, isCertain: true)
      }
    }
    guard winners.count <= 1 else {
      return try unfit(
        "of \(Self.writers) who create one object at once, \(winners.count) are told that they did")
    }
    // A create that was sent twice on its way is told that it exists: then all are.
    let found = try read(path: path, limit: 100)
    guard (winners.isEmpty ? Array(0..<Self.writers) : winners).map(Self.bytes).contains(found)
    else {
      return try unfit("what is created is not what is read")
    }
    return nil
  }

  private func unfit(_ reason: String) throws(S3Failure) -> S3Failure {
    S3Failure(
      error: CloudError(
        .accountTemporarilyUnavailable,
        "\(try client.endpointName()) cannot keep a cloud: \(reason).",
        hint: "It ignores If-None-Match, or checks it without a lock: use another service."),
      isCertain: true)
  }
}
