import Foundation
import GRDB

/// One transaction of a named write: the statements that all of them share.
struct WriteTransaction {
  let db: Database
  let makeID: @Sendable () -> String
  let now: Date
  /// The zone in which days begin.
  let timeZone: TimeZone
  /// The version of the schema that the file has.
  let schema: SchemaVersion
  /// Hears how far a write of many rows is.
  let report: (@Sendable (WriteProgress) -> Void)?

  /// The present moment for whoever writes.
  var time: LocalTime { LocalTime(now: now, timeZone: timeZone) }

  /// Runs statements and notes what they make of the rows they touch.
  ///
  /// - Parameters:
  ///   - rows: The rows that exist and may change.
  ///   - leavesNotes: Whether notes stay as they are, and no row is deleted: those of megabytes are
  ///     not to be read twice to find that out.
  ///   - body: The statements; adds the rows that it inserts to its argument.
  func recording(
    _ label: String, touching rows: [RowID], leavesNotes: Bool = false,
    _ body: (inout [RowID]) throws -> Void
  ) throws -> UndoStep {
    let before = try state(of: rows, withNotes: !leavesNotes)
    var added: [RowID] = []
    try body(&added)
    let touched = Set(rows)
    let after = try state(of: rows, withNotes: !leavesNotes)
    let made =
      try existing(Set(added).subtracting(touched))
      + touched.filter { before[$0] == nil && after[$0] != nil }
    // What a new row says matters to whoever takes it back only if somebody changes it.
    let digests = try digests(of: made)
    let inserted = Set(made)
    let former = try subtasks(of: made.filter { $0.table == .reminders }.map(\.key))
      .filter { !inserted.contains(RowID(.reminders, $0)) }
    let changes =
      touched.filter { before[$0] != nil }.compactMap {
        RowChange($0, before: before[$0], after: after[$0])
      } + made.compactMap { RowChange($0, before: nil, after: [:], digest: digests[$0]) }
    return UndoStep(
      label: label,
      changes: changes.sorted { ($0.row.table, $0.row.key) < ($1.row.table, $1.row.key) },
      formerParts: former.isEmpty ? nil : former)
  }

  /// Those of the rows that exist.
  private func existing(_ rows: Set<RowID>) throws -> [RowID] {
    let keys = Dictionary(grouping: rows, by: \.table).mapValues { $0.map(\.key) }
    return try keys.filter { $0.key.since <= schema }.flatMap { table, keys in
      try self.keys(of: table, where: table.key, in: keys).map { RowID(table, $0) }
    }
  }

  /// The columns of those of the rows that exist.
  ///
  /// - Parameter withNotes: Whether notes are wanted, too, which may have megabytes.
  func state(
    of rows: [RowID], withNotes: Bool = false
  ) throws -> [RowID: RowChange.Columns] {
    var state: [RowID: RowChange.Columns] = [:]
    for (table, rows) in Dictionary(grouping: rows, by: \.table) where table.since <= schema {
      let names = try db.columns(in: table.name).map(\.name).filter { $0 != "notes" }
      let columns = withNotes ? "*" : names.joined(separator: ", ")
      for keys in Set(rows.map(\.key)).chunked() {
        let found = try Row.fetchCursor(
          db.cachedStatement(
            sql: """
              SELECT \(columns) FROM \(table.name) WHERE \(table.key) IN (\(marks(keys.count)))
              """),
          arguments: StatementArguments(keys))
        while let row = try found.next() {
          let columns = Dictionary(uniqueKeysWithValues: row.map { ($0, $1) })
          try state[RowID(table, row.read(table.key))] = columns
        }
      }
    }
    return state
  }

  /// The rows that are deleted with these.
  func dependents(of rows: [RowID]) throws -> [RowID] {
    let keys = Dictionary(grouping: rows, by: \.table).mapValues { $0.map(\.key) }
    let lists = keys[.remindersLists] ?? []
    let contained = try self.keys(of: .reminders, where: "remindersListID", in: lists)
    let reminders = (keys[.reminders] ?? []) + contained
    let joins = try self.keys(of: .reminderTags, where: "tagTitle", in: keys[.tags] ?? [])
    let parts = try AppTable.partsOfReminders.filter { $0.since <= schema }.flatMap { table in
      try self.keys(of: table, where: "reminderID", in: reminders).map { RowID(table, $0) }
    }
    let partsOfLists = [AppTable.remindersListAssets, .listViews].flatMap { table in
      lists.map { RowID(table, $0) }
    }
    return partsOfLists + contained.map { RowID(.reminders, $0) }
      + joins.map { RowID(.reminderTags, $0) } + parts
  }

