import GRDB
import SQLiteSyncCloud

/// The plain records of a page in a temporary table, from which they go into the tables.
///
/// The table is made once for a connection, since to make one has every statement prepared again.
struct StagedPage {
  let db: Database
  private let name: String

  /// Columns of every record, before the values.
  private static let columns = [
    "position", "name", "tableID", "key", "life", "latest", "clocks", "tag", "parentKey",
  ]

  /// Puts the plain records of a page in place of those that were there.
  init(_ page: PlainPage, in db: Database, columnCount: Int) throws {
    self.db = db
    name = "sqlitesync_page_\(columnCount)"
    try prepare(columnCount: columnCount)
    let insertion = try insertion(columnCount: columnCount)
    for (position, record) in page.records.enumerated() {
      if let record { try add(record, at: position, by: insertion, columnCount: columnCount) }
    }
  }

  private func prepare(columnCount: Int) throws {
    let isThere = try Bool.fetchOne(
      db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM sqlite_temp_master WHERE name = ?)"),
      arguments: [name])
    if isThere == true { return try clear() }
    let columns = Self.columns.dropFirst() + (0..<columnCount).map(Self.value)
    try db.execute(
      sql: """
        CREATE TEMP TABLE \(name) (position INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")))
        """)
  }

  /// Removes the records.
  func clear() throws { try db.cachedStatement(sql: "DELETE FROM temp.\(name)").execute() }

  private static func value(_ column: Int) -> String { "v\(column)" }

  private func add(
    _ record: PlainRecord, at position: Int, by statement: Statement, columnCount: Int
  ) throws {
    var arguments: [DatabaseValue] = [
      position.databaseValue, record.name.databaseValue, record.table.id.databaseValue,
      record.key.databaseValue, record.life.rawValue.databaseValue,
      record.latest.rawValue.databaseValue, record.clocks?.databaseValue ?? .null,
      record.tag.description.databaseValue, record.parent?.key.databaseValue ?? .null,
    ]
    arguments += record.values
    arguments += Array(repeating: .null, count: columnCount - record.values.count)
    statement.setUncheckedArguments(StatementArguments(arguments))
    try statement.execute()
  }

  private func insertion(columnCount: Int) throws -> Statement {
    try db.cachedStatement(
      sql: """
        INSERT INTO temp.\(name)
        VALUES (\(databaseQuestionMarks(count: Self.columns.count + columnCount)))
        """)
  }

  /// The positions of the records of which anything is known, or for which others wait.
  func known() throws -> [Int] {
    try Int.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT position FROM temp.\(name) s
          WHERE EXISTS (\(MetadataStore.select(tableID: "s.tableID", key: "s.key")))
            OR \(Quarantine.concerns(recordID: "NULL", name: "s.name"))
          """))
  }

  /// Whether others wait for one of the records by now.
  func isAnyNeeded(_ positions: Range<Int>) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT EXISTS (
            SELECT 1 FROM temp.\(name) s WHERE \(Self.isInside)
              AND \(Quarantine.concerns(recordID: "NULL", name: "s.name")))
          """), arguments: Self.arguments(positions)) ?? true
  }

  /// Makes rows of records, and their metadata; returns of how many.
  func write(
    _ segment: PlainPage.Segment, zoneID: Int64, pass: Int64, parentTable: Int64?
  ) throws -> Int {
    let table = segment.table
    var columns = segment.columns.map { table.columns[$0].name.quotedIdentifier }
    var values = segment.columns.indices.map(Self.value)
    if !table.isKeyFolded {
      columns.append(table.key.quotedIdentifier)
      values.append("key")
    }
    try db.cachedStatement(
      sql: """
        INSERT INTO \(table.name.quotedIdentifier) (\(columns.joined(separator: ", ")))
        SELECT \(values.joined(separator: ", ")) FROM temp.\(name) s
        WHERE \(Self.isInside) ORDER BY position
        """
    ).execute(arguments: Self.arguments(segment.positions))
    return try MetadataStore(db: db).add(
      """
      SELECT position, key, life, latest, clocks, tag, parentKey FROM temp.\(name) s
      WHERE \(Self.isInside)
      """,
      arguments: Self.arguments(segment.positions), of: table, parentTable: parentTable,
      zoneID: zoneID, pass: pass)
  }

  private static let isInside = "s.position >= ? AND s.position < ?"

  private static func arguments(_ positions: Range<Int>) -> StatementArguments {
    [positions.lowerBound, positions.upperBound]
  }
}

