// The tables of SQLiteData's episode 340, migrated and then synchronized by two devices.

import Foundation
import GRDB
import SQLiteSync

let tables = ["remindersLists", "reminders", "tags", "reminderTags"]
let folder = FileManager.default.temporaryDirectory.appending(path: "seed-\(UUID())")
let cloud = folder.appending(path: "cloud")
try FileManager.default.createDirectory(at: cloud, withIntermediateDirectories: true)

func migrated(_ name: String) throws -> DatabasePool {
  let path = folder.appending(path: name).path
  let database = try DatabasePool(path: path, configuration: .synchronized)
  var migrator = DatabaseMigrator()
  migrator.registerMigration("Create tables") { db in
    try db.execute(
      sql: """
        CREATE TABLE "remindersLists" ( "id" INTEGER PRIMARY KEY AUTOINCREMENT,
          "color" INTEGER NOT NULL DEFAULT 1251602431, "title" TEXT NOT NULL DEFAULT '' ,
          "position" INTEGER NOT NULL DEFAULT 0) STRICT;
        CREATE TABLE "tags" ( "id" INTEGER PRIMARY KEY AUTOINCREMENT,
          "title" TEXT NOT NULL DEFAULT '' CHECK(instr("title", ' ') = 0) ) STRICT;
        CREATE TABLE "reminders" ( "id" INTEGER PRIMARY KEY AUTOINCREMENT, "dueDate" TEXT,
          "isFlagged" INTEGER NOT NULL DEFAULT 0, "notes" TEXT NOT NULL DEFAULT '',
          "priority" INTEGER, "remindersListID" INTEGER NOT NULL
          REFERENCES "remindersLists"("id") ON DELETE CASCADE, "title" TEXT NOT NULL DEFAULT '' ,
          "createdAt" TEXT, "updatedAt" TEXT, "status" INTEGER NOT NULL DEFAULT 0) STRICT;
        CREATE TABLE "reminderTags" ( "reminderID" INTEGER NOT NULL
          REFERENCES "reminders"("id") ON DELETE CASCADE, "tagID" INTEGER NOT NULL
          REFERENCES "tags"("id") ON DELETE CASCADE ) STRICT;
        CREATE VIRTUAL TABLE "reminderTexts" USING fts5( "reminderID" UNINDEXED, "title",
          "notes", "tags", tokenize='trigram' );
        """)
  }
  migrator.registerMigration("Write rows") { db in
    guard name == "desk" else { return }
    try db.execute(
      sql: """
        INSERT INTO remindersLists (title) VALUES ('Personal');
        INSERT INTO reminders (title, remindersListID) VALUES ('Groceries', 1);
        INSERT INTO tags (title) VALUES ('car');
        INSERT INTO reminderTags VALUES (1, 1);
        """)
  }
  migrator.registerMigration("Convert primary keys") { db in
    try SyncEngine.migratePrimaryKeys(db, tableNames: tables)
  }
  try migrator.migrate(database)
  return database
}

for name in ["desk", "phone"] {
  let database = try migrated(name)
  let engine = try SyncEngine(
    for: database, tableNames: tables, cloud: cloud, account: "ann", startImmediately: false)
  let result = try await engine.syncChanges()
  let titles = try database.read { db in
    try String.fetchAll(
      db,
      sql: """
        SELECT remindersLists.title || ': ' || reminders.title || ' #' || tags.title
        FROM reminderTags JOIN reminders ON reminders.id = reminderID
        JOIN tags ON tags.id = tagID JOIN remindersLists ON remindersLists.id = remindersListID
        """)
  }
  print(name, "\(result.sent) sent, \(result.fetched) fetched", titles)
  engine.stopAndWait()
}
