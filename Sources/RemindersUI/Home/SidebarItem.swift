import RemindersCore

/// One thing in the left pane that can be current.
enum SidebarItem: Hashable, Sendable {
  case smart(SmartList)
  case saved(SavedSearch.ID)
  case list(RemindersList.ID)
  case tag(Tag.ID)

  /// Which reminders it stands for.
  var kind: ReminderListQuery.Kind {
    switch self {
    case .smart(let list): list.kind
    case .saved(let id): .saved(id)
    case .list(let id): .list(id)
    case .tag(let title): .tags([title])
    }
  }
}

/// A list that fills itself.
enum SmartList: String, CaseIterable, Hashable, Sendable {
  case today, scheduled, all, flagged, completed

  var title: String { rawValue.capitalized }

  var kind: ReminderListQuery.Kind {
    switch self {
    case .today: .today
    case .scheduled: .scheduled
    case .all: .all
    case .flagged: .flagged
    case .completed: .completed
    }
  }

  func count(in counts: Sidebar.Counts) -> Int {
    switch self {
    case .today: counts.today
    case .scheduled: counts.scheduled
    case .all: counts.all
    case .flagged: counts.flagged
    case .completed: counts.completed
    }
  }
}

/// One line of the left pane.
enum SidebarLine: Equatable, Sendable {
  case heading(String)
  case gap
  /// Of how many reminders, and how many of them are overdue.
  case smart(SmartList, count: Int, late: Int)
  case saved(SavedSearch)
  case list(Sidebar.ListRow)
  case tag(Sidebar.TagRow)

  /// What is current when the cursor is on the line.
  var item: SidebarItem? {
    switch self {
    case .heading, .gap: nil
    case .smart(let list, _, _): .smart(list)
    case .saved(let search): .saved(search.id)
    case .list(let row): .list(row.id)
    case .tag(let row): .tag(row.id)
    }
  }

  static func lines(of sidebar: Sidebar) -> [SidebarLine] {
    var lines: [SidebarLine] = [.heading("SMART LISTS")]
    lines += SmartList.allCases.map {
      .smart(
        $0, count: $0.count(in: sidebar.counts), late: $0 == .today ? sidebar.counts.overdue : 0)
    }
    if !sidebar.searches.isEmpty {
      lines += [.gap, .heading("SAVED SEARCHES")] + sidebar.searches.map { .saved($0) }
    }
    if !sidebar.lists.isEmpty {
      lines += [.gap, .heading("LISTS")] + sidebar.lists.map { .list($0) }
    }
    if !sidebar.tags.isEmpty {
      lines += [.gap, .heading("TAGS")] + sidebar.tags.map { .tag($0) }
    }
    return lines
  }
}