  /// The primary keys of the rows in which a column has one of these values.
  func keys(
    of table: AppTable, where column: String, in values: [String]
  ) throws -> [String] {
    try values.chunked().flatMap { values in
      try String.fetchAll(
        db,
        sql: "SELECT \(table.key) FROM \(table.name) WHERE \(column) IN (\(marks(values.count)))",
        arguments: StatementArguments(values))
    }
  }

  /// Inserts a row.
  func insert(_ table: AppTable, _ columns: RowChange.Columns) throws {
    try insert(table, all: [columns])
  }

  /// Inserts rows, few statements for many: at the end of each the search index writes what it has,
  /// which takes as long as all the rest.
  ///
  /// What a row does not say is NULL, which a column takes as its default or replaces by it.
  func insert(_ table: AppTable, all rows: [RowChange.Columns]) throws {
    let rows = try rows.map { try storable($0, of: table) }
    let names = Set(rows.flatMap(\.keys)).sorted()
    let size = StagedRows.sizes.upperBound
    func insert(page: [RowChange.Columns]) throws {
      let values = page.map { row in names.map { row[$0] ?? .null } }
      if StagedRows.sizes.contains(page.count) {
        try StagedRows(db: db, width: names.count).insert(values, into: table.name, columns: names)
      } else {
        try self.insert(values, into: table, names)
      }
    }
    // Of a single page there is nothing to report: it may be one of somebody else's.
    if rows.count > size {
      try inPages(rows, by: size, insert)
    } else if !rows.isEmpty {
      try insert(page: rows)
    }
  }

  /// Inserts so few rows that a statement can have their values.
  private func insert(
    _ rows: [[DatabaseValue]], into table: AppTable, _ names: [String]
  ) throws {
    let places = Array(repeating: "(\(marks(names.count)))", count: rows.count)
    let sql = """
      INSERT INTO \(table.name) (\(names.joined(separator: ", ")))
      VALUES \(places.joined(separator: ", "))
      """
    let arguments = StatementArguments(rows.flatMap { $0 })
    // One of so many rows does not come again.
    guard rows.count == 1 else { return try db.execute(sql: sql, arguments: arguments) }
    try run(sql, arguments)
  }

  /// Sets columns of a row; does nothing when they have these values already.
  func update(_ row: RowID, _ columns: RowChange.Columns) throws {
    try update([row.key], of: row.table, columns)
  }

  /// Sets columns of rows of one table, few enough for the values of one statement; leaves those
  /// alone that have these values already.
  func update(_ keys: [String], of table: AppTable, _ columns: RowChange.Columns) throws {
    let series = try table == .reminders ? seriesMoved(by: columns, keys) : []
    for (id, columns) in series { try set(columns, of: .reminders, [id]) }
    let others = series.isEmpty ? keys : keys.filter { key in !series.contains { $0.id == key } }
    if !others.isEmpty { try set(columns, of: table, others) }
  }

  private func set(
    _ columns: RowChange.Columns, of table: AppTable, _ keys: [String]
  ) throws {
    let columns = try storable(columns, of: table)
    let names = columns.keys.sorted()
    guard !names.isEmpty else { return }
    let values = names.map { columns[$0] }
    var assignments = names.map { "\($0) = ?" }
    var arguments = StatementArguments(values)
    if table == .reminders {
      assignments.append("updatedAt = ?")
      arguments += [now.milliseconds]
    }
    try run(
      """
      UPDATE \(table.name) SET \(assignments.joined(separator: ", "))
      WHERE \(table.key) IN (\(marks(keys.count)))
      AND (\(names.map { "\($0) IS NOT ? COLLATE BINARY" }.joined(separator: " OR ")))
      """, arguments + StatementArguments(keys) + StatementArguments(values))
  }

