// A counter that several processes share, each with a database of its own or all with one:
//
//     swift run Counter <database> <cloud> [<amount>]
//
// Each step is a row: of two numbers in one column the later would win, and rows add up.

import Foundation
import GRDB
import SQLiteSync

struct Step: TableRecord { static let databaseTableName = "steps" }

let arguments = CommandLine.arguments
guard arguments.count > 2 else {
  print("usage: Counter <database> <cloud> [<amount>]")
  exit(64)
}

let database = try DatabasePool(path: arguments[1], configuration: .synchronized)
try database.write { db in
  try db.execute(
    sql: """
      CREATE TABLE IF NOT EXISTS steps (
        id TEXT PRIMARY KEY NOT NULL DEFAULT (\(SyncEngine.randomUUID)),
        amount INTEGER NOT NULL
      ) STRICT
      """)
}
let engine = try SyncEngine(
  for: database, tables: [Step.self], cloud: URL(filePath: arguments[2]), startImmediately: false)

if arguments.count > 3 {
  let amount = Int(arguments[3]) ?? 1
  try database.write { db in
    try db.execute(sql: "INSERT INTO steps (amount) VALUES (?)", arguments: [amount])
  }
}
do {
  try await engine.syncChanges()
} catch let error as SyncError where error.reason == .runsElsewhere {
  // Another process has the database, and sends what is written to it.
}
let total = try database.read { db in
  try Int.fetchOne(db, sql: "SELECT total(amount) FROM steps") ?? 0
}
print(total)
engine.stopAndWait()
