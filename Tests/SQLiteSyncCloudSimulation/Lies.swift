import Foundation

@testable import SQLiteSyncCloud

/// What can be wrong with the protocol: each is put in on purpose, to see that the schedules find
/// it.
enum SeededBug: String, CaseIterable, Sendable {
  /// A writer does not look at the floor again after its create.
  case writerIgnoresFloor
  /// A reader does not look at the floor again after its reads.
  case readerIgnoresFloor
  /// Nobody compares a commit with the hash of the one before.
  case noChain
  /// A reader stores a token before what it read is durable.
  case noBarrier
  /// A writer commits onto what is not durable, or takes its own commit for durable when it only
  /// finds it.
  case noWriterBarrier
  /// The id of the cloud and entries of `meta` are relied upon before they are durable.
  case noMetaBarrier
  /// A writer does not make the name of its commit durable.
  case noSynchronization
  /// After an expired token, what is not in the cloud any more stays.
  case noReconciliation
  /// An edit takes the wall clock, whatever it edits.
  case wallClock
  /// Of two equal clocks the earlier commit wins.
  case earlierWins
  /// Commits are deleted as soon as that is announced, although caches may still hide it.
  case noAnnouncement
}

/// Bugs of a protocol as its store shows them: the code above runs as it is and is lied to.
///
/// One device's.
final class Lies {
  private let bugs: Set<SeededBug>
  /// Files of commits as they were returned before.
  private var returned: [Int64: Data] = [:]
  /// The last entry of `meta` that the work under way has seen, and whether it sees no later one.
  private var lastMeta: Int64 = 0
  private var isBlind = false

  init(_ bugs: Set<SeededBug>) {
    self.bugs = bugs
  }

  var skipsSynchronization: Bool { bugs.contains(.noSynchronization) }
  func skipsBarrier(_ prefix: StorePrefix, _ work: SimulatedDevice.Work) -> Bool {
    guard !bugs.isEmpty else { return false }
    return switch SimulatedDisk.directory(prefix) {
    case "log": bugs.contains(work == .fetch ? .noBarrier : .noWriterBarrier)
    default: bugs.contains(.noMetaBarrier)
    }
  }

  /// Work begins: it looks at `meta` with open eyes.
  func workBegins() {
    isBlind = false
    lastMeta = 0
  }

  func created(_ key: StoreKey, _ bytes: Data) {
    guard !bugs.isEmpty, SimulatedDisk.directory(key.prefix) == "log",
      let number = ZoneLayout.number(inFileName: key.name)
    else { return }
    returned[number] = bytes
    if bugs.contains(.writerIgnoresFloor) { isBlind = true }
  }

  /// The bytes that the store says are at a key.
  func read(_ key: StoreKey, _ bytes: Data?, device: SimulatedDevice) throws -> Data? {
    guard !bugs.isEmpty, let number = ZoneLayout.number(inFileName: key.name) else { return bytes }
    switch SimulatedDisk.directory(key.prefix) {
    case "meta":
      if isBlind, number > lastMeta { return nil }
      if bytes != nil { lastMeta = max(lastMeta, number) }
      return bytes
    case "log":
      if bugs.contains(.readerIgnoresFloor), device.work == .fetch { isBlind = true }
      return bugs.contains(.noChain) && device.work != .maintain
        ? rechained(number, bytes, after: device.position) : bytes
    default:
      return bytes
    }
  }

  /// What a reader without the chain takes for the commit: its own memory of the last one that it
  /// has read, and whatever follows it.
  private func rechained(_ number: Int64, _ bytes: Data?, after token: ChangeToken?) -> Data? {
    if number == token?.sequence, let before = returned[number],
      ContentHash(of: before) == token?.hash
    {
      return before
    }
    guard var bytes else { return nil }
    let previous =
      number - 1 == token?.sequence
      ? token?.hash : returned[number - 1].map { ContentHash(of: $0) }
    // A file that is no commit is void, whatever it follows.
    if let previous, var commit = try? Commit.read(SealedFile(Array(bytes))),
      commit.previous != previous
    {
      commit.previous = previous
      bytes = commit.encoded
    }
    returned[number] = bytes
    return bytes
  }
}
