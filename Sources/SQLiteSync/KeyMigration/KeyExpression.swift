import GRDB

/// An expression over the columns of one table: of a CHECK, a generated column or an index.
///
/// SQLite compares and computes with whatever it is given: where a key becomes text, such an
/// expression has another value afterwards, and nothing would say so. Right before and after is
/// only to ask whether a key is NULL, and to compare it with another key, or with text that is no
/// number.
struct KeyExpression {
  private enum Item {
    case key(String)
    case other(SQLToken)
  }

  /// What stands on one side of a key.
  private enum Side {
    /// The end of an expression, such as a parenthesis or AND.
    case nothing
    case harmless
    case other
  }

  private var items: [Item]

  /// Reads an expression.
  ///
  /// - Parameters:
  ///   - tokens: The expression, in parentheses or not.
  ///   - keys: The columns that become text.
  init(_ tokens: some Collection<SQLToken>, keys: some Collection<String>) {
    let tokens = Array(tokens)
    items = tokens.indices.compactMap { index in
      let (token, next) = (tokens[index], index + 1 < tokens.count ? tokens[index + 1] : nil)
      // The table before the name of a column, and how it is compared, change nothing.
      if token.isSymbol(".") || next?.isSymbol(".") == true || token.isWord("COLLATE")
        || index > 0 && tokens[index - 1].isWord("COLLATE")
      {
        return nil
      }
      guard token.kind != .string, next?.isSymbol("(") != true, let name = token.name,
        keys.contains(where: { $0.isSameName(as: name) })
      else { return .other(token) }
      return .key(name)
    }
    while let (range, key) = items.indices.lazy.compactMap(enclosedKey).first {
      items.replaceSubrange(range, with: [.key(key)])
    }
  }

  /// The first key with which more is done than what is right before and after.
  var misusedKey: String? {
    for (place, item) in items.enumerated() {
      guard case .key(let name) = item else { continue }
      let sides = [left(of: place), right(of: place)]
      if sides.contains(.other) || !sides.contains(.harmless) { return name }
    }
    return nil
  }

  /// `(key)`, and `coalesce(key, key)`, which is one of them or NULL.
  private func enclosedKey(at opening: Int) -> (Range<Int>, String)? {
    guard isSymbol("(", opening), case .key(let key)? = item(opening + 1) else { return nil }
    var end = opening + 2
    while isSymbol(",", end), case .key? = item(end + 1) { end += 2 }
    guard isSymbol(")", end) else { return nil }
    if ["COALESCE", "IFNULL"].contains(where: { isWord($0, opening - 1) }) {
      return (opening - 1..<end + 1, key)
    }
    let isAlone = end == opening + 2
    guard isAlone, isEnd(opening - 1) || isComparison(opening - 1) else { return nil }
    return (opening..<end + 1, key)
  }

  private func left(of place: Int) -> Side {
    var before = place - 1
    // IS DISTINCT FROM is IS NOT.
    if isWord("FROM", before), isWord("DISTINCT", before - 1) { before -= 2 }
    if isWord("NOT", before), isWord("IS", before - 1) {
      before -= 2
    } else if isWord("IS", before) {
      before -= 1
    } else {
      while isOperator(before) { before -= 1 }
    }
    guard before < place - 1 else { return isEnd(before) ? .nothing : .other }
    return isKeyOrText(before) ? .harmless : .other
  }

  private func right(of place: Int) -> Side {
    var next = place + 1
    if isWord("ISNULL", next) || isWord("NOTNULL", next)
      || isWord("NOT", next) && isWord("NULL", next + 1)
    {
      return .harmless
    }
    if isWord("IS", next) {
      next += isWord("NOT", next + 1) ? 2 : 1
      if isWord("DISTINCT", next), isWord("FROM", next + 1) { next += 2 }
      if isWord("NULL", next) { return .harmless }
    } else {
      while isOperator(next) { next += 1 }
    }
    guard next > place + 1 else { return isEnd(next) ? .nothing : .other }
    return isKeyOrText(next) ? .harmless : .other
  }

