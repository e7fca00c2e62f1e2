/// Reads the words of a typed date from the left: a day, a time, or a span from now on, each at
/// most once.
struct DateReader {
  private let time: LocalTime
  private var words: ArraySlice<String>
  private var weekday: Int?
  private var day: CalendarDay?
  private var minutes: Int?
  private var isDayOfMonth = false
  /// Whether it is the day that is read from which days are counted: it is none that is counted.
  private var isFromThere = false

  init(_ words: [String], in time: LocalTime) {
    self.time = time
    self.words = words[...]
  }

  /// What all the words mean together.
  mutating func due() -> DueDate? {
    if let due = DateSpan.due(all: Array(words), from: time) { return due }
    guard let stated = stated() else { return nil }
    guard let day = stated.day else {
      // Without a day: the next time that a clock shows it.
      return stated.minutes.map { time.next(atMinutes: $0) }
    }
    return stated.minutes.map { .at(day, minutes: $0, in: time) } ?? .day(day)
  }

  /// What words say of a date: the day, unless they leave it open, and minutes since midnight.
  struct Stated {
    var day: CalendarDay?
    var minutes: Int?
    /// Whether of the day they only say which one of the week it is.
    var isWeekday = false
    /// Whether of the day they only say which one of the month it is, `the 13th`.
    var isDayOfMonth = false
    /// Whether they name a day of the week, beside a date or alone.
    var namesWeekday = false
  }

  /// What all the words say, be it the time alone; nil when they say anything else.
  mutating func stated() -> Stated? {
    if let (count, due) = DateSpan.due(words, from: time), count == words.count {
      return Stated(day: due.day(in: time), minutes: due.minutes(in: time))
    }
    guard !words.isEmpty else { return nil }
    while !words.isEmpty { guard takeDay() || takeTime() || takeDayAfterTime() else { return nil } }
    guard wholeDay != nil || minutes != nil else { return nil }
    return Stated(
      day: wholeDay, minutes: minutes, isWeekday: day == nil && weekday != nil,
      isDayOfMonth: isDayOfMonth, namesWeekday: weekday != nil)
  }

  /// The day of a date that stands beside another weekday than its own: `mon 1 dec` on a Tuesday;
  /// nil for any other words.
  static func day(ofWrongWeekday words: [String], in time: LocalTime) -> CalendarDay? {
    let rest = words.filter { DateNames.weekday($0) == nil }
    guard rest.count == words.count - 1 else { return nil }
    var reader = DateReader(rest, in: time)
    return reader.stated()?.day
  }

  /// The time of the day that all words together mean; nil when they mean anything else.
  static func minutes(_ words: [String], in time: LocalTime) -> Int? {
    var reader = DateReader(words, in: time)
    return reader.takeTime() && reader.words.isEmpty ? reader.minutes : nil
  }

  /// What alone is more often an amount, or a part of the sentence: `3`, `-5`, `3d`, `3 days`,
  /// `4.5`, `18.30`, `weekend`.
  static func isAmount(_ words: ArraySlice<String>) -> Bool {
    guard !DateSpan.isAmount(words) else { return true }
    guard words.count == 1, let word = words.first else { return false }
    guard word.beginsWithDigit else {
      return word.first == "-" && Int(digits: word.dropFirst()) != nil
        || ["weekend", "this"].contains(word)
    }
    return !word.contains { ".:/-".contains($0) }
      && !["am", "pm", "st", "nd", "rd", "th"].contains(where: word.hasSuffix)
      || word.split(separator: ".").count == 2 && word.last?.isNumber == true
  }

  /// The day, or the next weekday of the name alone.
  private var wholeDay: CalendarDay? {
    if let day { return day }
    guard let weekday else { return nil }
    let days = time.today.days(until: weekday)
    return time.today.adding(days: days == 0 ? 7 : days)
  }

  // MARK: - Days

  private mutating func takeDay() -> Bool {
    guard day == nil else { return takeWeekday() }
    if takeWeekdayInAWeek() || takeDayInAPeriod() || takeDaysFromDay() { return true }
    if let (count, due) = DateSpan.due(words, from: time), case .day(let spanned) = due,
      weekday == nil
    {
      words = words.dropFirst(count)
      day = spanned
      return true
    }
    let phrases = words.first.flatMap { DatePhrases.daysByFirstWord[$0] } ?? []
    for (phrase, meaning) in phrases where weekday == nil && words.starts(with: phrase) {
      words = words.dropFirst(phrase.count)
      day = meaning(time)
      return true
    }
    return takeDate() || takeWeekdayOfAWeek() || takeWeekday()
  }

