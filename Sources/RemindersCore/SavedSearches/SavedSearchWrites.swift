import GRDB

extension AppDatabase {
  /// Saves a search under a name; one that has the name already asks for this from then on.
  ///
  /// - Throws: `AppError` when the name is empty or several have it, and when the query is empty or
  ///   not understood.
  public func saveSearch(
    titled title: String, query: String, in time: LocalTime
  ) async throws -> (id: SavedSearch.ID, undo: UndoStep) {
    try await write { transaction in
      try transaction.requireSavedSearches()
      let title = try validTitle(title, of: "search")
      try query.requireLineThatFits("search")
      let search = SavedSearch(id: transaction.makeID(), title: title, query: query.oneLine)
      guard try search.filter(in: time) != .all([]) else {
        throw AppError(.invalidInput, "There is nothing to look for.", hint: "Type a search first.")
      }
      let known = try SavedSearch.named(title, among: SavedSearch.all(transaction.db))
      let row = RowID(.savedSearches, known?.id ?? search.id)
      let label = known == nil ? "Saved “\(title)”" : "Changed “\(title)”"
      let undo = try transaction.recording(label, touching: known == nil ? [] : [row]) { inserted in
        guard known == nil else {
          return try transaction.update(row, ["query": search.query.databaseValue])
        }
        try transaction.insert(
          .savedSearches,
          [
            "id": row.key.databaseValue, "title": title.databaseValue,
            "query": search.query.databaseValue,
          ])
        inserted.append(row)
      }
      return (row.key, undo)
    }
  }

  /// Gives a saved search another name.
  ///
  /// - Throws: `AppError` when the name is empty, or the search is gone.
  public func renameSearch(_ id: SavedSearch.ID, to title: String) async throws -> UndoStep {
    try await write { transaction in
      let search = try transaction.savedSearch(id)
      let title = try validTitle(title, of: "search")
      let row = RowID(.savedSearches, id)
      return try transaction.recording(
        "Renamed “\(search.title)” to “\(title)”", touching: [row]
      ) { _ in try transaction.update(row, ["title": title.databaseValue]) }
    }
  }

  /// Deletes a saved search; what it finds stays.
  ///
  /// - Throws: `AppError` when it is gone.
  public func deleteSearch(_ id: SavedSearch.ID) async throws -> UndoStep {
    try await write { transaction in
      let search = try transaction.savedSearch(id)
      let row = RowID(.savedSearches, id)
      return try transaction.recording("Deleted “\(search.title)”", touching: [row]) { _ in
        try transaction.delete([row])
      }
    }
  }
}

extension WriteTransaction {
  /// The queries of the saved searches that name a list or a tag, as they name it from now on.
  ///
  /// - Parameter isMeant: Whether a name that is asked for is its.
  func searches(
    naming field: Filter.NamedField, _ name: String, where isMeant: (String) -> Bool
  ) throws -> [RowID: String] {
    var searches: [RowID: String] = [:]
    for search in try SavedSearch.all(db) {
      let query = Filter.text(search.query, naming: field, name, in: time, where: isMeant)
      if query != search.query { searches[RowID(.savedSearches, search.id)] = query }
    }
    return searches
  }

  /// Gives saved searches their new queries.
  func update(_ queries: [RowID: String]) throws {
    for (search, query) in queries { try update(search, ["query": query.databaseValue]) }
  }

  fileprivate func requireSavedSearches() throws {
    let schema = try db.schemaVersion
    guard schema.hasSavedSearches else { throw schema.lacks("saved searches") }
  }

  fileprivate func savedSearch(_ id: SavedSearch.ID) throws -> SavedSearch {
    try requireSavedSearches()
    guard let search = try SavedSearch.all(db).first(where: { $0.id == id }) else {
      throw AppError(
        .noSuchItem, "That saved search is not there any more.",
        hint: "It may have been deleted on another device.")
    }
    return search
  }
}
