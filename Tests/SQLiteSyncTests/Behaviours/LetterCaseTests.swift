import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Keys and names that differ only in the case of letters.
struct LetterCaseTests {
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
  }

  @Test func rowsWhoseKeysDifferOnlyInCaseAreTwo() throws {
    try ann.execute("INSERT INTO lists (id, title) VALUES ('home', 'Home')")
    try ben.execute("INSERT INTO lists (id, title) VALUES ('HOME', 'Shouted')")
    try fleet.settle()
    try ann.execute("UPDATE lists SET title = 'Flat' WHERE id = 'home'")
    try ben.execute("DELETE FROM lists WHERE id = 'HOME'")
    try fleet.settle()
    #expect(try ann.rows("SELECT id, title FROM lists") == ["home|Flat"])
    #expect(try ben.contents() == ann.contents())
  }

  @Test func rowsWhoseKeysAreComparedWithoutCaseAreOne() throws {
    try ann.execute("INSERT INTO tags VALUES ('Bus')")
    try ben.execute("INSERT INTO tags VALUES ('BUS')")
    try fleet.settle()
    #expect(try ann.rows("SELECT count(*) FROM tags") == ["1"])
    #expect(try ben.contents() == ann.contents())
    #expect(try ann.counts() == ben.counts())
  }

  /// No row of ours makes such a record: names of records have such keys in lower case.
  @Test func aRecordWhoseKeyHasCapitalsNeverTakesTheRowOfAnother() throws {
    let stranger = try Stranger(fleet)
    try ann.execute("INSERT INTO tags VALUES ('Bus')")
    try fleet.settle()
    try stranger.save("tags", "BUS", ["title": .text("BUS")])
    try stranger.save("tags", "CAR", ["title": .text("CAR")])
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT title FROM tags") == ["Bus"])
      #expect(try device.counts().quarantined == 2)
      device.synchronizer.occasion = .manual
      try device.sync()
      try device.relaunch()
      #expect(try device.rows("SELECT title FROM tags") == ["Bus"])
    }
    try stranger.delete("tags", "BUS", at: stranger.now)
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT title FROM tags") == ["Bus"])
      #expect(try device.counts().quarantined == 1)
      #expect(try device.database.read { try SyncEngine.check($0) } == [])
    }
  }

  @Test func anEditAndANewRowWhoseKeyIsSpelledWithOtherBytesAreSentTogether() throws {
    try ann.execute("INSERT INTO lists (id, title) VALUES ('caf\u{e9}', 'Old')")
    try fleet.settle()
    try ann.execute("UPDATE lists SET title = 'Older' WHERE id = 'caf\u{e9}'")
    try ann.execute("INSERT INTO lists (id, title) VALUES ('cafe\u{301}', 'New'), ('x', 'X')")
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM lists ORDER BY title") == ["New", "Older", "X"])
    #expect(try ben.contents() == ann.contents())
  }

  @Test func aFieldThatDiffersFromAColumnOnlyInCaseIsNotThatColumn() throws {
    let stranger = try Stranger(fleet)
    try stranger.save("lists", "l", ["title": .text("calm"), "TITLE": .text("loud")])
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM lists") == ["calm"])
    try ben.execute("UPDATE lists SET title = 'calmer'")
    try fleet.settle()
    let fields = try #require(try stranger.record("l:lists")).fields
    #expect(fields["title"]?.value == .text("calmer") && fields["TITLE"]?.value == .text("loud"))
    // Nor is it after a relaunch, when fields that were unknown may have a column.
    try ann.relaunch()
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM lists") == ["calmer"])
  }

  @Test func aRecordOfATableInAnotherCaseIsNoRowOfIt() throws {
    let stranger = try Stranger(fleet)
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Home')")
    try fleet.settle()
    try stranger.save("LISTS", "l", ["title": .text("Shouted")])
    try fleet.settle()
    for device in [ann, ben] {
      try device.relaunch()
      #expect(try device.rows("SELECT id, title FROM lists") == ["l|Home"])
    }
    #expect(try stranger.names() == ["l:lists", "l:LISTS"])
  }

  @Test func tableThatAnotherInstallationSpellsOtherwiseIsWarnedOf() throws {
    let sql = "CREATE TABLE Lists (id TEXT PRIMARY KEY NOT NULL, title TEXT)"
    let cat = try fleet.device(schema: Schema(sql: sql, tables: ["Lists"]))
    try cat.execute("INSERT INTO Lists VALUES ('1', 'Shouted')")
    try fleet.settle()
    let found = try ann.database.read { try SyncEngine.warnings($0) }
      .filter { $0.reason == .otherSpelling }
    #expect(found.map(\.table) == ["lists"])
    #expect(found.first?.message.contains("“Lists”") == true)
    #expect(try ann.rows("SELECT * FROM lists") == [])
  }
}
