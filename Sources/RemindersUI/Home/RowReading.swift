import RemindersCore
import RemindersTerminal

/// The rows of a list that were read, and where they are among all of them.
struct ReadRows: Equatable, Sendable {
  /// The window that was asked for.
  let window: RowWindow
  /// How many rows come before them.
  let start: Int
  /// How many there are in all, read or not.
  let total: Int
  /// Where each reminder is among those that were read.
  let indexes: [Reminder.ID: Int]

  init(_ ids: some Sequence<Reminder.ID>, _ window: RowWindow, start: Int, total: Int) {
    self.window = window
    self.start = start
    self.total = total
    indexes = Dictionary(
      ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Whether there are rows that were not read.
  var isPart: Bool { indexes.count < total }

  /// How many rows come before them and they themselves.
  var end: Int { start + indexes.count }

  /// Which of all rows a list shows.
  func inView(of list: ListState<Reminder.ID>) -> Range<Int>? {
    let visible = list.visibleLines.lazy.compactMap { list.lines[$0].flatMap { indexes[$0] } }
    guard let first = visible.first, let last = visible.last else { return nil }
    return start + first..<start + last + 1
  }
}

/// Which stretch of a long list is read: the rows around the view, wherever it goes.
///
/// So a list of any length takes the same memory, and a change in it the same work.
struct RowReading: Equatable, Sendable {
  /// Where the cursor goes as soon as the rows there are read.
  enum Goal: Equatable, Sendable {
    case first, last
    case row(Reminder.ID)
  }

  /// What to read.
  private(set) var window: RowWindow
  private(set) var goal: Goal?
  /// So many rows above and below the view are read at least.
  private let leastMargin: Int

  /// - Parameter firstCount: How many rows are read first: more than a screen has.
  init(leastMargin: Int = 100, firstCount: Int = 100, goal: Goal? = nil) {
    self.leastMargin = leastMargin
    self.goal = goal
    window = RowWindow(count: firstCount)
  }

  /// Whether rows that were found are to be shown.
  ///
  /// Not when the current reminder is missing, though it may only have moved to another place in
  /// the list: then the window goes after it.
  mutating func accepts(_ read: ReadRows, _ list: ListState<Reminder.ID>) -> Bool {
    guard goal == nil, read.isPart, let current = list.current, read.indexes[current] == nil,
      read.window.anchor != current
    else { return true }
    window = RowWindow(start: read.window.start, count: window.count, anchor: current)
    return false
  }

  /// Moves the cursor, to where nothing was read yet, too.
  mutating func move(
    _ list: inout ListState<Reminder.ID>, _ move: ListState<Reminder.ID>.Move, in read: ReadRows
  ) {
    switch move {
    case .first where read.start > 0: go(to: .first, RowWindow(count: window.count))
    case .last where read.end < read.total:
      go(to: .last, RowWindow(start: read.total, count: window.count))
    default: list.move(move)
    }
  }

  /// Makes a reminder current, one that was not read yet, too.
  mutating func select(
    _ id: Reminder.ID, _ list: inout ListState<Reminder.ID>, in read: ReadRows
  ) {
    if read.indexes[id] != nil {
      list.moveCursor(to: id)
    } else if read.isPart {
      go(to: .row(id), RowWindow(start: read.start, count: window.count, anchor: id))
    }
  }

  private mutating func go(to goal: Goal, _ window: RowWindow) {
    self.goal = goal
    self.window = window
  }

  /// Lets the cursor arrive where it was to go.
  mutating func arrive(_ list: inout ListState<Reminder.ID>, in read: ReadRows) {
    guard read.window == window else { return }
    switch goal {
    case .first: list.move(.first)
    case .last: list.move(.last)
    case .row(let id): list.moveCursor(to: id)
    case nil: break
    }
    goal = nil
  }

  /// Reads on when the view comes near the end of what was read.
  ///
  /// The cursor stays where it is; when it would be too far away, it comes along.
  mutating func follow(_ list: inout ListState<Reminder.ID>, in read: ReadRows) {
    guard read.isPart, read.window == window, let view = read.inView(of: list) else { return }
    let margin = max(leastMargin, list.height)
    let isNearEnd =
      view.lowerBound - read.start < margin && read.start > 0
      || read.end - view.upperBound < margin && read.end < read.total
    guard isNearEnd else { return }
    let start = max(0, (view.lowerBound + view.upperBound) / 2 - 2 * margin)
    let current = list.current.flatMap { read.indexes[$0] }.map { read.start + $0 }
    if current.map((start..<start + 4 * margin).contains) != true { list.moveCursorIntoView() }
    window = RowWindow(start: start, count: 4 * margin, anchor: list.current)
  }
}
