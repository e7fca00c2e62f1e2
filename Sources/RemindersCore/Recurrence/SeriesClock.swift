import Foundation

/// The time of the day of a series, and the place by whose clocks it is.
///
/// Wherever an occurrence is completed, the next one is due by those clocks. By the clocks of
/// whoever completes it, it would leave its weekday, and devices in several time zones would put
/// right what the others have.
struct SeriesClock: Hashable, Sendable {
  /// Since midnight.
  let minutes: Int
  /// Nil where the series does not say: then it is the zone of whoever looks.
  let timeZone: TimeZone?

  /// Reads `09:30 Europe/Berlin`, or `09:30`; nil for anything else.
  init?(_ text: some StringProtocol, separator: Character = " ") {
    let parts = text.split(
      separator: separator, maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let minutes = Self.minutes(first) else { return nil }
    self.minutes = minutes
    timeZone = parts.count == 2 ? TimeZone(identifier: String(parts[1])) : nil
  }

  /// The time of the day when something is due; nil for a day without.
  init?(_ due: DueDate, in time: LocalTime) {
    guard let minutes = due.minutes(in: time) else { return nil }
    (self.minutes, timeZone) = (minutes, time.timeZone)
  }

  /// The place by whose clocks a series is due; nil where it does not say, and for days.
  static func home(
    of due: DueDate?, _ occurrence: Occurrence?, seriesTime: String?
  ) -> TimeZone? {
    guard case .moment? = due else { return nil }
    return seriesTime.flatMap { SeriesClock($0) }?.timeZone ?? occurrence?.clock?.timeZone
  }

  /// `09:30 Europe/Berlin`.
  func text(separator: Character = " ") -> String {
    let clock = (minutes / 60).padded(to: 2) + ":" + (minutes % 60).padded(to: 2)
    return clock + (timeZone.map { "\(separator)\($0.identifier)" } ?? "")
  }

  private static func minutes(_ text: some StringProtocol) -> Int? {
    let parts = text.split(separator: ":").compactMap { Int(digits: $0) }
    guard parts.count == 2, (0..<24).contains(parts[0]), (0..<60).contains(parts[1]) else {
      return nil
    }
    return parts[0] * 60 + parts[1]
  }
}

// MARK: - The column

extension DueDate {
  /// The same day at the time of a series: the text of the column `seriesTime`, such as
  /// `09:30 Europe/Berlin`.
  ///
  /// By the clocks of that place, wherever it is asked: devices in several time zones must agree,
  /// or each would put right what the others have.
  ///
  /// - Returns: Nil where the text is none.
  func at(seriesTime text: String, in time: LocalTime) -> DueDate? {
    if text == Self.noTime { return .day(day(in: time)) }
    guard let clock = SeriesClock(text), let zone = clock.timeZone else { return nil }
    let there = time.moved(to: zone)
    // Seconds, and which of two equal hours of a night it is, stay as they are.
    if minutes(in: there) == clock.minutes { return self }
    return .at(day(in: there), minutes: clock.minutes, in: there)
  }

  /// What the column `seriesTime` says of it.
  func seriesTime(in time: LocalTime) -> String {
    SeriesClock(self, in: time)?.text() ?? Self.noTime
  }

  private static let noTime = "none"
}

// MARK: - Where a series is at home

extension LocalTime {
  /// The same moment by other clocks.
  func moved(to zone: TimeZone) -> LocalTime {
    var there = self
    there.timeZone = zone
    return there
  }

  /// The same moment where a series is at home, whose days and times are those of its rule.
  ///
  /// What is due on a day is due on it wherever somebody is, and at home there.
  ///
  /// - Parameters:
  ///   - due: When the occurrence is due.
  ///   - occurrence: Which one it is.
  ///   - seriesTime: The text of that column: where its time was changed since it began.
  func atHome(of due: DueDate?, _ occurrence: Occurrence?, seriesTime: String?) -> LocalTime {
    SeriesClock.home(of: due, occurrence, seriesTime: seriesTime).map(moved) ?? self
  }

  /// The same of the row of a reminder.
  func atHome(of columns: RowChange.Columns) -> LocalTime {
    atHome(
      of: DueDate(stored: columns.text("dueDate")),
      Occurrence(stored: columns.text("occurrence")), seriesTime: columns.text("seriesTime"))
  }
}
