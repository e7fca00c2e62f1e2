import GRDB

extension AppDatabase {
  /// Renames a tag; onto a tag that exists, the two become one.
  ///
  /// - Throws: `AppError` when the new name is empty, or several, or the tag does not exist.
  public func renameTag(_ title: Tag.ID, to newTitle: String) async throws -> UndoStep {
    try await write { transaction in
      let old = try transaction.existingTag(title)
      let typed = try Tag.title(from: newTitle)
      let made = try Tag.asMade([typed], transaction.db)[0]
      let newTitle = Tag.isSame(made, old.key) ? typed : made
      let rows = [old, RowID(.tags, newTitle)]
      // Another program may have made one of such a name, and with that it becomes one.
      if try transaction.state(of: [rows[1]]).isEmpty { try Tag.checkIsOne(typed) }
      let dependents = try transaction.dependents(of: rows)
      let known = try Tag.named(title, transaction.db)
      let searches = try transaction.searches(naming: .tag, newTitle) { typed in
        // What names no tag does not name this one.
        (try? Tag.named(typed, transaction.db)) == known
      }
      return try transaction.recording(
        "Renamed #\(title) to #\(newTitle)", touching: rows + dependents + searches.keys
      ) { _ in
        try transaction.rename(old, to: newTitle)
        try transaction.update(searches)
      }
    }
  }

  /// Deletes a tag and takes it off all reminders.
  ///
  /// - Throws: `AppError` when the tag does not exist.
  public func deleteTag(_ title: Tag.ID) async throws -> UndoStep {
    try await write { transaction in
      let row = try transaction.existingTag(title)
      let dependents = try transaction.dependents(of: [row])
      return try transaction.recording("Deleted #\(title)", touching: [row] + dependents) { _ in
        try transaction.delete([row])
      }
    }
  }
}

extension WriteTransaction {
  /// The reminders' rows and those of the tags on them.
  func rowsWithTags(of ids: [Reminder.ID]) throws -> [RowID] {
    let rows = ids.map { RowID(.reminders, $0) }
    return rows + (try dependents(of: rows))
  }

  /// The tags on a reminder.
  func tags(of id: Reminder.ID) throws -> [Tag.ID] {
    try String.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT DISTINCT title FROM tags JOIN reminderTags ON tagTitle = title
          WHERE reminderID = ?
          """), arguments: [id]
    ).inAlphabeticalOrder
  }

  /// Gives a reminder these tags and no others; the rows of those that stay are not touched.
  func setTags(_ titles: [Tag.ID], of id: Reminder.ID, _ inserted: inout [RowID]) throws {
    let tags = try tags(of: id)
    let titles = try Tag.asMade(titles, preferring: tags, db)
    let current = Set(tags.map { RowID(.tags, $0) })
    let wanted = Set(titles.map { RowID(.tags, $0) })
    for tag in current.subtracting(wanted) {
      try db.execute(
        sql: "DELETE FROM reminderTags WHERE reminderID = ? AND tagTitle = ?",
        arguments: [id, tag.key])
    }
    try addTags([(id, titles.filter { !current.contains(RowID(.tags, $0)) })], &inserted)
  }

  /// Gives reminders tags that they do not have; the tags are made if need be.
  func addTags(
    _ tags: [(reminder: Reminder.ID, titles: [Tag.ID])], _ inserted: inout [RowID]
  ) throws {
    let typed = tags.flatMap(\.titles)
    try typed.forEach(Tag.checkTitle)
    let titles = try Tag.asMade(typed, db)
    var known = Set(try state(of: titles.map { RowID(.tags, $0) }).keys)
    let new = titles.filter { known.insert(RowID(.tags, $0)).inserted }
    try insert(.tags, all: new.map { ["title": $0.databaseValue] })
    var joins: [RowChange.Columns] = []
    let made = Dictionary(zip(typed, titles)) { first, _ in first }
    for (reminder, typed) in tags {
      var added: Set<RowID> = []
      for title in typed.compactMap({ made[$0] }) where added.insert(RowID(.tags, title)).inserted {
        let id = makeID()
        joins.append([
          "id": id.databaseValue, "reminderID": reminder.databaseValue,
          "tagTitle": title.databaseValue,
        ])
        inserted.append(RowID(.reminderTags, id))
      }
    }
    try insert(.reminderTags, all: joins)
    inserted += new.map { RowID(.tags, $0) }
  }

  fileprivate func existingTag(_ title: Tag.ID) throws -> RowID {
    let row = RowID(.tags, try Tag.asMade([Tag.title(from: title)], db)[0])
    guard try !state(of: [row]).isEmpty else {
      throw AppError(.noSuchItem, "There is no tag #\(row.key).")
    }
    return row
  }

  fileprivate func rename(_ old: RowID, to newTitle: Tag.ID) throws {
    try Tag.checkTitle(newTitle)
    guard old != RowID(.tags, newTitle) else {
      // Only the case of letters changes, which makes no difference to the key.
      try update(old, ["title": newTitle.databaseValue])
      return
    }
    try ensureTag(newTitle)
    // A reminder with both tags keeps the one it has.
    try db.execute(
      sql: """
        UPDATE reminderTags SET tagTitle = (SELECT title FROM tags WHERE title = :new)
        WHERE tagTitle = :old AND reminderID NOT IN (
          SELECT reminderID FROM reminderTags WHERE tagTitle = :new
        )
        """, arguments: ["old": old.key, "new": newTitle])
    try delete([old])
  }
}
