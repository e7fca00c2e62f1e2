import Foundation

/// Which occurrence of a series a reminder is: the text of the column `occurrence`.
///
/// A series begins whenever a rule is set. The day is the one that the rule gave, wherever this
/// occurrence has been moved; so the next one is where it belongs. For the same reason the series
/// has in its name at what time it is due: the beginning of daylight saving moves one occurrence.
struct Occurrence: Hashable, Sendable {
  /// From 1; 0 for one that is completed and is called by its day, because another day has its
  /// number.
  var number: Int
  /// The day that the rule gave.
  var day: CalendarDay
  /// The series: an id of its own, a mark of its rule, the time of day if it has one, with the zone
  /// of it; or the id of the reminder.
  ///
  /// Where the rule ends, so many occurrences that do not count towards its end, and a mark of the
  /// rule with it, follow the mark: `1f0c9a2e-…^3fa2b1c9.4.9b1c77aa`. They are no part of any name:
  /// an occurrence is the same one whenever its series ends (RFC 5545, 3.8.4.4). An earlier version
  /// wrote the mark of the rule with its end instead of the other.
  ///
  /// Where a rule took the place of another, what the occurrence was called until then comes last:
  /// `1f0c9a2e-…^3fa2b1c9@09:30@Europe/Berlin<77ab…~3`.
  var series: String

  /// No series is longer, unless somebody made the text up.
  private static let numbers = 0...9_999_999

  /// `3 2026-02-28 1f0c9a2e-…^3fa2b1c9`, or with `@09:30@Europe/Berlin` after it.
  var stored: String { "\(number) \(day) \(series)" }

  /// The text of the column where it is completed as the last one, which the reminder itself says.
  ///
  /// With a space at its end: so that it is an edit, made with that of the status, and says of a
  /// status that met other edits which occurrence was done. It is the same occurrence without it.
  var storedAsLast: String { stored + " " }

  /// Whether the text of the column is that of one that was completed as the last one.
  static func isLast(_ text: String) -> Bool { text.hasSuffix(" ") }

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
  ///   - rule: The rule of the series; nil for what does not come again any more.
  ///   - due: When it is due; a time of day is that of the series.
  ///   - former: What it was in the series whose rule the new one replaces. Another device may
  ///     complete that before it knows of the new rule, and it is the same occurrence.
  ///   - id: An id for a series that replaces none.
  init(
    of rule: Recurrence?, due: DueDate, replacing former: Occurrence?,
    id: @autoclosure () -> String, in time: LocalTime
  ) {
    let id = former.map { Self.seriesID(of: rule, replacing: $0.seriesName) } ?? id()
    let origin = former.map { "<" + $0.name.replacing(" ", with: "~") } ?? ""
    self.init(
      day: due.day(in: time), series: Self.series(id, of: rule, due: due, in: time) + origin)
  }

  private static func series(
    _ id: String, of rule: Recurrence?, due: DueDate, in time: LocalTime
  ) -> String {
    let clock = SeriesClock(due, in: time)?.text(separator: "@")
    return "\(id)^\(marks(of: rule, after: 0))\(clock.map { "@\($0)" } ?? "")"
  }

  /// What the name of a series says of its rule: see `series`.
  private static func marks(of rule: Recurrence?, after uncounted: Int) -> String {
    let marks = mark(of: rule?.endless)
    return rule?.end == nil ? marks : "\(marks).\(uncounted).\(mark(of: rule))"
  }

  private var marks: [Substring] {
    let name = series.prefix { !"@<".contains($0) }
    return name.firstIndex(of: "^").map {
      name[$0...].dropFirst().split(separator: ".", omittingEmptySubsequences: false)
    } ?? []
  }

  /// Which one it is of those that count towards the end of the rule: not those of before that.
  ///
  /// Where somebody made the text up, it is the first one.
  var counted: Int {
    let uncounted = marks.count == 3 ? Int(digits: marks[1]) ?? 0 : 0
    return number - min(uncounted, max(0, number - 1))
  }

