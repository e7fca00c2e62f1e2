import Foundation
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// Eight writers of one log while their server is killed without warning, again and again.
enum KilledServer {
  /// Nothing that was acknowledged is lost, and nothing is created twice.
  ///
  /// - Parameters:
  ///   - rounds: How often the server is killed.
  ///   - writes: How many objects are written before each time, and in the end.
  ///   - store: Makes a writer's store: another one each time that one does not answer.
  ///   - location: Where the server is named.
  ///   - kill: Kills the server, and lets it come back.
  static func expectNothingLost(
    rounds: Int, writes: Int64 = 100, location: SourceLocation = #_sourceLocation,
    store: @escaping @Sendable () throws -> any ObjectStore, kill: () throws -> Void
  ) throws {
    let layout = ZoneLayout(ZoneID(name: "test", owner: CloudFixture.ann))
    let server = Gate()
    let acknowledged = Mutex<[Int64: [Acknowledgement]]>([:])
    let round = Mutex((number: 0, start: ContinuousClock.now))
    let next = Mutex<Int64>(0)
    let isOver = Mutex(false)
    let progress = DispatchSemaphore(value: 0)
    let done = DispatchGroup()
    for writer in 1...8 as ClosedRange<UInt8> {
      done.enter()
      Thread.detachNewThread {
        defer { done.leave() }
        var own = try? store()
        while !isOver.withLock({ $0 }) {
          let number = next.withLock { $0 + 1 }
          let key = layout.commit(number, epoch: 1)
          switch own?.createIfAbsent(key, Data([writer])) {
          case .created:
            let now = round.withLock {
              Acknowledgement(writer: writer, round: $0.number, after: .now - $0.start)
            }
            acknowledged.withLock { $0[number, default: []].append(now) }
            next.withLock { $0 = max($0, number) }
            progress.signal()
          case .exists: next.withLock { $0 = max($0, number) }
          // A new store does not wait before it connects.
          default:
            server.wait()
            own = try? store()
          }
        }
      }
    }
    // Also when the server does not come back.
    defer { isOver.withLock { $0 = true } }
    func write() {
      let end = next.withLock { $0 } + writes
      while next.withLock({ $0 }) < end { progress.wait() }
    }
    for _ in 0..<rounds {
      write()
      server.close()
      defer { server.open() }
      try kill()
      round.withLock { $0 = ($0.number + 1, .now) }
    }
    write()
    isOver.withLock { $0 = true }
    done.wait()
    try expectOne(acknowledged.withLock { $0 }, in: store(), layout, location)
    #expect(acknowledged.withLock { $0.count } >= Int(writes) * rounds)
  }

  /// Each object has one creator, whose bytes it holds.
  ///
  /// Asked at the end, and not by the writers: what another thread records belongs to no test.
  private static func expectOne(
    _ acknowledged: [Int64: [Acknowledgement]], in store: any ObjectStore, _ layout: ZoneLayout,
    _ location: SourceLocation
  ) throws {
    for (number, writers) in acknowledged {
      #expect(writers.count == 1, "\(number) by \(writers)", sourceLocation: location)
      let bytes = try store.read(layout.commit(number, epoch: 1), limit: 9)
      #expect(bytes == Data([writers[0].writer]), "\(number)", sourceLocation: location)
    }
  }
}

/// That a server told a writer it had created an object.
private struct Acknowledgement {
  let writer: UInt8
  /// How often the server had been killed.
  let round: Int
  /// How long it had been running.
  let after: Duration
}

/// Where threads wait while a server is down.
private final class Gate: Sendable {
  private let condition = NSCondition()
  private let isClosed = Mutex(false)

  func close() { isClosed.withLock { $0 = true } }

  func open() {
    condition.withLock {
      isClosed.withLock { $0 = false }
      condition.broadcast()
    }
  }

  func wait() {
    condition.withLock {
      while isClosed.withLock(\.self) { condition.wait() }
    }
  }
}
