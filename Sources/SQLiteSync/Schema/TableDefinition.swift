/// A CREATE TABLE statement, read: where its columns and constraints stand in the text.
///
/// SQLite's PRAGMAs tell what a table is. They do not tell the conflict clauses, and what is to be
/// kept when a table is made anew stands only here.
struct TableDefinition {
  /// A constraint of a column or of the table.
  struct Constraint {
    enum Kind {
      case primaryKey, notNull, null, unique, check, defaultValue, collation, references, generated
      case deferral, foreignKey
      /// A name with nothing behind it.
      case nameOnly
    }

    let kind: Kind
    /// Its tokens, with its name.
    let tokens: Range<Int>
    /// What follows ON CONFLICT, in upper case.
    var conflict: String?
    /// The token AUTOINCREMENT.
    var autoincrement: Int?
    /// The tokens of the default value, or of a table constraint's columns.
    var value: Range<Int>?
  }

  /// A column.
  struct Column {
    let name: String
    /// The token of the name.
    let nameToken: Int
    /// The tokens of the type; empty when there is none.
    let type: Range<Int>
    let constraints: [Constraint]

    func constraints(_ kind: Constraint.Kind) -> [Constraint] {
      constraints.filter { $0.kind == kind }
    }
  }

  let sql: String
  let tokens: [SQLToken]
  /// The token of the parenthesis before the first column.
  let opening: Int
  let columns: [Column]
  /// The constraints of the table.
  let constraints: [Constraint]

  /// Reads a statement as `sqlite_schema` has it.
  ///
  /// Nil when it is not understood.
  init?(_ sql: String) {
    guard let tokens = SQLTokenizer.tokens(of: sql) else { return nil }
    var parser = TableParser(tokens: tokens)
    guard let parsed = parser.parse() else { return nil }
    self.sql = sql
    self.tokens = tokens
    opening = parsed.opening
    columns = parsed.columns
    constraints = parsed.constraints
  }

  /// The column with a name, in whatever case.
  func column(_ name: String) -> Column? {
    columns.first { $0.name.asciiLowercased == name.asciiLowercased }
  }

  /// The ON CONFLICT clause of the UNIQUE constraint of these columns, in upper case.
  func conflict(ofUnique names: [String]) -> String? {
    let ofColumn = names.count == 1 ? column(names[0])?.constraints(.unique) ?? [] : []
    let ofTable = constraints.filter { constraint in
      guard constraint.kind == .unique, let value = constraint.value else { return false }
      // Between the names are collations, orders and commas.
      let listed = Set(value.compactMap { tokens[$0].name?.asciiLowercased })
      return names.allSatisfy { listed.contains($0.asciiLowercased) }
    }
    return (ofColumn + ofTable).compactMap(\.conflict).first
  }
}

/// Reads the tokens of a CREATE TABLE statement by SQLite's grammar (`parse.y`).
private struct TableParser {
  typealias Constraint = TableDefinition.Constraint
  typealias Column = TableDefinition.Column

  let tokens: [SQLToken]
  private var position = 0

  init(tokens: [SQLToken]) {
    self.tokens = tokens
  }

  mutating func parse() -> (opening: Int, columns: [Column], constraints: [Constraint])? {
    guard take("CREATE") else { return nil }
    _ = take("TEMP") || take("TEMPORARY")
    guard take("TABLE") else { return nil }
    if take("IF") { guard take("NOT"), take("EXISTS") else { return nil } }
    guard takeName() != nil else { return nil }
    if takeSymbol(".") { guard takeName() != nil else { return nil } }
    let opening = position
    guard takeSymbol("(") else { return nil }
    var columns: [Column] = []
    repeat {
      if isTableConstraint { break }
      guard let column = column() else { return nil }
      columns.append(column)
    } while takeSymbol(",")
    var constraints: [Constraint] = []
    while isTableConstraint {
      guard let constraint = tableConstraint() else { return nil }
      constraints.append(constraint)
      _ = takeSymbol(",")
    }
    guard takeSymbol(")"), !columns.isEmpty else { return nil }
    return (opening, columns, constraints)
  }

  // MARK: - Columns

  private static let constraintWords = [
    "CONSTRAINT", "NOT", "NULL", "PRIMARY", "UNIQUE", "CHECK", "DEFAULT", "REFERENCES", "COLLATE",
    "AS", "DEFERRABLE",
  ]

  private mutating func column() -> Column? {
    let nameToken = position
    guard let name = takeName() else { return nil }
    let start = position
    while let token, token.name != nil, !isColumnConstraint { position += 1 }
    if position > start, token?.isSymbol("(") == true {
      guard skipParentheses() else { return nil }
    }
    let type = start..<position
    var constraints: [Constraint] = []
    while isColumnConstraint {
      guard let constraint = columnConstraint() else { return nil }
      constraints.append(constraint)
    }
    return Column(name: name, nameToken: nameToken, type: type, constraints: constraints)
  }

  private var isColumnConstraint: Bool {
    Self.constraintWords.contains { isWord($0) }
      || isWord("GENERATED") && isWord("ALWAYS", 1) && isWord("AS", 2)
  }

