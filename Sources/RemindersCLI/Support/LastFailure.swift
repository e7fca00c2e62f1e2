import Foundation
import RemindersCore
import RemindersFiles
import SQLiteSync
import Synchronization

/// Why the last synchronization failed, and what it had to ignore: in files beside the log, which
/// are not there while all is well.
final class LastFailure: Sendable {
  /// What is known: when it was, and why.
  enum Kind: String {
    /// The last fetch did not come to its end.
    case failed
    /// A commit in the cloud cannot be read: what it says does not come here until the zone is
    /// fetched anew, though every later synchronization succeeds.
    case ignored
  }

  private let directory: URL
  /// Whether something failed since the fetch that runs began.
  private let hasFailed = Mutex(false)

  init(in paths: Paths) {
    directory = paths.stateDirectory
  }

  private func file(_ kind: Kind) -> URL { directory.appending(path: "sync.\(kind.rawValue)") }

  /// What there is of a kind, in one line.
  func text(_ kind: Kind) throws -> String? {
    let path = file(kind).path
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return String(decoding: try OrdinaryFile(path).read(), as: UTF8.self)
      .split(separator: "\n").joined(separator: " ")
  }

  /// Takes note of what the engine tells.
  func note(_ event: SyncEvent) throws {
    switch event {
    case .willFetchChanges: hasFailed.withLock { $0 = false }
    case .failed(let message, _): try note(failure: message)
    case .ignoredCommit(let zone, let number, let reason):
      try write("commit \(number) of \(zone): \(reason)", .ignored)
    case .fetchedDatabaseChanges(_, _, .deleted), .fetchedDatabaseChanges(_, _, .expired),
      .fetchedDatabaseChanges(_, _, .rebuilt), .signOut:
      try clear(.ignored)
    case .didFetchChanges where !hasFailed.withLock({ $0 }): try clear(.failed)
    default: break
    }
  }

  /// Takes note of what ended a synchronization.
  func note(failure: String) throws {
    hasFailed.withLock { $0 = true }
    try write(failure, .failed)
  }

  private func write(_ text: String, _ kind: Kind) throws {
    let moment = Date().formatted(.iso8601)
    try PrivateFile.replace(
      file(kind), with: Data("\(moment) \(text.shortened(to: 1000))\n".utf8))
  }

  private func clear(_ kind: Kind) throws {
    guard unlink(file(kind).path) == 0 || errno == ENOENT else { throw FileError.system(errno) }
  }
}
