import GRDB

/// Everything the left pane shows: smart lists, lists and tags with their counts.
public struct Sidebar: Equatable, Sendable {
  /// How many reminders each smart list holds; only `completed` counts completed ones.
  public struct Counts: Equatable, Sendable {
    /// Due on this day or before, and not completed.
    public var today = 0
    /// Those of them that are due before this day.
    public var overdue = 0
    /// With a due date, and not completed.
    public var scheduled = 0
    /// Not completed.
    public var all = 0
    /// Flagged, and not completed.
    public var flagged = 0
    /// Completed.
    public var completed = 0
  }

  /// A list and the number of its reminders that are not completed.
  public struct ListRow: Identifiable, Equatable, Sendable {
    /// The list.
    public var list: RemindersList
    /// How many of its reminders are not completed.
    public var openCount: Int
    /// How the person wants it shown.
    public var view = ListView()
    /// The list's id.
    public var id: RemindersList.ID { list.id }
  }

  /// A tag and the number of reminders with it that are not completed.
  public struct TagRow: Identifiable, Equatable, Sendable {
    /// What stands after the `#`.
    public var title: Tag.ID
    /// How many reminders with it are not completed.
    public var openCount: Int
    /// The tag's id.
    public var id: Tag.ID { title }
  }

  /// The counts of the smart lists.
  public var counts = Counts()
  /// The saved searches by title.
  public var searches: [SavedSearch] = []
  /// The lists in manual order.
  public var lists: [ListRow] = []
  /// All tags by title.
  public var tags: [TagRow] = []

  /// Whether there is nothing at all: the moment to offer sample data.
  public var isEmpty: Bool { lists.isEmpty && tags.isEmpty && searches.isEmpty }

  /// A sidebar with nothing in it yet.
  public init() {}
}

/// Finds what the left pane shows.
public struct SidebarQuery: Query {
  /// Decides which day "today" is.
  public var time: LocalTime
  /// Whether all of each title is read, and not only as much as a screen shows.
  public var readsWholeTexts: Bool

  /// The query for whoever looks at this time.
  public init(time: LocalTime, readsWholeTexts: Bool = false) {
    self.time = time
    self.readsWholeTexts = readsWholeTexts
  }

  /// Finds it, with one snapshot of the database.
  public func fetch(_ db: Database) throws -> Sidebar {
    var sidebar = Sidebar()
    sidebar.counts = try counts(db)
    sidebar.searches = try SavedSearch.all(db)
    sidebar.lists = try lists(db)
    sidebar.tags = try tags(db)
    return sidebar
  }

  private func counts(_ db: Database) throws -> Sidebar.Counts {
    func openCount(_ kind: ReminderListQuery.Kind) throws -> Int {
      try kind.count(isCompleted: false, in: time, db)
    }
    var counts = Sidebar.Counts()
    counts.today = try openCount(.today)
    counts.overdue = counts.today == 0 ? 0 : try Condition.overdue(in: time).count(db)
    counts.scheduled = try openCount(.scheduled)
    counts.all = try openCount(.all)
    counts.flagged = try openCount(.flagged)
    counts.completed = try ReminderListQuery.Kind.completed.count(isCompleted: true, in: time, db)
    return counts
  }

  private func lists(_ db: Database) throws -> [Sidebar.ListRow] {
    let schema = try db.schemaVersion
    let title = readsWholeTexts ? "title" : SQL.beginning(of: "title")
    let view = schema.hasListViews ? ", viewPosition, sort, showsCompleted" : ""
    return try Row.fetchAll(
      db,
      sql: """
        SELECT id, \(title) AS title, color, position\(view), coalesce(total, 0) AS openCount
        FROM \(SQL.lists(in: schema)) AS remindersLists LEFT JOIN reminderCounts
          ON remindersListID = remindersLists.id AND isCompleted = 0
        ORDER BY \(SQL.orderOfLists)
        """
    ).map { row in
      try Sidebar.ListRow(
        list: RemindersList(row: row), openCount: row.read("openCount"), view: ListView(row: row))
    }
  }

  private func tags(_ db: Database) throws -> [Sidebar.TagRow] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT title, coalesce(total, 0) AS openCount
        FROM tags LEFT JOIN openTagCounts ON tagTitle = title
        """
    ).map { row in try Sidebar.TagRow(title: row.read("title"), openCount: row.read("openCount")) }
      .sorted { SearchFold.comparable($0.title) }
  }
}
