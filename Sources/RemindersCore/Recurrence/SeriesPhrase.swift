/// How something comes again, as typed: a rule, and around it, in any order, when it is due for the
/// first time, at what time of the day, and when it comes no more.
struct SeriesPhrase: Sendable {
  private let time: LocalTime
  private var rule: Recurrence?
  private var end: Recurrence.End?
  private var start: Start?
  private var day: CalendarDay?
  private var minutes: Int?

  /// Whether it is due first on a weekday, and the rule does not say which of the month or year.
  private var isAnyWeekday = false
  /// Whether of the day on which it is due first only the weekday is said.
  private var isWeekday = false
  /// Whether it is due first on a weekday that is a day of the month, too: `friday the 13th`.
  private var isWeekdayOfDate = false
  private var isDayOfMonth = false

  /// Whether it is a weekday of the month or the year, and nobody can know which, or a weekday on a
  /// day of the month, for which there is no rule.
  var isAmbiguous: Bool {
    isAnyWeekday || isDayOfMonth && (isWeekdayOfDate || rule?.weekdays.isEmpty == false)
  }

  private init(time: LocalTime) {
    self.time = time
  }

  /// What `starting` says.
  private struct Start {
    let day: CalendarDay
    /// The beginning of the period that is named, if one is.
    var ofPeriod: CalendarDay?
    /// The day on which it has begun, where one of this year is meant that is over.
    var begun: CalendarDay?
  }

  /// Reads all of a text; nil when there is no rule in it, or anything else as well.
  static func read(_ text: String, in time: LocalTime) -> SeriesPhrase? {
    SeriesPhrase(time: time).reading(RecurrenceGrammar.words(of: text)[...])
  }

  /// Whether anything is said of its first date.
  var saysDue: Bool { saysDay || minutes != nil }
  private var saysDay: Bool { start != nil || day != nil }

  /// When it is due for the first time, where it has a date already; one that is said counts more.
  func firstDue(from due: DueDate?) -> DueDate? {
    guard let due, !saysDay, let named = wholeRule else { return series?.due }
    let first = named.first(from: due.day(in: time), today: time.today)
    return minutes.map { .at(first, minutes: $0, in: time) } ?? due.moved(to: first, in: time)
  }

  /// The rule, and when it is due for the first time.
  var series: (rule: Recurrence, due: DueDate)? {
    // The midnight that ends a day is a time of the day after, as it is in a date.
    guard let named = wholeRule,
      let rule = minutes == Self.endOfDay ? named.moved(byDays: 1) : named
    else { return nil }
    guard let first = firstDay(of: named) else {
      let due = minutes.map { time.next(atMinutes: $0) } ?? .day(time.today)
      return (rule, rule.first(onOrAfter: due, in: time))
    }
    return (rule, minutes.map { .at(first, minutes: $0, in: time) } ?? .day(first))
  }

  private static let endOfDay = 24 * 60

  private var wholeRule: Recurrence? {
    guard var rule else { return nil }
    rule.end = end
    return Recurrence(stored: rule.stored)
  }

  /// The first day of the rule; nil when none is named.
  private func firstDay(of rule: Recurrence) -> CalendarDay? {
    guard let start else {
      return day.map { rule.first(onOrAfter: beginsToday(rule) ? time.today : $0) }
    }
    // The month does not begin with the day that it is where the rule names days of its own.
    let earliest = rule.namesDays ? start.ofPeriod ?? start.day : start.day
    let anchored = day.map { rule.anchored(to: $0) } ?? rule
    guard let begun = start.begun else { return anchored.first(onOrAfter: earliest) }
    let first = anchored.first(onOrAfter: begun)
    let isOver = minutes.map { time.moment(time.today, minutes: $0) <= time.now } ?? false
    let next = time.today.adding(days: isOver ? 1 : 0)
    // Of so many times each one is to be done.
    guard first < next, !rule.isCounted else { return first }
    return anchored.anchored(to: begun).step(after: first, notBefore: next)
  }

  /// Whether the weekday of what comes every week is today's, and its time is not over: on a Friday
  /// `fri every week` begins when `every week fri` does.
  private func beginsToday(_ rule: Recurrence) -> Bool {
    isWeekday && rule.frequency == .weekly && day?.weekday == time.today.weekday
      && minutes.map { time.moment(time.today, minutes: $0) > time.now } ?? true
  }

  // MARK: - Reading

