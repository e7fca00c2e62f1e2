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
  ///   - kill: Kills the server, and lets it come back.
  static func expectNothingLost(
    rounds: Int, writes: Int64 = 100, store: @escaping @Sendable () throws -> any ObjectStore,
    kill: () throws -> Void
  ) throws {
    let layout = ZoneLayout(ZoneID(name: "test", owner: CloudFixture.ann))
    let server = Gate()
    let acknowledged = Mutex<[Int64: UInt8]>([:])
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
            let before = acknowledged.withLock { $0.updateValue(writer, forKey: number) }
            #expect(before == nil, "\(number) was created twice")
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
    }
    write()
    isOver.withLock { $0 = true }
    done.wait()
    let last = try store()
    for (number, writer) in acknowledged.withLock({ $0 }) {
      #expect(try last.read(layout.commit(number, epoch: 1), limit: 9) == Data([writer]))
    }
    #expect(acknowledged.withLock { $0.count } >= Int(writes) * rounds)
  }
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
