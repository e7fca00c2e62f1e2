/// What comes again in taskwarrior: a template, and an instance of it for each date.
///
/// Here it is one reminder, which stands for the template and the instances that are open: due when
/// the first of them is. Completed instances are reminders of their own, and so are open ones that
/// say something else than the first.
struct TaskwarriorSeries {
  /// The task that says what is to be done: the first open instance, or the template.
  let task: TaskwarriorFile.Task
  /// How it comes again.
  let rule: Recurrence
  /// When it is due; nil for a task without a date.
  let due: DueDate?
  /// Whether all that there will be are done.
  let isOver: Bool
  /// How many open instances are this one reminder.
  let openCount: Int

  /// The series whose rule is understood, by the ids of their templates, which need not be there.
  static func all(
    of tasks: [TaskwarriorFile.Task], in time: LocalTime
  ) -> [String: TaskwarriorSeries] {
    let templates = Dictionary(
      tasks.filter(\.isTemplate).map { ($0.uuid, $0) }, uniquingKeysWith: { first, _ in first })
    let instances = Dictionary(grouping: tasks.filter { $0.parent != nil }) { $0.parent ?? "" }
    let ids = Set(templates.keys).union(instances.keys)
    return Dictionary(
      ids.compactMap { id in
        TaskwarriorSeries(templates[id], instances[id] ?? [], in: time).map { (id, $0) }
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Nil for what does not come again, or by a rule that is not one of ours.
  private init?(
    _ template: TaskwarriorFile.Task?, _ instances: [TaskwarriorFile.Task], in time: LocalTime
  ) {
    let open = instances.filter(\.isOpen).min { ($0.due ?? "", $0.uuid) < ($1.due ?? "", $1.uuid) }
    guard let task = open ?? template,
      var rule = (template?.recur ?? task.recur).flatMap(Recurrence.init(taskwarrior:))
    else { return nil }
    func day(_ text: String?) -> CalendarDay? {
      text.flatMap(CompactDate.moment).map { time.wallClock(at: $0).day }
    }
    if let last = day(template?.until) { rule.end = .until(last) }
    if let first = day(template?.due) { rule = rule.anchored(to: first) }
    self.task = task
    self.rule = rule
    openCount = instances.count { $0.isOpen && $0.says(sameAs: task) }
    // All that there were are done: the next one is still to come.
    let last = open == nil ? instances.compactMap { day($0.due) }.max() : nil
    let next = last.flatMap { rule.step(after: $0) }
    due = task.dueDate(in: time).map { due in next.map { due.moved(to: $0, in: time) } ?? due }
    isOver = due.map { rule.ends(before: $0.day(in: time)) } ?? false
  }
}

extension Recurrence {
  /// The rule that taskwarrior writes as `weekly`, `2weeks`, `3 d` or `P1M`; nil for one by the
  /// hour, and for what is none.
  init?(taskwarrior text: String) {
    let text = text.lowercased().filter { !$0.isWhitespace }
    if text == "weekdays" {
      self.init(.weekly, weekdays: Self.workdays)
      return
    }
    guard let (count, frequency) = Self.named[text] ?? Self.span(text),
      let rule = Recurrence(stored: Recurrence(frequency, interval: count).stored)
    else { return nil }
    self = rule
  }

  private typealias Interval = (count: Int, frequency: Frequency)

  private static let named: [String: Interval] = [
    "daily": (1, .daily), "weekly": (1, .weekly), "sennight": (1, .weekly),
    "biweekly": (2, .weekly), "fortnight": (2, .weekly), "monthly": (1, .monthly),
    "bimonthly": (2, .monthly), "quarterly": (3, .monthly), "semiannual": (6, .monthly),
    "annual": (1, .yearly), "yearly": (1, .yearly), "biannual": (2, .yearly),
    "biyearly": (2, .yearly),
  ]

  private static let units: [String: Interval] = [
    "d": (1, .daily), "day": (1, .daily), "days": (1, .daily), "w": (1, .weekly),
    "wk": (1, .weekly), "wks": (1, .weekly), "week": (1, .weekly), "weeks": (1, .weekly),
    "mo": (1, .monthly), "mos": (1, .monthly), "mth": (1, .monthly), "mths": (1, .monthly),
    "mnths": (1, .monthly), "month": (1, .monthly), "months": (1, .monthly),
    "q": (3, .monthly), "qtr": (3, .monthly), "qtrs": (3, .monthly), "qrtrs": (3, .monthly),
    "quarter": (3, .monthly), "quarters": (3, .monthly), "y": (1, .yearly), "yr": (1, .yearly),
    "yrs": (1, .yearly), "year": (1, .yearly), "years": (1, .yearly),
  ]

  /// `2weeks`, `day`, or a duration of ISO 8601 with one unit of days or more.
  private static func span(_ text: String) -> Interval? {
    let isDuration = text.hasPrefix("p")
    let digits = text.dropFirst(isDuration ? 1 : 0).prefix { $0.isASCII && $0.isNumber }
    let unit = String(text[digits.endIndex...])
    guard let number = digits.isEmpty && !isDuration ? 1 : Int(digits: digits),
      let (count, frequency) = isDuration && unit == "m" ? (1, .monthly) : units[unit],
      !isDuration || unit.count == 1
    else { return nil }
    let (interval, isTooMuch) = number.multipliedReportingOverflow(by: count)
    return isTooMuch ? nil : (interval, frequency)
  }
}
