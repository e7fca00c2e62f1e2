extension Recurrence {
  /// Reads plain language: `every monday`, `every 2 weeks`, `monthly on the last friday`,
  /// `every! 3 days` from the day of completion, `every+ day` each one although it is over.
  ///
  /// - Returns: Nil for `none` and for no text: it does not come again.
  /// - Throws: `AppError` when the text is not understood, with examples.
  public static func parse(_ text: String, in time: LocalTime) throws -> Recurrence? {
    if let rule = Recurrence(stored: text) { return rule }
    if ["", "none", "never", "no"].contains(text.oneLine.lowercased()) { return nil }
    guard let (rule, rest) = phrase(text, in: time), rest.isEmpty else {
      throw AppError(
        .invalidInput, "“\(text.oneLine)” is not a way to repeat that can be understood.",
        hint: "For example: every day, every mon and thu, every 2 weeks, "
          + "monthly on the last friday, every! 3 days, none.")
    }
    return rule
  }

  /// Reads a rule together with its first due date: `every monday 9am`.
  ///
  /// - Returns: Nil when the text does not begin with a rule, or anything is left that is no date.
  public static func parseWithDue(
    _ text: String, in time: LocalTime
  ) -> (rule: Recurrence, due: DueDate)? {
    guard let (rule, rest) = phrase(text, in: time) else { return nil }
    var due = DueDate.day(time.today)
    if !rest.isEmpty {
      guard let date = first(rest, in: time) else { return nil }
      due = date
    }
    due = rule.first(onOrAfter: due, in: time)
    // What is over before it begins is no rule.
    return rule.ends(before: due.day(in: time)) ? nil : (rule, due)
  }

  /// The first date after a rule: `9am`, `at noon`, `morning`, `starting 7 dec`; nil for what is no
  /// date, and so no part of the rule.
  private static func first(_ rest: String, in time: LocalTime) -> DueDate? {
    var words = rest.split(separator: " ")
    if words.count > 1, let first = words.first,
      ["at", "on", "from", "starting", "beginning"].contains(first)
    {
      words.removeFirst()
    }
    let text = words.joined(separator: " ")
    // A part of the day is one of a day's.
    for typed in [text, "today \(text)"] {
      if let date = try? DueDate.parse(typed, in: time) { return date }  // Most texts are none.
    }
    return nil
  }

  /// A rule at the beginning of a text, and the words that are not part of it.
  private static func phrase(_ text: String, in time: LocalTime) -> (Recurrence, rest: String)? {
    var words = RecurrenceWords(text)
    guard let rule = words.takeRule(in: time) else { return nil }
    return (rule, words.rest)
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

/// The words of a typed rule; each `take` removes those that it understands.
private struct RecurrenceWords {
  private var words: [String]

  private init(words: [String]) {
    self.words = words
  }

  init(_ text: String) {
    words = text.lowercased().split { $0.isWhitespace || $0 == "," }.map(String.init)
  }

  var rest: String { words.joined(separator: " ") }

  mutating func takeRule(in time: LocalTime) -> Recurrence? {
    guard let first = words.first else { return nil }
    let signs: [Character: Recurrence.Continuation] = ["!": .fromCompletion, "+": .next]
    let sign = first.last.flatMap { signs[$0] }
    let opening = sign == nil ? first : String(first.dropLast())
    var rule: Recurrence
    if let (count, frequency) = Self.adverbs[opening] {
      words.removeFirst()
      rule = Recurrence(frequency, interval: count)
    } else if ["every", "each"].contains(opening) {
      words.removeFirst()
      guard let found = takeUnits() else { return nil }
      rule = found
    } else {
      return nil
    }
    rule.continuation = sign ?? .nextInFuture
    takeDays(of: &rule)
    takeEnd(of: &rule, in: time)
    // Read again what was written: what makes no sense is no rule.
    return Recurrence(stored: rule.stored)
  }

  /// So many of a unit.
  private typealias Interval = (count: Int, frequency: Recurrence.Frequency)

  private static let adverbs: [String: Interval] = [
    "daily": (1, .daily), "weekly": (1, .weekly), "biweekly": (2, .weekly),
    "fortnightly": (2, .weekly), "monthly": (1, .monthly), "quarterly": (3, .monthly),
    "yearly": (1, .yearly), "annually": (1, .yearly),
  ]

  private static let units: [String: Interval] = [
    "day": (1, .daily), "days": (1, .daily), "week": (1, .weekly), "weeks": (1, .weekly),
    "fortnight": (2, .weekly), "month": (1, .monthly), "months": (1, .monthly),
    "quarter": (3, .monthly), "quarters": (3, .monthly), "year": (1, .yearly),
    "years": (1, .yearly),
  ]

  private static let shortUnits: [String: Recurrence.Frequency] = [
    "d": .daily, "w": .weekly, "mo": .monthly, "y": .yearly,
  ]

  // MARK: - After "every"

  private mutating func takeUnits() -> Recurrence? {
    guard let first = words.first else { return nil }
    if let count = first == "other" ? 2 : Self.number(first), words.count > 1,
      let unit = Self.units[words[1]]
    {
      words.removeFirst(2)
      // What is too much for a number is for a calendar, too.
      let (interval, isTooMuch) = count.multipliedReportingOverflow(by: unit.count)
      return isTooMuch ? nil : Recurrence(unit.frequency, interval: interval)
    }
    if first == "other" {
      var rest = RecurrenceWords(words: Array(words.dropFirst()))
      guard let weekdays = rest.takeWeekdays() else { return nil }
      words = rest.words
      return Recurrence(.weekly, interval: 2, weekdays: weekdays)
    }
    let digits = first.prefix { $0.isNumber }
    if let count = Int(digits: digits),
      let frequency = Self.shortUnits[String(first.dropFirst(digits.count))]
    {
      words.removeFirst()
      return Recurrence(frequency, interval: count)
    }
    if let (count, frequency) = Self.units[first] {
      words.removeFirst()
      return Recurrence(frequency, interval: count)
    }
    if let weekdays = takeWeekdays() { return Recurrence(.weekly, weekdays: weekdays) }
    if let (month, day) = takeDate() {
      return Recurrence(.yearly, monthDays: [day], months: [month])
    }
    let days = takeDaysOfMonth()
    guard !days.numbers.isEmpty || !days.weekdays.isEmpty else { return nil }
    return Recurrence(.monthly, weekdays: days.weekdays, monthDays: days.numbers)
  }

  private mutating func takeDays(of rule: inout Recurrence) {
    let before = words
    let isIntroduced = words.first == "on"
    if isIntroduced { words.removeFirst() }
    var isTaken = false
    switch rule.frequency {
    case .weekly where rule.weekdays.isEmpty:
      if let weekdays = takeWeekdays() { (rule.weekdays, isTaken) = (weekdays, true) }
    case .yearly where isIntroduced && rule.months.isEmpty:
      if let (month, day) = takeDate() {
        (rule.months, rule.monthDays, isTaken) = ([month], [day], true)
        break
      }
      fallthrough
    case .monthly where isIntroduced && rule.monthDays.isEmpty && rule.weekdays.isEmpty:
      let days = takeDaysOfMonth()
      (rule.monthDays, rule.weekdays) = (days.numbers, days.weekdays)
      isTaken = !days.numbers.isEmpty || !days.weekdays.isEmpty
    default: break
    }
    if isIntroduced, !isTaken { words = before }
    if [.monthly, .yearly].contains(rule.frequency), words.first == "in",
      let first = words.dropFirst().first, DateNames.month(first) != nil
    {
      words.removeFirst()
      rule.months = takeList { words in
        words.first.flatMap { DateNames.month($0) }.map { (1, $0) }
      }
    }
  }

  /// Several things, with or without "and" between them.
  private mutating func takeList<Item>(
    _ read: (ArraySlice<String>) -> (count: Int, item: Item)?
  ) -> [Item] {
    var items: [Item] = []
    while true {
      let joined = !items.isEmpty && ["and", "&"].contains(words.first) ? 1 : 0
      guard let (count, item) = read(words[joined...]) else { return items }
      words.removeFirst(joined + count)
      items.append(item)
    }
  }

  private mutating func takeWeekdays() -> [Recurrence.Weekday]? {
    let groups: [String: [Recurrence.Weekday]] = [
      "weekday": Recurrence.workdays, "weekdays": Recurrence.workdays,
      "workday": Recurrence.workdays, "weekend": Recurrence.weekend,
      "weekends": Recurrence.weekend,
    ]
    if let group = words.first.flatMap({ groups[$0] }) {
      words.removeFirst()
      return group
    }
    let found = takeList { words in
      words.first.flatMap(Self.weekday).map { (1, Recurrence.Weekday($0)) }
    }
    return found.isEmpty ? nil : found
  }

  private static func weekday(_ word: String) -> Int? {
    DateNames.weekday(word) ?? (word.hasSuffix("s") ? DateNames.weekday("\(word.dropLast())") : nil)
  }

  /// `25 dec`, `dec 25`.
  private mutating func takeDate() -> (month: Int, day: Int)? {
    guard words.count > 1 else { return nil }
    for (day, month) in [(words[0], words[1]), (words[1], words[0])] {
      guard let day = Self.number(day), let month = DateNames.month(month),
        CalendarDay(year: 2024, month: month, day: day) != nil
      else { continue }
      words.removeFirst(2)
      return (month, day)
    }
    return nil
  }

  /// `25`, or `25th`.
  private static func number(_ word: String) -> Int? { Int(digits: word) ?? ordinal(word) }

  /// `the last friday`, `15th`, `1st and 3rd monday`, `last day`.
  private mutating func takeDaysOfMonth() -> (numbers: [Int], weekdays: [Recurrence.Weekday]) {
    let items = takeList { words -> (count: Int, item: (number: Int, weekday: Int?))? in
      var rest = words
      if rest.first == "the" { rest.removeFirst() }
      guard let word = rest.popFirst(), var number = Self.ordinal(word) else { return nil }
      let left = rest.count
      if number > 0, rest.first == "last" {
        rest.removeFirst()
        number = -number
      }
      var weekday: Int?
      if let next = rest.first {
        weekday = Self.weekday(next)
        if weekday != nil || next == "day" { rest.removeFirst() }
      }
      // "Every second" alone says nothing of a month.
      guard word.first?.isNumber == true || rest.count < left else { return nil }
      return (words.count - rest.count, (number, weekday))
    }
    // The last one names the weekday for those before it: the 1st and 3rd Monday.
    let common = items.last?.weekday
    return items.reduce(into: ([], [])) { days, item in
      if let weekday = item.weekday ?? common {
        days.weekdays.append(Recurrence.Weekday(weekday, ordinal: item.number))
      } else {
        days.numbers.append(item.number)
      }
    }
  }

  private static func ordinal(_ word: String) -> Int? {
    let named = ["first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1]
    if let number = named[word] { return number }
    guard ["st", "nd", "rd", "th"].contains(String(word.suffix(2))) else { return nil }
    return Int(digits: word.dropLast(2)).flatMap { (1...31).contains($0) ? $0 : nil }
  }

  // MARK: - The end

  private mutating func takeEnd(of rule: inout Recurrence, in time: LocalTime) {
    if let index = words.firstIndex(where: { ["times", "x"].contains($0) }), index > 0,
      let count = Int(digits: words[index - 1])
    {
      let start = index > 1 && words[index - 2] == "for" ? index - 2 : index - 1
      words.removeSubrange(start...index)
      rule.end = .count(count)
    } else if words.last == "once" {
      words.removeLast()
      rule.end = .count(1)
    } else if let index = words.firstIndex(of: "until") {
      for count in stride(from: min(5, words.count - index - 1), to: 0, by: -1) {
        let date = words[(index + 1)...].prefix(count).joined(separator: " ")
        // Most words are no date.
        guard let due = (try? DueDate.parse(date, in: time)).flatMap({ $0 }) else { continue }
        words.removeSubrange(index...index + count)
        rule.end = .until(due.day(in: time))
        return
      }
    }
  }
}
