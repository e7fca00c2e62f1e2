/// Which occurrence of a series a reminder is: the text of the column `occurrence`.
///
/// A series begins whenever a rule is set. The day is the one that the rule gave, wherever this
/// occurrence has been moved; so the next one is where it belongs. For the same reason the series
/// has in its name at what time it is due: the beginning of daylight saving moves one occurrence.
struct Occurrence: Hashable, Sendable {
  /// From 1.
  var number: Int
  /// The day that the rule gave.
  var day: CalendarDay
  /// The series: an id of its own, with the time of day if it has one, or the id of the reminder.
  ///
  /// Where a rule took the place of another, what the occurrence was called until then follows:
  /// `1f0c9a2e-…@09:30<77ab…~3`.
  var series: String

  /// No series is longer, unless somebody made the text up.
  private static let numbers = 1...9_999_999

  /// `3 2026-02-28 1f0c9a2e-…`, or `3 2026-02-28 1f0c9a2e-…@09:30`.
  var stored: String { "\(number) \(day) \(series)" }

  /// What the text of the column means; nil for none, and for text of other programs.
  init?(stored text: String?) {
    let parts = (text ?? "").split(separator: " ").map(String.init)
    guard parts.count == 3, let number = Int(digits: parts[0]), Self.numbers.contains(number),
      let day = CalendarDay(parts[1])
    else { return nil }
    self.init(number: number, day: day, series: parts[2])
  }

  init(number: Int = 1, day: CalendarDay, series: String) {
    self.number = number
    self.day = day
    self.series = series
  }

  /// The first one of a series.
  ///
  /// - Parameters:
  ///   - id: An id for the series.
  ///   - due: When it is due; a time of day is that of the series.
  ///   - former: What it was in the series whose rule the new one replaces. Another device may
  ///     complete that before it knows of the new rule, and it is the same occurrence.
  init(ofSeries id: String, due: DueDate, replacing former: Occurrence?, in time: LocalTime) {
    let minutes = due.minutes(in: time)
    let clock = minutes.map { "@" + ($0 / 60).padded(to: 2) + ":" + ($0 % 60).padded(to: 2) }
    let origin = former.map { "<" + $0.name.replacing(" ", with: "~") }
    self.init(day: due.day(in: time), series: id + (clock ?? "") + (origin ?? ""))
  }

  /// The same one of another series.
  func ofSeries(_ id: String) -> Occurrence {
    let clock = seriesName.firstIndex(of: "@").map { seriesName[$0...] } ?? ""
    return Occurrence(number: number, day: day, series: id + clock)
  }

  /// The series without what its first occurrence was called before.
  private var seriesName: Substring { series.prefix { $0 != "<" } }

  /// What it is called, on every device: `1f0c9a2e-…@09:30 3`.
  var name: String {
    let origin = series.dropFirst(seriesName.count + 1)
    guard number == 1, !origin.isEmpty else { return "\(seriesName) \(number)" }
    return String(origin).replacing("~", with: " ")
  }

  /// The same day as the next number, which no occurrence has that is completed.
  var renumbered: Occurrence { Occurrence(number: number + 1, day: day, series: series) }

  /// Minutes since midnight at which the series is due; nil where it does not say.
  private var minutes: Int? {
    let parts = seriesName.split(separator: "@", omittingEmptySubsequences: false)
    let clock = (parts.count == 2 ? parts[1] : "").split(separator: ":").compactMap {
      Int(digits: $0)
    }
    guard clock.count == 2, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]) else {
      return nil
    }
    return clock[0] * 60 + clock[1]
  }

  /// When the occurrence of another day is due.
  ///
  /// At the time of the series, which daylight saving may have skipped on the day of this one;
  /// where somebody has moved this one to another time, at that.
  ///
  /// - Parameter due: When this one is due.
  func due(on day: CalendarDay, after due: DueDate, in time: LocalTime) -> DueDate {
    guard let minutes, due == .at(due.day(in: time), minutes: minutes, in: time) else {
      return due.moved(to: day, in: time)
    }
    return .at(day, minutes: minutes, in: time)
  }

  /// The occurrence before it in the series.
  var previous: Occurrence? {
    number > 1 ? Occurrence(number: number - 1, day: day, series: series) : nil
  }
}
