import GRDB

/// How to take back a write: what each row it touched was before, and became.
///
/// Only what the write changed is put back: another edit to the same row, made since here or
/// elsewhere, stays; so does a reminder or a list that somebody has edited since it was added, and
/// what comes again and has gone on since.
/// Taking back is a new edit of its own, with its own inverse: the redo.
///
/// A row that was deleted comes back whole, and all its fields are edits of that moment: of a
/// deleted record the cloud and the other devices keep no values, so there is nothing that a field
/// could be left at.
public struct UndoStep: Codable, Equatable, Sendable {
  /// What the write did, for people: `Deleted “Take a walk”`.
  public var label: String
  /// The rows, parents before children.
  var changes: [RowChange]
  /// The subtasks that reminders which the write made had already.
  var formerParts: [Reminder.ID]?
  /// How many reminders were left where it was taken back, because they were edited since.
  var keptCount: Int?
  /// How many reminders were left because they have subtasks that stay.
  var keptParents: Int?
  /// How many lists were left because somebody has put reminders there since.
  var keptLists: Int?
  /// The columns that were left in rows of which other columns were put back.
  var keptColumns: [String]?

  /// Whether the write did something that nothing takes back.
  var isFinal: Bool?

  /// Whether there is nothing to take back.
  public var isEmpty: Bool { changes.isEmpty }

  /// What is said when the write was made.
  public var textWhenDone: String {
    isEmpty && isFinal != true ? "Nothing to change." : label
  }

  /// The reminders that the write touched.
  public var reminders: [Reminder.ID] {
    changes.filter { $0.row.table == .reminders }.map(\.row.key)
  }

  /// What is said when the write was taken back: also how much of what it made is left as it is,
  /// because it was edited since.
  ///
  /// - Parameter inverse: What takes back that it was taken back.
  public func textWhenUndone(by inverse: UndoStep) -> String {
    let left = inverse.whatIsLeft
    return left.isEmpty ? "Undone: \(label)" : "Undone in part: \(label). \(left)"
  }

  /// What was left where a write was taken back by this, in sentences; empty when nothing was.
  public var whatIsLeft: String {
    var left: [String] = []
    if let count = keptCount {
      left.append(
        "\(counted(count, "reminder")) "
          + (count == 1 ? "was edited since, and is left." : "were edited since, and are left."))
    }
    for (count, noun, part) in [
      (keptParents, "reminder", "subtasks"), (keptLists, "list", "reminders"),
    ] {
      guard let count else { continue }
      left.append(
        "\(counted(count, noun)) \(count == 1 ? "is left for its" : "are left for their") \(part).")
    }
    if let columns = keptColumns {
      let words = columns.map { FieldName.word(for: $0) }
      left.append("Changed since, and left: \(words.joined(separator: ", ")).")
    }
    return left.joined(separator: " ")
  }

  /// Whether the write deleted a list.
  public var deletesList: Bool {
    // Lists come first, so that this takes no longer for many reminders.
    changes.prefix { $0.row.table == .remindersLists }.contains {
      if case .deleted = $0.kind { true } else { false }
    }
  }
}

/// What a write made of one row.
struct RowChange: Equatable, Sendable {
  typealias Columns = [String: DatabaseValue]

  let row: RowID
  let kind: Kind

  enum Kind: Equatable, Sendable {
    /// With a digest of the new row and what is part of it: another one later means that somebody
    /// has edited it since.
    ///
    /// Steps that earlier versions have kept have none, nor have rows that are still to be made.
    case inserted(digest: String?)
    case deleted(Columns)
    /// The columns that changed, as they were before, and what they became.
    ///
    /// Steps that earlier versions have kept do not say what.
    case updated(Columns, became: Columns)
  }

  var isUpdate: Bool {
    if case .updated = kind { true } else { false }
  }

  /// Whether the notes of the row stay as they are.
  var leavesNotes: Bool {
    if case .updated(let before, _) = kind { before["notes"] == nil } else { false }
  }

  var isInsertion: Bool {
    if case .inserted = kind { true } else { false }
  }

  /// The difference between two states of a row, or nil when there is none.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - before: Its columns as they were; nil where there was none.
  ///   - after: Its columns as they are; nil where there is none any more.
  ///   - digest: What says of a new row whether it was edited since.
  init?(_ row: RowID, before: Columns?, after: Columns?, digest: String? = nil) {
    self.row = row
    switch (before, after) {
    case (nil, nil):
      return nil
    case (nil, .some):
      kind = .inserted(digest: digest)
    case (.some(let before), nil):
      kind = .deleted(before)
    case (.some(let before), .some(let after)):
      // When a row was last changed is not put back: taking back is a change, too.
      var changed = before.filter { $0.value != after[$0.key] && $0.key != "updatedAt" }
      // Where a reminder stands is both: a grace period may end between a step and its undoing.
      if changed["status"] != nil { changed["completedAt"] = before["completedAt"] }
      if changed.isEmpty { return nil }
      kind = .updated(changed, became: after.filter { changed[$0.key] != nil })
    }
  }

