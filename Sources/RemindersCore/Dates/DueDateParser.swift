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
        .invalidInput, "“\(text.oneLine.shortened(to: 60))” is in the year \(year).",
        hint: "Dates begin with \(firstYear), and a year has four digits, as in 25 dec 2026.")
    }
    return due
  }

  /// The longest run of words at the end that is a date, and not more often an amount.
  ///
  /// A line is looked through so, and nobody is told why the rest is none.
  static func found(
    endingIn words: [Substring], in time: LocalTime
  ) -> (count: Int, due: DueDate)? {
    let lowercased = words.map { $0.lowercased() }
    let parts = lowercased.map(Self.parts)
    for start in words.indices where !DateReader.isAmount(lowercased[start...]) {
      let run = parts[start...].flatMap(\.self)
      let due =
        start + 1 < words.count
        ? reading(run, in: time)
        : Date(iso8601: String(words[start])).map(DueDate.moment)
          ?? reading(dayAndTime(run), in: time)
      if let due, due.isStorable, isOurs(due.day(in: time)) { return (words.count - start, due) }
    }
    return nil
  }

  /// The refusal of a date that no column can hold.
  static func isBeyondTheCalendar(_ text: String) -> AppError {
    AppError(
      .invalidInput, "“\(text.oneLine.shortened(to: 60))” is beyond the calendar.",
      hint: "Its last year is 9999.")
  }

  /// Whether a typed day, if there is one, is of a year that somebody means.
  static func isOurs(_ day: CalendarDay?) -> Bool {
    day.map { (firstYear...9999).contains($0.components.year) } ?? true
  }

  /// What is typed of an earlier year is a slip: `25 dec 0026`.
  private static let firstYear = 1900

  private static func read(_ text: String, in time: LocalTime) throws -> DueDate? {
    let words = words(of: text)
    if ["", "none", "no date", "never"].contains(words.joined(separator: " ")) { return nil }
    let moment = Date(iso8601: text).map(DueDate.moment)
    guard let due = moment ?? reading(words, in: time) else {
      throw AppError(
        .invalidInput, "“\(text.oneLine.shortened(to: 60))” is not a date.",
        hint: hint(for: text, words, in: time))
    }
    return due
  }

  private static func reading(_ words: [String], in time: LocalTime) -> DueDate? {
    var reader = DateReader(words, in: time)
    return reader.due()
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
  static func words(of text: String) -> [String] { dayAndTime(parts(of: text.lowercased())) }

  /// What lies between white space and commas.
  private static func parts(of text: String) -> [String] {
    var text = text
    // To look for them takes longer than all the rest.
    if text.utf8.contains(UInt8(ascii: ".")) {
      text = text.replacing("a.m.", with: "am").replacing("p.m.", with: "pm")
    }
    return text.split { $0.isWhitespace || $0 == "," || $0 == "·" }
      .flatMap { $0 == "tonight" ? ["today", "night"] : [String($0)] }
  }

  /// `2026-12-25T18:00` alone is a day and a time of whoever types.
  private static func dayAndTime(_ words: [String]) -> [String] {
    guard words.count == 1, let parts = words.first?.split(separator: "t"), parts.count == 2,
      CalendarDay(String(parts[0])) != nil
    else { return words }
    return parts.map(String.init)
  }
}