  private mutating func columnConstraint() -> Constraint? {
    let start = position
    if take("CONSTRAINT") {
      guard takeName() != nil else { return nil }
      guard isColumnConstraint, !isWord("CONSTRAINT") else {
        return Constraint(kind: .nameOnly, tokens: start..<position)
      }
    }
    var conflict: String?
    var autoincrement: Int?
    var value: Range<Int>?
    let kind: Constraint.Kind
    if take("PRIMARY") {
      guard take("KEY") else { return nil }
      _ = take("ASC") || take("DESC")
      guard takeConflict(&conflict) else { return nil }
      if isWord("AUTOINCREMENT") {
        autoincrement = position
        position += 1
      }
      kind = .primaryKey
    } else if isWord("NOT"), isWord("NULL", 1) {
      position += 2
      guard takeConflict(&conflict) else { return nil }
      kind = .notNull
    } else if take("NULL") {
      guard takeConflict(&conflict) else { return nil }
      kind = .null
    } else if take("UNIQUE") {
      guard takeConflict(&conflict) else { return nil }
      kind = .unique
    } else if take("DEFAULT") {
      let start = position
      guard takeValue() else { return nil }
      value = start..<position
      kind = .defaultValue
    } else if let other = otherConstraint() {
      kind = other
    } else {
      return nil
    }
    return Constraint(
      kind: kind, tokens: start..<position, conflict: conflict, autoincrement: autoincrement,
      value: value)
  }

  private mutating func otherConstraint() -> Constraint.Kind? {
    if take("CHECK") { return skipParentheses() ? .check : nil }
    if take("COLLATE") { return takeName() != nil ? .collation : nil }
    if take("REFERENCES") { return skipReference() ? .references : nil }
    if isWord("NOT") || isWord("DEFERRABLE") { return skipDeferral() ? .deferral : nil }
    if take("GENERATED") { guard take("ALWAYS") else { return nil } }
    guard take("AS"), skipParentheses() else { return nil }
    _ = take("STORED") || take("VIRTUAL")
    return .generated
  }

  private mutating func takeValue() -> Bool {
    if token?.isSymbol("(") == true { return skipParentheses() }
    _ = takeSymbol("+") || takeSymbol("-")
    guard let token, token.kind != .symbol else { return false }
    position += 1
    return true
  }

  // MARK: - Constraints of the table

  private var isTableConstraint: Bool {
    ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"].contains { isWord($0) }
  }

  private mutating func tableConstraint() -> Constraint? {
    let start = position
    if take("CONSTRAINT") {
      guard takeName() != nil else { return nil }
      guard isTableConstraint, !isWord("CONSTRAINT") else {
        return Constraint(kind: .nameOnly, tokens: start..<position)
      }
    }
    var conflict: String?
    let kind: Constraint.Kind
    if take("PRIMARY") {
      guard take("KEY") else { return nil }
      kind = .primaryKey
    } else if take("UNIQUE") {
      kind = .unique
    } else if take("CHECK") {
      kind = .check
    } else if take("FOREIGN") {
      guard take("KEY") else { return nil }
      kind = .foreignKey
    } else {
      return nil
    }
    let list = position
    guard skipParentheses() else { return nil }
    let value = list..<position
    if kind == .foreignKey {
      guard take("REFERENCES"), skipReference() else { return nil }
      if isWord("NOT") || isWord("DEFERRABLE") { guard skipDeferral() else { return nil } }
    } else {
      guard takeConflict(&conflict) else { return nil }
    }
    return Constraint(
      kind: kind, tokens: start..<position, conflict: conflict,
      autoincrement: value.first { tokens[$0].isWord("AUTOINCREMENT") }, value: value)
  }

  // MARK: - Parts

  /// `[ON CONFLICT x]`; false when it is broken off.
  private mutating func takeConflict(_ conflict: inout String?) -> Bool {
    guard isWord("ON"), isWord("CONFLICT", 1) else { return true }
    position += 2
    guard let token, token.kind == .word else { return false }
    conflict = token.text.uppercased()
    position += 1
    return true
  }

  /// What follows REFERENCES.
  private mutating func skipReference() -> Bool {
    guard takeName() != nil else { return false }
    if token?.isSymbol("(") == true { guard skipParentheses() else { return false } }
    while true {
      if take("MATCH") {
        guard takeName() != nil else { return false }
      } else if take("ON") {
        guard takeName() != nil else { return false }
        let hasTwoWords = isWord("SET") || isWord("NO")
        guard takeName() != nil, !hasTwoWords || takeName() != nil else { return false }
      } else {
        return true
      }
    }
  }

  private mutating func skipDeferral() -> Bool {
    _ = take("NOT")
    guard take("DEFERRABLE") else { return false }
    guard take("INITIALLY") else { return true }
    return takeName() != nil
  }

  private mutating func skipParentheses() -> Bool {
    guard token?.isSymbol("(") == true else { return false }
    var depth = 0
    while let token {
      position += 1
      if token.isSymbol("(") { depth += 1 }
      if token.isSymbol(")") { depth -= 1 }
      if depth == 0 { return true }
    }
    return false
  }

  private var token: SQLToken? { position < tokens.count ? tokens[position] : nil }

  private func isWord(_ keyword: String, _ offset: Int = 0) -> Bool {
    position + offset < tokens.count && tokens[position + offset].isWord(keyword)
  }

  private mutating func take(_ keyword: String) -> Bool {
    guard isWord(keyword) else { return false }
    position += 1
    return true
  }

  private mutating func takeSymbol(_ symbol: String) -> Bool {
    guard token?.isSymbol(symbol) == true else { return false }
    position += 1
    return true
  }

  private mutating func takeName() -> String? {
    guard let name = token?.name else { return nil }
    position += 1
    return name
  }
}