  /// The same one where its rule ends at another time; nil where the rule is another.
  ///
  /// - Parameters:
  ///   - rule: The rule with that end.
  ///   - uncounted: How many do not count; nil for all before this one.
  func ended(by rule: Recurrence?, after uncounted: Int? = nil) -> Occurrence? {
    let known = marks.joined(separator: ".")
    guard let rule, marks.first.map(String.init) == Self.mark(of: rule.endless) else { return nil }
    let new = Self.marks(of: rule, after: uncounted ?? number - 1)
    let series = series.replacing("^\(known)", with: "^\(new)", maxReplacements: 1)
    return Occurrence(number: number, day: day, series: series)
  }

  /// The second one by a rule, when the one before this was the first.
  ///
  /// Of another rule the device that set it has made the series; its id is made of this one and of
  /// the rule, and so is the same here.
  func second(by rule: Recurrence, due: DueDate, in time: LocalTime) -> Occurrence {
    if var same = ended(by: rule, after: number - 2) {
      same.day = due.day(in: time)
      return same
    }
    let id = Self.seriesID(of: rule, replacing: seriesName)
    return Occurrence(
      number: 2, day: due.day(in: time), series: Self.series(id, of: rule, due: due, in: time))
  }

  /// The same one of another series.
  func ofSeries(_ id: String) -> Occurrence {
    let suffix = series.prefix { $0 != "<" }.drop { !"^@".contains($0) }
    return Occurrence(number: number, day: day, series: id + suffix)
  }

  /// Whether it can be one of a series with this rule.
  ///
  /// It is of another, or counts by another end, where a device completed it while the rule was
  /// changed elsewhere. What an earlier version began has no mark.
  ///
  /// - Parameter rule: Nil for a reminder that does not come again any more.
  func belongs(to rule: Recurrence?) -> Bool {
    marks.last.map { $0 == Self.mark(of: rule) } ?? (rule != nil)
  }

  /// The series without its end, and without what its first occurrence was called before.
  var seriesName: String {
    let name = String(series.prefix { $0 != "<" })
    guard marks.count == 3 else { return name }
    return name.replacing(".\(marks[1]).\(marks[2])", with: "", maxReplacements: 1)
  }

  /// Whether it is of the same series as another, wherever that ends.
  func isOfSeries(of other: Occurrence) -> Bool { seriesName == other.seriesName }

  /// What it is called, on every device: `1f0c9a2e-…@09:30 3`.
  ///
  /// Without the zone: an earlier version knows of none, and who ends a series and who begins the
  /// next may be in two.
  var name: String {
    let origin = series.drop { $0 != "<" }.dropFirst()
    guard number == 1, !origin.isEmpty else {
      let parts = seriesName.split(separator: "@", maxSplits: 2, omittingEmptySubsequences: false)
      let name = parts.prefix(2).joined(separator: "@")
      return number == 0 ? "\(name) \(day)" : "\(name) \(number)"
    }
    return String(origin).replacing("~", with: " ")
  }

  /// The same day without a number.
  var ofDay: Occurrence { Occurrence(number: 0, day: day, series: series) }

  /// The same day as the next number, which no occurrence has that is completed.
  var renumbered: Occurrence { Occurrence(number: number + 1, day: day, series: series) }

  /// At what time of the day the series is due; nil where it does not say.
  var clock: SeriesClock? {
    SeriesClock(seriesName.drop { $0 != "@" }.dropFirst(), separator: "@")
  }

  /// When the occurrence of another day is due.
  ///
  /// At the time of the series, which daylight saving may have skipped on the day of this one;
  /// where somebody has moved this one to another time, at that.
  ///
  /// - Parameters:
  ///   - day: The other day.
  ///   - due: When this one is due.
  ///   - time: Where the series is at home.
  func due(on day: CalendarDay, after due: DueDate, in time: LocalTime) -> DueDate {
    guard let minutes = clock?.minutes,
      due == .at(due.day(in: time), minutes: minutes, in: time)
    else {
      return due.moved(to: day, in: time)
    }
    return .at(day, minutes: minutes, in: time)
  }

  /// The occurrence before it in the series.
  var previous: Occurrence? {
    number > 1 ? Occurrence(number: number - 1, day: day, series: series) : nil
  }
}
