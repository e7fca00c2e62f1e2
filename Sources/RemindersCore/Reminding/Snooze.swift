import Foundation

/// Until when something is snoozed, as typed.
public enum Snooze {
  /// What is meant when nothing is typed.
  public static let usual = "10m"

  /// Reads a date or a span from now on; a day is its morning.
  ///
  /// - Throws: `AppError` when it is not understood, or not ahead.
  public static func moment(_ text: String, in time: LocalTime) throws -> Date {
    let moment: Date? =
      switch try DueDate.parse(text, in: time) {
      case nil: nil
      case .moment(let moment): moment
      case .day(let day): time.moment(day, minutes: AlarmRules.usualDayMinutes)
      }
    // A span counts from the beginning of this minute.
    guard let moment, moment > time.now else {
      throw AppError(
        .invalidInput, "“\(text.oneLine)” is not in the future.",
        hint: "For example: 10m, 1h, tonight, tomorrow 9:00.")
    }
    return moment
  }
}
