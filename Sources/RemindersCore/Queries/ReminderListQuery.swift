import GRDB

/// Finds the reminders of a list, a smart list or a tag.
public struct ReminderListQuery: Query {
  /// Which reminders.
  public enum Kind: Hashable, Sendable {
    /// Those of one list.
    case list(RemindersList.ID)
    /// Due on this day or before; of the completed ones those that were due on this day.
    case today
    /// With a due date.
    case scheduled
    /// All.
    case all
    /// Flagged.
    case flagged
    /// Completed; whatever `showsCompleted` says.
    case completed
    /// Carrying any of these tags.
    case tags(Set<Tag.ID>)
    /// What a saved search finds.
    case saved(SavedSearch.ID)
  }

  /// In which order, after those that are not completed came before those that are.
  public enum Sort: String, CaseIterable, Sendable {
    /// Soonest first, those without a due date last.
    case due
    /// As arranged by hand.
    case manual
    /// Most important first, flagged before others.
    case priority
    /// By title, in the order of the alphabet.
    case title
    /// The last one that was completed first.
    case completion
  }

  /// Which reminders.
  public var kind: Kind
  /// In which order.
  public var sort: Sort
  /// Whether completed ones are among them.
  public var showsCompleted: Bool
  /// Whether Today shows what the next morning brings when nothing is due.
  public var previewsTomorrow = true
  /// Decides which day "today" is.
  public var time: LocalTime
  /// Which of the rows; nil for all.
  public var window: RowWindow?

  /// The query for whoever looks at this time.
  public init(
    _ kind: Kind, sort: Sort = .due, showsCompleted: Bool = false, time: LocalTime,
    window: RowWindow? = nil
  ) {
    self.kind = kind
    self.sort = sort
    self.showsCompleted = showsCompleted
    self.time = time
    self.window = window
  }

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> Value {
    do {
      return try find(db)
    } catch let error as AppError {
      // A saved search that is not understood, or asks for a list that is gone. What is watched is
      // what is read the first time.
      _ = try ReminderRow.fetch(
        db, RowRequest(condition: Condition("FALSE"), order: .manual), RowWindow(count: 0))
      var value = Value()
      value.problem = error
      return value
    }
  }

  private func find(_ db: Database) throws -> Value {
    var value = Value()
    value.isAboutCompletion = try kind.isAboutCompletion(in: time, db)
    value.openCount = try kind.count(isCompleted: false, in: time, db)
    value.completedCount = try kind.count(isCompleted: true, in: time, db)
    value.previewCount = try preview(db)?.count(db) ?? 0
    let request = RowRequest(
      condition: try shown(db), order: try order(db), notes: ReminderRow.shownNotes)
    let total = count(of: value)
    if let window {
      let found = try request.rows(in: window, of: total, db)
      (value.start, value.rows) = (found.start, found.rows)
    } else {
      value.rows = try request.all(db)
    }
    if case .list = kind { value.rows = value.rows.underParents() }
    return value
  }

  /// How many rows there are in all, in the window and outside.
  public func count(of value: Value) -> Int {
    switch kind {
    case .completed: value.completedCount
    default:
      value.openCount + value.previewCount
        + (showsCompleted || value.isAboutCompletion ? value.completedCount : 0)
    }
  }

  /// Whether a reminder that was found is shown before its day, because nothing is due today.
  public func isPreview(_ row: ReminderRow) -> Bool {
    kind == .today && row.status != .completed
      && row.due.map { $0.day(in: time) > time.today } == true
  }

  /// Which reminders are shown.
  func shown(_ db: Database) throws -> Condition {
    let all = try kind.condition(in: time, db)
    let showsAll = try kind == .completed || showsCompleted || kind.isAboutCompletion(in: time, db)
    let shown = showsAll ? all : all.open
    return try preview(db).map(shown.or) ?? shown
  }

  /// What the next morning brings, where nothing is due today; nil where it is not shown.
  private func preview(_ db: Database) throws -> Condition? {
    guard kind == .today, previewsTomorrow,
      try kind.count(isCompleted: false, in: time, db) == 0
    else { return nil }
    return .due(on: time.today.adding(days: 1), until: Self.noon, in: time).open
  }

  /// Minutes since midnight.
  private static let noon = 12 * 60
}

extension ReminderListQuery {
  /// What a list of reminders shows.
  public struct Value: Equatable, Sendable {
    /// The reminders in order, those in the query's window.
    public var rows: [ReminderRow] = []
    /// How many come before them.
    public var start = 0
    /// How many are not completed, shown or not.
    public var openCount = 0
    /// How many are completed, shown or not.
    public var completedCount = 0
    /// How many are shown, though they are due tomorrow.
    public var previewCount = 0
    /// Whether completed ones are shown because a saved search asks for them.
    public var isAboutCompletion = false
    /// Why a saved search cannot be asked; nil when it can.
    public var problem: AppError?

    /// A list with nothing in it yet.
    public init() {}
  }
}
