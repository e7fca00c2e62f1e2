/// What a file says is part of something else.
extension ImportBatch {
  /// Puts items below those that they are part of.
  ///
  /// There is one level, so what is part of a part is part of the whole. Of items that are part of
  /// each other none is.
  mutating func nest(_ format: String) {
    let ids = Set(items.map(\.id))
    var parents: [Reminder.ID: Reminder.ID] = [:]
    for item in items {
      guard let source = item.parentSource else { continue }
      let parent = Self.id(format, source)
      if ids.contains(parent) { parents[item.id] = parent }
    }
    let tops = Self.tops(parents)
    let lists = Dictionary(
      items.map { ($0.id, $0.listTitle) }, uniquingKeysWith: { first, _ in first })
    for index in items.indices {
      guard let source = items[index].parentSource else { continue }
      let id = items[index].id
      // One that the file does not have may be here already.
      let parent = parents[id] == nil ? Self.id(format, source) : tops[id]
      items[index].draft.parentID = parent
      guard let parent else {
        items[index].dropParent(source, &problems)
        continue
      }
      items[index].listTitle = lists[parent] ?? items[index].listTitle
      if let direct = parents[id], direct != parent {
        problems.append(
          "“\(items[index].draft.title.oneLine.prefix(60))”: a part of a part is part of the whole")
      }
    }
    // A part comes after the reminder that it is part of.
    items = items.filter { $0.parentSource == nil } + items.filter { $0.parentSource != nil }
  }

  /// The topmost item above each; none where that comes round to itself.
  static func tops(
    _ parents: [Reminder.ID: Reminder.ID]
  ) -> [Reminder.ID: Reminder.ID] {
    var tops: [Reminder.ID: Reminder.ID] = [:]
    var seen: Set<Reminder.ID> = []
    for start in parents.keys {
      var (id, path) = (start, [Reminder.ID]())
      while let parent = parents[id], seen.insert(id).inserted {
        path.append(id)
        id = parent
      }
      let top = parents[id] == nil ? id : tops[id]
      for id in path { tops[id] = top }
    }
    return tops
  }
}

extension ImportBatch.Item {
  /// Makes it an ordinary reminder, whose notes say what it was part of.
  mutating func dropParent(_ source: String, _ problems: inout [String]) {
    draft.parentID = nil
    draft.notes += (draft.notes.isEmpty ? "" : "\n") + "RELATED-TO: \(source)"
    problems.append(
      "“\(draft.title.oneLine.prefix(60))”: in its notes: RELATED-TO: \(source.oneLine)")
  }
}
