import GRDB
import SQLiteSyncCloud

/// What unsent edits of columns with a merge policy were made of: `sync_bases`.
///
/// A base is there only while the field has an unsent edit. It is the value of the field in the
/// version of the cloud that is known here, whenever that changes. Where there is none, nobody
/// knows what the edit was made of, and the later edit wins.
struct MergeBases {
  let db: Database

  private enum Kind: Int {
    /// What a trigger saw before an edit that is not folded yet.
    case captured = 0
    /// What the edit was made of; NULL when the row was made here.
    case base = 1
    /// A value that was sent, and its clock: the answer may have been lost.
    case sent = 2
  }

  // MARK: - Capture

  /// The statements with which a trigger notes values that are about to be, or were, overwritten.
  ///
  /// Without `OR IGNORE`: the conflict clause of the app's statement would take its place.
  ///
  /// - Parameters:
  ///   - key: The record's key, as SQL.
  ///   - isChanged: True when the value of a column is overwritten by another, as SQL.
  ///   - source: The row with the values in SQL, if it is not `OLD`.
  ///   - value: The value before, as SQL.
  static func capture(
    _ columns: [String], of table: TableSchema, key: String, source: String = "",
    isChanged: (String) -> String = { _ in "true" },
    value: (String) -> String = { "OLD.\($0.quotedIdentifier)" }
  ) -> String {
    columns.map { column in
      """
        INSERT INTO sync_bases (tableID, primaryKey, field, kind, clock, value)
        SELECT \(table.id), \(key), \(column.quotedLiteral), \(Kind.captured.rawValue), 0,
          \(value(column))
        \(source) WHERE (\(isChanged(column))) AND NOT EXISTS (
          SELECT 1 FROM sync_bases WHERE tableID = \(table.id) AND primaryKey = \(key)
            AND field = \(column.quotedLiteral) AND kind = \(Kind.captured.rawValue));
      """
    }.joined(separator: "\n")
  }