  /// What all the words say, beside what was read before.
  private func reading(_ words: ArraySlice<String>) -> SeriesPhrase? {
    guard !words.isEmpty else { return rule == nil ? nil : self }
    return parts(words).lazy.compactMap { $1.reading(words.dropFirst($0)) }.first
  }

  /// A number of words at the beginning, and what is known with them.
  private typealias Part = (count: Int, phrase: SeriesPhrase)

  /// All that the words may begin with, the longer first.
  private func parts(_ words: ArraySlice<String>) -> [Part] {
    rules(words) + counts(words) + ends(words) + starts(words) + dates(words)
  }

  private func rules(_ words: ArraySlice<String>) -> [Part] {
    var rest = RecurrenceGrammar(words: words, time.localeFormat)
    guard rule == nil, let rule = rest.takeRule() else { return [] }
    var phrase = self
    phrase.rule = rule
    return [(words.count - rest.words.count, phrase)]
  }

  /// `5 times`, `for 5 times`, `once`; before the rule it is what is done each time.
  private func counts(_ words: ArraySlice<String>) -> [Part] {
    let isIntroduced = words.first == "for"
    guard end == nil, isIntroduced || rule != nil else { return [] }
    let rest = words.dropFirst(isIntroduced ? 1 : 0)
    var phrase = self
    if rest.count > 1, let count = rest.first.flatMap(DateNames.count),
      ["times", "x"].contains(rest[rest.startIndex + 1])
    {
      phrase.end = .count(count)
      return [(isIntroduced ? 3 : 2, phrase)]
    }
    guard !isIntroduced, rest.first == "once" else { return [] }
    phrase.end = .count(1)
    return [(1, phrase)]
  }

  /// `until 31 dec`, `until june`: the last day counts.
  private func ends(_ words: ArraySlice<String>) -> [Part] {
    guard end == nil, let first = words.first, ["until", "till", "til"].contains(first) else {
      return []
    }
    let rest = words.dropFirst()
    var parts = stated(rest).compactMap { count, stated in
      stated.day.flatMap { ending(on: $0, at: stated.minutes) }.map { (count + 1, $0) }
    }
    if let month = rest.first.flatMap(month), let phrase = ending(on: month.endOfMonth, at: nil) {
      parts.append((2, phrase))
    }
    return parts
  }

  private func ending(on day: CalendarDay, at minutes: Int?) -> SeriesPhrase? {
    var phrase = at(minutes)
    phrase?.end = .until(day)
    return phrase
  }

  /// `starting 7 dec`, `from next week`, `starting june`.
  private func starts(_ words: ArraySlice<String>) -> [Part] {
    guard let first = words.first, ["starting", "from", "beginning"].contains(first) else {
      return []
    }
    let isOn = words.dropFirst().first == "on"
    let rest = words.dropFirst(isOn ? 2 : 1)
    let skipped = words.count - rest.count
    var parts = stated(rest).compactMap { count, stated -> Part? in
      // `on 5` is no time.
      guard !isOn || stated.day != nil else { return nil }
      var phrase = at(stated.minutes)
      if let day = stated.day {
        guard start == nil else { return nil }
        let typed = rest.prefix(count)
        phrase?.start = Start(
          day: day, ofPeriod: startOfPeriod(typed), begun: begun(day, typed))
      }
      return phrase.map { (count + skipped, $0) }
    }
    if start == nil, let month = rest.first.flatMap(month) {
      var phrase = self
      phrase.start = Start(day: max(month, time.today))
      parts.append((skipped + 1, phrase))
    }
    return parts
  }

  /// `9am`, `3 mar`, `on friday at 9`.
  private func dates(_ words: ArraySlice<String>) -> [Part] {
    let isIntroduced = words.first.map { ["on", "at", "by", "due"].contains($0) } ?? false
    return [0, 1].prefix(isIntroduced ? 2 : 1).flatMap { skipped in
      let rest = words.dropFirst(skipped)
      return stated(rest).compactMap { count, stated -> Part? in
        // `every year on 5` is not one at five o'clock.
        guard rule != nil || !DateReader.isAmount(rest.prefix(count)),
          skipped == 0 || words.first != "on" || stated.day != nil,
          var phrase = at(stated.minutes)
        else { return nil }
        if let day = stated.day {
          guard self.day == nil else { return nil }
          phrase.day = day
          phrase.isWeekday = stated.isWeekday
          // Before the rule it is when the first one is due; after it, it would be a part of it.
          phrase.isAnyWeekday =
            stated.isWeekday && [.monthly, .yearly].contains(rule?.frequency)
          (phrase.isDayOfMonth, phrase.isWeekdayOfDate) = (stated.isDayOfMonth, stated.namesWeekday)
        }
        return (count + skipped, phrase)
      }
    }
  }

