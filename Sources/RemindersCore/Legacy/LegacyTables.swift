import Foundation
import GRDB
import SQLiteSync

/// The rows of a file of before synchronization, whatever its tables say of themselves.
///
/// Such a file may have no foreign keys, keys that are none, rows that refer to nothing, and values
/// of any kind: SQLite lets all of that be. None of it keeps out the rest.
struct LegacyTables {
  typealias Columns = LegacyFile.Columns

  /// What a column holds.
  private enum Kind {
    case text, integer, number, moment, bytes
  }

  private static let kinds: [String: Kind] = [
    "title": .text, "notes": .text, "url": .text, "color": .integer, "isFlagged": .integer,
    "priority": .integer, "status": .integer, "isCompleted": .integer, "position": .number,
    "createdAt": .moment, "updatedAt": .moment, "coverImage": .bytes,
  ]
  private static let ranges: [String: ClosedRange<Int64>] = [
    "priority": 0...3, "color": 0...0xFFFF_FFFF,
  ]

  /// The tables whose rows others refer to, each before those.
  private static let parents = ["remindersLists", "tags", "reminders"]
  private static let references: [String: [String: String]] = [
    "reminders": ["remindersListID": "remindersLists"],
    "remindersListAssets": ["remindersListID": "remindersLists"],
    "reminderTags": ["reminderID": "reminders", "tagID": "tags"],
    "remindersTags": ["reminderID": "reminders", "tagID": "tags"],
  ]

  /// The list of reminders whose own is not there.
  static let listOfOthers = "Without a list"

  /// The rows by table, with text keys.
  private(set) var rows: [String: [Columns]] = [:]
  private var keys: [String: LegacyKeys] = [:]
  /// The reminders whose list is not there.
  private(set) var withoutList = 0
  /// What has no meaning, by column, and how many rows refer to nothing, by table.
  private var odd: [String: [String]] = [:]
  private var orphans: [String: Int] = [:]

  /// Reads the tables of a file and puts their rows in order.
  ///
  /// - Parameters:
  ///   - names: Those that it has.
  ///   - file: Makes the keys: one file has the same each time.
  init(_ names: [String], ofFile file: UUID, in db: Database) throws {
    for name in names { rows[name] = try Self.rows(of: name, in: db) }
    for name in Self.parents {
      let ids = (rows[name] ?? []).map { $0["id"] ?? (name == "tags" ? $0["title"] : nil) ?? .null }
      keys[name] = LegacyKeys(ids, of: name, ofFile: file)
    }
    // First what others refer to: a list may be added to it.
    for name in Self.parents + names.filter({ !Self.parents.contains($0) }) where rows[name] != nil
    {
      takeOver(name)
    }
  }

