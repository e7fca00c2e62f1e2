/// The grammar of a typed rule, over its words: each `take` removes those that it understands.
struct RecurrenceGrammar {
  private(set) var words: [String]
  private let localeFormat: LocaleFormat

  init(words: some Sequence<String>, _ localeFormat: LocaleFormat) {
    self.words = Array(words)
    self.localeFormat = localeFormat
  }

  /// The words of a text as they are compared.
  static func words(of text: String) -> [String] {
    let words = text.lowercased().split { $0.isWhitespace || $0 == "," }.flatMap { word in
      let days = word.split(separator: "/").map(String.init)
      return days.count > 1 && days.allSatisfy(isDayName) ? days : [String(word)]
    }
    return words.reduce(into: []) { words, word in
      if let last = words.last, isSign(word, after: last) {
        words[words.count - 1] = last + word
      } else {
        words.append(word)
      }
    }
  }

  /// Whether a word is the sign of a rule that stands apart from `every`: `every ! 3 days`.
  static func isSign(_ word: some StringProtocol, after opening: some StringProtocol) -> Bool {
    ["!", "+"].contains(word) && ["every", "each"].contains(opening.lowercased())
  }

  /// Whether a word names a day of the week, or one of the month with its ending.
  private static func isDayName(_ word: String) -> Bool {
    weekday(word) != nil || ordinal(word) != nil
  }

  /// Whether a rule can begin with a word, or name its unit after it.
  static func isOpening(_ word: some StringProtocol) -> Bool {
    opening(word.lowercased()) != nil
  }

  /// Whether a word alone can go on with a rule: a number, a unit, a day or a part of one.
  static func isPart(_ word: String) -> Bool {
    // `Call each one tomorrow`.
    number(word) != nil && word != "one" || isDay(word) || DateNames.month(word) != nil
      || DateSpan.isClockUnit(word) || DatePhrases.isTime(word)
      || ["other", "on", "of", "the", "in"].contains(word)
  }

  /// Whether a word is a day of the week or a unit, as after "every".
  static func isDay(_ word: String) -> Bool { units[word] != nil || weekday(word) != nil }

  /// Whether words end with a weekday of the month or the year: `the last sunday of march`.
  static func endsWithDayOfMonth(_ words: [String]) -> Bool {
    var rest = words[...]
    if let month = rest.last, DateNames.month(month) != nil,
      let joint = rest.dropLast().last, ["of", "in"].contains(joint)
    {
      rest = rest.dropLast(2)
    }
    guard let day = rest.popLast(), let number = rest.last, ordinal(number) != nil else {
      return false
    }
    return weekday(day) != nil || day == "day" && rest.count + 1 < words.count
  }

  /// Whether a word says which of several a weekday after it is: `first`, `2nd`.
  static func isOrdinal(_ word: String) -> Bool { ordinal(word) != nil }

  /// Whether a word says several days of the week: `mondays`, `mon-wed`, `mon/wed`.
  static func isDays(_ word: String) -> Bool {
    guard DateNames.weekday(word) == nil else { return false }
    let days = words(of: word)
    if days.count > 1 { return days.allSatisfy(isDayName) }
    return weekday(word) != nil || weekdays([word][...])?.item.count ?? 0 > 1
  }

  /// Takes a rule from the beginning; nil when there is none.
  mutating func takeRule() -> Recurrence? {
    guard var rule = takeDaysOfEachMonth() ?? takeDaysOfEachYear() ?? takeUnitsAndDays() else {
      return nil
    }
    if rule.frequency == .monthly, !rule.monthDays.isEmpty || !rule.weekdays.isEmpty {
      takeMonth()
    }
    // Read again what was written: what makes no sense is not a rule.
    rule.end = nil
    return Recurrence(stored: rule.stored)
  }

  /// `every mon`, `monthly on the last friday`.
  private mutating func takeUnitsAndDays() -> Recurrence? {
    if words.starts(with: ["on", "weekdays"]) { words.removeFirst() }
    guard let first = words.first, let (continuation, adverb) = Self.opening(first) else {
      return nil
    }
    words.removeFirst()
    guard var rule = adverb ?? takeUnits() else { return nil }
    rule.continuation = continuation
    takeDays(of: &rule)
    return rule
  }

  /// `first monday of every month`, `on the last day of each month`.
  private mutating func takeDaysOfEachMonth() -> Recurrence? {
    var rest = self
    if rest.words.first == "on" { rest.words.removeFirst() }
    let days = rest.takeDaysOfMonth()
    guard !days.numbers.isEmpty || !days.weekdays.isEmpty, rest.words.count > 2,
      rest.words[0] == "of", let (continuation, adverb) = Self.opening(rest.words[1]),
      adverb == nil
    else { return nil }
    rest.words.removeFirst(2)
    guard var rule = rest.takeUnits(), rule.frequency == .monthly, rule.weekdays.isEmpty,
      rule.monthDays.isEmpty
    else { return nil }
    (rule.monthDays, rule.weekdays) = (days.numbers, days.weekdays)
    rule.continuation = continuation
    words = rest.words
    return rule
  }

  /// `last sunday of march every year`; `25th of december` is a date.
  private mutating func takeDaysOfEachYear() -> Recurrence? {
    var rest = self
    if rest.words.first == "on" { rest.words.removeFirst() }
    let days = rest.takeDaysOfMonth()
    guard !days.numbers.isEmpty || !days.weekdays.isEmpty, days.numbers.allSatisfy({ $0 < 0 }),
      let months = rest.takeMonths(),
      let (continuation, adverb) = rest.words.first.flatMap(Self.opening)
    else { return nil }
    rest.words.removeFirst()
    guard var rule = adverb ?? rest.takeUnits(), rule.frequency == .yearly, rule.months.isEmpty
    else { return nil }
    (rule.monthDays, rule.weekdays, rule.months) = (days.numbers, days.weekdays, months)
    rule.continuation = continuation
    words = rest.words
    return rule
  }

