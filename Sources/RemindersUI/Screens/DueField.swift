import RemindersCore
import RemindersTerminal

/// A line in which a due date is typed in plain language.
struct DueField: TypedLine {
  private(set) var field: TextField
  /// Whether nothing was typed yet: then what is typed takes the place of the date.
  private(set) var isUntouched = true

  init(_ due: DueDate? = nil, in time: LocalTime) {
    field = TextField(due.map { Self.text(for: $0, in: time) } ?? "")
  }

  /// What is typed; nil for no due date.
  ///
  /// - Throws: `Problem` while it is not understood.
  func due(in time: LocalTime) throws(Problem) -> DueDate? {
    do {
      return try DueDate.parse(field.text, in: time)
    } catch {
      throw Problem(error)
    }
  }

  mutating func type(_ key: Key) {
    if isUntouched, key.typed != nil { field.text = "" }
    if field.handle(key) { isUntouched = false }
  }

  mutating func paste(_ text: String) {
    if isUntouched { field.text = "" }
    field.paste(text)
    isUntouched = false
  }

  /// Puts the caret at a column: what is typed there is part of what stands there.
  mutating func moveCaret(toColumn column: Int, of columns: Int) {
    field.moveCaret(toColumn: column, of: columns)
    isUntouched = false
  }

  mutating func restore(_ text: String) {
    field.text = text
    isUntouched = false
  }

  mutating func set(_ due: DueDate?, in time: LocalTime) {
    self = DueField(due, in: time)
    // No date is a choice, too.
    isUntouched = due != nil
  }

  /// A day later or earlier at the same time; without a date, today.
  mutating func shift(days: Int, in time: LocalTime) {
    guard let due = (try? due(in: time)).flatMap({ $0 }) else {  // Only a date has a next day.
      return set(.day(time.today), in: time)
    }
    let day = due.day(in: time).adding(days: days)
    set(due.minutes(in: time).map { .at(day, minutes: $0, in: time) } ?? .day(day), in: time)
  }

  /// What a date is typed as: something that is understood again, and cannot be mistaken.
  static func text(for due: DueDate, in time: LocalTime) -> String {
    let day = due.day(in: time).description
    guard let minutes = due.minutes(in: time) else { return day }
    return "\(day) \(twoDigits(minutes / 60)):\(twoDigits(minutes % 60))"
  }

  /// The result under what is typed: the date in full, or why there is none.
  func explanation(in time: LocalTime, _ glyphs: GlyphSet) -> [StyledRun] {
    do {
      guard let due = try due(in: time) else { return [StyledRun("no due date", .dim)] }
      return [
        StyledRun(glyphs.adapted(due.fullText(in: time))),
        StyledRun("   " + due.distanceText(in: time), .dim),
      ]
    } catch {
      return [StyledRun(glyphs.adapted(error.description), .warning)]
    }
  }
}

/// A number of at most two digits, with both.
func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
