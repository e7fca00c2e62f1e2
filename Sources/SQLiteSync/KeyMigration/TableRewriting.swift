import GRDB

/// The CREATE statement of a table with its keys changed, and everything else as it was written.
struct TableRewriting {
  let table: KeyPlan.Table
  let keys: DerivedKey
  /// What makes the key of a new row, in SQL.
  let keyDefault: String
  private var edits: [(range: Range<Int>, text: String)] = []

  init(table: KeyPlan.Table, keys: DerivedKey, keyDefault: String) {
    self.table = table
    self.keys = keys
    self.keyDefault = keyDefault
  }

  private var definition: TableDefinition { table.definition }

  /// The statement.
  ///
  /// Throws when a default of a foreign key cannot be turned into a key.
  func sql() throws -> String {
    var rewriting = self
    rewriting.addKey()
    for column in definition.columns {
      if column.name == table.convertedKey {
        rewriting.convertKey(column)
      } else if table.origins[column.name] != nil {
        rewriting.setType(of: column)
        try rewriting.convertDefault(of: column)
        rewriting.removeAutoincrement(of: column.constraints)
      }
      if table.losesUnique { rewriting.remove(column.constraints(.unique)) }
      if table.replacesNulls { rewriting.replaceNulls(of: column) }
    }
    for constraint in definition.constraints {
      if constraint.kind == .primaryKey, !table.origins.isEmpty {
        rewriting.removeAutoincrement(of: [constraint])
      }
      if constraint.kind == .unique, table.losesUnique { rewriting.remove([constraint]) }
    }
    return rewriting.edited()
  }

  /// The statement of an index without the word UNIQUE.
  static func withoutUnique(index sql: String) -> String {
    guard let tokens = SQLTokenizer.tokens(of: sql), tokens.count > 1, tokens[1].isWord("UNIQUE")
    else { return sql }
    var bytes = Array(sql.utf8)
    bytes.replaceSubrange(tokens[1].range.lowerBound..<tokens[2].range.lowerBound, with: [])
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: - Keys

  private var keyClause: String { "NOT NULL ON CONFLICT REPLACE DEFAULT (\(keyDefault))" }

  private mutating func addKey() {
    guard let key = table.addedKey else { return }
    insert(
      " \(key.quotedIdentifier) TEXT PRIMARY KEY \(keyClause),", after: definition.opening)
  }

  private mutating func convertKey(_ column: TableDefinition.Column) {
    setType(of: column)
    removeAutoincrement(of: column.constraints)
    for kind in [TableDefinition.Constraint.Kind.notNull, .null, .defaultValue] {
      remove(column.constraints(kind))
    }
    if !table.losesUnique { remove(column.constraints(.unique)) }
    // Behind PRIMARY KEY where that stands with the column, else behind the type.
    let primaryKey = column.constraints(.primaryKey).last?.tokens.upperBound
    let place = primaryKey ?? max(column.type.upperBound, column.nameToken + 1)
    // A key that is another table's cannot be made up.
    let isForeign = table.origins[column.name] != table.name
    insert(" " + (isForeign ? "NOT NULL" : keyClause), after: place - 1)
  }

  private mutating func setType(of column: TableDefinition.Column) {
    guard let first = column.type.first else {
      insert(" TEXT", after: column.nameToken)
      return
    }
    edits.append((definition.tokens[first].range, "TEXT"))
    for token in column.type.dropFirst() { remove(token: token) }
  }

  /// `DEFAULT 1` of a foreign key names a row.
  private mutating func convertDefault(of column: TableDefinition.Column) throws {
    for constraint in column.constraints(.defaultValue) {
      guard let value = constraint.value, let origin = table.origins[column.name] else { continue }
      let tokens = definition.tokens[value].filter { !["(", ")", "+"].contains($0.text) }
      let text = tokens.map(\.text).joined()
      if text.uppercased() == "NULL" { continue }
      guard let integer = Int64(text) else {
        throw SyncError(
          .keysNotMigrated, table: table.name, column: column.name,
          "The default of a foreign key is not an integer.", hint: "Migrate this table by hand.")
      }
      for token in value.dropFirst() { remove(token: token) }
      edits.append(
        (
          definition.tokens[value.lowerBound].range,
          keys.key(integer, table: origin).quotedLiteral
        ))
    }
  }

  /// `NOT NULL DEFAULT 1` becomes `NOT NULL ON CONFLICT REPLACE DEFAULT 1`.
  private mutating func replaceNulls(of column: TableDefinition.Column) {
    let isKey = table.columns.contains { $0.keyPosition > 0 && $0.name == column.name }
    guard !isKey, !column.constraints(.defaultValue).isEmpty,
      let last = column.constraints(.notNull).last, last.conflict != "REPLACE"
    else { return }
    let end = last.tokens.upperBound - 1
    if last.conflict == nil {
      insert(" ON CONFLICT REPLACE", after: end)
    } else {
      edits.append((definition.tokens[end].range, "REPLACE"))
    }
  }

  // MARK: - Edits

  private mutating func insert(_ text: String, after token: Int) {
    let end = definition.tokens[token].range.upperBound
    edits.append((end..<end, text))
  }

  private mutating func removeAutoincrement(of constraints: [TableDefinition.Constraint]) {
    for token in constraints.compactMap(\.autoincrement) { remove(token: token) }
  }

  /// Removes constraints; a constraint of the table with the comma before it.
  private mutating func remove(_ constraints: [TableDefinition.Constraint]) {
    for constraint in constraints {
      for token in constraint.tokens { remove(token: token) }
      let before = constraint.tokens.lowerBound - 1
      if constraint.value != nil, definition.tokens[before].isSymbol(",") { remove(token: before) }
    }
  }

  /// Removes a token and the blanks before it.
  ///
  /// Comments stay, and so do line breaks, which may end one.
  private mutating func remove(token: Int) {
    let range = definition.tokens[token].range
    let blanks = definition.sql.utf8.prefix(range.lowerBound).reversed()
      .prefix { $0 == 0x20 || $0 == 0x09 }.count
    edits.append((range.lowerBound - blanks..<range.upperBound, ""))
  }

  /// The text with all edits, made from the end to the beginning.
  private func edited() -> String {
    var bytes = Array(definition.sql.utf8)
    // What is removed behind an insertion goes first, or the insertion would go with it.
    let ordered = edits.sorted {
      ($0.range.lowerBound, $0.range.count) > ($1.range.lowerBound, $1.range.count)
    }
    for (range, text) in ordered { bytes.replaceSubrange(range, with: text.utf8) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
