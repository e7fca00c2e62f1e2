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
      let seconds = Int(moment.timeIntervalSince(due.begin(in: time)))
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
  ///   - origin: When that begins to count: its start, unless it says otherwise (RFC 5545, 3.2.14).
  ///   - due: When the reminder is due.
  static func alarm(
    own: String?, trigger value: String?, after origin: DueDate?, of due: DueDate?,
    in time: LocalTime
  ) -> Alarm? {
    if let alarm = own.flatMap({ Alarm(stored: $0) }) { return alarm }
    guard let value else { return nil }
    if let moment = CompactDate.moment(value) { return .at(moment) }
    if let (day, seconds) = CompactDate.wall(value) {
      return .at(time.moment(day, minutes: seconds / 60))
    }
    guard var duration = CalendarDuration(value), let origin else { return nil }
    let moment = origin.moved(by: duration, in: time).begin(in: time)
    guard let due else { return .at(moment) }
    // An alarm goes by the due date here.
    if origin != due {
      duration = CalendarDuration(seconds: Int(moment.timeIntervalSince(due.begin(in: time))))
    }
    guard case .day = due else {
      return .offset(days: duration.days, seconds: duration.seconds)
    }
    // From midnight: a time of that day, or of one before.
    let (days, rest) = duration.seconds.quotientAndRemainderFlooring(by: 86_400)
    let daysBefore = -(duration.days + days)
    return daysBefore < 0 ? nil : .clock(daysBefore: daysBefore, minutes: rest / 60)
  }
}

extension ICalendarAlarm {
  /// What the lines of a VALARM mean.
  fileprivate static func alarm(
    _ lines: [ICalendarFile.Line], start: DueDate?, due: DueDate?, in time: LocalTime
  ) -> Alarm? {
    func value(_ name: String) -> String? { lines.first { $0.name == name }?.value }
    let trigger = lines.first { $0.name == "TRIGGER" }
    let isOfEnd = trigger?.parameters["RELATED"]?.uppercased() == "END"
    return alarm(
      own: value(ownProperty), trigger: trigger?.value,
      after: isOfEnd ? due : start ?? due, of: due, in: time)
  }
}

extension ImportBatch.Item {
  /// Takes over alarms; returns what is kept as text instead.
  mutating func take(
    _ alarms: [[ICalendarFile.Line]], start: DueDate?, in time: LocalTime
  ) -> [String] {
    var kept: [String] = []
    for alarm in alarms {
      if let known = ICalendarAlarm.alarm(alarm, start: start, due: draft.due, in: time) {
        draft.alarms.append(known)
      } else {
        kept.append("VALARM: \(alarm.first { $0.name == "TRIGGER" }?.value ?? "no trigger")")
      }
      kept += alarm.filter { ICalendarAlarm.isUnread($0.name) }
        .map { "VALARM: \($0.name): \($0.value)" }
    }
    return kept
  }
}

extension DueDate {
  /// The moment at which it begins: midnight of a day without a time.
  fileprivate func begin(in time: LocalTime) -> Date {
    switch self {
    case .day(let day): time.start(of: day)
    case .moment(let moment): moment
    }
  }

  /// So much later: a day without a time stays one where only days are added.
  func moved(by duration: CalendarDuration, in time: LocalTime) -> DueDate {
    let day = day(in: time).adding(days: duration.days)
    if minutes(in: time) == nil, duration.seconds == 0 { return .day(day) }
    let start = DueDate.at(day, minutes: minutes(in: time) ?? 0, in: time).begin(in: time)
    return .moment(start + Double(duration.seconds))
  }
}