  private func isKeyOrText(_ place: Int) -> Bool {
    switch item(place) {
    case .key: true
    case .other(let token): token.kind == .string && Double(token.name ?? "") == nil
    case nil: false
    }
  }

  private func isEnd(_ place: Int) -> Bool {
    guard case .other(let token)? = item(place) else { return !items.indices.contains(place) }
    return ["(", ")", ","].contains(where: token.isSymbol)
      || ["AND", "OR", "NOT", "WHEN", "THEN", "ELSE", "END", "ON"].contains(where: token.isWord)
  }

  private func isComparison(_ place: Int) -> Bool {
    isOperator(place) || isWord("IS", place) || isWord("FROM", place)
  }

  private func isOperator(_ place: Int) -> Bool {
    ["=", "<", ">", "!"].contains { isSymbol($0, place) }
  }

  private func item(_ place: Int) -> Item? {
    items.indices.contains(place) ? items[place] : nil
  }

  private func isSymbol(_ symbol: String, _ place: Int) -> Bool {
    if case .other(let token)? = item(place) { token.isSymbol(symbol) } else { false }
  }

  private func isWord(_ word: String, _ place: Int) -> Bool {
    if case .other(let token)? = item(place) { token.isWord(word) } else { false }
  }
}

extension KeyPlan {
  /// The CHECK constraints, generated columns and indexes that would not mean the same any more.
  func objectionsToExpressions(in db: Database) throws -> [SyncError] {
    try tables.filter { !$0.origins.isEmpty }.flatMap { table in
      try table.objectionsToConstraints() + table.objectionsToIndexes(in: db)
    }
  }
}

extension KeyPlan.Table {
  fileprivate func objectionsToConstraints() -> [SyncError] {
    let ofColumns = definition.columns.flatMap { column in
      column.constraints.map { (constraint: $0, column: column.name) }
    }
    let ofTable = definition.constraints.map { (constraint: $0, column: "") }
    return (ofColumns + ofTable).compactMap { constraint, column in
      let isGenerated = constraint.kind == .generated
      guard isGenerated || constraint.kind == .check else { return nil }
      let expression = definition.tokens[constraint.tokens].drop { !$0.isSymbol("(") }
      return objection(
        to: expression, of: isGenerated ? "The generated column \(column)" : "A CHECK constraint",
        hint: "Make the table anew without it before the migration, or migrate the table by hand.")
    }
  }

  fileprivate func objectionsToIndexes(in db: Database) throws -> [SyncError] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT name, sql FROM sqlite_schema
        WHERE type = 'index' AND tbl_name = ? COLLATE NOCASE AND sql NOTNULL ORDER BY rowid
        """, arguments: [name]
    ).compactMap { row in
      let index: String = try row.read("name")
      return try Self.expressions(ofIndex: row.read("sql")).lazy.compactMap {
        objection(
          to: $0, of: "The index \(index)",
          hint: "Drop the index before the migration, and create one after it that is right.")
      }.first
    }
  }

  /// What an index is over, but for names of columns, and its condition.
  private static func expressions(ofIndex sql: String) -> [[SQLToken]] {
    guard let tokens = SQLTokenizer.tokens(of: sql),
      let on = tokens.firstIndex(where: { $0.isWord("ON") })
    else { return [] }
    // No expression holds the word.
    let end = tokens.firstIndex { $0.isWord("WHERE") } ?? tokens.endIndex
    let terms = tokens[min(on + 2, end)..<end].splitAtCommas().filter { term in
      term.count > 1 && !["COLLATE", "ASC", "DESC"].contains(where: term[1].isWord)
    }
    return terms + [Array(tokens[end...].dropFirst())]
  }

  private func objection(
    to expression: some Collection<SQLToken>, of what: String, hint: String
  ) -> SyncError? {
    KeyExpression(expression, keys: origins.keys).misusedKey.map { key in
      SyncError(
        .keysNotMigrated, table: name, column: key,
        "\(what) compares or computes with \(key), an integer that becomes text.", hint: hint)
    }
  }
}