  /// The columns that the schema has, with texts that are read to their ends.
  ///
  /// - Throws: `AppError` when a value would have no place.
  func storable(
    _ columns: RowChange.Columns, of table: AppTable
  ) throws -> RowChange.Columns {
    var columns = try schema.known(columns, of: table)
    for (name, value) in columns {
      if case .string(let text) = value.storage, text.utf8.contains(0) {
        columns[name] = text.withoutNUL.databaseValue
      }
    }
    // What another device put at infinity comes back as far away as can be written here.
    if let position = columns["position"].flatMap(Double.fromDatabaseValue) {
      let most = AppTriggers.greatestPosition
      columns["position"] = min(max(position, -most), most).databaseValue
    }
    return columns
  }

  /// Deletes rows, children before parents.
  func delete(_ rows: [RowID]) throws {
    let keys = Dictionary(grouping: rows, by: \.table).mapValues { $0.map(\.key) }
    for (table, keys) in keys.sorted(by: { $0.key > $1.key }) {
      try inPages(keys) { page in
        try run(
          "DELETE FROM \(table.name) WHERE \(table.key) IN (\(marks(page.count)))",
          StatementArguments(page))
      }
    }
  }

  /// Does something with many, page by page, and reports how far it is: a statement for each page
  /// takes a fraction of the time of one for each row.
  ///
  /// - Parameters:
  ///   - all: All of them.
  ///   - size: How many a page has.
  ///   - completed: How many others were done before.
  ///   - total: How many there are with all others; nil for these.
  ///   - body: Does it with a page.
  func inPages<Element>(
    _ all: [Element], by size: Int = 500, after completed: Int = 0, of total: Int? = nil,
    _ body: ([Element]) throws -> Void
  ) throws {
    var completed = completed
    let total = total ?? all.count
    for page in all.chunked(by: size) {
      try body(page)
      completed += page.count
      report?(WriteProgress(completed: completed, total: total))
    }
  }

  /// Makes a tag unless it exists.
  func ensureTag(_ title: Tag.ID) throws {
    try run(
      "INSERT INTO tags (title) SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM tags WHERE title = ?1)",
      [title])
  }

  /// Runs a statement that comes again with other values: with the triggers of its table it takes
  /// longer to prepare than to run.
  private func run(_ sql: String, _ arguments: StatementArguments) throws {
    try db.cachedStatement(sql: sql).execute(arguments: arguments)
  }

  private func marks(_ count: Int) -> String { databaseQuestionMarks(count: count) }
}

/// What a write does.
public enum WriteStage: Sendable {
  /// It has its turn in this process, and waits for the file if another one has that.
  case waitsForFile
  /// It has the file.
  case writes
}

/// How far a write of many rows is.
public struct WriteProgress: Equatable, Sendable {
  /// So many rows are done.
  public let completed: Int
  /// So many there are in all.
  public let total: Int

  /// A write that has come so far.
  public init(completed: Int, total: Int) {
    self.completed = completed
    self.total = total
  }
}

extension Collection {
  /// The elements in arrays short enough for the values of one statement.
  func chunked(by size: Int = 500) -> [[Element]] {
    let all = Array(self)
    return stride(from: 0, to: all.count, by: size).map {
      Array(all[$0..<Swift.min($0 + size, all.count)])
    }
  }
}

extension AppDatabase {
  /// Runs a named write in a transaction of its own.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (WriteTransaction) throws -> Value
  ) async throws -> Value {
    if let unwritable { throw unwritable }
    do {
      let note = whenWaiting.map { SlowNote($0) }
      return try await writer.writeWithoutTransaction {
        [makeID, now, timeZone, report, stage] db in
        stage?(.waitsForFile)
        var value: Value?
        try db.inTransaction {
          note?.end()
          stage?(.writes)
          value = try body(
            WriteTransaction(
              db: db, makeID: makeID, now: now(), timeZone: timeZone(),
              schema: try db.schemaVersion, report: report))
          return .commit
        }
        // A transaction that was committed has run all of this.
        return value!
      }
    } catch let error as DatabaseError {
      throw AppError(error)
    }
  }
}