  /// The same at a time of the day; nil when another one is known.
  private func at(_ minutes: Int?) -> SeriesPhrase? {
    guard self.minutes == nil || minutes == nil else { return nil }
    var phrase = self
    phrase.minutes = self.minutes ?? minutes
    return phrase
  }

  // MARK: - Dates

  /// The runs of words at the beginning that say a date or a time, the longest first.
  private func stated(
    _ words: ArraySlice<String>
  ) -> [(count: Int, stated: DateReader.Stated)] {
    stride(from: min(Self.maximumDateWords, words.count), to: 0, by: -1).compactMap { count in
      let typed = DueDate.words(of: words.prefix(count).joined(separator: " "))
      var reader = DateReader(typed, in: time)
      if let stated = reader.stated() {
        return DueDate.isOurs(stated.day) ? (count, stated) : nil
      }
      // A part of the day is one of a day's.
      reader = DateReader(["today"] + typed, in: time)
      return reader.stated()?.minutes.map { (count, DateReader.Stated(minutes: $0)) }
    }
  }

  /// `Mon 23 Nov 2026 at 9:30 pm`.
  private static let maximumDateWords = 7

  /// The beginning of the month with a name that is not over.
  private func month(_ word: String) -> CalendarDay? {
    guard let month = DateNames.month(word) else { return nil }
    let year = time.today.components.year
    return (year...year + 1).lazy.compactMap { CalendarDay(year: $0, month: month, day: 1) }
      .first { $0.endOfMonth >= time.today }
  }

  /// The day of the last half a year that is meant by a date without its year: what starts on
  /// `20 nov` a day later is not to be silent for a year.
  private func begun(_ day: CalendarDay, _ words: ArraySlice<String>) -> CalendarDay? {
    let date = words.drop { DateNames.weekday($0) != nil }
    guard let (count, typed) = TypedDate.read(date, time.localeFormat), typed.isOfAnyYear,
      !["this", "next"].contains(date.dropFirst(count).first)
    else { return nil }
    let (named, today) = (day.components, time.today)
    return [0, 1].lazy.compactMap {
      CalendarDay(year: today.components.year - $0, month: named.month, day: named.day)
    }.first { (today.adding(days: -183)..<today).contains($0) }
  }

  /// The first day of the next week, month or year; nil where a day of it is named.
  private func startOfPeriod(_ words: ArraySlice<String>) -> CalendarDay? {
    let rest = words.dropFirst(2)
    var reader = DateReader(Array(rest), in: time)
    guard words.first == "next", rest.isEmpty || reader.stated()?.day == nil else { return nil }
    let today = time.today
    switch words.dropFirst().first {
    case "week":
      return today.adding(days: 7 - today.days(since: time.localeFormat.firstWeekday))
    case "month": return today.startOfMonth.adding(months: 1)
    case "year": return CalendarDay(year: today.components.year + 1, month: 1, day: 1)
    default: return nil
    }
  }
}

extension Recurrence {
  /// The days so many after its own; nil where no rule has them, as the days after the last
  /// Fridays.
  func moved(byDays days: Int) -> Recurrence? {
    // Neither is the day after the 28th the same one in every month.
    let everywhere = 1...28
    guard weekdays.allSatisfy({ $0.ordinal == nil }),
      monthDays.allSatisfy({
        everywhere.contains($0) && everywhere.contains($0 + days)
          || $0 == -1 && days == 1 && months.isEmpty
      }), months.isEmpty || !monthDays.isEmpty
    else { return nil }
    var rule = self
    rule.weekdays = weekdays.map { Weekday((($0.weekday + days) % 7 + 7) % 7) }
    rule.monthDays = monthDays.map { $0 == -1 ? 1 : $0 + days }
    if case .until(let last) = end { rule.end = .until(last.adding(days: days)) }
    return Recurrence(stored: rule.stored)
  }

  /// Whether it has days without a first one that says which.
  fileprivate var namesDays: Bool {
    frequency == .daily || !weekdays.isEmpty || !monthDays.isEmpty
  }
}
