import GRDB

/// The triggers that put an integer key, which becomes text, beside an integer that stays one.
///
/// SQLite compares and stores whatever it is given: such a trigger would find nothing afterwards,
/// and nothing would say so. Looked at are `NEW.key` and `OLD.key` where they are compared with a
/// column or a number, assigned to a column, or a value of an INSERT. What is written to a
/// full-text index is for `SearchIndexes`.
struct TriggerKeys {
  private let plan: KeyPlan
  /// The columns to which an INSERT gives values, by table; of ordinary tables only.
  private let tables: [(name: String, columns: [String])]
  /// The triggers that would not work any more, once for each column they put a key beside.
  private(set) var objections: [SyncError] = []

  /// Looks for them; changes nothing.
  init(_ plan: KeyPlan, in db: Database) throws {
    self.plan = plan
    tables = try String.fetchAll(
      db, sql: "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
    ).map { name in
      try (name, KeyPlan.columns(of: name, in: db).filter { !$0.isGenerated }.map(\.name))
    }
    for (name, owner, trigger) in try TriggerBody.all(in: db) {
      guard let table = plan.tables.first(where: { $0.name.isSameName(as: owner) })
      else { continue }
      for statement in [trigger.condition] + trigger.statements {
        note(statement, of: name, on: table)
      }
    }
  }

  private mutating func note(
    _ statement: TriggerBody.Statement, of trigger: String, on table: KeyPlan.Table
  ) {
    let target = statement.target.map { name in tables.first { $0.name.isSameName(as: name) } }
    // A view, or a full-text index.
    if case .some(.none) = target { return }
    for mention in statement.rowColumns {
      guard let key = table.origins.keys.first(where: { $0.isSameName(as: mention.column) })
      else { continue }
      var partners = statement.partners(of: mention.place)
      if let target = target ?? nil,
        let column = statement.column(ofValueAt: mention.place, among: target.columns)
      {
        partners.append(.column(column, of: target.name))
      }
      for partner in partners {
        guard let error = objection(partner, key, of: statement, trigger, table),
          !objections.contains(error)
        else { continue }
        objections.append(error)
      }
    }
  }

  private func objection(
    _ partner: TriggerBody.Statement.Partner, _ key: String,
    of statement: TriggerBody.Statement, _ trigger: String, _ table: KeyPlan.Table
  ) -> SyncError? {
    var hint = "Drop the trigger before the migration, and create one after it that is right."
    let other: String
    switch partner {
    case .number(let number): other = "\(number), which stays an integer"
    case .column(let column, let qualifier):
      guard let owner = owner(of: column, qualifier, in: statement, on: table) else { return nil }
      other = "\(owner).\(column), which stays as it is"
      hint =
        Self.isRowID(column)
        ? "Let it go by NEW.rowid, or OLD.rowid, before the migration: that stays."
        : "Declare that column with REFERENCES \(table.origins[key] ?? table.name) before the "
          + "migration. Or drop the trigger, and create one after it that is right."
    }
    return SyncError(
      .keysNotMigrated, table: table.name, column: key,
      "The trigger \(trigger) puts \(key), which becomes text, beside \(other).", hint: hint)
  }

  /// The table whose column is meant and stays as it is; nil where it is migrated too, or where
  /// that cannot be told.
  private func owner(
    of column: String, _ qualifier: String?, in statement: TriggerBody.Statement,
    on table: KeyPlan.Table
  ) -> String? {
    let isOfRow = ["new", "old"].contains(qualifier?.asciiLowercased)
    let named = isOfRow ? table.name : qualifier
    let mentioned = statement.tableNames
    let candidates =
      tables.filter { known in named.map { known.name.isSameName(as: $0) } ?? false }.nonEmpty
      ?? tables.filter { known in mentioned.contains { known.name.isSameName(as: $0) } }
    let owners = candidates.filter { $0.columns.contains { $0.isSameName(as: column) } }
    guard !owners.isEmpty else { return Self.isRowID(column) ? candidates.first?.name : nil }
    let isMigrated = owners.contains { owner in
      plan.tables.first { $0.name == owner.name }?
        .origins.keys.contains { $0.isSameName(as: column) } ?? false
    }
    return isMigrated ? nil : owners[0].name
  }

  private static func isRowID(_ column: String) -> Bool {
    ["rowid", "oid", "_rowid_"].contains(column.asciiLowercased)
  }
}

extension Array {
  fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}

extension TriggerBody.Statement {
  /// What a value is compared with, or assigned to.
  enum Partner {
    /// A column, with the name of a table, or another one for it, where one is written.
    case column(String, of: String?)
    case number(String)
  }

  /// The columns of the row that fired the trigger, and where they stand.
  var rowColumns: [(column: String, place: Range<Int>)] {
    tokens.indices.dropLast(2).compactMap { index in
      guard tokens[index].isWord("NEW") || tokens[index].isWord("OLD"),
        tokens[index + 1].isSymbol("."), let column = tokens[index + 2].name
      else { return nil }
      return (column, index..<index + 3)
    }
  }

  /// The names of the tables that it reads or writes; others may be among them.
  var tableNames: [String] {
    let words = ["INTO", "FROM", "JOIN", "UPDATE"]
    let places = tokens.indices.dropFirst().filter { place in
      tokens[place - 1].isSymbol(",") || words.contains { tokens[place - 1].isWord($0) }
    }
    return places.compactMap { tokens[$0].name } + [target].compactMap { $0 }
  }

