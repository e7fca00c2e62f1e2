// A counter that several processes share, each with a database of its own or all with one:
//
//     swift run Counter <database> <cloud> [<amount>]
//
// Of two numbers in one column the later would win: a merge policy adds up what both counted.

import Foundation
import GRDB
import SQLiteSync

struct Counter: TableRecord { static let databaseTableName = "counters" }

let arguments = CommandLine.arguments
guard arguments.count > 2 else {
  print("usage: Counter <database> <cloud> [<amount>]")
  exit(64)
}

let database = try DatabasePool(path: arguments[1], configuration: .synchronized)
try database.write { db in
  try db.execute(
    sql: """
      CREATE TABLE IF NOT EXISTS counters (
        id TEXT PRIMARY KEY NOT NULL, value INTEGER NOT NULL DEFAULT 0
      ) STRICT
      """)
}
var configuration = SyncConfiguration()
configuration.mergePolicies = ["counters": ["value": .counter]]
let engine = try SyncEngine(
  for: database, tables: [Counter.self], cloud: URL(filePath: arguments[2]),
  configuration: configuration, startImmediately: false)

if arguments.count > 3 {
  let amount = Int(arguments[3]) ?? 1
  try database.write { db in
    try db.execute(
      sql: """
        INSERT INTO counters VALUES ('visits', ?1)
        ON CONFLICT (id) DO UPDATE SET value = value + ?1
        """, arguments: [amount])
  }
}
do {
  try await engine.syncChanges()
} catch let error as SyncError where error.reason == .runsElsewhere {
  // Another process has the database, and sends what is written to it.
}
let total = try database.read { db in
  try Int.fetchOne(db, sql: "SELECT value FROM counters") ?? 0
}
print(total)
engine.stopAndWait()
