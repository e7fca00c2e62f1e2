/// How a reminder comes again: a subset of the recurrence rules of iCalendar (RFC 5545, 3.3.10),
/// and from where it goes on when it is completed.
///
/// Stored as text in one column, legible in any SQLite shell: `++ FREQ=WEEKLY;BYDAY=MO`. Unlike
/// RFC 5545, a month without the day of a rule has it on its last day, 31 Jan, 28 Feb, 31 Mar,
/// unless the rule says `SKIP=OMIT` (RFC 7529).
public struct Recurrence: Hashable, Sendable {
  /// The unit in which it comes again: a day at least.
  public enum Frequency: String, CaseIterable, Sendable {
    case daily = "DAILY"
    case weekly = "WEEKLY"
    case monthly = "MONTHLY"
    case yearly = "YEARLY"
  }

  /// From where it goes on when an occurrence is completed.
  public enum Continuation: String, CaseIterable, Sendable {
    /// The next occurrence, though it may be over, too.
    case next = "+"
    /// The next occurrence after today.
    case nextInFuture = "++"
    /// As long after the day of completion.
    case fromCompletion = ".+"
  }

  /// A weekday, of every week or of a month.
  public struct Weekday: Hashable, Sendable {
    /// Monday is 0.
    public var weekday: Int
    /// Which one of the month, from its end when negative; nil for each.
    public var ordinal: Int?

    /// A weekday; Monday is 0.
    public init(_ weekday: Int, ordinal: Int? = nil) {
      self.weekday = weekday
      self.ordinal = ordinal
    }
  }

  /// When it comes no more.
  public enum End: Hashable, Sendable {
    /// After this day.
    case until(CalendarDay)
    /// When it was completed so many times.
    case count(Int)
  }

  /// The unit.
  public var frequency: Frequency
  /// So many units lie between two occurrences; 1 for each.
  public var interval: Int
  /// On these weekdays; none for that of the occurrence before.
  public var weekdays: [Weekday]
  /// On these days of the month, from its end when negative; none for that of the one before.
  public var monthDays: [Int]
  /// In these months; none for that of the occurrence before, or for each.
  public var months: [Int]
  /// Whether months that do not have its day are left out; else they have it on their last day.
  public var omitsMissingDays = false
  /// When it comes no more; nil for never.
  public var end: End?
  /// From where it goes on.
  public var continuation: Continuation

  /// A rule.
  public init(
    _ frequency: Frequency, interval: Int = 1, weekdays: [Weekday] = [], monthDays: [Int] = [],
    months: [Int] = [], end: End? = nil, continuation: Continuation = .nextInFuture
  ) {
    self.frequency = frequency
    self.interval = interval
    self.weekdays = weekdays
    self.monthDays = monthDays
    self.months = months
    self.end = end
    self.continuation = continuation
  }

  /// Intervals and counts of more than this are not a rule that anybody lives by.
  static let greatestNumber = 9999
}

// MARK: - Text

extension Recurrence {
  /// The text of the column: the sign of the continuation, then the rule.
  public var stored: String { "\(continuation.rawValue) \(rule)" }

  /// What the text of the column means; nil for text of other programs that is not a rule.
  public init?(stored text: String?) {
    guard let text else { return nil }
    let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard parts.count == 2, let continuation = Continuation(rawValue: parts[0]) else { return nil }
    self.init(rule: parts[1], continuation: continuation)
  }

  /// The value of an RRULE: `FREQ=MONTHLY;INTERVAL=2;BYDAY=-1FR`.
  public var rule: String {
    var parts = ["FREQ=\(frequency.rawValue)"]
    if interval != 1 { parts.append("INTERVAL=\(interval)") }
    func add<Value>(_ name: String, _ values: [Value], _ text: (Value) -> String) {
      guard !values.isEmpty else { return }
      parts.append("\(name)=\(values.map(text).joined(separator: ","))")
    }
    add("BYMONTH", months) { "\($0)" }
    add("BYMONTHDAY", monthDays) { "\($0)" }
    add("BYDAY", weekdays) { ($0.ordinal.map { "\($0)" } ?? "") + Self.weekdayNames[$0.weekday] }
    if omitsMissingDays { parts.append("SKIP=OMIT") }
    switch end {
    case .until(let day): parts.append("UNTIL=\(day.description.replacing("-", with: ""))")
    case .count(let count): parts.append("COUNT=\(count)")
    case nil: break
    }
    return parts.joined(separator: ";")
  }

