import Foundation
import GRDB
import SQLiteSync
import SQLiteSyncHashing

/// What a file of this or another program holds, read and not yet written.
public struct ImportBatch: Sendable {
  /// A list with what the file says of it.
  struct List: Sendable {
    var id: RemindersList.ID
    var title: String
    var color: Int?
    var position: Double?
    var cover: Data?
  }

  /// A reminder.
  struct Item: Sendable {
    var id: Reminder.ID
    var draft: ReminderDraft
    /// The list, by title, where the file knows no ids of ours.
    var listTitle: String?
    var isDone = false
    var position: Double?
    var createdAt: Date?
    var updatedAt: Date?
    var completedAt: Date?
    var snoozedUntil: Date?
    /// Which one of a series it is; nil where that begins with it.
    var occurrence: Occurrence?
    /// What its time and its place have become since the series began: the column of that name.
    var seriesTime: String?
    /// What the file calls it.
    var source: String?
    /// Where a series is at home; nil for where it is imported.
    var home: TimeZone?
    /// When the occurrence is due in the place of which it stands in a series of the same name.
    var replaced: DueDate?
    /// What the file calls the reminder that it is a part of.
    var parentSource: String?
    /// What it was a part of, and is again when that comes back: it is an ordinary reminder now.
    var formerParent: Reminder.ID?

    /// Whether nothing says in which list it is.
    var hasNoList: Bool {
      draft.listID == nil && draft.parentID == nil && listTitle?.isEmpty ?? true
    }
  }

  var lists: [List] = []
  var tags: [Tag.ID] = []
  var searches: [SavedSearch] = []
  var items: [Item] = []
  /// How often the file has had what another program calls an item: the changed occurrences of a
  /// series have its name, too.
  var sources: [String: Int] = [:]
  /// Whether the file ends before it should: what is whole in it was read.
  public internal(set) var isCut = false
  /// What could not be carried over, each with its place in the file.
  public internal(set) var problems: [String] = []

  /// An id of ours for one of another program: the same each time, so that nothing comes twice.
  static func id(_ format: String, _ source: String) -> String {
    if let own = UUID(uuidString: source) { return own.lowercaseString }
    let digest = SHA256.digest(of: Data("\(format)\n\(source)".utf8))
    var bytes = Array(digest.prefix(16))
    // A UUID of version 8: made in a way of its own (RFC 9562, 5.8).
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
      .lowercaseString
  }
}

extension ReminderDraft {
  /// The same with what is not a link in the notes, where it is not lost.
  fileprivate func keepingNoLink() -> ReminderDraft {
    guard let url, !url.isEmpty, !Link.isValid(url) else { return self }
    var draft = self
    draft.url = nil
    draft.notes += (notes.isEmpty ? "" : "\n") + "Link: \(url)"
    return draft
  }
}

extension ReminderDraft {
  /// The same with texts that are read to their ends; nil when they are.
  fileprivate func replacingNUL() -> ReminderDraft? {
    let texts = [title, notes, url ?? ""] + tags
    guard texts.contains(where: { $0.utf8.contains(0) }) else { return nil }
    var draft = self
    (draft.title, draft.notes) = (title.withoutNUL, notes.withoutNUL)
    (draft.url, draft.tags) = (url?.withoutNUL, tags.map(\.withoutNUL))
    return draft
  }
}

/// What an import brought.
public struct ImportResult: Hashable, Sendable {
  /// Lists that were not here yet.
  public var lists = 0
  /// Reminders that were not here yet.
  public var reminders = 0
  /// Rows that were here already and stayed as they are.
  public var known = 0
  /// What could not be carried over.
  public var problems: [String] = []

  /// What is new, in words: `1 list, 2 reminders`.
  public var summary: String {
    let facts = [(lists, "list"), (reminders, "reminder")].filter { $0.0 > 0 }
    return facts.isEmpty ? "nothing new" : facts.map { counted($0, $1) }.joined(separator: ", ")
  }
}

