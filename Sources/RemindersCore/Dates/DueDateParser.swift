import Foundation

extension DueDate {
  /// Reads plain language: `fri 9am`, `+3d`, `next week`, `25 dec`, `2026-12-25 18:00`.
  ///
  /// Everything that the app shows can be typed. `DatePhrases` lists what is understood.
  ///
  /// - Returns: Nil for `none` and for no text: not due.
  /// - Throws: `AppError` when the text is not understood, with examples.
  public static func parse(_ text: String, in time: LocalTime) throws -> DueDate? {
    let due = try read(text, in: time)
    guard due?.isStorable ?? true else { throw isBeyondTheCalendar(text) }
    if let year = due?.day(in: time).components.year, year < firstYear {
      throw AppError(
        .invalidInput, "“\(text.oneLine)” is in the year \(year).",
        hint: "Dates begin with \(firstYear), and a year has four digits, as in 25 dec 2026.")
    }
    return due
  }

  /// The refusal of a date that no column can hold.
  static func isBeyondTheCalendar(_ text: String) -> AppError {
    AppError(
      .invalidInput, "“\(text.oneLine)” is beyond the calendar.", hint: "Its last year is 9999.")
  }

  /// Whether a typed day, if there is one, is of a year that somebody means.
  static func isOurs(_ day: CalendarDay?) -> Bool {
    day.map { (firstYear...9999).contains($0.components.year) } ?? true
  }

  /// What is typed of an earlier year is a slip: `25 dec 0026`.
  private static let firstYear = 1900

  private static func read(_ text: String, in time: LocalTime) throws -> DueDate? {
    if let moment = Date(iso8601: text) { return .moment(moment) }
    let words = words(of: text)
    if ["", "none", "no date", "never"].contains(words.joined(separator: " ")) { return nil }
    var reader = DateReader(words, in: time)
    guard let due = reader.due() else {
      throw AppError(
        .invalidInput, "“\(text.oneLine)” is not a date.",
        hint: hint(for: text, words, in: time))
    }
    return due
  }

  private static func hint(for text: String, _ words: [String], in time: LocalTime) -> String {
    if TypedDate.hasShortYear(words) { return "A year has four digits, as in 25 dec 2026." }
    if let day = DateReader.day(ofWrongWeekday: words, in: time) {
      return "That date is \(DueDate.day(day).fullText(in: time))."
    }
    if Recurrence.reading(text, in: time) != nil {
      return "A repeat has a field of its own, or --repeat."
    }
    return "For example: today, fri 9am, +3d, next week, 25 dec, 2026-12-25 18:00, none."
  }

  /// The words of a typed date as they are compared.
  static func words(of text: String) -> [String] {
    let words = text.lowercased().replacing("a.m.", with: "am").replacing("p.m.", with: "pm")
      .split { $0.isWhitespace || $0 == "," || $0 == "·" }
      .flatMap { $0 == "tonight" ? ["today", "night"] : [String($0)] }
    // `2026-12-25T18:00` is a day and a time of whoever types.
    if words.count == 1, let parts = words.first?.split(separator: "t"), parts.count == 2,
      CalendarDay(String(parts[0])) != nil
    {
      return parts.map(String.init)
    }
    return words
  }
}
