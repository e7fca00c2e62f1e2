import Foundation
import GRDB
import SQLiteSync
import SQLiteSyncHashing

/// What of a step stays where the step is taken back, because somebody has gone on with it since.
struct LeftRows {
  /// Rows of which no change is taken back.
  var rows: Set<RowID> = []
  /// The reminders among them that were edited, for people: what is kept of a series is one.
  var editedCount = 0
  /// The reminders among them that have subtasks which stay, and were not edited.
  var parentCount = 0
  /// The lists among them that have got other reminders.
  var listCount = 0
  /// What was done of parts since, and stays done.
  var doneParts: [DonePart] = []
}

/// A part of what comes again that somebody did for an occurrence that another device had completed
/// by then, so that a completed reminder was made of it.
struct DonePart {
  /// The part, which is open again.
  let part: RowID
  /// What stayed of it.
  let copy: RowID
  /// What the part says when the occurrence, which it was done for, is open again.
  let columns: RowChange.Columns
}

extension WriteTransaction {
  /// What of a step somebody has gone on with since.
  func whatStays(of step: UndoStep) throws -> LeftRows {
    let done = try partsDoneSince(step.changes)
    var made = try madeAndEdited(step, besides: Set(done.map(\.copy)))
    let series = try seriesGoneOn(step.changes, kept: made.rows)
    let all = series.reduce(made.rows) { $0.union($1) }
    let ofSeries = Set(series.joined())
    made.edited.subtract(ofSeries)
    made.owners.subtract(ofSeries)
    return LeftRows(
      rows: all, editedCount: made.edited.count { $0.table == .reminders } + series.count,
      parentCount: made.owners.count { $0.table == .reminders },
      listCount: made.owners.count { $0.table == .remindersLists },
      doneParts: done.filter { !all.contains($0.part) })
  }

  /// What brings parts back with the reminders that a step has moved: those that were added since,
  /// or followed, when their device heard of the move.
  ///
  /// A part that was there before its parent came stays.
  func partsAdded(since changes: [RowChange]) throws -> [RowChange] {
    let column = "remindersListID"
    var moves: [Reminder.ID: (before: RowChange.Columns, after: RowChange.Columns)] = [:]
    for change in changes where change.row.table == .reminders {
      guard case .updated(let before, let became) = change.kind,
        let former = before[column], let list = became[column]
      else { continue }
      moves[change.row.key] = ([column: former], [column: list])
    }
    let ofStep = Set(changes.map(\.row))
    let moved = changes.map(\.row.key).filter { moves[$0] != nil }
    let parts = try subtasks(of: moved).map { RowID(.reminders, $0) }
      .filter { !ofStep.contains($0) }
    let now = try state(of: parts)
    return try parts.compactMap { part in
      guard let parent = now[part]?.text("parentID"), let move = moves[parent],
        let followed = try edit(of: column, in: part.key),
        let moved = try edit(of: column, in: parent), followed.milliseconds > moved.milliseconds
      else { return nil }
      return RowChange(part, before: move.before, after: move.after)
    }
  }

  /// The latest edit of a reminder's column.
  private func edit(of column: String, in id: Reminder.ID) throws -> SyncEdit? {
    let edits = try SyncRowEdits(db, of: AppTable.reminders.name, key: id)
    return edits.fields[column] ?? edits.made
  }

  /// What others did of the parts of an occurrence before they knew that the step completes it.
  ///
  /// It was done, and stays so: the step did not do it. What somebody has made of the completed
  /// part since would be lost, and is not among it.
  private func partsDoneSince(_ changes: [RowChange]) throws -> [DonePart] {
    let ofStep = Set(changes.map(\.row))
    return try changes.flatMap { change -> [DonePart] in
      guard let step = AdvanceStep(change) else { return [] }
      let parts = try subtasks(of: [change.row.key])
      return try parts.compactMap { part in
        let copy = RowID(.reminders, step.former.completedID(ofPart: part))
        guard !ofStep.contains(copy), let columns = try state(of: [copy], withNotes: true)[copy],
          try isUnedited(copy, columns, of: part)
        else { return nil }
        let names = ["status"] + (schema.hasCompletionTimes ? ["completedAt"] : [])
        var done = columns.filter { names.contains($0.key) }
        done["occurrence"] = step.former.stored.databaseValue
        return DonePart(part: RowID(.reminders, part), copy: copy, columns: done)
      }
    }
  }

