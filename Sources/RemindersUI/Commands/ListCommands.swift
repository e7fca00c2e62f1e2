import RemindersCore

extension Command {
  /// What can be done with the list or tag under the cursor.
  static let listCommands: [Command] = [
    Command(
      .openList, .lists, ["<enter>"], "Open list", hint: "open", help: "Go to its reminders.",
      perform: { $0.focus(.reminders) }),
    Command(
      .editList, .lists, ["e"], "Edit list", hint: "edit",
      help: "Rename a list, tag or search; give a list another colour.",
      unless: { needsListOrTag($0) ?? needsWritableList($0) }, perform: { $0.openEditForm() }),
    Command(
      .deleteList, .lists, ["d", "<delete>"], "Delete list", hint: "delete",
      help: "Delete a list with its reminders, a tag or search; u undoes it.",
      unless: needsListOrTag, perform: { $0.deleteListOrTag() }),
    Command(
      .moveListUp, .lists, ["K"], "Move list up", hint: "up", help: "Move the list up.",
      unless: { needsList($0) ?? needsWritablePlace($0) }, perform: { $0.moveList(by: -1) }),
    Command(
      .moveListDown, .lists, ["J"], "Move list down", hint: "down", help: "Move the list down.",
      unless: { needsList($0) ?? needsWritablePlace($0) }, perform: { $0.moveList(by: 1) }),
  ]

  /// In an earlier schema a place is everybody's who has the list.
  @Sendable private static func needsWritablePlace(_ state: AppState) -> String? {
    state.schema.hasListViews ? nil : needsWritableList(state)
  }

  @Sendable private static func needsList(_ state: AppState) -> String? {
    state.home.currentList == nil ? "Only lists have an order of your own." : nil
  }

  @Sendable private static func needsListOrTag(_ state: AppState) -> String? {
    if case .smart = state.home.lists.current { return "Smart lists fill themselves." }
    return state.home.lists.current == nil ? "There is no list here." : nil
  }
}

extension AppState {
  fileprivate mutating func openEditForm() -> [Effect] {
    if case .tag(let title) = home.lists.current { return open(TagForm(title)) }
    if case .saved(let id) = home.lists.current {
      let search = home.sidebar?.searches.first { $0.id == id }
      return search.map { open(SearchPrompt(renaming: $0)) } ?? []
    }
    if let list = home.currentList, list.title.isLongerThanAnyTitle {
      return refuse(
        Problem(
          "The name is too long to be edited here.",
          hint: "Another one: reminders lists edit \(list.id) --title TITLE"))
    }
    return open(ListForm(home.currentList, with: schema))
  }

  fileprivate mutating func deleteListOrTag() -> [Effect] {
    switch home.lists.current {
    case .list(let id):
      guard let share = share(of: id) else { return [.write(.deleteList(id))] }
      return askAboutDeleting(share)
    case .tag(let title): return [.write(.deleteTag(title))]
    case .saved(let id): return [.write(.deleteSearch(id))]
    case .smart, nil: return []
    }
  }

  /// Others have the list, too.
  private mutating func askAboutDeleting(_ share: ListShare) -> [Effect] {
    let name = appearance.glyphs.quoted(share.title)
    let text =
      share.isOwn
      ? "\(name), \(share.summary), is deleted for everybody."
      : consequenceOfLeaving(share)
    return open(
      ConfirmationScreen(
        title: share.isOwn ? "Delete a shared list" : "Leave", text: text,
        answer: share.isOwn ? .deleteList(share.id) : .share(.leave(share.id))))
  }

  fileprivate func moveList(by step: Int) -> [Effect] {
    let ids = (home.sidebar?.lists ?? []).map(\.id)
    guard let id = home.currentList?.id, let index = ids.firstIndex(of: id),
      ids.indices.contains(index + step)
    else { return [] }
    return [.write(.moveList(id, step < 0 ? .before : .after, ids[index + step]))]
  }
}
