import Foundation
import GRDB
import SQLiteSync

extension AppDatabase {
  /// Adds a reminder at the end of its list.
  ///
  /// - Throws: `AppError` when the title is empty or the list does not exist.
  public func addReminder(
    _ draft: ReminderDraft
  ) async throws -> (id: Reminder.ID, undo: UndoStep) {
    let (ids, undo) = try await addReminders([draft])
    return (ids[0], undo)
  }

  /// Adds reminders, each at the end of its list: all of them, or none.
  ///
  /// - Throws: `AppError` when a title is empty or a list does not exist.
  public func addReminders(
    _ drafts: [ReminderDraft]
  ) async throws -> (ids: [Reminder.ID], undo: UndoStep) {
    try await write { transaction in
      let titles = try drafts.map { try validTitle($0.title, of: "reminder") }
      try drafts.forEach { try $0.requireValid(in: transaction.time) }
      try drafts.forEach { try transaction.requireListOfParent($0.parentID, $0.listID) }
      let ids = drafts.map { _ in transaction.makeID() }
      let label = titles.count == 1 ? "Added “\(titles[0])”" : "Added \(titles.count) reminders"
      let undo = try transaction.recording(label, touching: []) { inserted in
        let new = try zip(ids, drafts).map {
          try transaction.newReminder($1, id: $0, &inserted)
        }
        try transaction.insert(new, &inserted)
      }
      return (ids, undo)
    }
  }

  /// Changes fields of reminders.
  ///
  /// - Throws: `AppError` when a title is empty, or a reminder or list does not exist.
  public func editReminders(
    _ ids: [Reminder.ID], _ edits: [ReminderEdit]
  ) async throws -> UndoStep {
    try await write { transaction in
      let edits = try edits.map { try $0.validated() }
      // What is part of a reminder goes with it to another list.
      let moves = edits.filter { if case .set(.list, _) = $0 { true } else { false } }
      let parts = try moves.isEmpty ? [] : transaction.subtasks(of: ids)
      let changesParts = edits.contains(where: \.changesParts)
      let rows =
        try changesParts
        ? transaction.rowsWithTags(of: ids + parts) : (ids + parts).map { RowID(.reminders, $0) }
      let done = try edits.contains(where: \.beginsSeries) ? transaction.doneOnce(ids) : []
      let partsOfDone = try transaction.subtasks(of: done).map { RowID(.reminders, $0) }
      return try transaction.recording(
        try transaction.label(of: edits, ids), touching: rows + partsOfDone,
        leavesNotes: !edits.contains(where: \.changesNotes)
      ) { inserted in
        try transaction.apply(edits, to: ids, &inserted)
        try transaction.apply(moves, to: parts, &inserted)
        try transaction.goOn(from: done, &inserted)
      }
    }
  }

  /// Makes reminders more or less important, each by so many steps from its own priority.
  ///
  /// - Throws: `AppError` when one does not exist.
  public func changePriority(_ ids: [Reminder.ID], by steps: Int) async throws -> UndoStep {
    try await write { transaction in
      let rows = ids.map { RowID(.reminders, $0) }
      let states = try transaction.state(of: rows)
      let verb = steps > 0 ? "Raised" : "Lowered"
      let label = "\(verb) the priority of \(try transaction.subject(ids))"
      let groups = Dictionary(grouping: ids) { id in
        let known = states[RowID(.reminders, id)]?["priority"].flatMap(Int.fromDatabaseValue)
        return Reminder.Priority.moved(Reminder.Priority(rawValue: known ?? 0), by: steps)
      }
      return try transaction.recording(label, touching: rows, leavesNotes: true) { _ in
        for (priority, ids) in groups {
          let columns: RowChange.Columns = ["priority": (priority?.rawValue).databaseValue]
          try transaction.inPages(ids) { try transaction.update($0, of: .reminders, columns) }
        }
      }
    }
  }

  /// Deletes reminders with what is part of them.
  ///
  /// - Throws: `AppError` when one does not exist.
  public func deleteReminders(_ ids: [Reminder.ID]) async throws -> UndoStep {
    try await write { try $0.deleteReminders(ids) }
  }
}

extension WriteTransaction {
  /// Deletes reminders, as a rule with what is part of them.
  ///
  /// - Throws: `AppError` when one does not exist.
  func deleteReminders(_ ids: [Reminder.ID], withSubtasks: Bool = true) throws -> UndoStep {
    var label = "Deleted \(try subject(ids))"
    let parts = try withSubtasks ? subtasks(of: ids).filter { !ids.contains($0) } : []
    if !parts.isEmpty { label += " with \(counted(parts.count, "subtask"))" }
    let rows = (ids + parts).map { RowID(.reminders, $0) }
    let dependents = try dependents(of: rows)
    return try recording(label, touching: rows + dependents) { _ in try delete(rows) }
  }

