import GRDB
import SQLiteSync

/// The schema of the app's file, step by step.
///
/// A step that has been released is never edited.
enum Migrations {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("lists, reminders, tags") { db in
      try createTables(db)
      try createIndexes(db)
      try SearchIndex.create(db, of: ["title", "notes"])
      try SyncEngine.prepare(db)
      try AppTriggers.create(db)
    }
    // These not at the end, so that a file with any version of the schema gets them.
    migrator.registerMigration("rows near the view, counts of tags") { db in
      try createWholeIndexes(db)
      try OpenTags.create(db)
    }
    migrator.registerMigration("manual order of all lists") { db in
      try db.execute(
        sql: """
          CREATE INDEX remindersOfAllByPosition ON reminders (\(SQL.isCompleted), position, id)
          """)
    }
    migrator.registerMigration("rules for keys and places", migrate: AppTriggers.createRules)
    migrator.registerMigration("new texts wait for the index", migrate: SearchIndex.letTextsWait)
    migrator.registerMigration(lastStep(of: .lists)) { db in
      try createOtherOrders(db)
      try ReminderCounts.create(db)
      try OpenTags.createCounts(db)
    }
    migrator.registerMigration(lastStep(of: .linksAndCovers)) { db in
      // Files of 0.1.0 had both from the first step on.
      guard try db.schemaVersion < .linksAndCovers else { return }
      try addLinksAndCovers(db)
      // Files that had the table before got this with the other rules.
      try AppTriggers.createKeyRule(db, on: .remindersListAssets)
    }
    migrator.registerMigration("completion times, recurrence, subtasks", migrate: addEveryDay)
    migrator.registerMigration("alarms", migrate: addAlarms)
    migrator.registerMigration("saved searches", migrate: addSavedSearches)
    migrator.registerMigration("views of lists", migrate: addListViews)
    migrator.registerMigration("indexes that pay for themselves", migrate: dropIndexes)
    migrator.registerMigration("times and ends of series", migrate: addSeriesTimes)
    migrator.registerMigration("days of series that are done", migrate: addDaysOfSeries)
    migrator.registerMigration("days of series whatever their end", migrate: addDaysWithoutEnds)
    migrator.registerMigration("counts of what a changed key replaces") { db in
      try ReminderCounts.countChangedKeys(db)
      try OpenTags.countChangedKeys(db)
    }
    return migrator
  }

  /// The last steps of a version of the schema: a file with any of them is of that version.
  static func ownSteps(of version: SchemaVersion) -> [String] {
    switch version {
    case .lists: ["every order, counts of everything"]
    case .linksAndCovers: ["links and covers"]
    case .everyDay:
      [
        "completion times, recurrence, subtasks", "alarms", "saved searches", "views of lists",
        "indexes that pay for themselves", "times and ends of series",
        "days of series that are done", "days of series whatever their end",
        "counts of what a changed key replaces",
      ]
    }
  }

  /// The last step of a version of the schema.
  static func lastStep(of version: SchemaVersion) -> String {
    // Every version has a step.
    ownSteps(of: version).last ?? ""
  }

  // MARK: - Stamp

  /// The steps up to a version.
  static func steps(upTo version: SchemaVersion, _ migrator: DatabaseMigrator) -> [String] {
    let last = lastStep(of: version)
    return migrator.migrations.prefix { $0 != last } + [last]
  }

  /// A number that says that a file has these steps, and captures edits.
  ///
  /// It is made of the names of the steps: another program with other steps looks for itself, and
  /// leaves its own. (`user_version` is SQLite's place for it, read with the header of the file.)
  static func stamp(of steps: [String]) -> Int32 {
    let hash = steps.joined(separator: "\n").utf8.reduce(2_166_136_261 as UInt32) { hash, byte in
      (hash ^ UInt32(byte)) &* 16_777_619
    }
    return Int32(bitPattern: hash)
  }

  /// Whether a file bears the number of these steps, and nobody took or undid one since.
  static func hasStamp(of steps: [String], _ db: Database) throws -> Bool {
    guard try Int32.fetchOne(db, sql: "PRAGMA user_version") == stamp(of: steps) else {
      return false
    }
    return try Int.fetchOne(db, sql: "SELECT count(*) FROM grdb_migrations") == steps.count
  }

  /// Gives a file its number.
  static func setStamp(_ stamp: Int32, of db: Database) throws {
    try db.execute(sql: "PRAGMA user_version = \(stamp)")
  }

  // Rules for tables that are synchronized: a key with a default that any SQLite program can
  // compute, no UNIQUE besides it, and no column that refuses a row for lack of a value, since an
  // older app on another device may not know the column. Rowid tables, because SQLite reports
  // changes of no others.
  private static func createTables(_ db: Database) throws {
    let id = "TEXT PRIMARY KEY NOT NULL ON CONFLICT REPLACE DEFAULT (\(SQL.uuid))"
    try db.execute(
      sql: """
        CREATE TABLE remindersLists (
          id \(id),
          title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
          color INTEGER NOT NULL ON CONFLICT REPLACE DEFAULT \(RemindersList.defaultColor),
          position REAL
        ) STRICT;
        CREATE TABLE reminders (
          id \(id),
          title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
          notes TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
          dueDate TEXT,
          isFlagged INTEGER NOT NULL ON CONFLICT REPLACE DEFAULT 0,
          priority INTEGER,
          status INTEGER NOT NULL ON CONFLICT REPLACE DEFAULT 0,
          position REAL,
          remindersListID TEXT NOT NULL ON CONFLICT REPLACE DEFAULT ''
            REFERENCES remindersLists (id) ON DELETE CASCADE ON UPDATE CASCADE,
          createdAt INTEGER NOT NULL ON CONFLICT REPLACE DEFAULT (\(SQL.milliseconds)),
          updatedAt INTEGER
        ) STRICT;
        CREATE TABLE tags (
          title TEXT PRIMARY KEY NOT NULL ON CONFLICT REPLACE DEFAULT '' COLLATE NOCASE
        ) STRICT;
        CREATE TABLE reminderTags (
          id \(id),
          reminderID TEXT NOT NULL ON CONFLICT REPLACE DEFAULT ''
            REFERENCES reminders (id) ON DELETE CASCADE ON UPDATE CASCADE,
          tagTitle TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '' COLLATE NOCASE
            REFERENCES tags (title) ON DELETE CASCADE ON UPDATE CASCADE
        ) STRICT;
        """)
  }

  private static func addLinksAndCovers(_ db: Database) throws {
    try db.execute(
      sql: """
        ALTER TABLE reminders ADD COLUMN url TEXT;
        CREATE TABLE remindersListAssets (
          remindersListID TEXT PRIMARY KEY NOT NULL ON CONFLICT REPLACE DEFAULT ''
            REFERENCES remindersLists (id) ON DELETE CASCADE ON UPDATE CASCADE,
          coverImage BLOB
        ) STRICT;
        """)
  }

  // Each index answers a query in its order, so that the first screen of a long list reads no
  // more rows than it shows. Those on reminders begin with the list, or are for all lists.
  private static func createIndexes(_ db: Database) throws {
    let done = SQL.isCompleted
    try db.execute(
      sql: """
        CREATE INDEX remindersOfListByDueDate
          ON reminders (remindersListID, \(done), dueDate IS NULL, dueDate, position);
        CREATE INDEX remindersOfListByPosition ON reminders (remindersListID, \(done), position);
        CREATE INDEX remindersByDueDate ON reminders (\(done), dueDate IS NULL, dueDate, position);
        CREATE INDEX remindersByPosition ON reminders (position);
        CREATE INDEX remindersFlagged ON reminders (\(done), dueDate IS NULL, dueDate, position)
          WHERE isFlagged = 1;
        CREATE INDEX remindersCompleting ON reminders (updatedAt) WHERE status = 1;
        CREATE INDEX remindersOpen ON reminders (id) WHERE \(done) = 0;
        CREATE INDEX reminderTagsOfReminder ON reminderTags (reminderID, tagTitle);
        CREATE INDEX reminderTagsOfTag ON reminderTags (tagTitle, reminderID);
        """)
  }
}

