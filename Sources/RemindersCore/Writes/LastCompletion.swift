import SQLiteSync

/// What is known of an occurrence that a device completed as the last one, where the reminder came
/// to say something else: another device, for which it was not the last one, went on or moved it,
/// or completed another one.
///
/// From that alone follows what is to be made of it, case by case.
struct LastCompletion {
  /// The reminder says that it is completed as another one, or another edit has completed it.
  var isBesideAnother = false
  /// By the rule it still is the last one.
  var isLast = false
  /// A row of its own has stayed of it, completed or opened again since.
  var isKept = false
  /// Such a row, beside another one, has been deleted.
  var isDeleted = false
  /// The reminder is at it.
  var isPresent = false
  /// The reminder is completed.
  var isCompleted = false

  enum Outcome: Equatable {
    /// Nothing, or nothing more.
    case leave
    /// The reminder becomes it again, completed.
    case finish
    /// It gets a row of its own.
    case keep
    /// It gets a row of its own, and the reminder is open.
    case keepAndReopen
    /// The reminder is open.
    case reopen
  }

  var outcome: Outcome {
    switch self {
    // Two are done, and the reminder is one of them: the other one gets a row, unless somebody has
    // seen that there and decided otherwise.
    case _ where isBesideAnother: isKept || isDeleted ? .leave : .keep
    // Whatever others made of the reminder: the end is the end.
    case _ where isLast: .finish
    // As if its device had not known of an end: the series goes on from it.
    case _ where !isKept: .keepAndReopen
    // It was this one that was completed, and it has its row: not the one at which the reminder is.
    case _ where isCompleted && !isPresent: .reopen
    // It has its row, from which the series goes on, or is open.
    case _: .leave
    }
  }
}

extension PassedOccurrence {
  /// What the row of a series says when this occurrence was the last one: when that was due, and
  /// which one it is.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - copy: What stayed of the occurrence, where something did.
  ///   - time: Now, where somebody is.
  func columnsOfLast(
    _ row: RowChange.Columns, copy: RowChange.Columns?, in time: LocalTime
  ) -> RowChange.Columns {
    let rule = Recurrence(stored: row.text("recurrence"))
    let time = time.atHome(of: row)
    var due = DueDate(stored: (copy ?? row).text("dueDate")) ?? .day(occurrence.day)
    if copy == nil, due.day(in: time) != occurrence.day {
      due = occurrence.due(on: occurrence.day, after: due, in: time)
    }
    var last =
      occurrence.belongs(to: rule)
      ? occurrence
      : occurrence.ended(by: rule)
        ?? Occurrence(of: rule, due: due, replacing: occurrence, id: "", in: time)
    // The day may be done by a lower number than that with which the rule is over.
    if let current = Occurrence(stored: row.text("occurrence")), current.day == last.day,
      current.isOfSeries(of: last)
    {
      last.number = max(last.number, current.number)
    }
    return ["dueDate": due.stored.databaseValue, "occurrence": last.storedAsLast.databaseValue]
  }
}
