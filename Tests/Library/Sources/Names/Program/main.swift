// A program with modules of its own that have common names, beside the library.

import Cloud
import GRDB
import Hashing
import Images
import Reminders
import SQLiteSync
import Terminal
import TestSupport

struct Note: TableRecord { static let databaseTableName = "notes" }

let database = try DatabaseQueue(configuration: .synchronized)
try database.write { db in
  try db.execute(sql: "CREATE TABLE notes (id TEXT PRIMARY KEY NOT NULL)")
}
_ = try SyncEngine(for: database, tables: [Note.self], cloud: nil, startImmediately: false)
print([nameCloud, nameHashing, nameImages, nameReminders, nameTerminal, nameTestSupport])
