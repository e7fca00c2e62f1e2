import Foundation
import SQLiteSyncCloud
import Synchronization

extension StoreCheck {
  static let creating = [
    StoreCheck(name: "an object is created once, and never replaced") { checked in
      let (store, key) = (try checked.connect(), checked.places.commit(1))
      try checked.create(key, Data("first".utf8), in: store)
      for other in ["second", "first", ""] {
        guard case .exists = store.createIfAbsent(key, Data(other.utf8)) else {
          throw checked.fail("It is not said to exist.")
        }
        try checked.require(store.read(key, limit: 9), is: Data("first".utf8), "what is there")
      }
    },
    contention(writers: 8, rounds: 10),
  ]

  /// Several writers who create the same objects at the same moment: one of them does each.
  public static func contention(writers: Int, rounds: Int) -> StoreCheck {
    StoreCheck(name: "of \(writers) who create the same object at once, one does") { checked in
      let wins = Mutex<[Int64: [Int]]>([:])
      let failures = Mutex<[any Error]>([])
      let barrier = Barrier(writers)
      inThreads(writers) { writer in
        let store = Result { try checked.connect() }
        for round in 1...Int64(rounds) {
          barrier.wait()
          // The others still wait for this one.
          guard failures.withLock(\.isEmpty) else { continue }
          do {
            let bytes = Data(repeating: UInt8(writer), count: 3_000)
            switch try store.get().createIfAbsent(checked.places.commit(round), bytes) {
            case .created: wins.withLock { $0[round, default: []].append(writer) }
            case .exists: break
            case .failed(let error), .unknown(let error): throw error
            }
          } catch {
            failures.withLock { $0.append(error) }
          }
        }
      }
      if let failure = failures.withLock(\.first) { throw failure }
      let store = try checked.connect()
      for round in 1...Int64(rounds) {
        let winners = wins.withLock { $0[round] ?? [] }
        try checked.require(winners.count, is: 1, "the number who created object \(round)")
        let bytes = try store.read(checked.places.commit(round), limit: .max)
        try checked.require(
          bytes == Data(repeating: UInt8(winners[0]), count: 3_000),
          "Object \(round) has not the bytes of the one who created it.")
      }
    }
  }
}

/// Lets threads go on when all of them have come.
private final class Barrier: Sendable {
  private let count: Int
  private let waiting = Mutex<[DispatchSemaphore]>([])

  init(_ count: Int) { self.count = count }

  func wait() {
    let own = DispatchSemaphore(value: 0)
    let all: [DispatchSemaphore]? = waiting.withLock { waiting in
      waiting.append(own)
      guard waiting.count == count else { return nil }
      defer { waiting = [] }
      return waiting
    }
    for other in all ?? [] { other.signal() }
    own.wait()
  }
}