  /// The first list of this account's own, which is made if need be: what is not said to be for
  /// others goes into no list of theirs.
  ///
  /// - Parameter first: What an import has for it first: another device that takes the same file
  ///   makes the same list of it.
  func firstList(
    for first: Reminder.ID? = nil, _ inserted: inout [RowID]
  ) throws -> RemindersList.ID {
    if let id = try String.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT id FROM \(SQL.lists(in: schema)) AS remindersLists
          WHERE id NOT IN \(try SQL.listsOfOthers(db))
          ORDER BY \(SQL.orderOfLists) LIMIT 1
          """))
    {
      return id
    }
    let title = RemindersList.defaultTitle
    let id =
      try first.map { try idOfList(title, for: $0) } ?? RemindersList.defaultID(from: makeID())
    let columns: RowChange.Columns = ["id": id.databaseValue, "title": title.databaseValue]
    if first == nil {
      try insert(.remindersLists, columns)
    } else {
      try SyncEngine.edit(asOf: 0, in: db) { try insert(.remindersLists, columns) }
    }
    inserted.append(RowID(.remindersLists, id))
    return id
  }

  func apply(
    _ edits: [ReminderEdit], to ids: [Reminder.ID], _ inserted: inout [RowID]
  ) throws {
    guard !edits.isEmpty else { return }
    var columns: RowChange.Columns = [:]
    for case .set(let field, let draft) in edits {
      columns[field.column] = field.stored(in: draft)
    }
    guard edits.contains(where: \.isOfEachReminder) else {
      if let listID = columns.text("remindersListID"), !ids.isEmpty {
        _ = try existingTitle(of: RowID(.remindersLists, listID))
      }
      return try inPages(ids) { try update($0, of: .reminders, columns) }
    }
    try inPages(ids) { page in
      for id in page { try apply(edits, columns, to: id, &inserted) }
    }
  }

  private func apply(
    _ edits: [ReminderEdit], _ columns: RowChange.Columns, to id: Reminder.ID,
    _ inserted: inout [RowID]
  ) throws {
    let row = RowID(.reminders, id)
    var columns = columns
    if let parent = columns.text("parentID") {
      try requireListOfParent(parent, columns.text("remindersListID"))
      columns["remindersListID"] = try listOfParent(parent, for: id)
    }
    if let listID = columns.text("remindersListID") {
      _ = try existingTitle(of: RowID(.remindersLists, listID))
    }
    var rules = edits.compactMap { edit -> ReminderDraft? in
      if case .set(.recurrence, let draft) = edit { draft } else { nil }
    }
    let losesDate = edits.contains(where: \.removesDueDate)
    let known =
      try rules.isEmpty && !losesDate ? [:] : state(of: [row])[row] ?? [:]
    // What comes again does so on dates: without its own it is an ordinary reminder.
    if losesDate, rules.isEmpty, known.text("recurrence") != nil {
      rules = [ReminderDraft()]
      columns["recurrence"] = .null
    }
    if columns["dueDate"] == nil, let due = firstDue(of: rules.last?.recurrence, known) {
      columns["dueDate"] = due.stored.databaseValue
    }
    try requireValid(edits, columns, of: row)
    for draft in rules {
      let due = columns["dueDate"] ?? known["dueDate"]
      // A part says in the same column for which occurrence of its parent it was done.
      let isSeries =
        known["recurrence"]?.isNull == false
        && (draft.recurrence != nil || known["parentID"]?.isNull == true)
      let former =
        isSeries ? Occurrence(of: known, series: id, on: time.today, in: time) : nil
      if columns["dueDate"] == nil, let end = newEnd(draft.recurrence, of: former, known) {
        columns.merge(end) { $1 }
        continue
      }
      beginSeries(
        draft.recurrence, due: DueDate(stored: due.flatMap(String.fromDatabaseValue)),
        replacing: former,
        dueUntilNow: former.flatMap { _ in DueDate(stored: known.text("dueDate")) },
        &columns)
    }
    try update(row, columns)
    if edits.contains(where: \.changesTags) {
      let tags = try tags(of: id)
      try setTags(edits.reduce(tags) { $1.tags(after: $0) }, of: id, &inserted)
    }
    if let alarms = edits.compactMap(\.alarms).last {
      try setAlarms(alarms, of: id, &inserted)
    } else if edits.contains(where: \.removesDueDate) {
      try removeAlarmsWithoutDate(of: id, &inserted)
    }
  }
}
