import Dispatch
import GRDB
import RemindersCore
import Testing

@testable import RemindersUI

/// Tasks have as many threads as the machine has processors: whoever holds one up while it waits
/// for somebody who needs one waits for ever.
@MainActor
struct ThreadTests {
  @Test func whoWaitsForTheDatabaseHoldsUpNoThread() async throws {
    let driver = try await Driver()
    let database = driver.database
    let gate = Gate()
    // Every connection that reads is taken …
    let reads = (1...5).map { number in
      Task.detached { try await database.value(of: HeldQuery(number: number, gate: gate)) }
    }
    for await _ in gate.entries.prefix(5) {}
    // … and more wait for one than there are threads.
    let looks = (0..<64).map { _ in Task { await driver.app.settled() } }
    await Task {}.value
    // Else nothing would come back from here.
    await Task.detached {}.value
    gate.open()
    for read in reads { _ = try await read.value }
    for look in looks { await look.value }
  }
}

/// A read that takes until somebody lets it end.
private struct HeldQuery: Query {
  let number: Int
  let gate: Gate

  func fetch(_ db: Database) throws -> Int {
    gate.pass()
    return number
  }
}

private final class Gate: Hashable, Sendable {
  let entries: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let semaphore = DispatchSemaphore(value: 0)

  init() {
    (entries, continuation) = AsyncStream.makeStream()
  }

  /// Says that somebody is there, and waits.
  func pass() {
    continuation.yield()
    semaphore.wait()
    semaphore.signal()
  }

  func open() { semaphore.signal() }

  static func == (one: Gate, other: Gate) -> Bool { one === other }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
