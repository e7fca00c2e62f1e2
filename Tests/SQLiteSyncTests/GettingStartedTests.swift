import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSync
import SQLiteSyncCloud
import Testing

// The code of the article GettingStarted.md, block by block.

let gardenSQL = """
  CREATE TABLE gardens (
    id TEXT PRIMARY KEY NOT NULL DEFAULT (lower(hex(randomblob(16)))),
    name TEXT NOT NULL ON CONFLICT REPLACE DEFAULT ''
  ) STRICT;
  CREATE TABLE plants (
    id TEXT PRIMARY KEY NOT NULL DEFAULT (lower(hex(randomblob(16)))),
    name TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
    isThirsty INTEGER NOT NULL ON CONFLICT REPLACE DEFAULT 1,
    gardenID TEXT REFERENCES gardens (id) ON DELETE CASCADE
  ) STRICT;
  CREATE TABLE waterings (
    id TEXT PRIMARY KEY NOT NULL DEFAULT (lower(hex(randomblob(16)))),
    liters REAL,
    plantID TEXT REFERENCES plants (id) ON DELETE CASCADE
  ) STRICT;
  """

struct Garden: TableRecord { static let databaseTableName = "gardens" }
struct Plant: TableRecord { static let databaseTableName = "plants" }
struct Watering: TableRecord { static let databaseTableName = "waterings" }

func openGarden(at path: String) throws -> DatabasePool {
  try DatabasePool(path: path, configuration: .synchronized)
}

func synchronize(
  _ database: any DatabaseWriter, cloud: URL, account: AccountID
) throws -> SyncEngine {
  try SyncEngine(
    for: database, tables: [Garden.self, Plant.self, Watering.self], cloud: cloud,
    account: account)
}

func plant(_ name: String, in garden: String, _ db: Database) throws {
  try db.execute(
    sql: "INSERT INTO gardens (id, name) VALUES (?1, ?1) ON CONFLICT DO NOTHING",
    arguments: [garden])
  try db.execute(
    sql: "INSERT INTO plants (name, gardenID) VALUES (?, ?)", arguments: [name, garden])
}

func waitUntilSent(_ engine: SyncEngine) async {
  for await status in engine.statuses where status.phase == .idle && status.pending == 0 {
    return
  }
}

func plantsOnTheirWay(_ db: Database) throws -> [String] {
  try String.fetchAll(
    db,
    sql: """
      SELECT plants.name FROM plants
      LEFT JOIN sync_metadata
        ON recordType = 'plants' AND recordPrimaryKey = plants.id
      WHERE changeTag IS NULL OR isPending
      ORDER BY plants.name
      """)
}

let quenchSQL = """
  CREATE TRIGGER quench AFTER INSERT ON waterings
  WHEN NOT \(SyncEngine.isSynchronizingChanges)
  BEGIN
    UPDATE plants SET isThirsty = 0 WHERE id = NEW.plantID;
  END
  """

func synchronizeOnce(_ engine: SyncEngine) async throws {
  let result = try await engine.syncChanges()
  print("\(result.sent) sent, \(result.fetched) fetched")
  engine.stopAndWait()
}

func bringBackLastDeletedPlant(_ db: Database) throws {
  let deleted = try SyncHistory.deletedRows(db, of: "plants", limit: 1)
  if let last = deleted.first { try SyncHistory.restore(last.id, in: db) }
}

func shareGarden(
  _ key: String, with friend: AccountID, _ engine: SyncEngine
) async throws -> ShareLink {
  try await engine.syncChanges()
  let link = try await engine.share(
    table: "gardens", key: key, title: "Garden", participants: [friend: .write])
  try await engine.syncChanges()
  return link
}

