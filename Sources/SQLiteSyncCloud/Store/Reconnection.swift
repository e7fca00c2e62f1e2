/// When to try again to reach a server that could not be reached.
enum Reconnection {
  /// So many seconds after a number of failures in a row before the last one: 1, 2, 4 …, and at
  /// most half a minute, so that a server which comes back after a long time is soon used again.
  @Sendable static func pause(after failures: Int) -> Int {
    min(1 << min(failures, 10), 30)
  }
}