extension Applier {
  /// How many plain records are written together at most.
  ///
  /// SQLite keeps each page of the tables and indexes that they touch as it was, in memory
  /// (`Configuration.synchronized`): in a large database another one for each row and index.
  private static let plainLimit = 1_000

  /// Applies records, which are in the order of their tables.
  mutating func apply(_ records: [(copy: ServerCopy, record: CloudRecord)]) throws {
    let plain = try plain(of: records)
    var next = 0
    while next < records.count {
      let run = (plain?.page.run(from: next) ?? next..<next).prefix(Self.plainLimit)
      if let plain, !run.isEmpty {
        try write(run, of: records, plain)
        next = run.upperBound
      } else {
        try applyEach(records[next...next])
        next += 1
      }
    }
    try plain?.staged.clear()
  }

  private mutating func applyEach(
    _ records: ArraySlice<(copy: ServerCopy, record: CloudRecord)>
  ) throws {
    for (copy, record) in records {
      rivals.mode = .deferring
      try apply(record, of: copy)
    }
  }

  /// Writes a run of plain records at once, or in two parts when SQLite refuses that, and so on.
  private mutating func write(
    _ run: Range<Int>, of records: [(copy: ServerCopy, record: CloudRecord)],
    _ plain: (page: PlainPage, staged: StagedPage)
  ) throws {
    guard run.count >= plainRun else { return try applyEach(records[run]) }
    guard try !write(run, of: plain.page, from: plain.staged) else { return }
    guard run.count > 1 else { return try applyEach(records[run]) }
    let middle = run.lowerBound + run.count / 2
    try write(run.lowerBound..<middle, of: records, plain)
    try write(middle..<run.upperBound, of: records, plain)
  }

  /// What of a page can be written table by table; nil when that is not worth it.
  ///
  /// A device that shares anything merges: that looks where each record belongs.
  private func plain(
    of records: [(copy: ServerCopy, record: CloudRecord)]
  ) throws -> (page: PlainPage, staged: StagedPage)? {
    guard records.count >= plainRun, try isAlone(), !db.hasOpenReferences else { return nil }
    var page = PlainPage(records, in: tables)
    guard page.count >= plainRun else { return nil }
    let gone = try page.outside.filter { name in
      let name = RecordName.parsing(name)
      return try tables[name.table].map {
        try !RowStore(db: db, table: $0).exists(key: name.key)
      } ?? true
    }
    page.leave(referringTo: gone)
    let columnCount = tables.tables.reduce(0) { max($0, $1.columns.count) }
    let staged = try StagedPage(page, in: db, columnCount: columnCount)
    for position in try staged.known() { page.leave(position) }
    return (page, staged)
  }

  /// Returns false when SQLite refuses one of the records, or others wait for one: nothing was
  /// done then.
  private mutating func write(
    _ run: Range<Int>, of page: PlainPage, from staged: StagedPage
  ) throws -> Bool {
    guard try !staged.isAnyNeeded(run) else { return false }
    let segments = page.segments(of: run)
    var isDone = false
    do {
      try db.inSavepoint {
        isDone = try segments.allSatisfy { segment in
          let parent = segment.table.parentKey.flatMap { tables[$0.table] }
          return try staged.write(segment, zoneID: zoneID, pass: pass, parentTable: parent?.id)
            == segment.positions.count
        }
        isDone = isDone && !db.hasOpenReferences
        return isDone ? .commit : .rollback
      }
    } catch let error as DatabaseError
      where error.resultCode == .SQLITE_CONSTRAINT || error.isOfBrokenTrigger
    {
      return false
    }
    guard isDone else { return false }
    for segment in segments {
      let fields = segment.columns.map { segment.table.columns[$0].name }.sorted()
      for position in segment.positions {
        guard let record = page.records[position] else { continue }
        report.modified.append(
          ApplyReport.Item(type: segment.table.name, name: record.name, fields: fields))
      }
    }
    return true
  }
}