extension Migrations {
  // Two devices may give one place to two reminders; then the id decides. An index that ends with
  // it gives any stretch of the rows without sorting.
  private static func createWholeIndexes(_ db: Database) throws {
    let done = SQL.isCompleted
    try db.execute(
      sql: """
        DROP INDEX remindersOfListByDueDate;
        DROP INDEX remindersOfListByPosition;
        DROP INDEX remindersByDueDate;
        DROP INDEX remindersByPosition;
        DROP INDEX remindersFlagged;
        DROP INDEX remindersOpen;
        CREATE INDEX remindersOfListByDueDate
          ON reminders (remindersListID, \(done), dueDate IS NULL, dueDate, position, id);
        CREATE INDEX remindersOfListByPosition
          ON reminders (remindersListID, \(done), position, id);
        CREATE INDEX remindersByDueDate
          ON reminders (\(done), dueDate IS NULL, dueDate, position, id);
        CREATE INDEX remindersByPosition ON reminders (position, id);
        CREATE INDEX remindersFlagged
          ON reminders (\(done), dueDate IS NULL, dueDate, position, id) WHERE isFlagged = 1;
        """)
  }
}

extension Migrations {
  // So that a page of a list costs the same in the other orders.
  private static func createOtherOrders(_ db: Database) throws {
    let done = SQL.isCompleted
    let priority = "priority DESC, isFlagged DESC, position, id"
    let title = "title COLLATE NOCASE, position, id"
    try db.execute(
      sql: """
        CREATE INDEX remindersOfListByPriority ON reminders (remindersListID, \(done), \(priority));
        CREATE INDEX remindersByPriority ON reminders (\(done), \(priority));
        CREATE INDEX remindersOfListByTitle ON reminders (remindersListID, \(done), \(title));
        CREATE INDEX remindersByTitle ON reminders (\(done), \(title));
        """)
  }
}

