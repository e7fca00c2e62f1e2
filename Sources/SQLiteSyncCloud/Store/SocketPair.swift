import Foundation

/// Two ends of a connection, for another thread or a child process.
///
/// Standard streams may be sockets, and only to a socket can be written without a signal when
/// nobody reads.
enum SocketPair {
  /// Both are closed in children that are not given one; nil with `errno` when there is none.
  static func make() -> (here: Int32, there: Int32)? {
    // `SOCK_CLOEXEC`, which Swift does not import.
    let closeOnExec: Int32 = 0o2_000_000
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | closeOnExec, 0, &ends) == 0 else {
      return nil
    }
    return (ends[0], ends[1])
  }
}
