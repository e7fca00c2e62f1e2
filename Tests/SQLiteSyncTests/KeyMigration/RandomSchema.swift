import GRDB
import RemindersTestSupport

@testable import SQLiteSync

/// A legal schema of before synchronization with rows, spelled in any way that SQLite accepts; it
/// follows from a seed.
struct RandomSchema {
  enum Key: CaseIterable {
    case rowid, autoincrement, tableLevel, notRowid, withoutRowid, missing, text

    var isInteger: Bool { self != .missing && self != .text }
  }

  struct Table {
    let name: String
    let key: Key
    let keyName: String
    let isListed: Bool
    let isStrict: Bool
    /// Foreign keys: the column, and the place of the parent.
    var references: [(column: String, parent: Int)] = []
    var columns: [String] = []
    var keys: [DatabaseValue] = []
  }

  private(set) var tables: [Table] = []
  private(set) var statements: [String] = []
  private var random: SplitMix64

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    let names = ["lists", "my items", "order", "checks", "été", "a\"b", "it's", "x`y"].shuffled(
      using: &random)
    for index in 0..<Int.random(in: 1...5, using: &random) {
      let key = Key.allCases.randomElement(using: &random) ?? .rowid
      tables.append(
        Table(
          name: names[index], key: key,
          keyName: pick(["id", "Id", "the key", "primary", "k"]), isListed: chance(80),
          isStrict: chance(40)))
    }
    for index in tables.indices { statements.append(create(index)) }
    for index in tables.indices { statements += objects(index) }
    for index in tables.indices { tables[index].keys = keys(of: tables[index]) }
    for index in tables.indices { statements += rows(of: tables[index]) }
  }

  // MARK: - Chance

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  private mutating func pick<T>(_ values: [T]) -> T {
    values[Int.random(in: values.indices, using: &random)]
  }

  /// A name as SQL, bare where it may be.
  private mutating func quoted(_ name: String) -> String {
    let isBare =
      !["order", "primary", "not"].contains(name.lowercased())
      && !name.contains { " \"'`".contains($0) }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return "[\(name)]"
    case 1: return "`\(name.replacing("`", with: "``"))`"
    case 2 where isBare: return name
    default: return name.quotedIdentifier
    }
  }

  /// Tokens with blanks and comments between them, and keywords in any case.
  private mutating func spelled(_ tokens: [String]) -> String {
    var sql = ""
    for token in tokens {
      let isKeyword = token.utf8.allSatisfy { (65...90).contains($0) || $0 == 32 }
      sql += isKeyword && chance(30) ? token.lowercased() : token
      sql += pick([" ", " ", " ", " ", "\n", "\t", " /* a, (b */ ", " -- c ) 'd\n"])
    }
    return sql
  }

  // MARK: - Tables

  private mutating func create(_ index: Int) -> String {
    let table = tables[index]
    var items = columns(index)
    if table.key != .missing {
      items.insert(keyColumn(table), at: table.key == .rowid ? 0 : pick(Array(0...items.count)))
    }
    if items.isEmpty { items.append([quoted("only"), "TEXT"]) }
    var constraints: [[String]] = []
    if table.key == .tableLevel {
      constraints.append(["PRIMARY KEY", "(", quoted(table.keyName), ")"])
    }
    for (column, parent) in tables[index].references where chance(50) {
      constraints.append(
        ["FOREIGN KEY", "(", quoted(column), ")"] + reference(to: tables[parent]))
    }
    // A reference that is not a constraint of the table stands with its column.
    let written = Set(constraints.filter { $0[0] == "FOREIGN KEY" }.map { $0[2] })
    for (column, parent) in tables[index].references {
      let isWritten = written.contains { SQLTokenizer.tokens(of: $0)?.first?.name == column }
      guard !isWritten, let place = items.firstIndex(where: { name(of: $0) == column }) else {
        continue
      }
      items[place] += reference(to: tables[parent])
    }
    if chance(20) { constraints.append(["CHECK", "(", "1 <> ')'", ")"]) }
    let body = (items + constraints).joined(separator: [","])
    let options =
      table.key == .withoutRowid
      ? table.isStrict ? ["STRICT", ",", "WITHOUT ROWID"] : ["WITHOUT ROWID"]
      : table.isStrict ? ["STRICT"] : []
    return spelled(["CREATE", "TABLE", quoted(table.name), "("] + body + [")"] + options)
  }

  private func name(of item: [String]) -> String? {
    SQLTokenizer.tokens(of: item[0])?.first?.name
  }

  private mutating func keyColumn(_ table: Table) -> [String] {
    let name = quoted(table.keyName)
    switch table.key {
    case .rowid: return [name, "INTEGER"] + named(["PRIMARY KEY"])
    case .autoincrement: return [name, "INTEGER", "PRIMARY KEY", "AUTOINCREMENT"]
    case .tableLevel: return [name, "INTEGER", "NOT NULL"]
    case .notRowid: return [name, "INT", "NOT NULL", "PRIMARY KEY"]
    case .withoutRowid: return [name, "INTEGER", "PRIMARY KEY", "DEFAULT", "(1 + 2)"]
    case .missing, .text: return [name, "TEXT", "PRIMARY KEY", "NOT NULL"]
    }
  }

  private mutating func named(_ constraint: [String]) -> [String] {
    chance(30) ? ["CONSTRAINT", quoted("a name")] + constraint : constraint
  }

  private mutating func columns(_ index: Int) -> [[String]] {
    var items: [[String]] = []
    let names = ["title", "checksum", "unique_id", "Not", "b c", "Ü"].shuffled(using: &random)
    for name in names.prefix(Int.random(in: 0...4, using: &random)) {
      tables[index].columns.append(name)
      items.append(column(name, isStrict: tables[index].isStrict))
      if chance(15) {
        items.append([quoted("of " + name), "TEXT", "AS", "(", "typeof(\(quoted(name)))", ")"])
      }
    }
    for number in 0..<Int.random(in: 0...2, using: &random) {
      let parent = Int.random(in: tables.indices, using: &random)
      guard tables[parent].key != .missing else { continue }
      let name = "parent \(number)"
      tables[index].references.append((name, parent))
      items.append([quoted(name), tables[parent].key == .text ? "TEXT" : "INTEGER"])
    }
    return items
  }

  private mutating func column(_ name: String, isStrict: Bool) -> [String] {
    let types = ["INTEGER", "TEXT", "REAL", "BLOB", "ANY", "VARCHAR(10, 2)", "NUMERIC", "odd one"]
    var item = [quoted(name), isStrict ? pick(Array(types.prefix(5))) : pick(types)]
    if chance(20) { item += ["COLLATE", "NOCASE"] }
    if chance(30) { item += ["CHECK", "(", "coalesce(\(quoted(name)), 1) <> ','", ")"] }
    if chance(30), !isStrict {
      item += ["DEFAULT", pick(["-1", "'it''s'", "(1)", "x'00'", "NULL"])]
    }
    return item
  }

  private mutating func reference(to parent: Table) -> [String] {
    var reference = ["REFERENCES", quoted(chance(20) ? parent.name.uppercasedASCII : parent.name)]
    if chance(50) { reference += ["(", quoted(parent.keyName), ")"] }
    if chance(50) { reference += ["ON DELETE", pick(["CASCADE", "SET NULL"])] }
    if chance(10) { reference += ["DEFERRABLE INITIALLY DEFERRED"] }
    return reference
  }

  private mutating func objects(_ index: Int) -> [String] {
    let table = tables[index]
    var objects: [String] = []
    let columns = table.columns + table.references.map(\.column)
    for (number, column) in columns.enumerated() where chance(40) {
      let name = "index \(index) \(number)".quotedIdentifier
      let condition = chance(30) ? " WHERE \(quoted(column)) IS NOT NULL" : ""
      objects.append(
        "CREATE INDEX \(name) ON \(quoted(table.name)) (\(quoted(column)) DESC)" + condition)
    }
    if chance(40) {
      objects.append(
        "CREATE TRIGGER \("trigger \(index)".quotedIdentifier) AFTER DELETE ON "
          + "\(quoted(table.name)) BEGIN SELECT count(*) FROM \(quoted(table.name)); END")
    }
    if chance(40) {
      objects.append(
        "CREATE VIEW \("view \(index)".quotedIdentifier) AS SELECT * FROM "
          + table.name.quotedIdentifier)
    }
    return objects
  }

  // MARK: - Rows

  private mutating func keys(of table: Table) -> [DatabaseValue] {
    let numbers: [Int64] = [1, 2, 3, 42, -7, 1 << 53, .max, .min].shuffled(using: &random)
    return numbers.prefix(Int.random(in: 0...5, using: &random)).map {
      table.key == .text ? "k\($0)".databaseValue : $0.databaseValue
    }
  }

  private mutating func rows(of table: Table) -> [String] {
    table.keys.map { key in
      var names: [String] = []
      var values: [String] = []
      if table.key != .missing {
        names.append(table.keyName)
        values.append("\(key.sqlLiteral)")
      }
      for (column, parent) in table.references {
        names.append(column)
        values.append((tables[parent].keys.randomElement(using: &random) ?? .null).sqlLiteral)
      }
      // Into a STRICT table of whatever types only NULL fits.
      for column in table.columns where !table.isStrict {
        names.append(column)
        values.append(pick(["NULL", "1", "2.5", "'text'", "'1'", "x'ff'", "''"]))
      }
      guard !names.isEmpty else {
        return "INSERT INTO \(table.name.quotedIdentifier) DEFAULT VALUES"
      }
      let list = names.map(\.quotedIdentifier).joined(separator: ", ")
      return "INSERT INTO \(table.name.quotedIdentifier) (\(list)) "
        + "VALUES (\(values.joined(separator: ", ")))"
    }
  }
}

extension DatabaseValue {
  fileprivate var sqlLiteral: String {
    switch storage {
    case .int64(let integer): integer == .min ? "(-9223372036854775807 - 1)" : "\(integer)"
    case .string(let text): text.quotedLiteral
    default: "NULL"
    }
  }
}

extension String {
  fileprivate var uppercasedASCII: String {
    String(decoding: utf8.map { (97...122).contains($0) ? $0 - 32 : $0 }, as: UTF8.self)
  }
}
