import Foundation

/// What the cloud takes from the world around it, so that a test can decide it.
public struct CloudEnvironment: Sendable {
  /// Milliseconds since 1970.
  ///
  /// Informs people and decides what is old; never decides a conflict. A time before 1970 or after
  /// 2099 counts as the first or last moment between.
  public var now: @Sendable () -> Int64 {
    didSet { now = Self.bounding(now) }
  }
  /// A new unique identifier.
  public var makeID: @Sendable () -> UUID
  /// Random bits, for back-off and for the names of uploads.
  public var random: @Sendable () -> UInt64
  /// Waits for a number of milliseconds between two attempts.
  public var pause: @Sendable (Int64) -> Void
  /// When a log is folded and what is kept.
  var maintenance = MaintenancePolicy.standard

  /// An environment of closures.
  public init(
    now: @escaping @Sendable () -> Int64,
    makeID: @escaping @Sendable () -> UUID,
    random: @escaping @Sendable () -> UInt64,
    pause: @escaping @Sendable (Int64) -> Void
  ) {
    self.now = Self.bounding(now)
    self.makeID = makeID
    self.random = random
    self.pause = pause
  }

  /// A clock that may be set to anything, within times that can be counted with.
  package static func bounding(
    _ clock: @escaping @Sendable () -> Int64
  ) -> @Sendable () -> Int64 {
    { min(max(clock(), 0), FieldClock.limit.milliseconds) }
  }

  /// The machine's clock, random numbers and sleep.
  public static let live = CloudEnvironment(
    now: { Int64(Date().timeIntervalSince1970 * 1_000) },
    makeID: { UUID() },
    random: { UInt64.random(in: .min ... .max) },
    // The caller's own thread backs off: calls are synchronous, and nobody ever signals.
    pause: { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(Int($0))) })
}
