import Foundation
import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// Random legal schemas with rows are migrated, and everything that was not to change is compared.
///
/// `SEED=n` replays one, `SEEDS=n` tries more.
struct KeyMigrationPropertyTests {
  private static var seeds: Range<UInt64> {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["SEED"].flatMap(UInt64.init) { return seed..<seed + 1 }
    return 0..<(environment["SEEDS"].flatMap(UInt64.init) ?? 100)
  }

  @Test func onlyKeysChange() throws {
    var migrated = 0
    for seed in Self.seeds {
      let schema = RandomSchema(seed: seed)
      do {
        migrated += try check(schema, seed: seed)
      } catch {
        let text = schema.statements.joined(separator: ";\n")
        Issue.record("seed \(seed): \(error)\n\(text)")
        return
      }
    }
    #expect(migrated > 0)
  }

  /// Returns the number of rows that got a new key.
  private func check(_ schema: RandomSchema, seed: UInt64) throws -> Int {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let queue = try DatabaseQueue(configuration: configuration)
    try queue.write { db in
      for statement in schema.statements { try db.execute(sql: statement) }
    }
    let before = try queue.read { try Snapshot(schema, in: $0) }
    try queue.write { db in
      try SyncEngine.migratePrimaryKeys(
        db, tableNames: schema.tables.filter(\.isListed).map(\.name),
        uuid: { LegacyDatabase.namespace }, validates: false)
    }
    let after = try queue.read { try Snapshot(schema, in: $0) }
    let text = schema.statements.joined(separator: ";\n")
    #expect(before.objects == after.objects, "seed \(seed)\n\(text)")
    #expect(before.shapes == after.shapes, "seed \(seed)\n\(text)")
    #expect(before.migrated(schema) == after.rows, "seed \(seed)\n\(text)")
    #expect(before.problems == after.problems, "seed \(seed)\n\(text)")
    return schema.tables.filter { $0.isListed && $0.key != .text }.map(\.keys.count).reduce(0, +)
  }
}

/// A database as a value.
private struct Snapshot {
  typealias Columns = [String: DatabaseValue]

  /// Indexes, triggers and views, as they are written; tables by name.
  var objects: Set<String>
  /// What SQLite says of the columns whose type stays.
  var shapes: [String: [String]] = [:]
  /// The rows of each table, with their rowids.
  var rows: [String: Set<Columns>] = [:]
  var problems: [String]

  init(_ schema: RandomSchema, in db: Database) throws {
    objects = try Set(
      Row.fetchAll(
        db, sql: "SELECT * FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
      )
      .map { $0["type"] == "table" ? $0["name"] : $0["sql"] })
    problems =
      try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
      + Row.fetchAll(db, sql: "PRAGMA foreign_key_check").map { "\($0)" }
    for table in schema.tables {
      let keys = schema.keyColumns(of: table)
      shapes[table.name] = try Row.fetchAll(
        db, sql: "SELECT * FROM pragma_table_xinfo(?)", arguments: [table.name]
      ).filter { $0["name"] != "id" && !keys.contains($0["name"]) }
        .map {
          let value: String? = $0["dflt_value"]
          return "\($0["name"] as String) \($0["type"] as String) \(value ?? "-")"
        }
      let name = table.name.quotedIdentifier
      let rowid = table.key == .withoutRowid ? "" : "rowid AS [the rowid], "
      let found = try Row.fetchAll(db, sql: "SELECT \(rowid)* FROM \(name)")
      rows[table.name] = Set(found.map { Dictionary(uniqueKeysWithValues: $0.map { ($0, $1) }) })
    }
  }

  /// What the rows should be after the migration.
  func migrated(_ schema: RandomSchema) -> [String: Set<Columns>] {
    var result: [String: Set<Columns>] = [:]
    for table in schema.tables {
      let migrated = (rows[table.name] ?? []).map { row in
        var row = row
        func convert(_ column: String, _ parent: RandomSchema.Table) {
          guard let integer = Int64.fromDatabaseValue(row[column] ?? .null),
            parent.isListed, parent.key.isInteger
          else { return }
          row[column] = LegacyDatabase.key(integer, parent.name).databaseValue
        }
        for (column, parent) in table.references { convert(column, schema.tables[parent]) }
        if table.key != .missing {
          convert(table.keyName, table)
        } else if table.isListed, let rowid = row["the rowid"].flatMap(Int64.fromDatabaseValue) {
          row["id"] =
            DerivedKey(namespace: LegacyDatabase.namespace)
            .key(rowid, table: table.name, origin: .rowid).databaseValue
        }
        return row
      }
      result[table.name] = Set(migrated)
    }
    return result
  }
}

extension RandomSchema {
  /// The columns that hold keys.
  fileprivate func keyColumns(of table: Table) -> Set<String> {
    Set(table.references.map(\.column) + [table.keyName])
  }
}