extension Migrations {
  // No foreign key for the parent: the zone of a reminder follows its list alone.
  private static func addEveryDay(_ db: Database) throws {
    try db.execute(
      sql: """
        ALTER TABLE reminders ADD COLUMN completedAt INTEGER;
        ALTER TABLE reminders ADD COLUMN recurrence TEXT;
        ALTER TABLE reminders ADD COLUMN occurrence TEXT;
        ALTER TABLE reminders ADD COLUMN parentID TEXT;
        CREATE INDEX remindersOfParent ON reminders (parentID) WHERE parentID NOTNULL;
        CREATE INDEX remindersOfSeries ON reminders (id) WHERE recurrence NOTNULL;
        CREATE INDEX remindersByCompletion
          ON reminders (\(SQL.isCompleted), \(SQL.completion) DESC, position, id);
        CREATE INDEX remindersOfListByCompletion ON reminders (
          remindersListID, \(SQL.isCompleted), \(SQL.completion) DESC, position, id
        );
        """)
  }
}

extension Migrations {
  // Which series have ended while another device went on is looked at often; they are few.
  private static func addSeriesTimes(_ db: Database) throws {
    try db.execute(
      sql: """
        ALTER TABLE reminders ADD COLUMN seriesTime TEXT;
        CREATE INDEX remindersOfSeriesEnded ON reminders (id)
          WHERE recurrence IS NULL AND occurrence NOTNULL AND status = 0 AND parentID IS NULL;
        """)
  }

  // Whether a series has come to a day that is done is asked of all of them at once.
  private static func addDaysOfSeries(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE INDEX remindersOfSeriesDone
          ON reminders (rtrim(substr(occurrence, instr(occurrence, ' '))))
          WHERE recurrence IS NULL AND occurrence NOTNULL AND status = 2;
        """)
  }

  // An occurrence is the same one whenever its series ends.
  private static func addDaysWithoutEnds(_ db: Database) throws {
    try db.execute(
      sql: """
        DROP INDEX remindersOfSeriesDone;
        CREATE INDEX remindersOfSeriesDone ON reminders (\(SQL.dayOfSeries()))
          WHERE recurrence IS NULL AND occurrence NOTNULL AND status = 2;
        """)
  }

  // No screen shows a list, or what is open, in the order of completion; and places are looked for
  // among the open and the completed ones apart. Measured: see Architecture.md.
  //
  // The first column is the same in the whole index, but without it SQLite takes another.
  private static func dropIndexes(_ db: Database) throws {
    let done = SQL.isCompleted
    try db.execute(
      sql: """
        DROP INDEX remindersByPosition;
        DROP INDEX remindersByCompletion;
        DROP INDEX remindersOfListByCompletion;
        CREATE INDEX remindersByCompletion
          ON reminders (\(done), \(SQL.completion) DESC, position, id) WHERE \(done) = 1;
        """)
    try AppTriggers.createPlaceByStretches(db)
  }
}

/// SQL expressions that several places need.
enum SQL {
  /// A random version 4 UUID in lower case, without any function of ours: the `sqlite3` shell and
  /// other programs can insert rows too.
  static let uuid = SyncEngine.randomUUID

  /// The present moment in milliseconds since 1970. (`unixepoch('subsec')` needs SQLite 3.42.)
  static let milliseconds = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"

  /// The order of lists as they are arranged by hand: one without a place, which only another
  /// program can write, has that of 0 everywhere.
  static let orderOfLists = "coalesce(remindersLists.position, 0), remindersLists.id"

  /// The day of an occurrence, with the id and the rule of its series, whatever its number and the
  /// end of the rule: see `Occurrence.series`.
  static func dayOfSeries(_ prefix: String = "") -> String {
    let text = "\(prefix)occurrence"
    let ends = ".@<".map { "instr(\(text) || '\($0)', '\($0)')" }.joined(separator: ", ")
    return "rtrim(substr(\(text), instr(\(text), ' '), min(\(ends)) - instr(\(text), ' ')))"
  }

  /// Whether a reminder is done for good: the first column of the indexes, so written the same
  /// everywhere.
  static let isCompleted = "(status = \(Reminder.Status.completed.rawValue))"

  /// Whether a reminder comes again and is open, found along the index of those that come again.
  ///
  /// The plus keeps SQLite from an index that begins with all that is open.
  static let isOpenSeries = "recurrence NOTNULL AND +\(isCompleted) = 0"

  /// When a completed reminder was completed, in milliseconds since 1970: for one that an app of an
  /// earlier schema completed, when it last changed.
  static let completion = "coalesce(completedAt, updatedAt, createdAt)"

  /// The same of the rows of a table in a query with several.
  static func completion(of table: String, in schema: SchemaVersion) -> String {
    let columns = (schema.hasCompletionTimes ? ["completedAt"] : []) + ["updatedAt", "createdAt"]
    return "coalesce(\(columns.map { "\(table).\($0)" }.joined(separator: ", ")))"
  }

  /// Whether a reminder of a table in a query with several is done for good.
  static func isCompleted(_ table: String) -> String {
    "(\(table).status = \(Reminder.Status.completed.rawValue))"
  }
}