  /// `on fri`, after a time.
  private mutating func takeDayAfterTime() -> Bool {
    guard words.first == "on", minutes != nil else { return false }
    var rest = self
    rest.words = words.dropFirst()
    guard rest.takeDay() else { return false }
    self = rest
    return true
  }

  /// `fri`; with a date beside it, `Mon 23 Nov`, the date must be such a day.
  private mutating func takeWeekday() -> Bool {
    guard weekday == nil, let word = words.first, let named = DateNames.weekday(word),
      day.map({ $0.weekday == named }) ?? true
    else { return false }
    weekday = named
    words = words.dropFirst()
    return true
  }

  /// `next fri` of the next week, `this fri` of the coming seven days.
  private mutating func takeWeekdayOfAWeek() -> Bool {
    guard weekday == nil, words.count > 1, let word = words.dropFirst().first,
      let named = DateNames.weekday(word)
    else { return false }
    let today = time.today
    switch words.first {
    case "this", "coming": day = today.adding(days: today.days(until: named))
    case "last":
      let yesterday = today.adding(days: -1)
      day = yesterday.adding(days: -yesterday.days(since: named))
    case "next":
      let places = [today.weekday, named].map {
        CalendarDay.days(from: time.localeFormat.firstWeekday, to: $0)
      }
      day = today.adding(days: 7 - places[0] + places[1])
    default: return false
    }
    words = words.dropFirst(2)
    return true
  }

  /// `fri next week`, `next week on fri`, `fri in two weeks`, and what is left of `fri 9am next
  /// week`: the Friday of that week.
  private mutating func takeWeekdayInAWeek() -> Bool {
    var (rest, named) = (words, weekday ?? words.first.flatMap(DateNames.weekday))
    if named != nil, weekday == nil { rest = rest.dropFirst() }
    guard let (count, dayOfWeek) = week(rest) else { return false }
    rest = rest.dropFirst(count)
    if named == nil {
      if rest.first == "on" { rest = rest.dropFirst() }
      named = rest.popFirst().flatMap(DateNames.weekday)
    }
    guard let named else { return false }
    let places = [dayOfWeek.weekday, named].map {
      CalendarDay.days(from: time.localeFormat.firstWeekday, to: $0)
    }
    (day, weekday, words) = (dayOfWeek.adding(days: places[1] - places[0]), named, rest)
    return true
  }

  /// A week, and how many words name it: `next week`, `in 2 weeks`.
  private func week(_ words: ArraySlice<String>) -> (count: Int, day: CalendarDay)? {
    for (phrase, days) in [(["this", "week"], 0), (["next", "week"], 7)]
    where words.starts(with: phrase) {
      return (2, time.today.adding(days: days))
    }
    return DateSpan.weeks(words).map { ($0.count, time.today.adding(days: 7 * $0.number)) }
  }

  /// `the 5th next month`, `next month on the 5th`, `3 may next year`: the day of that period.
  private mutating func takeDayInAPeriod() -> Bool {
    guard weekday == nil else { return false }
    var rest = words
    var period = Self.period(rest)
    if period != nil {
      rest = rest.dropFirst(2)
      if rest.first == "on" { rest = rest.dropFirst() }
    }
    guard let (count, date) = TypedDate.read(rest, time.localeFormat) else { return false }
    rest = rest.dropFirst(count)
    if period == nil {
      if rest.first == "of" { rest = rest.dropFirst() }
      period = Self.period(rest)
      rest = rest.dropFirst(2)
    }
    guard let period, let found = date.day(ofPeriodAfter: time.today, period) else { return false }
    (day, words) = (found, rest)
    return true
  }

  /// `this month`, `next year`.
  private static func period(_ words: ArraySlice<String>) -> TypedDate.Period? {
    guard let number = words.first.flatMap({ ["this": 0, "next": 1][$0] }) else { return nil }
    return switch words.dropFirst().first {
    case "month": .months(number)
    case "year": .years(number)
    default: nil
    }
  }

