/// Which list each title of a file means that knows no ids of ours.
///
/// One that is called so; else one whose name differs by case or accents alone. But lists that the
/// file tells apart stay apart.
struct ImportedLists {
  private var ids: [String: RemindersList.ID]

  /// Finds the lists that there are.
  ///
  /// - Parameters:
  ///   - titles: All that the file names, in its order.
  ///   - lists: The lists in their order: of several that are called alike the first is meant.
  init(titles: [String], among lists: [RemindersList]) {
    ids = Dictionary(lists.map { ($0.title, $0.id) }) { first, _ in first }
    let named = Set(titles)
    let others = lists.filter { !named.contains($0.title) }
    var alike = Dictionary(others.map { (SearchFold.comparable($0.title), $0.id) }) {
      first, _ in first
    }
    var seen: Set<String> = []
    for title in titles where ids[title] == nil && seen.insert(title).inserted {
      ids[title] = alike.removeValue(forKey: SearchFold.comparable(title))
    }
  }

  /// The list that a title means; nil where there is none yet.
  subscript(title: String) -> RemindersList.ID? {
    get { ids[title] }
    set { ids[title] = newValue }
  }
}

extension WriteTransaction {
  /// The id of a list that an import makes.
  ///
  /// - Parameters:
  ///   - title: Its title.
  ///   - first: What is first in it in the file.
  func idOfList(_ title: String, for first: Reminder.ID) throws -> RemindersList.ID {
    var id = ImportBatch.id("list", "\(first)\n\(title)")
    if title == RemindersList.defaultTitle { id = RemindersList.defaultID(from: id) }
    // It may be here under another name by now.
    return try state(of: [RowID(.remindersLists, id)]).isEmpty ? id : makeID()
  }
}