extension AppDatabase {
  /// Takes over what a file holds, in one transaction; what is here already stays as it is.
  ///
  /// - Parameters:
  ///   - batch: What was read of it.
  ///   - list: The list for what names none; nil for the first one.
  ///   - isRehearsal: Whether everything is taken back at the end.
  ///   - progress: Called with the number of reminders that were looked at, and that of all.
  public func addImported(
    _ batch: ImportBatch, into list: RemindersList.ID?, isRehearsal: Bool = false,
    progress: @escaping @Sendable (_ completed: Int, _ total: Int) -> Void = { _, _ in }
  ) async throws -> (result: ImportResult, undo: UndoStep) {
    try await write { transaction in
      var result = ImportResult(problems: batch.problems)
      var undo = UndoStep(label: "", changes: [])
      func take() throws {
        undo = try transaction.recording("", touching: []) {
          try transaction.take(batch, into: list, &result, &$0, progress)
        }
      }
      if isRehearsal {
        try transaction.db.inSavepoint {
          try take()
          return .rollback
        }
      } else {
        // Without a savepoint: until one ends GRDB keeps what happened to every row.
        try take()
      }
      // How much came is known at the end.
      undo.label = "Imported \(result.summary)"
      result.problems = result.problems.map { $0.shortened(to: 300) }
      return (result, undo)
    }
  }
}

extension WriteTransaction {
  fileprivate func take(
    _ batch: ImportBatch, into list: RemindersList.ID?, _ result: inout ImportResult,
    _ inserted: inout [RowID], _ progress: (Int, Int) -> Void
  ) throws {
    for list in batch.lists { try take(list, &result, &inserted) }
    for tag in try Tag.asMade(batch.tags, db) { try take(tag, &result, &inserted) }
    for search in batch.searches { try take(search, &result, &inserted) }
    let known = Set(try keys(of: .reminders, where: "id", in: batch.items.map(\.id)))
    var taken: Set<Reminder.ID> = []
    // Before those that the file names: what has none there belongs to none of these, unless one is
    // called as the one that is made here.
    let withoutList = batch.items.first { $0.hasNoList && !known.contains($0.id) }
    var first = try list ?? withoutList.map { try firstList(for: $0.id, &inserted) }
    var lists = try ImportedLists(
      titles: batch.items.compactMap(\.listTitle), among: ListsQuery().fetch(db))
    var page: [NewReminder] = []
    func write() throws {
      try insert(page, &inserted)
      page = []
    }
    for (index, item) in batch.items.enumerated() {
      defer { progress(index + 1, batch.items.count) }
      guard !known.contains(item.id) else {
        result.known += 1
        continue
      }
      guard taken.insert(item.id).inserted else {
        result.problems.append("“\(item.draft.title.oneLine)”: another one has its id")
        continue
      }
      // What is part of another is in the list of that.
      if item.draft.parentID != nil || page.count == StagedRows.sizes.upperBound { try write() }
      let item = try whereItCanBe(item, &result.problems)
      var draft = item.draft
      if draft.listID == nil, let title = item.listTitle, !title.isEmpty {
        lists[title] = try lists[title] ?? makeList(title, for: item.id, &result, &inserted)
        draft.listID = lists[title]
      }
      if draft.listID == nil, draft.parentID == nil || list != nil {
        // Once for all: who shares what is asked of the engine.
        first = try first ?? firstList(&inserted)
        draft.listID = first
      }
      if let new = try take(item, draft, &result, &inserted) { page.append(new) }
    }
    try write()
  }

  private func take(
    _ tag: Tag.ID, _ result: inout ImportResult, _ inserted: inout [RowID]
  ) throws {
    do { try Tag.checkTitle(tag) } catch {
      return result.problems.append("the tag #\(tag): \(error)")
    }
    guard try state(of: [RowID(.tags, tag)]).isEmpty else { return }
    try ensureTag(tag)
    inserted.append(RowID(.tags, tag))
  }

  /// The item as an ordinary one where that cannot be which it is said to be a part of.
  private func whereItCanBe(
    _ item: ImportBatch.Item, _ problems: inout [String]
  ) throws -> ImportBatch.Item {
    guard let parent = item.draft.parentID else { return item }
    do {
      _ = try listOfParent(parent, for: item.id)
      return item
    } catch is AppError {
      var item = item
      if let source = item.parentSource {
        item.dropParent(source, &problems)
      } else {
        (item.draft.parentID, item.formerParent) = (nil, parent)
      }
      return item
    }
  }

  private func take(
    _ list: ImportBatch.List, _ result: inout ImportResult, _ inserted: inout [RowID]
  ) throws {
    var title = list.title
    if title.isLongerThanAnyTitle {
      title = title.shortened(to: 200)
      result.problems.append("“\(title)”: the name of the list is shortened")
    }
    var columns: RowChange.Columns = [
      "id": list.id.databaseValue, "title": title.databaseValue,
    ]
    if let color = list.color { columns["color"] = color.databaseValue }
    if let position = list.position { columns["position"] = position.databaseValue }
    guard try insertIfNew(.remindersLists, columns) else {
      result.known += 1
      return
    }
    result.lists += 1
    inserted.append(RowID(.remindersLists, list.id))
    guard let cover = list.cover else { return }
    try insert(
      .remindersListAssets,
      ["remindersListID": list.id.databaseValue, "coverImage": cover.databaseValue])
    inserted.append(RowID(.remindersListAssets, list.id))
  }