  /// What stands on the other side of a comparison or an assignment.
  func partners(of place: Range<Int>) -> [Partner] {
    let left = operatorStart(before: place.lowerBound).flatMap(operand(endingAt:))
    let right = operatorEnd(after: place.upperBound).flatMap(operand(startingAt:))
    return [left, right, listOwner(of: place)].compactMap { $0 }
  }

  /// The last token before an operator that ends where a value begins.
  private func operatorStart(before end: Int) -> Int? {
    var place = end - 1
    if isWord("NOT", at: place), isWord("IS", at: place - 1) { return place - 2 }
    if isWord("IS", at: place) { return place - 1 }
    while isComparison(at: place) { place -= 1 }
    return place < end - 1 ? place : nil
  }

  /// The first token after an operator that begins where a value ends.
  private func operatorEnd(after start: Int) -> Int? {
    var place = start
    if isWord("IS", at: place) || isWord("NOT", at: place) { place += 1 }
    if isWord("NOT", at: place) || isWord("IN", at: place) { place += 1 }
    while isComparison(at: place) { place += 1 }
    return place > start ? place : nil
  }

  /// The column `c` of `c IN (…, value, …)`.
  private func listOwner(of place: Range<Int>) -> Partner? {
    var (index, depth) = (place.lowerBound - 1, 0)
    while index >= 0, depth > 0 || !tokens[index].isSymbol("(") {
      if tokens[index].isSymbol(")") { depth += 1 }
      if tokens[index].isSymbol("(") { depth -= 1 }
      index -= 1
    }
    guard isWord("IN", at: index - 1), isSymbol(",", or: "(", at: place.lowerBound - 1),
      isSymbol(",", or: ")", at: place.upperBound)
    else { return nil }
    return operand(endingAt: isWord("NOT", at: index - 2) ? index - 3 : index - 2)
  }

  private func operand(endingAt place: Int) -> Partner? {
    guard tokens.indices.contains(place) else { return nil }
    let isQualified = place > 1 && tokens[place - 1].isSymbol(".")
    return operand(tokens[place], of: isQualified ? tokens[place - 2].name : nil)
  }

  private func operand(startingAt place: Int) -> Partner? {
    guard tokens.indices.contains(place) else { return nil }
    if tokens[place].isSymbol("("), isWord("SELECT", at: place + 1) {
      return operand(startingAt: place + 2)
    }
    guard place + 2 < tokens.count, tokens[place + 1].isSymbol(".") else {
      // A function otherwise.
      return isSymbol("(", or: "(", at: place + 1) ? nil : operand(tokens[place], of: nil)
    }
    return operand(tokens[place + 2], of: tokens[place].name)
  }

  private func operand(_ token: SQLToken, of qualifier: String?) -> Partner? {
    switch token.kind {
    case .word, .quotedName: token.name.map { .column($0, of: qualifier) }
    case .literal where token.text.first?.isNumber == true: .number(token.text)
    case .literal, .string, .symbol: nil
    }
  }

  /// The column that an INSERT gives this value, if there is nothing else to the value.
  ///
  /// - Parameters:
  ///   - place: Where the value stands.
  ///   - columns: Those of the table, for a statement that names none.
  func column(ofValueAt place: Range<Int>, among columns: [String]) -> String? {
    guard let into = tokens.firstIndex(where: { $0.isWord("INTO") }) else { return nil }
    var (start, names) = (into + 2, columns)
    if isSymbol("(", or: "(", at: start) {
      guard let end = tokens[start...].firstIndex(where: { $0.isSymbol(")") }) else { return nil }
      names = tokens[start + 1..<end].compactMap(\.name)
      start = end + 1
    }
    guard start < place.lowerBound, let number = valueNumber(at: place, from: start),
      number < names.count
    else { return nil }
    return names[number]
  }

  /// The number of a value, of those that begin with `VALUES` or `SELECT`.
  private func valueNumber(at place: Range<Int>, from start: Int) -> Int? {
    let isQuery = isWord("SELECT", at: start)
    guard isQuery || isWord("VALUES", at: start) else { return nil }
    let wanted = isQuery ? 0 : 1
    var (depth, number) = (0, 0)
    for index in start + 1..<place.lowerBound {
      let token = tokens[index]
      if token.isSymbol("(") {
        depth += 1
        if depth == wanted { number = 0 }
      } else if token.isSymbol(")") {
        depth -= 1
      } else if token.isSymbol(","), depth == wanted {
        number += 1
      } else if depth == 0, Self.ends.contains(where: token.isWord) {
        return nil
      } else if depth == 0, token.isWord("SELECT") {
        number = 0
      }
    }
    let before = place.lowerBound - 1
    let begins =
      isSymbol(",", or: "(", at: before)
      || ["SELECT", "DISTINCT", "ALL"].contains { isWord($0, at: before) }
    let ends =
      place.upperBound == tokens.count || isSymbol(",", or: ")", at: place.upperBound)
      || (Self.ends + ["AS", "UNION"]).contains { isWord($0, at: place.upperBound) }
    return depth == wanted && begins && ends ? number : nil
  }

  /// The words that end the values of an INSERT.
  private static let ends = ["FROM", "WHERE", "ON", "GROUP", "ORDER", "LIMIT", "RETURNING"]

  private func isWord(_ word: String, at place: Int) -> Bool {
    tokens.indices.contains(place) && tokens[place].isWord(word)
  }

  private func isSymbol(_ one: String, or other: String, at place: Int) -> Bool {
    tokens.indices.contains(place)
      && (tokens[place].isSymbol(one) || tokens[place].isSymbol(other))
  }

  private func isComparison(at place: Int) -> Bool {
    ["=", "<", ">", "!"].contains { isSymbol($0, or: $0, at: place) }
  }
}
