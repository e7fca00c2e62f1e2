/// A moment in Coordinated Universal Time, by the Gregorian calendar.
///
/// Foundation's formatters cost more than a request, and load the data of all calendars.
struct CalendarTime: Hashable {
  let year: Int64
  let month: Int64
  let day: Int64
  let second: Int64

  /// The moment so many seconds after 1970 began.
  init(seconds: Int64) {
    second = (seconds % 86_400 + 86_400) % 86_400
    // http://howardhinnant.github.io/date_algorithms.html#civil_from_days
    let days = (seconds - second) / 86_400 + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shifted + 2) / 5 + 1
    month = shifted < 10 ? shifted + 3 : shifted - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The seconds since 1970 of a date and a time; nil for what is none.
  static func seconds(
    year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64
  ) -> Int64? {
    guard (0...9_999).contains(year), (1...12).contains(month), (1...31).contains(day),
      (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return (era * 146_097 + dayOfEra - 719_468) * 86_400 + hour * 3_600 + minute * 60 + second
  }

  /// Milliseconds since 1970 of the header `Date`, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func milliseconds(httpDate text: String) -> Int64? {
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let parts = text.split { $0 == " " || $0 == ":" }
    guard parts.count == 8, parts[7] == "GMT",
      let month = months.firstIndex(of: String(parts[2])), let day = Int64(parts[1]),
      let year = Int64(parts[3]), let hour = Int64(parts[4]), let minute = Int64(parts[5]),
      let second = Int64(parts[6])
    else { return nil }
    return seconds(
      year: year, month: Int64(month) + 1, day: day, hour: hour, minute: minute, second: second
    ).map { $0 * 1_000 }
  }

  /// Milliseconds since 1970 of `1994-11-06T08:49:37.000Z`, with or without a fraction.
  static func milliseconds(iso8601 text: String) -> Int64? {
    guard text.hasSuffix("Z") else { return nil }
    let parts = text.dropLast().split { "-T:.".contains($0) }
    let numbers = parts.compactMap { Int64($0) }
    guard numbers.count == parts.count, (6...7).contains(parts.count),
      let seconds = seconds(
        year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
        second: numbers[5])
    else { return nil }
    let fraction = parts.count == 7 ? String(parts[6].prefix(3)) : ""
    return seconds * 1_000
      + (Int64(fraction.padding(toLength: 3, withPad: "0", startingAt: 0)) ?? 0)
  }

  func digits(year count: Int) -> String {
    Self.digits(year, count) + Self.digits(month, 2) + Self.digits(day, 2)
  }

  var timeDigits: String {
    Self.digits(second / 3_600, 2) + Self.digits(second / 60 % 60, 2) + Self.digits(second % 60, 2)
  }

  private static func digits(_ number: Int64, _ count: Int) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}
