/// Series of a file, and what it says of single occurrences of them.
extension ImportBatch {
  /// Brings each series to the first occurrence that the file does not say was done.
  ///
  /// Other programs let the rule stand where it began, and write an item for each occurrence that
  /// is completed, or is another than its rule says (RECURRENCE-ID of RFC 5545, 3.8.4.4).
  mutating func letSeriesGoOn(in time: LocalTime) {
    var done: [String: [DueDate]] = [:]
    for item in items where item.isDone {
      guard let source = item.source, let replaced = item.replaced else { continue }
      done[source, default: []].append(replaced)
    }
    for index in items.indices where !items[index].isDone && items[index].replaced == nil {
      guard let dates = items[index].source.flatMap({ done[$0] }) else { continue }
      let home = items[index].home.map(time.moved) ?? time
      items[index].goOn(after: Set(dates.map { $0.day(in: home) }), in: home)
    }
  }
}

extension ImportBatch.Item {
  /// Goes on to the first occurrence of its rule that is not on one of the days.
  fileprivate mutating func goOn(after days: Set<CalendarDay>, in time: LocalTime) {
    guard let rule = draft.recurrence, let due = draft.due else { return }
    let first = due.day(in: time)
    let anchored = rule.anchored(to: first)
    var (day, number) = (first, 1)
    while days.contains(day) {
      guard let next = anchored.next(after: day, number: number, completedOn: day) else {
        // All that there were are done.
        (isDone, draft.recurrence) = (true, nil)
        break
      }
      (day, number) = (next, number + 1)
    }
    guard day != first else { return }
    draft.due = due.moved(to: day, in: time)
    draft.recurrence = draft.recurrence.map { _ in anchored.remaining(from: number) }
  }
}
