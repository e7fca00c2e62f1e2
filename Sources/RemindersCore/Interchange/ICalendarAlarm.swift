import Foundation

/// Alarms of iCalendar (RFC 5545, 3.6.6): a VALARM with a trigger.
enum ICalendarAlarm {
  /// A property of ours, for what a trigger cannot say: a time of the day on which it is due.
  static let ownProperty = "X-REMINDERS-ALARM"

  /// Whether a property of a VALARM has no place here, and says something of when it comes.
  static func isUnread(_ name: String) -> Bool {
    !bookkeeping.contains(name) && !name.hasPrefix("X-")
  }

  /// What is read, and how an alarm looks: that is up to whoever announces it.
  private static let bookkeeping: Set = [
    "TRIGGER", "ACTION", "DESCRIPTION", "SUMMARY", "UID", "ACKNOWLEDGED",
  ]

  /// The component for an alarm; none for one without the due date that it goes by.
  ///
  /// Triggers count from midnight of a day without a time.
  static func lines(
    _ alarm: Alarm, of draft: ReminderDraft, in time: LocalTime
  ) -> [String] {
    let trigger: String
    switch (alarm, draft.due) {
    case (.at(let moment), _): trigger = "TRIGGER;VALUE=DATE-TIME:" + CompactDate.text(moment)
    case (.never, _), (_, nil): return []
    case (.offset, .moment): trigger = "TRIGGER;RELATED=END:" + alarm.stored
    case (_, let due?):
      guard
        let moment = alarm.moment(
          of: due, dayMinutes: AlarmRules.usualDayMinutes, in: time)
      else { return [] }
      let start: Date =
        switch due {
        case .day(let day): time.start(of: day)
        case .moment(let moment): moment
        }
      let seconds = Int(moment.timeIntervalSince(start))
      trigger = "TRIGGER;RELATED=END:\(CalendarDuration(seconds: seconds))"
    }
    return [
      "BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:" + ICalendarText.escaped(draft.title),
      trigger, "\(ownProperty):\(alarm.stored)", "END:VALARM",
    ]
  }

  /// What a VALARM means for a reminder that is due so; nil for one that has no such moment.
  ///
  /// - Parameters:
  ///   - own: The value of the property of ours.
  ///   - value: The value of the trigger.
  static func alarm(
    own: String?, trigger value: String?, due: DueDate?, in time: LocalTime
  ) -> Alarm? {
    if let alarm = own.flatMap({ Alarm(stored: $0) }) { return alarm }
    guard let value else { return nil }
    if let moment = CompactDate.moment(value) { return .at(moment) }
    if let (day, seconds) = CompactDate.wall(value) {
      return .at(time.moment(day, minutes: seconds / 60))
    }
    guard let duration = CalendarDuration(value), let due else { return nil }
    guard case .day = due else {
      return .offset(days: duration.days, seconds: duration.seconds)
    }
    // From midnight: a time of that day, or of one before.
    let (days, rest) = duration.seconds.quotientAndRemainderFlooring(by: 86_400)
    let daysBefore = -(duration.days + days)
    return daysBefore < 0 ? nil : .clock(daysBefore: daysBefore, minutes: rest / 60)
  }
}
