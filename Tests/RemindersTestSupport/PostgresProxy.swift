import Foundation
import Synchronization

/// A socket before PostgreSQL's, that closes a connection after a number of bytes, or keeps silent.
public final class PostgresProxy: Sendable {
  /// Which bytes of a connection are counted.
  public enum Direction: CaseIterable, Sendable {
    /// What the client sends.
    case toServer
    /// What the server answers.
    case fromServer
  }

  /// What becomes of the bytes of connections.
  private struct State {
    var left: [Direction: Int] = [:]
    var isSilent = false
    var piece = Int.max
    var connections = 0
    var passed: [Direction: Int] = [:]
  }

  /// Where its socket is.
  public var directory: String { own.url.path }
  private let own: TemporaryDirectory
  private let target: String
  private let socket: Int32
  private let state = Mutex(State())

  /// A proxy before a server.
  public init(before server: PostgresServer) throws {
    own = try TemporaryDirectory()
    target = "\(server.directory)/.s.PGSQL.5432"
    socket = Self.socket()
    let bound = Self.withAddress("\(own.url.path)/.s.PGSQL.5432") { bind(socket, $0, $1) }
    guard bound == 0, listen(socket, 64) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    let listening = socket
    Thread.detachNewThread { [weak self] in
      // Not closed by whoever ends it: this thread would take the connections of the next socket
      // that gets its number.
      defer { close(listening) }
      while true {
        let client = accept(listening, nil, nil)
        guard client >= 0, let self else { return }
        state.withLock { $0.connections += 1 }
        let target = target
        Thread.detachNewThread { [weak self] in Self.relay(client, to: target, counting: self) }
      }
    }
  }

  deinit {
    // Ends the wait of its thread.
    shutdown(socket, Int32(SHUT_RDWR))
  }

  /// From now on, lets so many more bytes of that direction through, and closes each connection
  /// when one more comes; nil lets all through.
  public func cut(after count: Int?, _ direction: Direction) {
    state.withLock { $0.left = count.map { [direction: $0] } ?? [:] }
  }

  /// How many connections have been made.
  public func connectionCount() -> Int { state.withLock { $0.connections } }

  /// From now on, lets only so many bytes through at once.
  public func pass(inPiecesOf count: Int) {
    state.withLock { $0.piece = count }
  }

  /// From now on, lets nothing through and closes nothing.
  public func keepSilent() {
    state.withLock { $0.isSilent = true }
  }

  /// How many bytes have gone through since this was asked for the last time.
  public func passed() -> [Direction: Int] {
    state.withLock { state in
      defer { state.passed = [:] }
      return state.passed
    }
  }

  /// How many bytes of some that have come may go on; less than all ends the connection.
  private func admit(_ count: Int, _ direction: Direction) -> Int {
    state.withLock { state in
      let admitted = min(count, state.left[direction] ?? count)
      if let left = state.left[direction] { state.left[direction] = left - admitted }
      state.passed[direction, default: 0] += admitted
      return admitted
    }
  }

  private static func relay(_ client: Int32, to target: String, counting proxy: PostgresProxy?) {
    let server = socket()
    defer {
      close(client)
      close(server)
    }
    guard withAddress(target, { connect(server, $0, $1) }) == 0 else { return }
    let ways: [(from: Int32, to: Int32, direction: Direction)] = [
      (client, server, .toServer), (server, client, .fromServer),
    ]
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      var states = ways.map { pollfd(fd: $0.from, events: Int16(POLLIN), revents: 0) }
      guard poll(&states, 2, -1) > 0 else { return }
      for (way, state) in zip(ways, states) where state.revents != 0 {
        let count = recv(way.from, &buffer, buffer.count, 0)
        guard count > 0, let proxy else { return }
        guard !proxy.state.withLock({ $0.isSilent }) else { continue }
        let admitted = proxy.admit(count, way.direction)
        let piece = proxy.state.withLock(\.piece)
        var sent = 0
        while sent < admitted {
          let written = buffer[sent..<admitted].prefix(piece).withUnsafeBytes {
            send(way.to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
          guard written > 0 else { return }
          sent += written
        }
        guard admitted == count else { return }
      }
    }
  }

  private static func socket() -> Int32 {
    // `SOCK_CLOEXEC`, which Swift does not import.
    Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | 0o2_000_000, 0)
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      bytes.copyBytes(from: path.utf8.prefix(bytes.count - 1))
    }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
