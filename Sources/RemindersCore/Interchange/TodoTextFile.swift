import Foundation

/// A todo.txt file: `x 2026-11-20 (A) Call mum +Family @phone due:2026-12-25`.
///
/// A time stands apart, `due:2026-12-25 at:18:00:00+01:00`: other programs read only days.
/// The first `+project` is the list, with underscores for white space; contexts are tags. A word of
/// a title that would be something else has a backslash before it; no program knows of any escape.
enum TodoTextFile {
  static func read(
    _ lines: [Data], _ name: String, _ progress: ImportFormat.Progress
  ) throws -> ImportBatch {
    var batch = ImportBatch()
    var seen: [String: Int] = [:]
    for (number, bytes) in lines.enumerated() {
      defer { progress(number + 1, lines.count) }
      guard bytes.count <= TextLines.longest else {
        batch.problems.append("line \(number + 1) has more than 1 MB")
        continue
      }
      let line = try TextLines.text(bytes, name)
      guard line.contains(where: { !$0.isWhitespace }) else { continue }
      guard let item = item(line, &seen, &batch.problems) else {
        batch.problems.append("line \(number + 1) has no title: \(line.oneLine.prefix(60))")
        continue
      }
      batch.items.append(item)
    }
    return batch
  }

  private static func item(
    _ line: String, _ seen: inout [String: Int], _ problems: inout [String]
  ) -> ImportBatch.Item? {
    var words = TextLines.words(of: line)[...]
    var item = ImportBatch.Item(id: "", draft: ReminderDraft())
    if words.first == "x" {
      item.isDone = true
      words = words.dropFirst()
    }
    let source = words.filter { CalendarDay(String($0)) == nil }.joined(separator: " ")
    takeBeginning(of: &words, into: &item)
    var id: String?
    var (day, clock): (Substring?, Substring?)
    var title = ""
    var titleWords: [Substring] = []
    for word in words {
      if word.hasPrefix("+"), word.count > 1, item.listTitle == nil {
        item.listTitle = listTitle(of: word.dropFirst())
      } else if word.hasPrefix("@"), word.count > 1,
        let tag = try? Tag.title(from: String(word.dropFirst()))  // @# is text.
      {
        item.draft.tags.append(tag)
      } else if day == nil, let due = dueDate(word) {
        item.draft.due = due
        day = word.dropFirst(4)
      } else if word.hasPrefix("at:"), clock == nil {
        clock = word
      } else if id == nil, word.hasPrefix("id:"), UUID(uuidString: String(word.dropFirst(3))) != nil
      {
        id = String(word.dropFirst(3))
      } else {
        // What stood between two words of the title stays there.
        let gap = titleWords.last.map { line[$0.endIndex..<word.startIndex] } ?? ""
        title += gap.allSatisfy(\.isWhitespace) ? gap : " "
        title += unescaped(word)
        titleWords.append(word)
      }
    }
    if let clock {
      if let day, let due = dueDate("due:\(day)T\(clock.dropFirst(3))") {
        item.draft.due = due
      } else {
        title += title.isEmpty ? clock : " " + clock
      }
    }
    guard !title.isEmpty else { return nil }
    item.draft.title = title.inOneLine
    for due in titleWords where due.hasPrefix("due:") {
      let what = dueDate(due) == nil ? "is not a due date" : "is another due date, in the title"
      problems.append("“\(item.draft.title.oneLine)”: “\(due)” \(what)")
    }
    // Lines have no names: the second of two alike is another one.
    seen[source, default: 0] += 1
    item.id = ImportBatch.id("todotxt", id ?? "\(source)\n\(seen[source, default: 1])")
    return item
  }

  /// Takes the priority and the dates with which a line begins.
  private static func takeBeginning(
    of words: inout ArraySlice<Substring>, into item: inout ImportBatch.Item
  ) {
    var dates: [CalendarDay] = []
    while let word = words.first {
      if dates.count < (item.isDone ? 2 : 1), let day = CalendarDay(String(word)) {
        dates.append(day)
      } else if let priority = priority(word), item.draft.priority == nil {
        item.draft.priority = priority
      } else {
        break
      }
      words = words.dropFirst()
    }
    // Of what is done the first date says when, and the one after it when it was made.
    if item.isDone { item.completedAt = dates.first?.noonInUTC }
    if let day = dates.last, !item.isDone || dates.count > 1 { item.createdAt = day.noonInUTC }
  }

  // MARK: - Words that mean something

  private static let keys = ["due:", "at:", "id:"]

  private static func dueDate(_ word: Substring) -> DueDate? {
    word.hasPrefix("due:") ? DueDate(stored: String(word.dropFirst(4))) : nil
  }

  /// Whether a word is more than text, or begins with what says that it is not.
  private static func isSpecial(_ word: Substring) -> Bool {
    guard let first = word.first else { return false }
    if first == "\\" { return isSpecial(word.dropFirst()) }
    return "+@".contains(first) || word == "x" || priority(word) != nil
      || CalendarDay(String(word)) != nil || keys.contains(where: word.hasPrefix)
  }

  private static func escaped(_ word: Substring) -> String {
    isSpecial(word) ? "\\" + word : String(word)
  }

  private static func unescaped(_ word: Substring) -> Substring {
    word.first == "\\" && isSpecial(word.dropFirst()) ? word.dropFirst() : word
  }

  private static func project(of title: String) -> String {
    title.writable.replacing("\\", with: "\\\\").replacing("_", with: "\\_")
      .replacing(" ", with: "_")
  }

  private static func listTitle(of project: Substring) -> String {
    var (title, isEscaped) = ("", false)
    for character in project {
      switch character {
      case "\\" where !isEscaped: isEscaped = true
      case "_" where !isEscaped: title.append(" ")
      default:
        // Elsewhere a backslash is one.
        if isEscaped, character != "_", character != "\\" { title.append("\\") }
        title.append(character)
        isEscaped = false
      }
    }
    return isEscaped ? title + "\\" : title
  }

  private static func priority(_ word: Substring) -> Reminder.Priority? {
    guard word.utf8.count == 3, word.first == "(", word.last == ")",
      let letter = word.dropFirst().first, ("A"..."Z").contains(letter)
    else { return nil }
    return letter == "A" ? .high : letter == "B" ? .medium : .low
  }

  /// A reminder as a line.
  static func line(_ details: ReminderRow, in time: LocalTime) -> String {
    let draft = details.reminder.draft
    var words: [String] = []
    if details.reminder.status != .incomplete {
      words.append("x")
    } else if let priority = draft.priority {
      words.append(priority == .high ? "(A)" : priority == .medium ? "(B)" : "(C)")
    }
    func day(_ moment: Date) -> String { time.wallClock(at: moment).day.description }
    if details.reminder.status != .incomplete { words.append(day(details.reminder.completion)) }
    words.append(day(details.reminder.createdAt))
    words += draft.title.inOneLine.writableLines
      .split(separator: " ", omittingEmptySubsequences: false).map(escaped)
    words.append("+" + project(of: details.list.title))
    words += draft.tags.map { "@\($0)".writable }
    if let due = draft.due {
      words += zip(["due:", "at:"], due.iso8601(in: time).split(separator: "T")).map { $0 + $1 }
    }
    words.append("id:\(details.reminder.id)".writable)
    return words.joined(separator: " ") + "\n"
  }
}

extension CalendarDay {
  /// A moment of the day that is on this day in most of the world.
  fileprivate var noonInUTC: Date { Date(timeIntervalSince1970: Double(number * 86_400 + 43_200)) }
}
