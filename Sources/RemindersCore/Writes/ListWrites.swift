import Foundation
import GRDB

/// A change of one field of a list.
public enum ListEdit: Hashable, Sendable {
  /// A new title.
  case title(String)
  /// A new colour, `0xRRGGBB`.
  case color(Int)
  /// A new cover image, or none.
  case coverImage(CoverImage?)

  fileprivate var newTitle: String? { if case .title(let title) = self { title } else { nil } }
}

extension AppDatabase {
  /// Adds a list at the end.
  ///
  /// - Throws: `AppError` when the title is empty.
  public func addList(
    title: String, color: Int = RemindersList.defaultColor, coverImage: CoverImage? = nil
  ) async throws -> (id: RemindersList.ID, undo: UndoStep) {
    try await write { transaction in
      let row = RowID(.remindersLists, transaction.makeID())
      let title = try validTitle(title, of: "list")
      let cover = RowID(.remindersListAssets, row.key)
      let undo = try transaction.recording("Added “\(title)”", touching: [cover]) { inserted in
        try transaction.insert(
          .remindersLists,
          [
            "id": row.key.databaseValue, "title": title.databaseValue,
            "color": color.databaseValue,
          ])
        inserted.append(row)
        if let coverImage { try transaction.setCover(coverImage, cover) }
      }
      return (row.key, undo)
    }
  }

  /// Changes fields of a list.
  ///
  /// - Throws: `AppError` when the title is empty or the list does not exist.
  public func editList(_ id: RemindersList.ID, _ edits: [ListEdit]) async throws -> UndoStep {
    try await write { transaction in
      let row = RowID(.remindersLists, id)
      let cover = RowID(.remindersListAssets, id)
      let old = try transaction.existingTitle(of: row)
      let new = try edits.compactMap(\.newTitle).last.map { try validTitle($0, of: "list") } ?? old
      let label = old == new ? "Changed “\(old)”" : "Renamed “\(old)” to “\(new)”"
      let searches = try old == new ? [:] : transaction.searches(afterRenaming: id, to: new)
      let touched = [row, cover] + searches.keys
      return try transaction.recording(label, touching: touched) { _ in
        try transaction.update(searches)
        for edit in edits {
          switch edit {
          case .title(let title):
            let title = try validTitle(title, of: "list")
            try transaction.update(row, ["title": title.databaseValue])
          case .color(let color): try transaction.update(row, ["color": color.databaseValue])
          case .coverImage(let image): try transaction.setCover(image, cover)
          }
        }
      }
    }
  }

  /// Deletes a list with all its reminders.
  ///
  /// A list that somebody else shares is left by it. Nothing takes that back but another
  /// invitation: what was put back would be a list of one's own.
  ///
  /// - Throws: `AppError` when the list does not exist.
  public func deleteList(_ id: RemindersList.ID) async throws -> UndoStep {
    try await write { transaction in
      let row = RowID(.remindersLists, id)
      let dependents = try transaction.dependents(of: [row])
      let count = dependents.count { $0.table == .reminders }
      let title = try transaction.existingTitle(of: row)
      let shares = try SharesQuery().fetch(transaction.db)
      if let share = shares.first(where: { $0.id == id && !$0.isOwn }) {
        let unsent = try UnsentQuery(id).fetch(transaction.db)
        try transaction.delete([row])
        let without = unsent > 0 ? ", without \(counted(unsent, "unsent change"))" : ""
        return UndoStep(
          label: "Left “\(title)”: \(share.owner) keeps it" + without, changes: [], isFinal: true)
      }
      let label = "Deleted “\(title)”" + (count > 0 ? " with \(counted(count, "reminder"))" : "")
      return try transaction.recording(label, touching: [row] + dependents) { _ in
        try transaction.delete([row])
      }
    }
  }
}

extension WriteTransaction {
  /// The saved searches that name a list, as they name it by a new title.
  ///
  /// They are somebody's words, and stay readable as such; a list that somebody else renames is to
  /// be named anew by hand.
  fileprivate func searches(
    afterRenaming id: RemindersList.ID, to title: String
  ) throws -> [RowID: String] {
    let lists = try ListsQuery().fetch(db)
    var renamed = lists
    for index in renamed.indices where renamed[index].id == id { renamed[index].title = title }
    let names = zip(renamed, ListNames(renamed).all)
    guard let name = names.first(where: { $0.0.id == id })?.1 else { return [:] }
    return try searches(naming: .list, name) { old in
      // A name of several lists, or of none, means none.
      let list = try? RemindersList.named(old, in: lists)
      return list?.id == id && !id.hasPrefix(old.lowercased())
    }
  }

  /// Sets the cover of a list, or deletes its row.
  func setCover(_ image: CoverImage?, _ row: RowID) throws {
    guard let image else { return try delete([row]) }
    let columns = ["coverImage": image.data.databaseValue]
    if try !state(of: [row]).isEmpty {
      try update(row, columns)
    } else {
      try insert(
        row.table, columns.merging([row.table.key: row.key.databaseValue]) { one, _ in one })
    }
  }
}
