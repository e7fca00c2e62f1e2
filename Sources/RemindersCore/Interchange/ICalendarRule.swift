import Foundation

/// Due dates and recurrence rules of iCalendar (RFC 5545, 3.8.5.3).
enum ICalendarRule {
  /// Says from where a rule goes on when an occurrence is completed; none for the usual way.
  static let continuation = "X-REMINDERS-REPEAT"

  /// The lines of a due date, and of the rule by which it comes again.
  ///
  /// A rule is about the days of whoever lives by it, so that a time beside it is that of the clock
  /// on the wall, where the series is at home: in UTC it may be on another weekday. Without a home
  /// it is that of wherever it is read. The RFC wants a DTSTART with each rule, and counts from
  /// that: what is over is not among so many times.
  ///
  /// - Parameters:
  ///   - rule: The rule; nil for what does not come again.
  ///   - due: When it is due.
  ///   - series: Which occurrence it is that is due, and where.
  ///   - time: Where it is written.
  static func lines(
    _ rule: Recurrence?, _ due: DueDate, of series: ExportedSeries?, in time: LocalTime
  ) -> [String] {
    guard let rule else {
      return switch due {
      case .day(let day): ["DUE;VALUE=DATE:" + CompactDate.text(day)]
      case .moment(let moment): ["DUE:" + CompactDate.text(moment)]
      }
    }
    let home = series?.home(of: due)
    let time = home.map(time.moved) ?? time
    let day = CompactDate.text(due.day(in: time))
    let place = home.map { ";TZID=\($0.identifier)" } ?? ""
    let date =
      due.minutes(in: time).map {
        "\(place):\(day)T\(($0 / 60).padded(to: 2))\(($0 % 60).padded(to: 2))00"
      } ?? ";VALUE=DATE:\(day)"
    let number = series?.occurrence?.counted ?? 1
    var text = rule.remaining(from: number).rule
    // It must be of the same kind as the date that it is about; beside a place it is in UTC.
    if case .until(let last) = rule.end, due.minutes(in: time) != nil {
      let until = CompactDate.text(last)
      let end =
        home == nil
        ? "\(until)T235959"
        : CompactDate.text(time.start(of: last.adding(days: 1)).addingTimeInterval(-1))
      text = text.replacing("UNTIL=\(until)", with: "UNTIL=\(end)")
    }
    let way =
      rule.continuation == .nextInFuture
      ? [] : ["\(continuation):\(rule.continuation.rawValue)"]
    return ["DTSTART" + date, "DUE" + date, "RRULE:" + text] + way
  }

  /// What an RRULE means; nil when it says what this program does not have.
  static func rule(_ text: String, in time: LocalTime) -> Recurrence? {
    let parts = text.uppercased().split(separator: ";").map { part -> String in
      // The last moment in UTC is one of a day here.
      guard part.hasPrefix("UNTIL="), let moment = CompactDate.moment(String(part.dropFirst(6)))
      else { return String(part) }
      return "UNTIL=\(CompactDate.text(time.wallClock(at: moment).day))"
    }
    return Recurrence(rule: parts.joined(separator: ";"))
  }
}