func engineForTests(
  _ database: DatabaseQueue, _ store: MemoryStore, _ account: AccountID
) throws -> SyncEngine {
  let device = try database.write { db in
    try SyncEngine.prepare(db)
    return try SyncEngine.device(of: db)
  }
  let container = CloudContainer(store: store, account: account, device: device, app: "test")
  return try SyncEngine(
    for: database, tables: [Garden.self, Plant.self, Watering.self], cloud: container,
    startImmediately: false)
}

/// The article's example runs, and the article shows what runs.
@Suite(.timeLimit(.minutes(10)))
struct GettingStartedTests {
  @Test func theExampleKeepsTwoDevicesInStep() async throws {
    let cloud = try TemporaryDirectory()
    let account = try #require(AccountID(name: "ann"))
    let files = try TemporaryDirectory()
    let mine = try openGarden(at: files.url.appending(path: "mine.sqlite").path)
    let theirs = try openGarden(at: files.url.appending(path: "theirs.sqlite").path)
    for database in [mine, theirs] {
      try await database.write { try $0.execute(sql: gardenSQL) }
    }
    let here = try synchronize(mine, cloud: cloud.url, account: account)
    let there = try synchronize(theirs, cloud: cloud.url, account: account)
    for engine in [here, there] { engine.start() }
    for database in [mine, theirs] {
      try await database.write { try $0.execute(sql: quenchSQL) }
    }
    try await mine.write { db in
      try plant("Rose", in: "Front", db)
      try plant("Leek", in: "Back", db)
    }
    await waitUntilSent(here)
    #expect(try await mine.read(plantsOnTheirWay) == [])
    try await synchronizeOnce(there)
    try await theirs.write { db in
      try db.execute(
        sql:
          "INSERT INTO waterings (liters, plantID) SELECT 1.5, id FROM plants WHERE name = 'Rose'")
    }
    try await synchronizeOnce(there)
    try await synchronizeOnce(here)
    let thirsty = "SELECT name FROM plants WHERE isThirsty"
    #expect(try await mine.read { try String.fetchAll($0, sql: thirsty) } == ["Leek"])
    #expect(
      try await mine.read { try Double.fetchAll($0, sql: "SELECT liters FROM waterings") } == [1.5])
    try await mine.write { try $0.execute(sql: "DELETE FROM gardens") }
    try await mine.write(bringBackLastDeletedPlant)
    #expect(
      try await mine.read { try Int.fetchAll($0, sql: "SELECT count(*) FROM gardens") } == [1])
  }

  @Test func theExampleSharesAGarden() async throws {
    let store = MemoryStore()
    let (ann, ben) = (AccountID(userID: 1), AccountID(userID: 2))
    let mine = try DatabaseQueue(configuration: .synchronized)
    let theirs = try DatabaseQueue(configuration: .synchronized)
    for database in [mine, theirs] {
      try await database.write { try $0.execute(sql: gardenSQL) }
    }
    let here = try engineForTests(mine, store, ann)
    let there = try engineForTests(theirs, store, ben)
    for engine in [here, there] { engine.start() }
    try await there.syncChanges()
    try await mine.write { try plant("Rose", in: "Front", $0) }
    let link = try await shareGarden("Front", with: ben, here)
    #expect(try await there.invitations().map(\.link) == [link])
    try await there.acceptShare(link)
    try await there.syncChanges()
    let names = try await theirs.read { try String.fetchAll($0, sql: "SELECT name FROM plants") }
    #expect(names == ["Rose"])
  }

  @Test func theArticleShowsTheCodeOfThisFile() throws {
    // The first block imports, and the last is the program.
    try expectArticle("GettingStarted.md", blocks: 14, besides: [0, 13])
  }

  @Test func theArticleIsTheProgramOfThePackageOfExamples() throws {
    let program = try Article("GettingStarted.md").blocks.joined(separator: "\n")
    let source = try String(
      contentsOf: Article.root.appending(path: "Tests/Library/Sources/GettingStarted/main.swift"),
      encoding: .utf8)
    #expect(source == program)
  }
}
