import Foundation

/// Two sockets, by which one thread ends the wait of another.
final class Bell: Sendable {
  private let rope: Int32
  private let clapper: Int32

  init() {
    // Without sockets nobody is woken before time; nothing else depends on it.
    (rope, clapper) = SocketPair.make() ?? (-1, -1)
    for end in [rope, clapper] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    close(rope)
    close(clapper)
  }

  func ring() {
    _ = send(rope, [1], 1, Int32(MSG_NOSIGNAL))
  }

  /// Waits until it rings or something can be read from a socket; false when the time is over.
  func wait(beside socket: Int32?, seconds: Int) -> Bool {
    var states = [clapper, socket ?? -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let ready = poll(&states, 2, Int32(seconds * 1_000))
    var sounds = [UInt8](repeating: 0, count: 64)
    while recv(clapper, &sounds, sounds.count, 0) > 0 {}
    return ready != 0
  }
}
