/// How long to wait until a server that could not be reached is tried again.
///
/// `SFTPConnection` and `PostgresStore` fail with their last error until then; the threads of
/// `SSHWatcher` and `PostgresListener` sleep until then.
struct BackOff: Sendable {
  private let pause: @Sendable (_ failures: Int) -> Int
  private var failures = 0

  /// - Parameter pause: The seconds to wait, by the failures in a row before the last one.
  init(pause: @escaping @Sendable (_ failures: Int) -> Int = doubling) { self.pause = pause }

  /// 1, 2, 4 … seconds, and at most half a minute, so that a server which comes back after a long
  /// time is soon used again.
  @Sendable static func doubling(_ failures: Int) -> Int {
    min(1 << min(failures, 10), 30)
  }

  /// The seconds to wait after one more failure.
  mutating func next() -> Int {
    defer { failures += 1 }
    return pause(failures)
  }

  /// Begins anew, once the server was reached.
  mutating func reset() { failures = 0 }
}