  /// What is to be put back into a row that says this now: not what was edited since.
  fileprivate static func columns(
    _ before: Columns, where became: Columns, isIn now: Columns
  ) -> Columns {
    var columns = before.filter { name, _ in
      guard let made = became[name], let value = now[name] else { return true }
      // What was completed is completed, too, when its grace period is over.
      return name == "status" ? (made == openStatus) == (value == openStatus) : made == value
    }
    if before["status"] != nil {
      columns["completedAt"] = columns["status"] == nil ? nil : before["completedAt"]
    }
    // Which occurrence it is and when that is due are one thing.
    let pair = ["dueDate", "occurrence"]
    if now.text("recurrence") != nil, pair.allSatisfy({ before[$0] != nil }),
      !pair.allSatisfy({ columns[$0] != nil })
    {
      for name in pair { columns[name] = nil }
    }
    return columns
  }

  /// The columns that say something else than they did, and are not put back.
  fileprivate static func left(
    of before: Columns, puttingBack columns: Columns, isIn now: Columns
  ) -> Set<String> {
    // Whether it is done is one of two: what is not put back is as it was.
    let left = before.filter { name, value in
      columns[name] == nil && now[name] != nil && now[name] != value && name != "status"
    }
    return Set(left.keys.filter(FieldName.isShown))
  }

  private static let openStatus = Reminder.Status.incomplete.rawValue.databaseValue
}

extension AppDatabase {
  /// Takes back a write; the result takes back the taking back.
  ///
  /// - Throws: `AppError` when what a row belongs to is gone.
  public func undo(_ step: UndoStep) async throws -> UndoStep {
    try await write { try $0.undo(step) }
  }
}

extension WriteTransaction {
  fileprivate func undo(_ step: UndoStep) throws -> UndoStep {
    let left = try whatStays(of: step)
    let ofStep = step.changes.filter { !left.rows.contains($0.row) }
    let changes = ofStep + (try partsAdded(since: ofStep))
    let inserted = changes.filter(\.isInsertion).map(\.row) + left.doneParts.map(\.copy)
    let needed = changes.compactMap(tagOfDeletedJoin)
    let touched =
      changes.map(\.row) + needed + inserted + left.doneParts.map(\.part)
      + (try dependents(of: inserted))
    let leavesNotes = touched.count == changes.count && changes.allSatisfy(\.leavesNotes)
    var keptColumns: Set<String> = []
    var inverse = try recording(step.label, touching: touched, leavesNotes: leavesNotes) { _ in
      for change in changes {
        if case .deleted(let columns) = change.kind { try putBack(change.row, columns) }
      }
      keptColumns = try update(changes, leavesNotes: leavesNotes)
      for done in left.doneParts { try update(done.part, done.columns) }
      try delete(inserted)
    }
    func some(_ count: Int) -> Int? { count > 0 ? count : nil }
    inverse.keptCount = some(left.editedCount)
    inverse.keptParents = some(left.parentCount)
    inverse.keptLists = some(left.listCount)
    if !keptColumns.isEmpty { inverse.keptColumns = keptColumns.sorted() }
    return inverse
  }

  /// Puts columns back, those of many rows that were alike at once.
  ///
  /// - Parameter leavesNotes: Whether nothing is put back into notes.
  /// - Returns: The columns that somebody has changed since.
  private func update(
    _ changes: [RowChange], leavesNotes: Bool
  ) throws -> Set<String> {
    struct Same: Hashable {
      let table: AppTable
      let columns: RowChange.Columns
    }
    var order: [Same] = []
    var groups: [Same: [String]] = [:]
    var left: Set<String> = []
    let now = try state(of: changes.filter(\.isUpdate).map(\.row), withNotes: !leavesNotes)
    for change in changes {
      guard case .updated(let before, let became) = change.kind else { continue }
      let present = now[change.row] ?? [:]
      let columns = RowChange.columns(before, where: became, isIn: present)
      left.formUnion(RowChange.left(of: before, puttingBack: columns, isIn: present))
      guard !columns.isEmpty else { continue }
      let same = Same(table: change.row.table, columns: columns)
      if groups[same] == nil { order.append(same) }
      groups[same, default: []].append(change.row.key)
    }
    var completed = 0
    for same in order {
      let keys = groups[same] ?? []
      try inPages(keys, after: completed, of: changes.count) {
        try update($0, of: same.table, same.columns)
      }
      completed += keys.count
    }
    return left
  }

  /// The tag that a deleted join needs: it may have been deleted since, and then comes back.
  private func tagOfDeletedJoin(_ change: RowChange) -> RowID? {
    guard change.row.table == .reminderTags, case .deleted(let columns) = change.kind else {
      return nil
    }
    return columns.text("tagTitle").map { RowID(.tags, $0) }
  }

  private func putBack(_ row: RowID, _ columns: RowChange.Columns) throws {
    // Another device may have brought the row back before us; then theirs is the newer one.
    guard try state(of: [row]).isEmpty else { return }
    if row.table == .reminderTags, let title = columns.text("tagTitle") {
      try ensureTag(title)
    }
    try insert(row.table, columns)
  }
}

extension RowChange.Columns {
  /// A text; nil where there is none, or no such column.
  func text(_ column: String) -> String? { self[column].flatMap(String.fromDatabaseValue) }
}