  /// `in march`, `of march and october`.
  private mutating func takeMonths() -> [Int]? {
    guard let joint = words.first, ["in", "of"].contains(joint),
      let first = words.dropFirst().first, DateNames.month(first) != nil
    else { return nil }
    words.removeFirst()
    return takeList { words in words.first.flatMap(DateNames.month).map { (1, $0) } }
  }

  /// `of the month`, which a day of it says by itself.
  @discardableResult private mutating func takeMonth() -> Bool {
    let phrases = ["the", "every", "each"].map { ["of", $0, "month"] }
    guard let phrase = phrases.first(where: words.starts(with:)) else { return false }
    words.removeFirst(phrase.count)
    return true
  }

  /// What a word that a rule begins with says: from where it goes on, and the rule, unless that
  /// follows.
  private static func opening(
    _ word: String
  ) -> (continuation: Recurrence.Continuation, adverb: Recurrence?)? {
    let signs: [Character: Recurrence.Continuation] = ["!": .fromCompletion, "+": .next]
    let sign = word.last.flatMap { signs[$0] }
    let opening = sign == nil ? word : String(word.dropLast())
    if let adverb = adverbs[opening] { return (sign ?? .nextInFuture, adverb) }
    return ["every", "each"].contains(opening) ? (sign ?? .nextInFuture, nil) : nil
  }

  /// So many of a unit.
  private typealias Interval = (count: Int, frequency: Recurrence.Frequency)

  private static let adverbs: [String: Recurrence] = [
    "daily": Recurrence(.daily), "everyday": Recurrence(.daily), "weekly": Recurrence(.weekly),
    "weekdays": Recurrence(.weekly, weekdays: Recurrence.workdays),
    "biweekly": Recurrence(.weekly, interval: 2), "fortnightly": Recurrence(.weekly, interval: 2),
    "monthly": Recurrence(.monthly), "quarterly": Recurrence(.monthly, interval: 3),
    "yearly": Recurrence(.yearly), "annually": Recurrence(.yearly),
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
    // Of each day; what reads times reads the rest, `night at 10`.
    if DatePhrases.isTime(first) { return Recurrence(.daily) }
    if let rule = takeDaysOfTheMonth() { return rule }
    if let count = first == "other" ? 2 : Self.number(first), count > 0, words.count > 1,
      let unit = Self.units[words[1]]
    {
      words.removeFirst(2)
      // What is too much for a number is for a calendar, too.
      let (interval, isTooMuch) = count.multipliedReportingOverflow(by: unit.count)
      return isTooMuch ? nil : Recurrence(unit.frequency, interval: interval)
    }
    if first == "other" {
      var rest = RecurrenceGrammar(words: words.dropFirst(), localeFormat)
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

  /// `last day of the month`; `2nd day` alone is every other one.
  private mutating func takeDaysOfTheMonth() -> Recurrence? {
    var rest = self
    let days = rest.takeDaysOfMonth()
    guard !days.numbers.isEmpty || !days.weekdays.isEmpty, rest.takeMonth() else { return nil }
    words = rest.words
    return Recurrence(.monthly, weekdays: days.weekdays, monthDays: days.numbers)
  }

  private mutating func takeDays(of rule: inout Recurrence) {
    let before = words
    // `every month only on the 31st`: not in those that do not have it.
    let isOnly = words.starts(with: ["only", "on"])
    let isIntroduced = isOnly || words.first == "on"
    words.removeFirst(isOnly ? 2 : isIntroduced ? 1 : 0)
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
    case .monthly where rule.monthDays.isEmpty && rule.weekdays.isEmpty:
      let rest = words
      let days = takeDaysOfMonth()
      // `monthly 1st june` begins then.
      isTaken = isIntroduced ? days.numbers.count + days.weekdays.count > 0 : days.numbers.isEmpty
      if isTaken {
        (rule.monthDays, rule.weekdays) = (days.numbers, days.weekdays)
      } else {
        words = rest
        isTaken = isIntroduced && rule.frequency == .monthly && takeDay(of: &rule)
      }
    default: break
    }
    if isIntroduced, !isTaken { words = before }
    rule.omitsMissingDays = isOnly && isTaken
    let namesDays = !rule.weekdays.isEmpty || !rule.monthDays.isEmpty
    if [.monthly, .yearly].contains(rule.frequency), namesDays || words.first == "in",
      let months = takeMonths()
    {
      rule.months = months
    }
  }

  /// `15` after `monthly on`, where it is no time.
  private mutating func takeDay(of rule: inout Recurrence) -> Bool {
    guard let day = words.first.flatMap({ Int(digits: $0) }), (1...31).contains(day) else {
      return false
    }
    words.removeFirst()
    rule.monthDays = [day]
    return true
  }

  /// Several things, with or without "and" between them.
  private mutating func takeList<Item>(
    _ read: (ArraySlice<String>) -> (count: Int, item: Item)?
  ) -> [Item] {
    var items: [Item] = []
    while true {
      let joined = !items.isEmpty && ["and", "&", "/"].contains(words.first) ? 1 : 0
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
    let found = takeList(Self.weekdays).flatMap(\.self)
    return found.isEmpty ? nil : found
  }

  /// `25 dec`, `dec 25`, `25.12.`.
  private mutating func takeDate() -> (month: Int, day: Int)? {
    if let date = words.first.flatMap({ TypedDate.dayOfYear($0, localeFormat) }) {
      words.removeFirst()
      return date
    }
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
}
