import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Rows whose parent only an earlier version of the app knows, while something becomes of that
/// parent: no edit is lost without a trace, and none is stuck.
struct FormerParentTests {
  private static let before = Schema(
    sql: """
      CREATE TABLE lists (id TEXT PRIMARY KEY NOT NULL, title TEXT);
      CREATE TABLE chapters (
        id TEXT PRIMARY KEY NOT NULL, list TEXT REFERENCES lists (id) ON DELETE CASCADE);
      CREATE TABLE items (
        id TEXT PRIMARY KEY NOT NULL, text TEXT,
        chapter TEXT REFERENCES chapters (id) ON DELETE CASCADE);
      """, tables: ["lists", "chapters", "items"])

  private let fleet: Fleet
  private let ann: Device
  private let annToo: Device
  private let ben: Device

  /// ann shares list 1 with ben, and not list 2.
  init() throws {
    fleet = try Fleet(schema: Self.before)
    (ann, annToo) = try fleet.pair()
    ben = try fleet.device(account: AccountID(userID: 1_001))
    try ann.execute(
      """
      INSERT INTO lists VALUES ('1', 'Trip'), ('2', 'Home');
      INSERT INTO chapters VALUES ('c', '1'), ('d', '1');
      INSERT INTO items VALUES ('a', 'Tickets', 'c');
      """)
    try fleet.settle()
    let link = try ann.synchronizer.share(
      table: "lists", key: "1", title: "Trip", participants: [:], publicPermission: .write)
    try ann.sync()
    try ben.synchronizer.accept(link)
    try fleet.settle()
  }

  /// Items depend on a section, and on no chapter.
  private func hangElsewhere(_ device: Device) throws {
    try device.relaunch(tables: ["lists", "chapters", "sections", "items"]) { db in
      try db.execute(
        sql: """
          CREATE TABLE sections (id TEXT PRIMARY KEY NOT NULL);
          CREATE TABLE new_items (
            id TEXT PRIMARY KEY NOT NULL, text TEXT, chapter TEXT,
            section TEXT REFERENCES sections (id) ON DELETE CASCADE);
          INSERT INTO new_items SELECT *, NULL FROM items;
          DROP TABLE items;
          ALTER TABLE new_items RENAME TO items;
          """)
    }
  }

  private func makePrivate(_ device: Device) throws {
    try device.relaunch(tables: Self.before.tables, privateTables: ["items"]) { _ in }
  }

  private func texts(_ device: Device) throws -> [String] {
    try device.rows("SELECT text FROM items ORDER BY id")
  }

  /// Of the rows that went, as the history has them.
  private func goneTexts(_ device: Device) throws -> [String] {
    try device.database.read { try SyncHistory.deletedRows($0, of: "items") }.compactMap { entry in
      guard case .row(let row) = entry.loss else { return nil }
      return row["text"].flatMap(String.fromDatabaseValue)
    }
  }

  private func expectNothingStuck(_ location: SourceLocation = #_sourceLocation) throws {
    for device in fleet.devices {
      #expect(try device.counts() == SyncCounts(), sourceLocation: location)
    }
    try fleet.expectExhausted(sourceLocation: location)
  }

  /// What becomes of the chapter of a row that somebody with a later version edits.
  enum Fate: String, CaseIterable {
    case deleted = "DELETE FROM chapters WHERE id = 'c'"
    case deletedWithItsList = "DELETE FROM lists WHERE id = '1'"
    case moved = "UPDATE chapters SET list = '2' WHERE id = 'c'"
  }

  @Test(arguments: Fate.allCases, [true, false])
  func anEditBelowWhatIsGoneIsNotStuck(fate: Fate, isEditedLater: Bool) throws {
    try hangElsewhere(ben)
    try fleet.settle()
    if isEditedLater {
      try ann.execute(fate.rawValue)
      try ben.execute("UPDATE items SET text = 'Of ben'")
      try ann.sync()
    } else {
      try ben.execute("UPDATE items SET text = 'Of ben'")
      try ann.execute(fate.rawValue)
      try ben.sync()
    }
    try fleet.settle()
    try expectNothingStuck()
    // It is a row of one of them still, or went with what is shared no more.
    if isEditedLater { #expect(try (texts(ben) + texts(ann) + goneTexts(ben)).contains("Of ben")) }
    for device in [ann, annToo] { try hangElsewhere(device) }
    try fleet.settle()
    try expectNothingStuck()
    #expect(try texts(ann) == texts(annToo))
  }

  // MARK: - A table that is private later

  @Test func whatIsPrivateByNowIsTheOwnersAlone() throws {
    for device in [ann, annToo] { try makePrivate(device) }
    try ben.execute("UPDATE items SET text = 'Of ben'")
    try fleet.settle()
    for device in [ann, annToo] { #expect(try texts(device) == ["Tickets"]) }
    // It was not sent by then.
    #expect(try texts(ben) == [] && goneTexts(ben) == ["Of ben"])
    try makePrivate(ben)
    try ben.execute("INSERT INTO items VALUES ('b', 'Mine', 'c')")
    try ann.execute("UPDATE items SET text = 'Of ann'")
    try fleet.settle()
    for device in [ann, annToo] { #expect(try texts(device) == ["Of ann"]) }
    #expect(try texts(ben) == ["Mine"])
    try expectNothingStuck()
  }

  @Test func aParticipantForWhomItIsPrivateFirstTakesNothingAway() throws {
    try makePrivate(ben)
    try ben.execute("UPDATE items SET text = 'Of ben'; INSERT INTO items VALUES ('b', 'Mine', 'c')")
    try fleet.settle()
    for device in [ann, annToo] { #expect(try texts(device) == ["Of ben"]) }
    #expect(try texts(ben) == ["Of ben", "Mine"])
    try ben.execute("UPDATE items SET chapter = 'd'")
    try fleet.settle()
    #expect(try ann.rows("SELECT chapter FROM items") == ["d"])
    for device in [ann, annToo] { try makePrivate(device) }
    try fleet.settle()
    for device in [ann, annToo] { #expect(try texts(device) == ["Of ben"]) }
    #expect(try texts(ben) == ["Mine"])
    try expectNothingStuck()
  }

  /// His version of the app shares it still: what he writes until he hears of it is taken along.
  @Test(arguments: ["text = 'Of ben'", "chapter = 'd'", "text = 'Of ben', chapter = 'd'"])
  func whatAParticipantWritesMeanwhileIsTaken(edit: String) throws {
    try makePrivate(ann)
    try ann.fetch()
    try ben.execute("UPDATE items SET \(edit)")
    try ben.sync()
    try ann.sync()
    for device in [annToo, ben] { try makePrivate(device) }
    try fleet.settle()
    let text = edit.contains("text") ? "Of ben" : "Tickets"
    let chapter = edit.contains("chapter") ? "d" : "c"
    for device in [ann, annToo] {
      #expect(try device.rows("SELECT text, chapter FROM items") == ["\(text)|\(chapter)"])
    }
    #expect(try texts(ben) == [])
    try expectNothingStuck()
  }
}