  /// `two weeks from friday`, `3 days from 25 dec`.
  private mutating func takeDaysFromDay() -> Bool {
    guard weekday == nil, !isFromThere, let (count, end) = DateSpan.afterDay(words) else {
      return false
    }
    var rest = DateReader(Array(words.dropFirst(count)), in: time)
    rest.isFromThere = true
    guard rest.takeDay() else { return false }
    // With a date beside its weekday the date counts.
    if rest.day == nil || rest.weekday == nil { _ = rest.takeDay() }
    guard let first = rest.wholeDay else { return false }
    (day, words) = (end(first), rest.words)
    return true
  }

  private mutating func takeDate() -> Bool {
    guard let (count, date) = TypedDate.read(words, time.localeFormat) else { return false }
    // `9.05 pm`.
    if let next = words.dropFirst(count).first, ["am", "pm"].contains(next) { return false }
    guard let found = date.day(in: time, weekday: weekday) else { return false }
    words = words.dropFirst(count)
    day = found
    isDayOfMonth = date.isDayOfMonth
    return true
  }

  // MARK: - Times

  private mutating func takeTime() -> Bool {
    guard minutes == nil, let (count, taken) = timeOfDay() else { return false }
    words = words.dropFirst(count)
    minutes = taken
    return true
  }

  private func timeOfDay() -> (count: Int, minutes: Int)? {
    let hasDay = day != nil || weekday != nil
    var rest = words
    let isIntroduced = rest.first == "at" && rest.count > 1
    if isIntroduced { rest = rest.dropFirst() }
    let skipped = isIntroduced ? 1 : 0
    if let (count, minutes) = ClockTime.spoken(rest) { return (skipped + count, minutes) }
    guard let word = rest.first else { return nil }
    if let next = rest.dropFirst().first, ["am", "pm"].contains(next),
      let minutes = ClockTime.minutes(word + next) ?? ClockTime.dottedMinutes(word + next)
    {
      return (skipped + 2, minutes)
    }
    if let minutes = ClockTime.minutes(word) { return (skipped + 1, minutes) }
    // Before a day, `18.30 fri`, it may be a price; `12.25` alone is a date that is month-first.
    if let minutes = ClockTime.dottedMinutes(word),
      hasDay || isIntroduced || word.last?.isNumber == false
        || words.count == 1 && minutes >= 13 * 60
    {
      return (skipped + 1, minutes)
    }
    if hasDay || isIntroduced, let hour = Int(digits: word), word.utf8.count <= 2, hour < 24 {
      return (skipped + 1, hour * 60)
    }
    let phrase = DatePhrases.times.first {
      rest.starts(with: $0.words) && (!$0.needsDay || hasDay)
        && (!isIntroduced || $0.words.count == 1)
    }
    guard let phrase else { return nil }
    let count = skipped + phrase.words.count
    let after = words.dropFirst(count)
    guard let part = phrase.words.last, let (more, minutes) = hour(after, in: part) else {
      return (count, phrase.minutes)
    }
    return (count + more, minutes)
  }

  /// The hour that follows a part of the day, `tonight at 9`: after noon but for the morning.
  private func hour(
    _ words: ArraySlice<String>, in part: String
  ) -> (count: Int, minutes: Int)? {
    guard let first = ["morning": 0, "afternoon": 1, "evening": 5, "night": 6][part] else {
      return nil
    }
    let skipped = words.first == "at" ? 1 : 0
    let rest = words.dropFirst(skipped)
    let plain = rest.first.flatMap { word in
      (ClockTime.minutes(word) ?? ClockTime.dottedMinutes(word)
        ?? (word.utf8.count <= 2 ? Int(digits: word).map { $0 * 60 } : nil)).map { (1, $0) }
    }
    guard let (count, stated) = ClockTime.spoken(rest) ?? plain, stated < 24 * 60 else {
      return nil
    }
    let isMorning = first == 0 || stated >= 12 * 60
    // `tonight at 1` is the day after, or a slip.
    guard isMorning || stated >= first * 60 else { return nil }
    return (skipped + count, isMorning ? stated : stated + 12 * 60)
  }
}