  /// Whether a trigger has noted anything since the last fold.
  func hasCaptured() throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM sync_bases WHERE kind = \(Kind.captured.rawValue))"))
      ?? false
  }

  /// Forgets what the triggers noted: all of it is folded.
  func forgetCaptured() throws {
    try db.cachedStatement(
      sql: "DELETE FROM sync_bases WHERE kind = \(Kind.captured.rawValue)"
    ).execute()
  }

  // MARK: - Folding

  /// What folding does with the bases of a record.
  func fold(
    _ edit: FoldedEdit, key: String, of table: TableSchema, known: RecordMetadata?,
    before: PendingChange?, after: PendingChange?, device: UInt16
  ) throws {
    for column in table.mergePolicies.keys.sorted() {
      let place = Place(tableID: table.id, key: key, column: column)
      guard after?.includes(column) ?? false else {
        try forget(place)
        continue
      }
      if edit.createdAt != nil || known?.life ?? .zero == .zero {
        // Not captured was a row that is older than capture.
        let isMade = try values(.captured, at: place).first?.value.isNull ?? false
        try forget(place)
        if isMade, known?.life ?? .zero == .zero { try set(.base, .null, at: place) }
      } else if edit.fields[column] != nil {
        let clock = known?.clock(of: column) ?? .zero
        let note = MergeNote(known?.unknown?.fields[MergeNote.field(of: column)])
        guard before?.includes(column) ?? false, note?.edits.contains(clock) != true else {
          let captured = try values(.captured, at: place).first?.value
          try forget(place)
          if let captured { try set(.base, captured, at: place) }
          continue
        }
        // The edit before is of the device that this database was copied from, which may send it.
        if clock.device != device { try forget(place) }
      }
    }
  }

  /// The rows made last, of which nothing but that is known, are made of nothing.
  func add(madeAfter last: Int64, of table: TableSchema) throws {
    for column in table.mergePolicies.keys.sorted() {
      try db.cachedStatement(
        sql: """
          INSERT OR REPLACE INTO sync_bases (tableID, primaryKey, field, kind, clock)
          SELECT tableID, primaryKey, field, \(Kind.base.rawValue), 0 FROM sync_bases
          WHERE kind = \(Kind.captured.rawValue) AND value IS NULL AND field = ?1 AND tableID = ?3
            AND primaryKey IN (\(MetadataStore.keys(after: "?2", ofTable: "?3")))
          """
      ).execute(arguments: [column, last, table.id])
    }
  }

  // MARK: - Merging

  /// What the unsent edits of a record were made of, by column.
  ///
  /// - Parameter row: The values here.
  func unsentEdits(
    of record: RecordMetadata, in table: TableSchema, pending: PendingChange,
    row: [String: DatabaseValue]
  ) throws -> [String: UnsentEdit] {
    var edits: [String: UnsentEdit] = [:]
    for column in table.mergePolicies.keys where pending.includes(column) {
      let clock = record.clock(of: column)
      guard clock > .zero, let mine = row[column] else { continue }
      let place = Place(tableID: table.id, key: record.key, column: column)
      let base = try values(.base, at: place).first?.value
      let sent = try values(.sent, at: place).map { ($0.clock, $0.value) }
      edits[column] = UnsentEdit(
        mine: mine, clock: clock, base: base.map { .value($0.isNull ? nil : $0) } ?? .unknown,
        sent: Dictionary(sent) { $1 },
        known: MergeNote(record.unknown?.fields[MergeNote.field(of: column)])?.edits ?? SeenEdits())
    }
    return edits
  }

  /// The cloud has a version of a record: what is unsent of it still is made of that.
  ///
  /// - Parameters:
  ///   - hadRow: Whether there was a row when it came.
  ///   - pending: What is unsent of it now.
  func follow(
    _ version: CloudRecord, of record: RecordMetadata, in table: TableSchema, hadRow: Bool,
    pending: PendingChange?
  ) throws {
    for column in table.mergePolicies.keys.sorted() {
      let place = Place(tableID: table.id, key: record.key, column: column)
      let name = MergeNote.field(of: column)
      guard hadRow, pending?.includes(column) ?? false else {
        try forget(place)
        continue
      }
      guard let theirs = version.fields[column] else { continue }
      guard !theirs.value.isAsset else {
        try forget(place)
        continue
      }
      var edits = MergeNote(version.fields[name])?.edits ?? SeenEdits()
      edits.insert(theirs.clock)
      // A full fetch may begin with an older version than the one that is known.
      let known = MergeNote(record.unknown?.fields[name])?.edits ?? SeenEdits()
      if known.contains(edits), known != edits { continue }
      try set(.base, DatabaseValue(theirs.value), at: place)
      for (clock, _) in try values(.sent, at: place) where edits.contains(clock) {
        try forget(.sent, clock, at: place)
      }
    }
  }

  // MARK: - Sending

  /// Notes a value that is about to be sent.
  func noteSent(
    _ value: DatabaseValue, _ clock: FieldClock, of column: String, key: String,
    in table: TableSchema
  ) throws {
    try set(.sent, value, clock, at: Place(tableID: table.id, key: key, column: column))
  }

  // MARK: - Forgetting

  /// Nothing of a record is unsent any more.
  func forget(recordID: Int64) throws {
    try db.cachedStatement(
      sql: """
        DELETE FROM sync_bases WHERE (tableID, primaryKey) = (\(MetadataStore.place(of: "?")))
        """
    ).execute(arguments: [recordID])
  }

  /// Nobody knows what the unsent edit of a field was made of.
  func forget(_ column: String, key: String, in table: TableSchema) throws {
    try forget(Place(tableID: table.id, key: key, column: column))
  }

  /// Forgets what columns are made of that have no policy any more.
  func forget(besides tables: TableOrder) throws {
    for table in tables.tables {
      let columns = table.mergePolicies.keys.sorted()
      try db.execute(
        sql: """
          DELETE FROM sync_bases WHERE tableID = ?
            AND field NOT IN (\(databaseQuestionMarks(count: columns.count)))
          """, arguments: [table.id] + StatementArguments(columns))
    }
  }

  /// Lets two columns of a table have each other's names.
  static func exchange(
    field one: String, with other: String, ofTable id: Int64, in db: Database
  ) throws {
    try db.exchange(one, other, in: "field", of: "sync_bases", where: "tableID = ?", [id])
  }

  // MARK: - One field

  private struct Place {
    let tableID: Int64
    let key: String
    let column: String
  }

  private static let isThere = "tableID = ? AND primaryKey = ? AND field = ?"

  private func values(
    _ kind: Kind, at place: Place
  ) throws -> [(clock: FieldClock, value: DatabaseValue)] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: "SELECT clock, value FROM sync_bases WHERE \(Self.isThere) AND kind = ?"),
      arguments: [place.tableID, place.key, place.column, kind.rawValue]
    ).map { try (FieldClock(rawValue: $0.read(0)), $0[1]) }
  }

  private func set(
    _ kind: Kind, _ value: DatabaseValue, _ clock: FieldClock = .zero, at place: Place
  ) throws {
    try db.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO sync_bases (tableID, primaryKey, field, kind, clock, value)
        VALUES (?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        place.tableID, place.key, place.column, kind.rawValue, clock.rawValue, value,
      ])
  }

  private func forget(_ place: Place) throws {
    try db.cachedStatement(
      sql: """
        DELETE FROM sync_bases WHERE \(Self.isThere) AND kind <> \(Kind.captured.rawValue)
        """
    ).execute(arguments: [place.tableID, place.key, place.column])
  }

  private func forget(_ kind: Kind, _ clock: FieldClock, at place: Place) throws {
    try db.cachedStatement(
      sql: "DELETE FROM sync_bases WHERE \(Self.isThere) AND kind = ? AND clock = ?"
    ).execute(
      arguments: [place.tableID, place.key, place.column, kind.rawValue, clock.rawValue])
  }
}
