import Reminders

/// The reminders that are marked for a command on several, also those that were not read.
struct Marks: Equatable, Sendable {
  /// Which they are.
  var ids: Set<Reminder.ID> = []
  /// What is known of them.
  private(set) var known = MarkedReminders()

  var isEmpty: Bool { ids.isEmpty }
  var count: Int { ids.count }

  func contains(_ id: Reminder.ID) -> Bool { ids.contains(id) }

  /// What to know of them, where they are shown.
  func query(in source: RowSource?) -> MarkedQuery? {
    isEmpty ? nil : source.map { MarkedQuery(ids, in: $0) }
  }

  /// Takes over what was found of them; those that are not shown any more are marked no more.
  mutating func receive(_ known: MarkedReminders, of query: MarkedQuery) {
    guard query.ids == ids else { return }
    self.known = known
    if known.ids.count < ids.count { ids = Set(known.ids) }
  }
}

// MARK: - What commands act on

/// What a command on reminders acts on: those that are marked, else the one under the cursor.
struct Targets: Equatable, Sendable {
  /// What is known of all of them.
  var all = MarkedReminders()
  /// The one that there is, when there are not several.
  var row: ReminderDetails?

  var ids: [Reminder.ID] { all.ids }

  /// What a prompt calls them: the title of one, the number of several.
  var subject: String { row?.title ?? counted(ids.count, "reminder") }
}

/// What belongs to the search that has the keys, or else to the list at home.
extension AppState {
  var marks: Marks {
    get { searchScreen?.marks ?? home.marks }
    set { if searchScreen == nil { home.marks = newValue } else { searchScreen?.marks = newValue } }
  }

  /// How the rows are shown.
  var rowOptions: ListOptions {
    get { searchScreen?.options ?? home.currentOptions }
    set {
      if searchScreen == nil {
        home.currentOptions = newValue
      } else {
        searchScreen?.options = newValue
      }
    }
  }

  /// What found the rows; nil while nothing is looked for.
  var rowSource: RowSource? {
    searchScreen.map { $0.query(in: day).map { .search($0) } }
      ?? home.query(in: day).map { .list($0) }
  }

  /// How many rows there are in all.
  var rowCount: Int { searchScreen?.read.total ?? home.read?.total ?? 0 }

  /// The row under the cursor.
  var currentRow: ReminderDetails? { searchScreen.map(\.currentRow) ?? home.currentRow }

  /// The reminders that a command acts on.
  var targets: Targets {
    guard !marks.isEmpty else {
      return Targets(all: currentRow.map { MarkedReminders($0) } ?? .init(), row: currentRow)
    }
    let only = marks.count == 1 ? marks.ids.first : nil
    let row = only.flatMap { id in searchScreen.map { $0.hit(id)?.row } ?? home.row(id) }
    return Targets(all: marks.known, row: row)
  }
}
