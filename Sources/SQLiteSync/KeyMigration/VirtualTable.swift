import GRDB

/// A `CREATE VIRTUAL TABLE` statement, as far as a full-text index goes.
struct VirtualTable {
  let name: String
  let sql: String
  /// The name of the module, in lower case.
  let module: String
  private let arguments: [[SQLToken]]

  /// Nil for a statement that is not understood.
  init?(name: String, sql: String) {
    guard let tokens = SQLTokenizer.tokens(of: sql),
      let using = tokens.firstIndex(where: { $0.isWord("USING") }), using + 1 < tokens.count,
      let module = tokens[using + 1].name
    else { return nil }
    (self.name, self.sql, self.module) = (name, sql, module.asciiLowercased)
    arguments = tokens.dropFirst(using + 2).splitAtCommas()
  }

  /// Whether it is a full-text index.
  var isSearchIndex: Bool { ["fts3", "fts4", "fts5"].contains(module) }

  /// The names of its columns.
  var columns: [String] {
    arguments.filter { !$0.isOption }.compactMap { $0.first?.name }
  }

  /// The value of an option; nil where it is not given.
  func option(_ name: String) -> String? {
    argument(name)?.last?.name
  }

  /// The statement with another value of an option.
  func replacing(option name: String, with value: String) -> String? {
    guard let token = argument(name)?.last else { return nil }
    var bytes = Array(sql.utf8)
    bytes.replaceSubrange(token.range, with: Array(value.quotedLiteral.utf8))
    return String(decoding: bytes, as: UTF8.self)
  }

  private func argument(_ name: String) -> [SQLToken]? {
    arguments.first { $0.isOption && $0[0].name?.isSameName(as: name) == true }
  }
}

/// The statements of a trigger.
struct TriggerBody {
  /// With the name of the trigger, and the table that it is on.
  typealias Named = (name: String, table: String, body: TriggerBody)

  /// One of them.
  struct Statement {
    let tokens: [SQLToken]

    /// Whether it makes rows.
    var isInsert: Bool { tokens.first.map { $0.isWord("INSERT") || $0.isWord("REPLACE") } ?? false }

    /// The table that it writes to; nil for a query.
    var target: String? {
      guard let verb = tokens.first else { return nil }
      let place: Int? =
        if isInsert {
          tokens.firstIndex { $0.isWord("INTO") }.map { $0 + 1 }
        } else if verb.isWord("DELETE") {
          tokens.firstIndex { $0.isWord("FROM") }.map { $0 + 1 }
        } else if verb.isWord("UPDATE") {
          tokens.count > 1 && tokens[1].isWord("OR") ? 3 : 1
        } else {
          nil
        }
      return place.flatMap { $0 < tokens.count ? tokens[$0].name : nil }
    }

    /// The statement without the values that an INSERT gives to these columns.
    func withoutValues(of columns: some Collection<String>) -> Statement {
      guard let into = tokens.firstIndex(where: { $0.isWord("INTO") }), into + 2 < tokens.count,
        tokens[into + 2].isSymbol("("),
        let values = tokens.firstIndex(where: { $0.isWord("VALUES") }), values + 1 < tokens.count,
        tokens[values + 1].isSymbol("(")
      else { return self }
      let names = Array(tokens[(into + 2)..<values]).splitAtCommas()
      let given = Array(tokens[(values + 1)...]).splitAtCommas()
      guard names.count == given.count else { return self }
      let others = zip(names, given).filter { name, _ in
        !columns.contains { column in name.first?.name?.isSameName(as: column) == true }
      }
      return Statement(
        tokens: Array(tokens[...(into + 1)]) + others.flatMap { $0.0 + $0.1 })
    }

    /// Whether one of these names stands in it.
    func mentions(_ names: [String]) -> Bool {
      tokens.contains { token in
        token.name.map { name in names.contains { $0.isSameName(as: name) } } ?? false
      }
    }

