import RemindersCore
import RemindersTerminal

/// How wide the dates and the names of lists of some rows are: what they do not need, titles get.
struct RowNeeds: Equatable, Sendable {
  /// How wide dates are, with their time and in few columns; 0 where there are none.
  struct Dates: Equatable, Sendable {
    fileprivate(set) var full = 0, short = 0
    /// Without the word that says that one is late: where the sign is a word, that is enough.
    fileprivate(set) var wordless = 0

    fileprivate mutating func add(_ full: String, _ short: String) {
      self.full = max(self.full, TextWidth.columns(of: full))
      self.short = max(self.short, TextWidth.columns(of: short))
      wordless = max(wordless, TextWidth.columns(of: full.removingSuffix(RowColumns.lateSuffix)))
    }
  }

  /// The dates that stand without the sign for late ones.
  private(set) var dates = Dates()
  /// Those that have it, as days alone.
  private(set) var lateDates = Dates()
  /// The same with their time.
  private(set) var lateTimes = Dates()
  /// Of the longest title, as far as it has to be readable beside a time.
  private(set) var title = 0
  /// Of the longest name of a list.
  private(set) var list = 0

  init() {}

  init(_ rows: some Sequence<ReminderRow>, in time: LocalTime) {
    var lists: Set<RemindersList.ID> = []
    for row in rows {
      if lists.insert(row.list.id).inserted {
        list = max(list, TextWidth.columns(of: row.list.title))
      }
      let title = TextWidth.columns(of: String(row.title.prefix(Self.enoughTitle)))
      self.title = min(Self.enoughTitle, max(self.title, title))
      guard let date = row.due else { continue }
      guard row.status != .completed else {
        let text = date.dateText(in: time)
        // It is cut where there is little room.
        dates.add(text, String(text.prefix(Self.leastDate)))
        continue
      }
      let texts = (date.relativeText(in: time), date.shortText(in: time))
      if date.isOverdue(in: time) {
        lateDates.add(date.lateText(in: time), texts.1)
        lateTimes.add(texts.0, texts.1)
      } else {
        dates.add(texts.0, texts.1)
      }
    }
  }

  /// `23 Nov`.
  private static let leastDate = 6
  /// Titles of so many columns are long.
  private static let enoughTitle = 28
}

extension String {
  func removingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}

extension DueDate {
  /// How late the day is, without the time: `2 days late`, `yesterday`.
  func lateText(in time: LocalTime) -> String {
    DueDate.day(day(in: time)).relativeText(in: time)
  }

  /// In few columns: `2 d`, `18:00`, `today`, `Mon`, `23 Nov`.
  func shortText(in time: LocalTime) -> String {
    let day = day(in: time)
    let days = day.number - time.today.number
    if days < 0 { return "\(-days) d" }
    if days == 0 { return minutes(in: time).map(time.localeFormat.text(ofClock:)) ?? "today" }
    return days < 7 ? day.weekdayText : time.localeFormat.dateText(of: day)
  }
}
