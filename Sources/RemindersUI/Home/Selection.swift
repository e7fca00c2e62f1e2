import RemindersCore

/// The selected reminders, which the next command acts on, also those that were not read.
struct Selection: Equatable, Sendable {
  /// Which they are.
  var ids: Set<Reminder.ID> = []
  /// What is known of them.
  private(set) var known = SelectedReminders()

  var isEmpty: Bool { ids.isEmpty }
  var count: Int { ids.count }

  func contains(_ id: Reminder.ID) -> Bool { ids.contains(id) }

  /// What to know of them, where they are shown.
  func query(in source: RowSource?) -> SelectionQuery? {
    isEmpty ? nil : source.map { SelectionQuery(ids, in: $0) }
  }

  /// Takes over what was found of them; those that are no longer shown are deselected.
  mutating func receive(_ known: SelectedReminders, of query: SelectionQuery) {
    guard query.ids == ids else { return }
    self.known = known
    if known.ids.count < ids.count { ids = Set(known.ids) }
  }
}

// MARK: - What commands act on

/// What a command on reminders acts on: the selected ones, else the one under the cursor.
struct Targets: Equatable, Sendable {
  /// What is known of all of them.
  var all = SelectedReminders()
  /// The one that there is, when there are not several.
  var row: ReminderRow?

  var ids: [Reminder.ID] { all.ids }

  /// What a prompt calls them: the title of one, the number of several.
  var subject: String { row?.title ?? counted(ids.count, "reminder") }
}

/// What belongs to the search that has the keys, or else to the list at home.
extension AppState {
  /// The screen with reminders, while it has the keys.
  var reminderScreen: (any ReminderScreen)? { screens.last as? any ReminderScreen }

  var selection: Selection {
    get { searchScreen?.selection ?? (reminderScreen == nil ? home.selection : Selection()) }
    set {
      if searchScreen != nil {
        searchScreen?.selection = newValue
      } else if reminderScreen == nil {
        home.selection = newValue
      }
    }
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
  var currentRow: ReminderRow? {
    if let reminderScreen { reminderScreen.currentRow } else { home.currentRow }
  }

  /// The reminders that a command acts on.
  var targets: Targets {
    guard !selection.isEmpty else {
      return Targets(all: currentRow.map { SelectedReminders($0) } ?? .init(), row: currentRow)
    }
    let only = selection.count == 1 ? selection.ids.first : nil
    let row = only.flatMap { id in searchScreen.map { $0.hit(id)?.row } ?? home.row(id) }
    return Targets(all: selection.known, row: row)
  }
}
