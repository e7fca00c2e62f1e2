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

  /// Where `last_insert_rowid()` stands.
  var lastInserted: [Range<Int>] {
    tokens.indices.filter { index in
      tokens[index].name?.isSameName(as: "last_insert_rowid") == true
        && isSymbol("(", or: "(", at: index + 1)
    }.map { $0..<min($0 + 3, tokens.count) }
  }

  /// The names of the tables that it reads or writes, each with the one that it goes by; others
  /// may be among them.
  var tableNames: [(name: String, alias: String)] {
    let words = ["INTO", "FROM", "JOIN", "UPDATE"]
    let places = tokens.indices.filter { place in
      isSymbol(",", or: "(", at: place - 1) || words.contains { isWord($0, at: place - 1) }
    }
    let found = places.compactMap { place -> (name: String, alias: String)? in
      let last = isSymbol(".", or: ".", at: place + 1) ? place + 2 : place
      guard tokens.indices.contains(last), let name = tokens[last].name else { return nil }
      let next = isWord("AS", at: last + 1) ? last + 2 : last + 1
      let alias = tokens.indices.contains(next) ? tokens[next].name : nil
      return (name, alias ?? name)
    }
    return found + [target].compactMap { $0 }.map { ($0, $0) }
  }

  /// What may be columns of the tables that it reads, and where they stand: all names that are not
  /// called, nor columns of the row that fired a trigger.
  var otherColumns: [(column: String, qualifier: String?, place: Range<Int>)] {
    tokens.indices.compactMap { index in
      let token = tokens[index]
      guard token.kind == .word || token.kind == .quotedName, let column = token.name,
        !isSymbol("(", or: ".", at: index + 1)
      else { return nil }
      guard index > 1, isSymbol(".", or: ".", at: index - 1) else {
        return (column, nil, index..<index + 1)
      }
      guard let qualifier = tokens[index - 2].name,
        !["new", "old"].contains(qualifier.asciiLowercased)
      else { return nil }
      return (column, qualifier, index - 2..<index + 1)
    }
  }

  /// What stands on the other side of a comparison or an assignment.
  func partners(of place: Range<Int>) -> [Partner] {
    enclosures(of: place).flatMap(neighbours)
  }

  /// A value, and all around it that has the same value: parentheses, and queries for nothing else.
  private func enclosures(of place: Range<Int>) -> [Range<Int>] {
    Array(sequence(first: place, next: enclosure))
  }

  private func enclosure(of place: Range<Int>) -> Range<Int>? {
    let before = place.lowerBound - 1
    let isQueried = ["SELECT", "DISTINCT", "ALL", "VALUES"].contains { isWord($0, at: before) }
    let ends = isSymbol(")", or: ")", at: place.upperBound)
    if isSymbol("(", or: "(", at: before), ends {
      // Not of a function, nor behind a list of columns.
      let isPart = before == 0 || tokens[before - 1].kind == .symbol
      let words = ["IN", "AND", "OR", "NOT", "IS", "WHERE", "WHEN", "THEN", "ELSE", "SELECT"]
      guard isPart || (words + ["VALUES"]).contains(where: tokens[before - 1].isWord) else {
        return nil
      }
      return before..<place.upperBound + 1
    }
    let words = Self.ends + ["AS", "UNION", "EXCEPT", "INTERSECT"]
    guard isQueried, ends || words.contains(where: { isWord($0, at: place.upperBound) }),
      let start = opening(around: place.lowerBound), !isWord("EXISTS", at: start - 1),
      let end = closing(around: place.upperBound)
    else { return nil }
    return start..<end + 1
  }

  private func neighbours(of place: Range<Int>) -> [Partner] {
    let left = operatorStart(before: place.lowerBound).flatMap(operand(endingAt:))
    let right = operatorEnd(after: place.upperBound).flatMap(operand(startingAt:))
    let isList = tokens.indices.contains(place.lowerBound) && tokens[place.lowerBound].isSymbol("(")
    let owner =
      isList && isWord("IN", at: place.lowerBound - 1)
      ? listOwner(before: place.lowerBound - 1) : listOwner(of: place)
    return [left, right, owner].compactMap { $0 }
  }

  /// The last token before an operator that ends where a value begins.
  private func operatorStart(before end: Int) -> Int? {
    var place = end - 1
    // IS DISTINCT FROM is IS NOT.
    if isWord("FROM", at: place), isWord("DISTINCT", at: place - 1) { place -= 2 }
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
    if isWord("DISTINCT", at: place), isWord("FROM", at: place + 1) { place += 2 }
    while isComparison(at: place) { place += 1 }
    return place > start ? place : nil
  }

  /// The column `c` of `c IN (…, value, …)`.
  private func listOwner(of place: Range<Int>) -> Partner? {
    guard let start = opening(around: place.lowerBound), isWord("IN", at: start - 1),
      isSymbol(",", or: "(", at: place.lowerBound - 1),
      isSymbol(",", or: ")", at: place.upperBound)
    else { return nil }
    return listOwner(before: start - 1)
  }

  private func listOwner(before inWord: Int) -> Partner? {
    operand(endingAt: isWord("NOT", at: inWord - 1) ? inWord - 2 : inWord - 1)
  }

  /// The parenthesis that is open where a token stands.
  private func opening(around place: Int) -> Int? {
    var depth = 0
    for index in (0..<place).reversed() {
      if tokens[index].isSymbol("("), depth == 0 { return index }
      if tokens[index].isSymbol(")") { depth += 1 }
      if tokens[index].isSymbol("(") { depth -= 1 }
    }
    return nil
  }

  /// The parenthesis that closes what is open where a token stands.
  private func closing(around place: Int) -> Int? {
    var depth = 0
    for index in place..<tokens.count {
      if tokens[index].isSymbol(")"), depth == 0 { return index }
      if tokens[index].isSymbol("(") { depth += 1 }
      if tokens[index].isSymbol(")") { depth -= 1 }
    }
    return nil
  }

  private func operand(endingAt place: Int) -> Partner? {
    guard tokens.indices.contains(place) else { return nil }
    let isQualified = place > 1 && tokens[place - 1].isSymbol(".")
    return operand(tokens[place], of: isQualified ? tokens[place - 2].name : nil)
  }

  private func operand(startingAt place: Int) -> Partner? {
    // The first of a list or of a query's rows stands for them all.
    let words = ["SELECT", "DISTINCT", "ALL", "VALUES"]
    let place = tokens.indices[min(place, tokens.count)...].first { place in
      !isSymbol("(", or: "-", at: place) && !words.contains { isWord($0, at: place) }
    }
    guard let place else { return nil }
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
    // Compared with an integer, it was one.
    case .string where Int64(token.name ?? "") != nil: .number(token.text)
    case .literal, .string, .symbol: nil
    }
  }

  /// The column that an INSERT gives this value, if there is nothing else to the value.
  ///
  /// - Parameters:
  ///   - place: Where the value stands.
  ///   - columns: Those of the table, for a statement that names none.
  func columns(ofValueAt place: Range<Int>, among columns: [String]) -> [String] {
    enclosures(of: place).compactMap { column(ofValueAt: $0, among: columns) }
  }

  private func column(ofValueAt place: Range<Int>, among columns: [String]) -> String? {
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