  /// Makes a list that a file calls by its title.
  ///
  /// Devices that take the same file before they know of each other make the same one: its id is
  /// made of its title and of what is first in it there. Not of the title alone: other people have
  /// lists that are called so. It is no edit against what somebody has made of it elsewhere.
  private func makeList(
    _ title: String, for first: Reminder.ID, _ result: inout ImportResult,
    _ inserted: inout [RowID]
  ) throws -> RemindersList.ID {
    let id = try idOfList(title, for: first)
    try SyncEngine.edit(asOf: 0, in: db) {
      try take(ImportBatch.List(id: id, title: title), &result, &inserted)
    }
    return id
  }

  private func take(
    _ search: SavedSearch, _ result: inout ImportResult, _ inserted: inout [RowID]
  ) throws {
    guard schema.hasSavedSearches,
      ![search.title, search.query].contains(where: \.isLongerThanAnyTitle)
    else {
      return result.problems.append("the saved search “\(search.title)”")
    }
    let isNew = try insertIfNew(
      .savedSearches,
      [
        "id": search.id.databaseValue, "title": search.title.databaseValue,
        "query": search.query.databaseValue,
      ])
    if isNew { inserted.append(RowID(.savedSearches, search.id)) } else { result.known += 1 }
  }

  private func take(
    _ item: ImportBatch.Item, _ draft: ReminderDraft, _ result: inout ImportResult,
    _ inserted: inout [RowID]
  ) throws -> NewReminder? {
    var draft = draft.keepingNoLink()
    if let whole = draft.replacingNUL() {
      draft = whole
      result.problems.append("“\(draft.title.oneLine.prefix(60))”: � is in the place of NUL")
    }
    if let shorter = draft.keepingWholeTitle() {
      draft = shorter
      result.problems.append("“\(draft.title)”: the whole title is in the notes")
    }
    if draft.notes.isLongerThanAnyNotes {
      draft.notes = draft.notes.shortenedToNotes
      result.problems.append(
        "“\(draft.title.oneLine.prefix(60))”: the notes are shortened to \(longestNotes / 1000) kB")
    }
    draft.tags = draft.tags.filter { tag in
      do {
        try Tag.checkTitle(Tag.title(from: tag))
        return true
      } catch {
        result.problems.append("“\(draft.title.oneLine.prefix(60))”: without #\(tag): \(error)")
        return false
      }
    }
    do {
      var new = try newReminder(
        draft, id: item.id, at: item.home, with: columns(of: item, draft), &inserted)
      if !item.isDone { new.snoozedUntil = item.snoozedUntil.flatMap { $0 > now ? $0 : nil } }
      result.reminders += 1
      return new
    } catch let error as AppError {
      result.problems.append("“\(draft.title.oneLine.prefix(60))”: \(error.reason)")
      return nil
    }
  }

  /// What is known of a reminder beside its fields.
  private func columns(of item: ImportBatch.Item, _ draft: ReminderDraft) -> RowChange.Columns {
    var columns: RowChange.Columns = [:]
    if item.isDone { columns["status"] = Reminder.Status.completed.rawValue.databaseValue }
    if let completed = item.completedAt, schema.hasCompletionTimes {
      columns["completedAt"] = completed.milliseconds.databaseValue
    }
    if let occurrence = item.occurrence, schema.fields.contains(.recurrence) {
      columns["occurrence"] = occurrence.stored.databaseValue
      columns["seriesTime"] = item.seriesTime.databaseValue
      // One that goes on has lost its day on purpose.
      if draft.recurrence != nil, draft.due == nil { columns["dueDate"] = .null }
    }
    if let parent = item.formerParent, schema.fields.contains(.parent) {
      columns["parentID"] = parent.databaseValue
    }
    if let position = item.position { columns["position"] = position.databaseValue }
    if let created = item.createdAt { columns["createdAt"] = created.milliseconds.databaseValue }
    if let updated = item.updatedAt { columns["updatedAt"] = updated.milliseconds.databaseValue }
    return columns
  }

  /// Whether the row was not here.
  func insertIfNew(_ table: AppTable, _ columns: RowChange.Columns) throws -> Bool {
    guard let key = columns.text(table.key),
      try state(of: [RowID(table, key)]).isEmpty
    else { return false }
    try insert(table, columns)
    return true
  }
}
