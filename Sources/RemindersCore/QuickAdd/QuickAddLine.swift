import Foundation

/// What a line such as `Call the plumber fri 9am #home !! @Family` means: the same in the app, on
/// the command line and in lines that are pasted.
///
/// A backslash before a word keeps it as it is: `\#1`, `\@home`, `\friday`.
public struct QuickAddLine: Equatable, Sendable {
  /// What is looked for in a line besides the title.
  public struct Parts: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Parts by their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A due date at the end, or anywhere before tags and the like.
    public static let due = Parts(rawValue: 1)
    /// `#home`.
    public static let tags = Parts(rawValue: 2)
    /// `!!`, `!high`.
    public static let priority = Parts(rawValue: 4)
    /// `@Family`.
    public static let list = Parts(rawValue: 8)
    /// How it comes again, before the date or instead of it: `every mon 9am`.
    public static let recurrence = Parts(rawValue: 16)
    /// When it is announced, at the end or before the date: `remind 10m before`, `alarm 8am`.
    public static let alarms = Parts(rawValue: 32)
    /// What stands before a line of a list in Markdown: `- [ ] `, `* `.
    public static let listMarker = Parts(rawValue: 64)
    /// Everything.
    public static let all: Parts = [
      .due, .tags, .priority, .list, .recurrence, .alarms, .listMarker,
    ]

