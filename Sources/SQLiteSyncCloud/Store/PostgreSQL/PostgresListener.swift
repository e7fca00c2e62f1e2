import Foundation
import SQLiteSyncHashing
import Synchronization

/// Hears on a connection of its own, in a thread of its own, what is created in a database.
///
/// The thread runs while something is watched. When the connection goes away it is made anew, at
/// the latest half a minute after the server is back, and at once when the store has reached it;
/// what happened meanwhile nobody has told, so all who watch are called then. Where none can be
/// made, as through a pool of connections that does not keep one for a client, nothing is heard:
/// whoever watches looks from time to time as well.
final class PostgresListener: Sendable {
  private struct Watch: Sendable {
    /// What is told of its directories.
    let payloads: Set<String>
    let onChange: @Sendable () -> Void
  }

  private struct State {
    var watches: [Int: Watch] = [:]
    var nextNumber = 0
    var isRunning = false
  }

  private let address: PostgresAddress
  private let patience: Duration
  /// How long to wait between two attempts to connect.
  private let backOff: BackOff
  private let state = Mutex(State())
  /// Wakes the thread.
  private let bell: Bell

  /// How often the server is asked whether it is still there, in seconds.
  private static let heartbeat = 60

  init(
    _ address: PostgresAddress, patience: Duration, backOff: BackOff = BackOff()
  ) {
    (self.address, self.patience, self.backOff) = (address, patience, backOff)
    bell = Bell()
  }

  func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch {
    let watch = Watch(payloads: Set(prefixes.map(Self.payload)), onChange: onChange)
    let (number, starts) = state.withLock { state in
      state.nextNumber += 1
      state.watches[state.nextNumber] = watch
      defer { state.isRunning = true }
      return (state.nextNumber, !state.isRunning)
    }
    if starts { Thread.detachNewThread { [self] in run() } }
    return StoreWatch { [weak self] in
      guard let self else { return }
      state.withLock { $0.watches[number] = nil }
      bell.ring()
    }
  }

  /// The server has just been reached: a connection that is wanting is made now.
  func tryAgain() { bell.ring() }

  /// What the server tells of a directory: not its name, since everybody hears it.
  private static func payload(of prefix: StorePrefix) -> String {
    String(ContentHash(of: Array("\(prefix)".utf8)).description.prefix(32))
  }

  private func run() {
    var backOff = backOff
    while goesOn() {
      do throws(PostgresError) {
        let connection = try PostgresConnection.open(address, patience: patience)
        _ = try connection.run("LISTEN \(PostgresSchema.channel)")
        backOff.reset()
        tell { _ in true }
        try listen(to: connection)
      } catch {
        // Said by the calls of the store, which meet the same.
        _ = bell.wait(beside: nil, seconds: backOff.next())
      }
    }
  }

  /// Whether anybody watches; if not, the thread ends.
  private func goesOn() -> Bool {
    state.withLock { state in
      state.isRunning = !state.watches.isEmpty
      return state.isRunning
    }
  }

  private func listen(to connection: PostgresConnection) throws(PostgresError) {
    while state.withLock({ !$0.watches.isEmpty }) {
      if !bell.wait(beside: connection.socket, seconds: Self.heartbeat) {
        _ = try connection.run("SELECT 1")
      }
      guard connection.isAlive else { throw .lost("The connection was closed.") }
      let payloads = Set(connection.notifications())
      if !payloads.isEmpty { tell { !$0.isDisjoint(with: payloads) } }
    }
  }

  private func tell(_ isConcerned: (Set<String>) -> Bool) {
    let watches = state.withLock { Array($0.watches.values) }
    for watch in watches where isConcerned(watch.payloads) { watch.onChange() }
  }
}
