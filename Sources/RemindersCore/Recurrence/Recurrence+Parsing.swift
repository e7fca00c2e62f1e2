/// How something comes again, as typed in a field or an option: `every monday 9am`, and from when.
public struct TypedSeries: Sendable {
  /// The rule; nil for what does not come again.
  public let rule: Recurrence?
  /// Whether it says when it is due for the first time, or at what time.
  public let saysDue: Bool
  private let phrase: SeriesPhrase?

  /// Reads plain language: `every monday`, `every 2 weeks`, `monthly on the last friday`,
  /// `every! 3 days` from the day of completion, `every+ day` each one although it is over; with
  /// the first date or a time, as in `every monday 9am starting 7 dec`.
  ///
  /// `none` and no text are no rule.
  ///
  /// - Throws: `AppError` when the text is not understood, with examples.
  public init(_ text: String, in time: LocalTime) throws {
    if let rule = Recurrence(stored: text) {
      (self.rule, phrase, saysDue) = (rule, nil, false)
    } else if ["", "none", "never", "no"].contains(text.oneLine.lowercased()) {
      (rule, phrase, saysDue) = (nil, nil, false)
    } else {
      let phrase = SeriesPhrase.read(text, in: time)
      guard let phrase, !phrase.isAmbiguous, let series = phrase.series else {
        throw Self.isNotUnderstood(text, phrase)
      }
      (rule, saysDue, self.phrase) = (series.rule, phrase.saysDue, phrase)
    }
  }

  private static func isNotUnderstood(_ text: String, _ phrase: SeriesPhrase?) -> AppError {
    AppError(
      .invalidInput, "“\(text.oneLine)” is not a way to repeat that can be understood.",
      hint: phrase?.isAmbiguous == true
        ? "Say which one of the month: monthly on the first mon, or every mon."
        : "For example: every day, every mon and thu, every mon 9am, every 2 weeks, "
          + "monthly on the last friday, every! 3 days, none.")
  }

  /// When it is due for the first time.
  ///
  /// On the day that it says; else on the date that the reminder has, where the rule has it, or the
  /// next one of the rule.
  ///
  /// - Parameters:
  ///   - due: When the reminder is due without it.
  ///   - time: Now, where the person is.
  public func firstDue(from due: DueDate?, in time: LocalTime) -> DueDate? {
    guard let rule else { return due }
    if let phrase { return phrase.firstDue(from: due) }
    guard let due else { return .day(rule.first(onOrAfter: time.today)) }
    return due.moved(to: rule.first(from: due.day(in: time), today: time.today), in: time)
  }
}

extension Recurrence {
  /// The rule of what is typed, whatever it says of the first date.
  ///
  /// - Returns: Nil for `none` and for no text: it does not come again.
  /// - Throws: `AppError` when the text is not understood, with examples.
  public static func parse(_ text: String, in time: LocalTime) throws -> Recurrence? {
    try TypedSeries(text, in: time).rule
  }

  /// What is read of a rule together with its first due date.
  enum Reading {
    /// It comes again so, and is due for the first time then.
    case series(Recurrence, due: DueDate)
    /// It can be a rule, but nobody can know which: `every month on mon`; or there is none such.
    case ambiguous
  }

  /// Reads a rule together with its first due date, its time and its end, in any order:
  /// `every monday 9am starting 7 dec`.
  ///
  /// - Returns: Nil when there is no rule, or anything else as well.
  static func reading(_ text: String, in time: LocalTime) -> Reading? {
    guard let phrase = SeriesPhrase.read(text, in: time) else { return nil }
    guard !phrase.isAmbiguous, let (rule, due) = phrase.series else { return .ambiguous }
    // What is over before it begins is not a rule.
    return rule.ends(before: due.day(in: time)) ? nil : .series(rule, due: due)
  }

  /// The first due date of the rule at a date or after it, at the same time of the day.
  public func first(onOrAfter due: DueDate, in time: LocalTime) -> DueDate {
    due.moved(to: first(onOrAfter: due.day(in: time)), in: time)
  }
}

extension Recurrence {
  /// Whether it is over before a day.
  func ends(before day: CalendarDay) -> Bool {
    if case .until(let last)? = end { last < day } else { false }
  }
}

extension DueDate {
  /// The same time of another day.
  public func moved(to day: CalendarDay, in time: LocalTime) -> DueDate {
    minutes(in: time).map { .at(day, minutes: $0, in: time) } ?? .day(day)
  }
}
