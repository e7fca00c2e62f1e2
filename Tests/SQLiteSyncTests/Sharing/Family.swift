import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Three people with five devices on one cloud: ann and ben have two each, cat has one.
struct Family {
  let fleet: Fleet
  let ann: Device
  let annToo: Device
  let ben: Device
  let benToo: Device
  let cat: Device

  static let annID = account("ann")
  static let benID = account("ben")
  static let catID = account("cat")

  /// Ann's lists and ben's, as trees of titles.
  static let home = ["Home", "Home > Milk", "Home > Milk > 3.5 %"]
  static let work = ["Work", "Work > Memo", "Work > Memo > Page 1"]
  static let own = ["Own", "Own > Run", "Own > Run > Shoes"]

  /// Ann's lists, a cover, and what hangs on them.
  static let annsRows = """
    INSERT INTO lists VALUES ('home', 'Home'), ('work', 'Work');
    INSERT INTO covers VALUES ('home', zeroblob(5000));
    INSERT INTO reminders VALUES ('milk', 'Milk', 'home'), ('memo', 'Memo', 'work');
    INSERT INTO subtasks VALUES ('fat', '3.5 %', 'milk'), ('page', 'Page 1', 'memo');
    """

  /// - Parameters:
  ///   - store: The cloud of all of them.
  ///   - users: The cloud as each of them sees it, where they are Unix users of their own.
  ///   - schema: Lists with reminders and subtasks, covers and tags, and private notes.
  ///   - configure: What their engines are told besides.
  init(
    store: any ObjectStore = MemoryStore(), users: [AccountID: any ObjectStore] = [:],
    schema: Schema = .family, configure: @escaping (inout SyncConfiguration) -> Void = { _ in }
  ) throws {
    fleet = try Fleet(store: store, schema: schema, configure: configure)
    let fleet = fleet
    func device(_ account: AccountID) throws -> Device {
      try fleet.device(store: users[account], account: account)
    }
    ann = try device(Self.annID)
    annToo = try device(Self.annID)
    ben = try device(Self.benID)
    benToo = try device(Self.benID)
    cat = try device(Self.catID)
    try ann.write { db in
      try db.execute(
        sql: """
          \(Self.annsRows)
          INSERT INTO tags VALUES ('weekly', 'Weekly');
          INSERT INTO reminderTags VALUES ('t', 'milk', 'weekly');
          INSERT INTO notes VALUES ('n', 'Only mine', 'home');
          """)
    }
    try ben.execute("INSERT INTO lists VALUES ('own', 'Own')")
    try ben.execute("INSERT INTO reminders VALUES ('run', 'Run', 'own')")
    try ben.execute("INSERT INTO subtasks VALUES ('shoes', 'Shoes', 'run')")
    try fleet.settle()
  }

  private static func account(_ name: String) -> AccountID {
    guard let account = AccountID(name: name) else { preconditionFailure("no name: \(name)") }
    return account
  }

  /// Shares ann's list "Home", and lets the people accept it.
  @discardableResult
  func share(
    _ participants: [AccountID: Share.Permission], publicly: Share.Permission = .none,
    accepting: [Device]? = nil
  ) throws -> ShareLink {
    let link = try ann.share(participants, publicly: publicly)
    try fleet.settle()
    let guests = accepting ?? [ben, cat].filter { participants[$0.container.account] != nil }
    for device in guests { try device.synchronizer.accept(link) }
    try settle()
    return link
  }

  /// Shares ben's list "Own" with ann, who accepts it.
  @discardableResult
  func shareOwn(_ permission: Share.Permission) throws -> ShareLink {
    let link = try ben.synchronizer.share(
      table: "lists", key: "own", title: "Own", participants: [Self.annID: permission],
      publicPermission: .none)
    try settle()
    try ann.synchronizer.accept(link)
    try settle()
    return link
  }

  /// Until everybody has heard of everything: acceptances, moves and what follows from them.
  func settle() throws {
    for _ in 0..<2 { try fleet.settle() }
  }
}

extension Device {
  /// Shares the list "Home".
  func share(
    _ participants: [AccountID: Share.Permission] = [:], publicly: Share.Permission = .none,
    title: String = "Home"
  ) throws -> ShareLink {
    try synchronizer.share(
      table: "lists", key: "home", title: title, participants: participants,
      publicPermission: publicly)
  }

  /// Everything in the lists, as a tree of titles: one line each.
  func tree() throws -> [String] {
    try rows(
      """
      SELECT title FROM lists
      UNION ALL SELECT lists.title || ' > ' || reminders.title FROM reminders
        JOIN lists ON lists.id = listID
      UNION ALL SELECT lists.title || ' > ' || reminders.title || ' > ' || subtasks.title
        FROM subtasks JOIN reminders ON reminders.id = reminderID JOIN lists ON lists.id = listID
      ORDER BY 1
      """)
  }

  /// The records in zones other than the account's own, without the part of the zone's name that
  /// is made up: `owner: name`.
  func shared() throws -> [String] {
    try rows(
      """
      SELECT ownerName || ': ' || recordName FROM sync_metadata WHERE zoneName <> 'default'
      ORDER BY 1
      """)
  }
}

extension Schema {
  /// Lists with covers, reminders and subtasks, tags, and private notes on lists.
  static let family = Schema(
    sql: """
      CREATE TABLE lists (
        id TEXT PRIMARY KEY NOT NULL,
        title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT ''
      ) STRICT;
      CREATE TABLE covers (
        listID TEXT PRIMARY KEY NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
        image BLOB
      ) STRICT;
      CREATE TABLE reminders (
        id TEXT PRIMARY KEY NOT NULL,
        title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
        listID TEXT REFERENCES lists (id) ON DELETE CASCADE
      ) STRICT;
      CREATE TABLE subtasks (
        id TEXT PRIMARY KEY NOT NULL,
        title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
        reminderID TEXT REFERENCES reminders (id) ON DELETE CASCADE
      ) STRICT;
      CREATE TABLE tags (
        id TEXT PRIMARY KEY NOT NULL,
        title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT ''
      ) STRICT;
      CREATE TABLE reminderTags (
        id TEXT PRIMARY KEY NOT NULL,
        reminderID TEXT REFERENCES reminders (id) ON DELETE CASCADE,
        tagID TEXT REFERENCES tags (id) ON DELETE CASCADE
      ) STRICT;
      CREATE TABLE notes (
        id TEXT PRIMARY KEY NOT NULL,
        text TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
        listID TEXT REFERENCES lists (id) ON DELETE CASCADE
      ) STRICT;
      """,
    tables: ["lists", "covers", "reminders", "subtasks", "tags", "reminderTags", "notes"],
    privateTables: ["notes"])
}