  /// Reads the value of an RRULE; nil when it is none, or says what this subset does not have.
  public init?(rule: String, continuation: Continuation = .nextInFuture) {
    var values: [String: String] = [:]
    for part in rule.uppercased().split(separator: ";") {
      let sides = part.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
      guard sides.count == 2, values.updateValue(sides[1], forKey: sides[0]) == nil else {
        return nil
      }
    }
    guard let frequency = values.removeValue(forKey: "FREQ").flatMap(Frequency.init(rawValue:))
    else { return nil }
    self.init(frequency, continuation: continuation)
    let weekStart = values.removeValue(forKey: "WKST") ?? "MO"
    let skip = values.removeValue(forKey: "SKIP") ?? "BACKWARD"
    omitsMissingDays = skip == "OMIT"
    guard omitsMissingDays || skip == "BACKWARD" else { return nil }
    guard read(&values), values.isEmpty, isValid else { return nil }
    // Weeks begin on Monday here.
    if weekStart != "MO", frequency == .weekly, interval > 1 { return nil }
    simplify()
  }

  private mutating func read(_ values: inout [String: String]) -> Bool {
    if let text = values.removeValue(forKey: "INTERVAL") {
      guard let number = Int(digits: text) else { return false }
      interval = number
    }
    if let text = values.removeValue(forKey: "COUNT") {
      guard let number = Int(digits: text) else { return false }
      end = .count(number)
    }
    if let text = values.removeValue(forKey: "UNTIL") {
      guard end == nil, let day = CalendarDay(basic: text.prefix(8)) else { return false }
      end = .until(day)
    }
    func list<Value>(_ name: String, _ value: (Substring) -> Value?) -> [Value]? {
      guard let text = values.removeValue(forKey: name) else { return [] }
      let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      let found = parts.compactMap(value)
      return found.count == parts.count && found.count <= 31 ? found : nil
    }
    guard let months = list("BYMONTH", { Int(digits: $0) }),
      let monthDays = list("BYMONTHDAY", { Int($0) }),
      let weekdays = list("BYDAY", Weekday.init(text:))
    else { return false }
    (self.months, self.monthDays, self.weekdays) = (months, monthDays, weekdays)
    return true
  }

  /// Whether its parts make sense together.
  private var isValid: Bool {
    let numbers = 1...Self.greatestNumber
    if case .count(let count) = end, !numbers.contains(count) { return false }
    guard numbers.contains(interval), months.allSatisfy((1...12).contains),
      monthDays.allSatisfy({ (1...31).contains($0.magnitude) }),
      weekdays.allSatisfy({ $0.ordinal.map { (1...5).contains($0.magnitude) } ?? true }),
      !omitsMissingDays || monthDays.isEmpty || hasDays
    else { return false }
    let isOfMonth = weekdays.allSatisfy { $0.ordinal != nil }
    switch frequency {
    case .daily:
      return months.isEmpty && monthDays.isEmpty && (weekdays.isEmpty || interval == 1)
        && !weekdays.contains { $0.ordinal != nil }
    case .weekly:
      return months.isEmpty && monthDays.isEmpty && !weekdays.contains { $0.ordinal != nil }
    case .monthly: return (monthDays.isEmpty || weekdays.isEmpty) && isOfMonth
    case .yearly:
      return (monthDays.isEmpty || weekdays.isEmpty) && isOfMonth
        && (!months.isEmpty || weekdays.isEmpty && monthDays.isEmpty)
    }
  }

  /// Every day on some weekdays is every week on them.
  private mutating func simplify() {
    if frequency == .daily, !weekdays.isEmpty { frequency = .weekly }
    weekdays = Set(weekdays).sorted {
      ($0.ordinal ?? 0, $0.weekday) < ($1.ordinal ?? 0, $1.weekday)
    }
    months = Set(months).sorted()
    monthDays = Set(monthDays).sorted()
    omitsMissingDays = omitsMissingDays && lacksDays
  }

  /// Whether some of its months do not have one of its days in each year.
  var lacksDays: Bool {
    monthDays.contains { day in eachMonth.contains { Self.lengths[$0 - 1] < day.magnitude } }
  }

  /// Whether one of its months has one of its days in some year.
  private var hasDays: Bool {
    monthDays.contains { day in
      eachMonth.contains { max(Self.lengths[$0 - 1], $0 == 2 ? 29 : 0) >= day.magnitude }
    }
  }

  private var eachMonth: [Int] { months.isEmpty ? Array(1...12) : months }
  private static let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

  fileprivate static let weekdayNames = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
}

extension Recurrence.Weekday {
  /// `MO`, or `-1FR`.
  fileprivate init?(text: Substring) {
    guard let weekday = Recurrence.weekdayNames.firstIndex(of: String(text.suffix(2))) else {
      return nil
    }
    let number = text.dropLast(2)
    guard number.isEmpty || Int(number) != nil else { return nil }
    self.init(weekday, ordinal: Int(number))
  }
}

extension CalendarDay {
  /// The day written as `20261225`.
  fileprivate init?(basic text: Substring) {
    guard text.utf8.count == 8, let number = Int(digits: text) else { return nil }
    self.init(year: number / 10_000, month: number / 100 % 100, day: number % 100)
  }
}
