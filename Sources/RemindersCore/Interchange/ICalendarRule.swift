import Foundation

/// Due dates and recurrence rules of iCalendar (RFC 5545, 3.8.5.3).
enum ICalendarRule {
  /// Says from where a rule goes on when an occurrence is completed; none for the usual way.
  static let continuation = "X-REMINDERS-REPEAT"

  /// The lines of a due date, and of the rule by which it comes again.
  ///
  /// A rule is about the days of whoever lives by it, so that a time beside it is that of the clock
  /// on the wall, wherever that is: in UTC it may be on another weekday. The RFC wants a DTSTART
  /// with each rule, and counts from that: what is over is not among so many times.
  ///
  /// - Parameter number: Which occurrence it is that is due, from 1.
  static func lines(
    _ rule: Recurrence?, _ due: DueDate, number: Int, in time: LocalTime
  ) -> [String] {
    guard let rule else {
      return switch due {
      case .day(let day): ["DUE;VALUE=DATE:" + CompactDate.text(day)]
      case .moment(let moment): ["DUE:" + CompactDate.text(moment)]
      }
    }
    let day = CompactDate.text(due.day(in: time))
    let date =
      due.minutes(in: time).map {
        ":\(day)T\(($0 / 60).padded(to: 2))\(($0 % 60).padded(to: 2))00"
      } ?? ";VALUE=DATE:\(day)"
    var text = rule.remaining(from: number).rule
    // It must be of the same kind as the date that it is about.
    if case .until(let last) = rule.end, due.minutes(in: time) != nil {
      let until = CompactDate.text(last)
      text = text.replacing("UNTIL=\(until)", with: "UNTIL=\(until)T235959")
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
