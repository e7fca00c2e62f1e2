import GRDB

/// The tables that an engine is to synchronize, as SQLite describes them.
struct InspectedTables {
  /// Those that can be shared, and the others.
  let tables: [SchemaInspection.RawTable]
  /// The names of those that are never shared.
  let privateNames: Set<String>
  /// Everything that keeps them from being synchronized.
  let objections: [SyncError]

  /// Looks at tables, each once; changes nothing.
  init(
    _ names: [String], private privateNames: [String],
    mergePolicies: [String: [String: MergePolicy]] = [:], in db: Database
  ) throws {
    var (found, missing): ([SchemaInspection.RawTable], [SyncError]) = ([], [])
    func inspect(_ names: [String]) throws -> [SchemaInspection.RawTable] {
      try names.compactMap { name in
        do {
          let table = try SchemaInspection.table(name, in: db)
          guard !found.contains(where: { $0.name == table.name }) else { return nil }
          found.append(table)
          return table
        } catch let error as SyncError {
          missing.append(error)
          return nil
        }
      }
    }
    let neverShared = try inspect(privateNames)
    tables = try inspect(names) + neverShared
    self.privateNames = Set(neverShared.map(\.name))
    objections =
      try missing + Self.listedTwice(names, neverShared) + SchemaValidation.objections(to: tables)
      + RenamingChecks.objections(to: tables, in: db)
      + MissingFromSchema.objections(to: tables, in: db)
      + ChangedKeys.objections(to: tables, in: db)
      + MergePolicy.objections(to: mergePolicies, of: tables)
  }

  /// Whether the rows of such a table can be shared nobody can tell.
  private static func listedTwice(
    _ names: [String], _ neverShared: [SchemaInspection.RawTable]
  ) -> [SyncError] {
    neverShared.filter { table in names.contains { $0.isSameName(as: table.name) } }.map { table in
      SyncError(
        .listedTwice, table: table.name, "It is both among the tables and among the private ones.",
        hint: "List it once: among the private tables if its rows are never to be shared.")
    }
  }
}