  /// Whether a completed part says nothing that the part does not say, or did when it was made.
  private func isUnedited(
    _ copy: RowID, _ columns: RowChange.Columns, of part: Reminder.ID
  ) throws -> Bool {
    let row = RowID(.reminders, part)
    guard let known = try state(of: [row], withNotes: true)[row],
      Set(try tags(of: part)).isSuperset(of: try tags(of: copy.key))
    else { return false }
    let edits = try SyncRowEdits(db, of: AppTable.reminders.name, key: copy.key)
    return Set(ReminderField.all.map(\.column)).intersection(columns.keys)
      .subtracting(["dueDate", "recurrence", "parentID"])
      .allSatisfy { columns[$0] == known[$0] || edits.fields[$0] == edits.made }
  }

  /// For each reminder that a step has brought to its next occurrence, and that is not there any
  /// more: it and all else that belongs to the completion.
  ///
  /// What was done would otherwise be neither done nor to be done.
  private func seriesGoneOn(
    _ changes: [RowChange], kept: Set<RowID>
  ) throws -> [Set<RowID>] {
    let advanced = changes.compactMap { change -> (row: RowID, step: AdvanceStep)? in
      AdvanceStep(change).map { (change.row, $0) }
    }
    guard !advanced.isEmpty else { return [] }
    let now = try state(of: advanced.map(\.row))
    return try advanced.filter { row, step in
      kept.contains(step.completedRow) || !step.isUndoable(now[row])
    }.map { row, step in
      let ids = [row.key, step.completedRow.key]
      let rows = (ids + (try subtasks(of: ids))).map { RowID(.reminders, $0) }
      return Set(rows + (try dependents(of: rows)))
    }
  }

  /// Rows that a step made and somebody has gone on with since.
  private struct KeptRows {
    var edited: Set<RowID> = []
    /// Reminders with parts that stay, and lists with other reminders, which were not edited.
    var owners: Set<RowID> = []
    /// All of them, with what belongs to them.
    var rows: Set<RowID> = []
  }

  /// Rows that a step made and somebody has gone on with since, with what belongs to them: they are
  /// not only of that step any more.
  ///
  /// - Parameter others: What goes with the step though it did not make it.
  private func madeAndEdited(
    _ step: UndoStep, besides others: Set<RowID>
  ) throws -> KeptRows {
    let made = step.changes.filter(\.isInsertion).map(\.row)
    let there = try state(of: made)
    let digests = try digests(of: made)
    var kept = KeptRows(edited: try editedElsewhere(Array(there.keys)))
    for change in step.changes {
      guard case .inserted(let digest?) = change.kind, let now = digests[change.row] else {
        continue
      }
      if now != digest { kept.edited.insert(change.row) }
    }
    let ofStep = others.union(step.changes.map(\.row))
      .union((step.formerParts ?? []).map { RowID(.reminders, $0) })
    kept.rows = kept.edited
    try keepOwners(&kept, among: Array(there.keys), madeWith: ofStep)
    kept.rows.formUnion(parts(of: kept.rows, in: there))
    return kept
  }

  /// Keeps what has something in it that stays, or that the step knows nothing of: reminders with
  /// parts, lists with reminders, tags that are on reminders.
  private func keepOwners(
    _ kept: inout KeptRows, among made: [RowID], madeWith ofStep: Set<RowID>
  ) throws {
    func stays(_ row: RowID) -> Bool { kept.rows.contains(row) || !ofStep.contains(row) }
    let reminders = made.filter { $0.table == .reminders }.map(\.key)
    let parts = try subtasks(of: reminders).map { RowID(.reminders, $0) }.filter(stays)
    for columns in try state(of: parts).values {
      if let parent = columns.text("parentID") { kept.owners.insert(RowID(.reminders, parent)) }
    }
    kept.rows.formUnion(kept.owners)
    for list in made where list.table == .remindersLists {
      let contained = try keys(of: .reminders, where: "remindersListID", in: [list.key])
        .map { RowID(.reminders, $0) }
      if contained.contains(where: stays) { kept.rows.insert(list) }
      if !contained.allSatisfy(ofStep.contains) { kept.owners.insert(list) }
    }
    for tag in made where tag.table == .tags {
      let joins = try keys(of: .reminderTags, where: "tagTitle", in: [tag.key])
      if joins.contains(where: { stays(RowID(.reminderTags, $0)) }) { kept.rows.insert(tag) }
    }
    kept.owners.subtract(kept.edited)
  }

