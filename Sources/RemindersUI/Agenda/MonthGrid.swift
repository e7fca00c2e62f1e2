import RemindersCore
import RemindersTerminal

/// The days of a month in weeks.
struct MonthGrid: Equatable, Sendable {
  /// What is known of a day.
  enum Mark: Equatable, Sendable {
    case due
    /// Only what is still to come is on it.
    case projected
  }

  /// The first day of the month.
  let month: CalendarDay
  private let time: LocalTime

  /// How wide a day is: a sign, two digits, a mark and a blank.
  private static let dayColumns = 4
  static let columns = 7 * dayColumns
  /// Its name, the weekdays, and six weeks.
  static let rows = 8

  init(of day: CalendarDay, in time: LocalTime) {
    month = day.startOfMonth
    self.time = time
  }

  /// The day in the first place of the first week, which may be of the month before.
  private var start: CalendarDay {
    month.adding(days: -month.days(since: time.localeFormat.firstWeekday))
  }

  private func place(of day: CalendarDay, in rect: Rect) -> Point {
    let (week, column) = (day.number - start.number).quotientAndRemainder(dividingBy: 7)
    return rect.origin.moved(columns: column * Self.dayColumns, rows: 2 + week)
  }

  /// The day of the month at a point of the area in which it is drawn.
  func day(at point: Point, in rect: Rect) -> CalendarDay? {
    let (column, week) = (
      (point.column - rect.origin.column) / Self.dayColumns, point.row - rect.origin.row - 2
    )
    guard week >= 0, (0..<7).contains(column) else { return nil }
    let day = start.adding(days: 7 * week + column)
    return (month...month.endOfMonth).contains(day) ? day : nil
  }

  /// Draws it, with a pointer before one day and today in bold.
  func draw(
    _ marks: [CalendarDay: Mark], current: CalendarDay, on surface: inout Surface, in rect: Rect,
    _ glyphs: GlyphSet
  ) {
    surface.write(
      time.localeFormat.text(ofMonth: month), at: rect.origin.moved(columns: 1), role: .heading,
      width: rect.size.columns - 1, ellipsis: glyphs.ellipsis)
    for (column, name) in time.localeFormat.weekdays.enumerated() {
      surface.write(
        name, at: rect.origin.moved(columns: column * Self.dayColumns + 1, rows: 1), role: .dim)
    }
    for number in month.number...month.endOfMonth.number {
      let day = CalendarDay(number: number)
      let place = place(of: day, in: rect)
      let digits = TextWidth.padded("\(day.components.day)", to: 2, alignment: .right)
      let isToday = day == time.today
      surface.write(
        digits, at: place.moved(columns: 1),
        role: isToday ? .heading : marks[day] == nil ? .dim : .text)
      if let mark = marks[day] {
        surface.write(
          glyphs.dot, at: place.moved(columns: 3), role: mark == .due ? .text : .dim)
      }
      if day == current { surface.write(glyphs.pointer, at: place) }
    }
  }
}