  private static func rows(of table: String, in db: Database) throws -> [Columns] {
    let hasRowID = try Bool.fetchOne(
      db, sql: "SELECT NOT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?",
      arguments: [table])
    let order = hasRowID == true ? " ORDER BY rowid" : ""
    let rows = try Row.fetchCursor(db, sql: "SELECT * FROM \(table)\(order)").map { row in
      Dictionary(row.map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
    }
    return try Array(rows)
  }

  /// What was left out, in words.
  var leftOut: [String] {
    let shown = 3
    return odd.sorted { $0.key < $1.key }.map { column, values in
      let rest = values.count - shown
      return "\(column): \(values.prefix(shown).joined(separator: ", "))"
        + (rest > 0 ? " and \(rest) more" : "")
    }
      + orphans.sorted { $0.key < $1.key }.map { table, count in
        "\(table): \(counted(count, "row")) about what is not there"
      }
  }

  // MARK: - In order

  private mutating func takeOver(_ table: String) {
    let references = Self.references[table] ?? [:]
    var taken: [Columns] = []
    for (index, read) in (rows[table] ?? []).enumerated() {
      var row = read
      if let keys = keys[table] { row["id"] = keys.all[index] }
      var isOrphan = false
      for (column, parent) in references {
        row[column] = keys[parent]?.key(of: row[column] ?? .null)
        if row[column] == nil { isOrphan = true }
      }
      if isOrphan, table == "reminders" {
        row["remindersListID"] = keyOfListOfOthers()
        withoutList += 1
      } else if isOrphan {
        orphans[table, default: 0] += 1
        continue
      }
      for (column, value) in read {
        guard let kind = Self.kinds[column] else { continue }
        row[column] = self.value(value, kind, column, of: read, table)
      }
      taken.append(row)
    }
    rows[table] = taken
  }

  private mutating func keyOfListOfOthers() -> DatabaseValue {
    if withoutList == 0, let key = keys["remindersLists"]?.add() {
      let list: Columns = ["id": key, "title": Self.listOfOthers.databaseValue]
      rows["remindersLists", default: []].append(list)
    }
    return rows["remindersLists"]?.last?["id"] ?? .null
  }

  /// A value as what its column holds, a moment in milliseconds.
  ///
  /// NULL for one that is none, which is noted.
  private mutating func value(
    _ value: DatabaseValue, _ kind: Kind, _ column: String, of row: Columns, _ table: String
  ) -> DatabaseValue {
    guard !value.isNull else { return value }
    let read: DatabaseValue? =
      switch kind {
      case .text: LegacyText.of(value)?.databaseValue
      case .integer:
        LegacyText.integer(value).flatMap { number in
          Self.ranges[column]?.contains(number) ?? true ? number.databaseValue : nil
        }
      case .number:
        (Double.fromDatabaseValue(value) ?? LegacyText.of(value).flatMap(Double.init))?.finite?
          .databaseValue
      case .moment: Date(legacy: value)?.milliseconds.databaseValue
      case .bytes: Data.fromDatabaseValue(value)?.databaseValue
      }
    guard let read else {
      let name = LegacyText.of(row["title"] ?? .null) ?? LegacyText.of(row["id"] ?? .null) ?? "?"
      let text = LegacyText.of(value)
      let shown = text.map { "“\($0.oneLine.prefix(30))”" } ?? LegacyText.size(of: value)
      odd["\(table).\(column)", default: []].append("\(shown) of “\(name.oneLine.prefix(30))”")
      return .null
    }
    return read
  }
}

/// The keys of a table, as text: made of those of before synchronization, which are integers, or
/// text where all of them are.
private struct LegacyKeys {
  /// The key of each row: of its own, or of another one where that is none, or another row's.
  private(set) var all: [DatabaseValue] = []
  private var known: [DatabaseValue: DatabaseValue] = [:]
  private var used: Set<DatabaseValue>
  /// How many keys follow one, so that none of many is looked for from the first again.
  private var followers: [String: Int64] = [:]
  private let isText: Bool
  private let table: String
  private let file: UUID

  init(_ ids: [DatabaseValue], of table: String, ofFile file: UUID) {
    isText = !ids.isEmpty && ids.allSatisfy { if case .string = $0.storage { true } else { false } }
    used = Set(ids)
    (self.table, self.file) = (table, file)
    for id in ids {
      let isFirst = known[id] == nil
      let key = (isFirst ? key(from: id) : nil) ?? fresh(after: id)
      if isFirst, !id.isNull { known[id] = key }
      all.append(key)
    }
  }

  /// The key of the row to which a value refers; nil where there is none.
  func key(of value: DatabaseValue) -> DatabaseValue? {
    // As a foreign key compares them: the text '1' refers to the row 1.
    known[value] ?? (isText ? nil : LegacyText.integer(value).flatMap { known[$0.databaseValue] })
  }

  /// The key of one more row.
  mutating func add() -> DatabaseValue {
    isText ? file.uuidString.lowercased().databaseValue : fresh(after: .null)
  }

  /// What becomes of a key; nil for one that is none.
  private func key(from id: DatabaseValue) -> DatabaseValue? {
    if case .string = id.storage { return isText ? id : nil }
    return LegacyText.integer(id).map(derived)
  }

  private mutating func fresh(after id: DatabaseValue) -> DatabaseValue {
    let text = isText ? LegacyText.of(id) ?? "" : ""
    var number = followers[text, default: 0]
    var key: DatabaseValue
    repeat {
      number += 1
      key = isText ? "\(text)~\(number)".databaseValue : number.databaseValue
    } while !used.insert(key).inserted
    followers[text] = number
    return isText ? key : derived(number)
  }

  /// The key that a migration gives a row.
  private func derived(_ integer: Int64) -> DatabaseValue {
    DerivedKey(namespace: file).key(integer, table: table).databaseValue
  }
}

/// Values of before synchronization as text and as numbers, whatever SQLite stored them as.
private enum LegacyText {
  static func of(_ value: DatabaseValue) -> String? {
    switch value.storage {
    case .string(let text): text
    case .int64(let number): "\(number)"
    case .double(let number): "\(number)"
    case .blob(let data): String(data: data, encoding: .utf8)
    case .null: nil
    }
  }

  /// How much of what is no text there is.
  static func size(of value: DatabaseValue) -> String {
    counted(Data.fromDatabaseValue(value)?.count ?? 0, "byte")
  }

  static func integer(_ value: DatabaseValue) -> Int64? {
    switch value.storage {
    case .int64(let number): number
    case .double(let number): Int64(exactly: number)
    case .string(let text): Int64(text)
    case .blob, .null: nil
    }
  }
}
