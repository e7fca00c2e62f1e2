import RemindersCore
import RemindersTerminal

// What the home screen shows of the database and of covers.

extension HomeState {
  func subscriptions(in state: AppState) -> [any Subscription] {
    let described = state.layout.detailPane == nil ? nil : reminders.current
    let wanted: [(any Subscription)?] = [
      SidebarQuery(time: state.day), query(in: state.day), selectionQuery,
      described.map { DetailPaneQuery($0) },
      sidebar?.searches.isEmpty == false ? SavedSearchQuery(time: state.day) : nil,
      state.schema.hasCovers ? currentList.map { CoverQuery($0.id) } : nil,
      state.headerPicture.map { HeaderPicture(request: $0) },
      state.sharpHeaderPicture.map { SharpHeaderPicture(request: $0) },
    ]
    return wanted.compactMap(\.self)
  }
}

extension SidebarQuery: ShownQuery {
  func show(_ sidebar: Sidebar, in state: inout AppState) {
    state.takeViews(of: sidebar)
    state.home.sidebar = sidebar
    state.closeShareOfGoneList()
  }
}

extension SavedSearchQuery: ShownQuery {
  func show(_ found: [Found], in state: inout AppState) {
    state.home.savedCounts = found.reduce(into: [:]) { $0[$1.id] = $1.count }
  }

  /// No key is about a number.
  func isAwaited(in state: AppState) -> Bool { false }
}

extension ReminderListQuery: ShownQuery {
  func show(_ detail: ReminderListQuery.Value, in state: inout AppState) {
    state.home.show(detail, of: self)
  }
}

extension SelectionQuery: ShownQuery {
  func show(_ selected: SelectedReminders, in state: inout AppState) {
    switch source {
    case .list: state.home.selection.receive(selected, of: self)
    case .search:
      state.screens.update(SearchScreen.self) { $0.selection.receive(selected, of: self) }
    }
  }
}

extension DetailPaneQuery: ShownQuery {
  func show(_ detail: ReminderDetail?, in state: inout AppState) { state.home.current = detail }
  func isAwaited(in state: AppState) -> Bool { false }
}

extension CoverQuery: ShownQuery {
  func show(_ cover: CoverImage?, in state: inout AppState) { state.home.show(cover, of: listID) }
  func isAwaited(in state: AppState) -> Bool { false }
}

extension OverdueRolloversQuery: ShownQuery {
  func show(_ ids: Set<Reminder.ID>, in state: inout AppState) { state.overdueRollovers = ids }
  func isAwaited(in state: AppState) -> Bool { false }
}