    /// The first column of the row that fired the trigger, out of these, or else the first of those
    /// names, that is not just compared with another of `keys`.
    func firstMention(
      ofRowColumns columns: [String], orOf names: [String], besides keys: [String]
    ) -> String? {
      let compared = comparedKeys(keys)
      for (index, token) in tokens.enumerated() where !compared.contains(index) {
        guard token.kind == .word || token.kind == .quotedName, let name = token.name else {
          continue
        }
        let isOfRow =
          index > 1 && tokens[index - 1].isSymbol(".")
          && (tokens[index - 2].isWord("NEW") || tokens[index - 2].isWord("OLD"))
        if (isOfRow ? columns : names).contains(where: { $0.isSameName(as: name) }) { return name }
      }
      return nil
    }

    /// The places of keys that are compared with each other: they are of one kind afterwards too.
    private func comparedKeys(_ keys: [String]) -> Set<Int> {
      func isKey(_ place: Int) -> Bool {
        guard tokens.indices.contains(place), let name = tokens[place].name else { return false }
        return keys.contains { $0.isSameName(as: name) }
      }
      return tokens.indices.reduce(into: []) { places, index in
        guard tokens[index].isSymbol("=") else { return }
        let isQualified = index + 2 < tokens.count && tokens[index + 2].isSymbol(".")
        let (left, right) = (index - 1, index + (isQualified ? 3 : 1))
        if isKey(left), isKey(right) { places.formUnion([left, right]) }
      }
    }
  }

  /// The database that it says its table is in.
  private let database: String?
  /// What stands between `WHEN` and `BEGIN`; nothing where there is no such condition.
  let condition: Statement
  /// In their order.
  let statements: [Statement]

  /// Nil for a statement that is not understood.
  init?(_ sql: String) {
    guard let tokens = SQLTokenizer.tokens(of: sql),
      let on = tokens.firstIndex(where: { $0.isWord("ON") }), on + 2 < tokens.count,
      // Columns may have that name.
      let begin = tokens.indices[(on + 2)...].first(where: {
        tokens[$0].isWord("BEGIN") && !tokens[$0 - 1].isSymbol(".")
      }), let end = tokens.last, end.isWord("END")
    else { return nil }
    database = tokens[on + 2].isSymbol(".") ? tokens[on + 1].name : nil
    let when = tokens[..<begin].firstIndex { $0.isWord("WHEN") } ?? begin
    condition = Statement(tokens: Array(tokens[when..<begin]))
    statements = tokens[(begin + 1)..<(tokens.count - 1)]
      .split { $0.isSymbol(";") }.map { Statement(tokens: Array($0)) }
  }

  /// The triggers of a database, those of this connection alone among them, as far as they are
  /// understood.
  static func all(in db: Database) throws -> [Named] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' AND sql NOTNULL
        UNION ALL SELECT name, tbl_name, sql FROM sqlite_temp_schema WHERE type = 'trigger'
        """
    ).compactMap { row in
      guard let body = try TriggerBody(row.read("sql")),
        body.database?.isSameName(as: "main") ?? true
      else { return nil }
      return try (row.read("name"), row.read("tbl_name"), body)
    }
  }
}

extension Collection where Element == SQLToken {
  /// What stands between commas within the outermost parentheses.
  func splitAtCommas() -> [[SQLToken]] {
    var (parts, depth): ([[SQLToken]], Int) = ([[]], 0)
    for token in self {
      if token.isSymbol(")") { depth -= 1 }
      if depth == 1, token.isSymbol(",") {
        parts.append([])
      } else if depth > 0 {
        parts[parts.count - 1].append(token)
      }
      if token.isSymbol("(") { depth += 1 }
    }
    return parts.filter { !$0.isEmpty }
  }
}

extension [SQLToken] {
  /// Whether it is `name = value`.
  fileprivate var isOption: Bool { count > 2 && self[1].isSymbol("=") }
}
