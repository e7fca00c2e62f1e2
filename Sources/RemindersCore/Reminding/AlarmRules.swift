/// How reminders are announced that have no alarm of their own.
public struct AlarmRules: Hashable, Sendable {
  /// Whether those with a due time are announced at it.
  public var announcesTimes: Bool
  /// Whether those that are due on a day are announced on it.
  public var announcesDays: Bool
  /// When a day is announced, and what alarms before it count from: minutes since midnight.
  public var dayMinutes: Int

  /// At the due time, and at nine o'clock.
  public static let standard = AlarmRules()

  /// Nine o'clock.
  public static let usualDayMinutes = 9 * 60

  /// The rules; the standard ones unless told otherwise.
  public init(
    announcesTimes: Bool = true, announcesDays: Bool = true,
    dayMinutes: Int = AlarmRules.usualDayMinutes
  ) {
    self.announcesTimes = announcesTimes
    self.announcesDays = announcesDays
    self.dayMinutes = dayMinutes
  }

  /// The alarms of a reminder that has none of its own.
  func alarms(for due: DueDate?) -> [Alarm] {
    switch due {
    case .moment where announcesTimes: [.whenDue]
    case .day where announcesDays: [.whenDue]
    default: []
    }
  }
}