    /// Those that a version of the schema has a place for.
    public func known(to schema: SchemaVersion) -> Parts {
      schema.fields.contains(.recurrence) ? self : subtracting([.recurrence, .alarms])
    }
  }

  /// What is to be done.
  public var title: String
  /// Whether it is done already: the box of its list is ticked.
  public var isDone = false
  /// When it is due.
  public var due: DueDate?
  /// How it comes again.
  public var recurrence: Recurrence?
  /// When it is announced.
  public var alarms: [Alarm] = []
  /// How much it matters.
  public var priority: Reminder.Priority?
  /// Its tags.
  public var tags: [Tag.ID] = []
  /// The list that it names.
  public var list: RemindersList?
  /// What looks like the name of a list that does not exist, or of several; it is in the title.
  public var unknownList: String?

  /// Reads a line.
  ///
  /// - Parameters:
  ///   - text: What was typed.
  ///   - parts: What is looked for.
  ///   - lists: Those that there are.
  ///   - time: Now, where the person is.
  public init(
    _ text: String, parts: Parts = .all, lists: [RemindersList] = [], in time: LocalTime
  ) {
    // With every key anew: only where somebody may mean one.
    self.init(text, parts: parts, names: ListNames(text.contains("@") ? lists : []), in: time)
  }

  /// Reads one of many lines.
  ///
  /// - Parameters:
  ///   - text: What was typed.
  ///   - parts: What is looked for.
  ///   - names: Those of all lists.
  ///   - time: Now, where the person is.
  public init(_ text: String, parts: Parts = .all, names: ListNames, in time: LocalTime) {
    guard !text.isLongerThanAnyTitle else {
      // Nobody typed it, and no title can be so long.
      title = text
      return
    }
    title = ""
    var words: [Word] = []
    var known: Set<Tag.ID> = []
    var rest = text.split(whereSeparator: \.isWhitespace)[...]
    if parts.contains(.listMarker) {
      let marker = rest.prefix(Self.markerWords(rest))
      isDone = marker.last.map(Self.tickedBoxes.contains) ?? false
      rest = rest.dropFirst(marker.count)
    }
    while let word = rest.first {
      rest = rest.dropFirst()
      if let literal = Self.literal(word) {
        words.append(literal)
      } else if parts.contains(.recurrence), let last = words.last, !last.isLiteral,
        RecurrenceGrammar.isSign(word, after: last.text),
        rest.first.map({ RecurrenceGrammar.isPart($0.lowercased()) }) == true
      {
        words.append(Word(text: word))
      } else if parts.contains(.tags), let found = Self.tags(word) {
        for tag in found where known.insert(tag).inserted { tags.append(tag) }
      } else if parts.contains(.priority), let priority = Self.priority(word) {
        self.priority = priority
      } else if parts.contains(.list), let (count, list) = Self.list(word, rest, names) {
        self.list = list
        rest = rest.dropFirst(count - 1)
      } else {
        let isUnknownList = parts.contains(.list) && Self.isListName(word)
        if isUnknownList, unknownList == nil { unknownList = String(word.dropFirst()) }
        words.append(Word(text: word, isUnknownList: isUnknownList))
      }
    }
    // A date before the name of a list is the end all the same.
    let unknown = Array(words.reversed().prefix(while: \.isUnknownList).reversed())
    words.removeLast(unknown.count)
    var alarms = parts.contains(.alarms) ? Self.takeAlarms(endingOf: &words, time) : []
    takeDate(endingOf: &words, parts, time)
    // What was done does not come again.
    if isDone { recurrence = nil }
    if parts.contains(.alarms) { alarms += Self.takeAlarms(endingOf: &words, time) }
    let isDue = due != nil || !parts.contains(.due)
    // A time alone is one of the due day, if there is one.
    let read = alarms.compactMap { text in
      try? Alarm.parseList(text, isDue: isDue, in: time)  // What was taken is understood.
    }
    self.alarms = read.joined().inOrder
    title = (words + unknown).map(\.text).joined(separator: " ")
  }

  /// Takes when it is due, and how it comes again.
  private mutating func takeDate(
    endingOf words: inout [Word], _ parts: Parts, _ time: LocalTime
  ) {
    if parts.isSuperset(of: [.due, .recurrence]),
      let (count, reading) = Self.series(endingIn: words, time)
    {
      // What may mean several things stays where everybody sees that it was not understood.
      guard Self.isTitle(words.dropLast(count), before: words.suffix(count), parts, time),
        case .series(let rule, let due) = reading
      else { return }
      (recurrence, self.due) = (rule, due)
      words.removeLast(count)
    } else if parts.contains(.due), let (count, due) = Self.dueDate(endingIn: words, time),
      Self.isTitle(words.dropLast(count), before: words.suffix(count), parts, time)
    {
      self.due = due
      words.removeLast(count)
    }
  }

  /// Whether something is left for the title, and no part of a rule or a date in it.
  private static func isTitle(
    _ words: ArraySlice<Word>, before taken: ArraySlice<Word>, _ parts: Parts, _ time: LocalTime
  ) -> Bool {
    var words = Array(words)
    if parts.contains(.alarms) { _ = takeAlarms(endingOf: &words, time) }
    let end = words.reversed().prefix { !$0.isLiteral }.reversed()
    return !words.isEmpty
      && !HalfUnderstood.isEnd(
        of: end.map { String($0.text) }, before: taken.map { String($0.text) })
  }

  /// A new reminder that says the same.
  ///
  /// - Parameter listID: The list, unless the line names one.
  public func draft(in listID: RemindersList.ID? = nil) -> ReminderDraft {
    var draft = ReminderDraft(
      title: title, due: due, priority: priority, listID: list?.id ?? listID, tags: tags,
      alarms: alarms, recurrence: recurrence)
    draft.isDone = isDone
    return draft
  }

  private struct Word {
    var text: Substring
    /// Whether it is text and nothing else.
    var isLiteral = false
    var isUnknownList = false
  }

  // MARK: - Words

  /// How many words are the marker of a list, with its box: `- [x]`.
  ///
  /// A number in front stays: `5. Symphony` has one in its title.
  private static func markerWords(_ words: ArraySlice<Substring>) -> Int {
    guard words.count > 1, let first = words.first else { return 0 }
    guard ["-", "*", "•"].contains(first) else { return 0 }
    let next = words.dropFirst()
    if words.count > 2, let box = next.first, tickedBoxes.contains(box) { return 2 }
    return words.count > 3 && next.starts(with: ["[", "]"]) ? 3 : 1
  }

  private static let tickedBoxes: Set<Substring> = ["[x]", "[X]"]

  /// A word after a backslash that keeps it.
  private static func literal(_ word: Substring) -> Word? {
    guard word.first == "\\", let second = word.dropFirst().first,
      "#@!".contains(second) || second.isLetter || second.isNumber
    else { return nil }
    return Word(text: word.dropFirst(), isLiteral: true)
  }

  /// `#home`, also at the end of a sentence, and `#home,#town`; `#12` is the number of something.
  private static func tags(_ word: Substring) -> [Tag.ID]? {
    let end = word.lastIndex { !".,;:!?".contains($0) }
    let word = word[...(end ?? word.startIndex)]
    let isNumber = word.split(whereSeparator: \.separatesTags).contains { part in
      part.drop { $0 == "#" }.allSatisfy(\.isNumber)
    }
    guard word.hasPrefix("#"), !isNumber else { return nil }
    return try? Tag.titles(from: String(word))  // A lone # is text.
  }

  private static func priority(_ word: Substring) -> Reminder.Priority? {
    guard word.hasPrefix("!") else { return nil }
    let rest = word.dropFirst()
    if rest.allSatisfy({ $0 == "!" }) { return Reminder.Priority(rawValue: word.count) }
    return Reminder.Priority(name: rest.lowercased())
  }

  private static func isListName(_ word: Substring) -> Bool {
    word.hasPrefix("@") && word.dropFirst().first?.isLetter == true
  }

  /// The list with the longest name that begins here, and how many words it has; nil for the one
  /// that the first reminder makes.
  private static func list(
    _ word: Substring, _ rest: ArraySlice<Substring>, _ names: ListNames
  ) -> (count: Int, list: RemindersList?)? {
    guard word.hasPrefix("@"), word.count > 1 else { return nil }
    let typed = [word.dropFirst()] + rest.prefix(max(0, names.mostWords - 1))
    guard !names.isEmpty else {
      let isDefault =
        SearchFold.comparable(typed[0]) == SearchFold.comparable(RemindersList.defaultTitle)
      return isDefault ? (1, nil) : nil
    }
    for count in stride(from: typed.count, to: 0, by: -1) {
      let found = names.lists(called: typed.prefix(count).joined(separator: " "))
      if found.count == 1 { return (count, found[0]) }
    }
    return nil
  }

  // MARK: - Alarms

  /// Takes what is said at the end of when it is announced, the last part first.
  private static func takeAlarms(endingOf words: inout [Word], _ time: LocalTime) -> [String] {
    var taken: [String] = []
    while let (count, alarms) = alarms(endingIn: words, time) {
      words.removeLast(count)
      taken.append(alarms)
    }
    return taken
  }

  /// `remind 10m before`, `remind me 1d and 1h before`, `alarm 8am` at the end.
  private static func alarms(
    endingIn words: [Word], _ time: LocalTime
  ) -> (count: Int, alarms: String)? {
    let end = words.suffix(maximumRuleWords).reversed().prefix { !$0.isLiteral }
    guard let last = end.firstIndex(where: { openings.contains($0.text.lowercased()) }) else {
      return nil
    }
    let start = last.base - 1
    let rest = words[(start + 1)...]
    let isPolite = rest.first?.text.lowercased() == "me"
    let alarms = rest.dropFirst(isPolite ? 1 : 0).map(\.text).joined(separator: " ")
    // Something must be left for the title; and most of what people write is not an alarm.
    guard start > 0, let read = try? Alarm.parseList(alarms, isDue: true, in: time), !read.isEmpty
    else { return nil }
    return (words.count - start, alarms)
  }

  private static let openings: Set = ["remind", "alarm"]

  // MARK: - Date

  /// The longest run of words at the end that says how it comes again, and its first due date.
  private static func series(
    endingIn words: [Word], _ time: LocalTime
  ) -> (count: Int, reading: Recurrence.Reading)? {
    let end = words.suffix(maximumRuleWords).reversed().prefix { !$0.isLiteral }
    guard end.contains(where: { RecurrenceGrammar.isOpening($0.text) }) else { return nil }
    for count in stride(from: end.count, to: 0, by: -1) {
      let typed = words.suffix(count).map(\.text).joined(separator: " ")
      if let reading = Recurrence.reading(typed, in: time) { return (count, reading) }
    }
    return nil
  }

  /// The longest run of words at the end that is a date, with a preposition before it.
  private static func dueDate(
    endingIn words: [Word], _ time: LocalTime
  ) -> (count: Int, due: DueDate)? {
    let end = words.suffix(maximumDateWords).reversed().prefix { !$0.isLiteral }.reversed()
    guard let (count, due) = DueDate.found(endingIn: end.map(\.text), in: time) else { return nil }
    // Of two prepositions the first belongs to what is done: `Turn the heating on at 6pm`.
    let isIntroduced = prepositions.contains(words[words.count - count].text.lowercased())
    let introductions: [Set] = [isIntroduced ? [] : prepositions, ["due"]]
    let whole = introductions.reduce(count) { count, introduction in
      introduction.contains(words.dropLast(count).last?.text.lowercased() ?? "")
        ? count + 1 : count
    }
    return (whole, due)
  }

  /// `monthly on the 1st and 2nd and … 31st`.
  ///
  /// The words before are not looked at: to try each of them takes the square of the time.
  private static let maximumRuleWords = 80
  /// `Mon 23 Nov 2026 at 9:30 pm`.
  private static let maximumDateWords = 7
  private static let prepositions: Set = ["on", "at", "by"]
}
