import GRDB
import SQLiteSync

/// How to take back a write: what each row it touched was before, and became.
///
/// Only what the write changed is put back: another edit to the same row, made since here or
/// elsewhere, stays; a reminder or a list that another device has edited since it was added stays.
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
  /// How many reminders that a write made were left where it was taken back, because another device
  /// has edited them since.
  var keptCount: Int?

  /// Whether the write changed nothing, so that there is nothing to take back.
  public var isEmpty: Bool { changes.isEmpty }

  /// The reminders that the write touched.
  public var reminders: [Reminder.ID] {
    changes.filter { $0.row.table == .reminders }.map(\.row.key)
  }

  /// What is said when the write was taken back: also how much of what it made is left as it is,
  /// because it was edited since elsewhere.
  ///
  /// - Parameter inverse: What takes back that it was taken back.
  public func textWhenUndone(by inverse: UndoStep) -> String {
    guard let stays = inverse.keptCount, stays > 0 else { return "Undone: \(label)" }
    return "Undone in part: \(label). \(counted(stays, "reminder")) "
      + (stays == 1 ? "was edited since, and is left." : "were edited since, and are left.")
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
    case inserted
    case deleted(Columns)
    /// The columns that changed, as they were before, and what they became.
    ///
    /// Steps that earlier versions have kept do not say what.
    case updated(Columns, became: Columns)
  }

  var isUpdate: Bool {
    if case .updated = kind { true } else { false }
  }

  /// The difference between two states of a row, or nil when there is none.
  init?(_ row: RowID, before: Columns?, after: Columns?) {
    self.row = row
    switch (before, after) {
    case (nil, nil):
      return nil
    case (nil, .some):
      kind = .inserted
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
    return columns
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
    let made = step.changes.filter { $0.kind == .inserted }.map(\.row)
    let kept = try editedElsewhere(made)
    let inserted = made.filter { !kept.contains($0) }
    let needed = step.changes.compactMap(tagOfDeletedJoin)
    let touched = step.changes.map(\.row) + needed + (try dependents(of: inserted))
    var inverse = try recording(step.label, touching: touched) { _ in
      for change in step.changes {
        if case .deleted(let columns) = change.kind { try putBack(change.row, columns) }
      }
      try update(step.changes)
      try delete(inserted)
    }
    let count = kept.count { $0.table == .reminders }
    if count > 0 { inverse.keptCount = count }
    return inverse
  }

  /// Rows that a write made and another device has edited since, with what belongs to them: they
  /// are not only of that write any more.
  private func editedElsewhere(_ made: [RowID]) throws -> Set<RowID> {
    let there = try state(of: made)
    /// Those of some rows of a table that were edited elsewhere.
    func edited(_ table: AppTable, _ rows: [RowID]) throws -> [RowID] {
      let edits = try SyncRowEdits.all(db, of: table.name, keys: rows.map(\.key))
      return zip(rows, edits).filter { $0.1.fields.values.contains { !$0.isHere } }.map(\.0)
    }
    var kept: Set<RowID> = []
    for table in [AppTable.reminders, .remindersLists] {
      kept.formUnion(try edited(table, there.keys.filter { $0.table == table }))
    }
    for list in there.keys where list.table == .remindersLists && !kept.contains(list) {
      let contained = try keys(of: .reminders, where: "remindersListID", in: [list.key])
        .map { RowID(.reminders, $0) }
      let others = contained.filter { there[$0] == nil }
      if try !kept.isDisjoint(with: contained) || !edited(.reminders, others).isEmpty {
        kept.insert(list)
      }
    }
    guard !kept.isEmpty else { return [] }
    return kept.union(parts(of: kept, in: there))
  }

  /// Those of some rows that belong to reminders and lists.
  private func parts(
    of owners: Set<RowID>, in rows: [RowID: RowChange.Columns]
  ) -> Set<RowID> {
    var parts: Set<RowID> = []
    for (row, columns) in rows {
      let owner: RowID? =
        if AppTable.partsOfReminders.contains(row.table) {
          columns.text("reminderID").map { RowID(.reminders, $0) }
        } else if [.remindersListAssets, .listViews].contains(row.table) {
          RowID(.remindersLists, row.key)
        } else {
          nil
        }
      guard let owner, owners.contains(owner) else { continue }
      parts.insert(row)
      if let tag = columns.text("tagTitle") {
        parts.insert(RowID(.tags, tag))
      }
    }
    return parts
  }

  /// Puts columns back, those of many rows that were alike at once.
  private func update(_ changes: [RowChange]) throws {
    struct Same: Hashable {
      let table: AppTable
      let columns: RowChange.Columns
    }
    var order: [Same] = []
    var groups: [Same: [String]] = [:]
    let now = try state(of: changes.filter(\.isUpdate).map(\.row))
    for change in changes {
      guard case .updated(let before, let became) = change.kind else { continue }
      let columns = RowChange.columns(before, where: became, isIn: now[change.row] ?? [:])
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
