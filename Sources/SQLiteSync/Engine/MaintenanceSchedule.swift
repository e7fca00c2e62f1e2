/// When a device looks after the cloud's log: within a minute of its first idle moment, so that
/// devices which start together do not all do it, and then every hour.
///
/// One that only ever synchronizes by hand has no such moment. It looks when a log grew past
/// another so many commits: then one of those who saw it grow does.
struct MaintenanceSchedule {
  private var next: Int64?

  /// Whether it is time, in milliseconds since 1970; then the next time is an hour later.
  mutating func isDue(at now: Int64, random: UInt64) -> Bool {
    let jitter = Int64(random % 60_000)
    guard let next else {
      self.next = now + jitter
      return false
    }
    guard now >= next else { return false }
    // Also after a failure: it costs nobody anything if a log is folded an hour later.
    self.next = now + 3_600_000 + jitter
    return true
  }

  /// Whether a log that was so many commits long, and now is so many, passed a multiple of
  /// `interval`.
  static func isDue(from before: Int64, to after: Int64, every interval: Int64) -> Bool {
    before / interval < after / interval
  }
}