  /// Reminders and lists that another device has edited, and reminders that another device is known
  /// to have made, too: an import makes the same ones of the same file everywhere.
  ///
  /// Where this one was the later, the rows bear its edits alone; but it has overruled the other's
  /// in when they were made, which nobody ever edits. So an undo takes from nobody what they have
  /// imported themselves. Nothing tells where the other one heard of this import before it sent
  /// its own, nor of a backup, which says when all was made: those go, and are in the history.
  private func editedElsewhere(_ rows: [RowID]) throws -> Set<RowID> {
    guard !rows.isEmpty else { return [] }
    var edited = try madeElsewhere().intersection(rows)
    for table in [AppTable.reminders, .remindersLists] {
      let rows = rows.filter { $0.table == table }
      let edits = try SyncRowEdits.all(db, of: table.name, keys: rows.map(\.key))
      for (row, edits) in zip(rows, edits) where edits.fields.values.contains(where: { !$0.isHere })
      {
        edited.insert(row)
      }
    }
    return edited
  }

  /// Reminders of which the version that another device had made lost against the one made here.
  private func madeElsewhere() throws -> Set<RowID> {
    let versions = try SyncHistory.entries(
      db, of: AppTable.reminders.name, column: "createdAt", onlyConflicts: true)
    return Set(
      versions.filter { $0.loser?.isHere == false }.map { RowID(.reminders, $0.key) })
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
}

/// What a step made of a reminder that it brought to its next occurrence.
private struct AdvanceStep {
  /// The occurrence that was done.
  let former: Occurrence
  private let before: RowChange.Columns
  private let became: RowChange.Columns

  /// Nil for any other change.
  init?(_ change: RowChange) {
    guard case .updated(let before, let became) = change.kind, change.row.table == .reminders,
      let former = Occurrence(stored: before.text("occurrence")),
      let next = Occurrence(stored: became.text("occurrence")),
      next.series == former.series, next.number == former.number + 1
    else { return nil }
    (self.former, self.before, self.became) = (former, before, became)
  }

  /// What stays of that.
  var completedRow: RowID { RowID(.reminders, former.completedID) }

  /// Whether the reminder is where the step has brought it, or still where it was.
  func isUndoable(_ now: RowChange.Columns?) -> Bool {
    guard let now else { return false }
    if now["occurrence"] == before["occurrence"] { return true }
    return ["dueDate", "occurrence"].allSatisfy { became[$0] == nil || now[$0] == became[$0] }
  }
}

// MARK: - Digests

extension WriteTransaction {
  /// Digests of those rows of which people edit more than that they are there, each with what is
  /// part of it.
  func digests(of rows: [RowID]) throws -> [RowID: String] {
    var digests: [RowID: String] = [:]
    // The list that is made for a first reminder may join that of another device, with all in it.
    let isListMade = rows.contains { $0.table == .remindersLists }
    let ignored = isListMade ? ["remindersListID"] : []
    for (table, rows) in Dictionary(grouping: rows, by: \.table) {
      guard let parts = Self.digestedParts[table], table.since <= schema else { continue }
      // Page by page: an import may have made very many.
      for page in rows.chunked() {
        let keys = page.map(\.key)
        var texts = try state(of: page, withNotes: true).mapValues {
          [$0.digestedText(without: ignored)]
        }
        for (part, owner) in parts where part.since <= schema {
          let rows = try self.keys(of: part, where: owner, in: keys).map { RowID(part, $0) }
          for columns in try state(of: rows).values {
            guard let key = columns.text(owner) else { continue }
            texts[RowID(table, key)]?.append(columns.digestedText())
          }
        }
        for (row, texts) in texts {
          let bytes = Array(texts.sorted().joined(separator: "\n").utf8)
          digests[row] = Array(SHA256.digest(of: bytes).prefix(8)).hexadecimal
        }
      }
    }
    return digests
  }

  /// The tables whose rows have a digest, each with its parts and their column that names the row.
  private static let digestedParts: [AppTable: [(AppTable, String)]] = [
    .remindersLists: [(.remindersListAssets, "remindersListID")], .remindersListAssets: [],
    .reminders: [(.reminderTags, "reminderID"), (.reminderAlarms, "reminderID")],
    .savedSearches: [],
  ]
}

extension RowChange.Columns {
  /// All that people edit, as a text to compare.
  ///
  /// A column that says nothing may not have been there when the step was made. The end of a grace
  /// period is no edit, nor is another id of the same part.
  fileprivate func digestedText(without ignored: [String] = []) -> String {
    let ignored = ignored + ["id", "updatedAt", "completedAt"]
    return filter { !ignored.contains($0.key) && !$0.value.isNull }
      .map { name, value in
        guard name != "status" else {
          return "status=\(value == Reminder.Status.incomplete.rawValue.databaseValue)"
        }
        let text =
          switch value.storage {
          case .string(let text): text
          case .blob(let bytes): SHA256.digest(of: bytes).hexadecimal
          default: value.description
          }
        return "\(name)=\(text)"
      }.sorted().joined(separator: "\u{0}")
  }
}
