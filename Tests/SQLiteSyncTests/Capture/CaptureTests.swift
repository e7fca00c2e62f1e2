import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// Every way in which SQL changes a row, captured field by field while no engine runs.
struct CaptureTests {
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Personal')")
    try ann.execute(
      """
      INSERT INTO reminders (id, title, notes, dueDate, listID)
      VALUES ('r', 'Haircut', 'short', 1, 'l'), ('s', 'Milk', '', NULL, 'l')
      """)
    try fleet.settle()
  }

  private func expectBenHas(
    _ rows: [String], _ sql: String = "SELECT id, title, notes, dueDate FROM reminders ORDER BY id",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try fleet.settle()
    #expect(try ben.rows(sql) == rows, sourceLocation: sourceLocation)
    try fleet.expectExhausted(sourceLocation: sourceLocation)
  }

  @Test func anInsertIsPendingWholeWithOneTime() throws {
    try ann.execute("INSERT INTO reminders (id, title) VALUES ('n', 'New')")
    #expect(try ann.outbox() == ["save n:reminders: all"])
    #expect(try ann.times("reminders", "n") == ["life": fleet.clock.now])
    try expectBenHas(["n|New||NULL", "r|Haircut|short|1", "s|Milk||NULL"])
  }

  @Test func anUpdateOfOneFieldIsAnEditOfThatField() throws {
    let before = try #require(try ann.times("reminders", "r")["life"])
    try ann.execute("UPDATE reminders SET title = 'Hair' WHERE id = 'r'")
    #expect(try ann.outbox() == ["save r:reminders: title"])
    #expect(
      try ann.times("reminders", "r") == ["life": before, "title": fleet.clock.now])
    #expect(try ann.bits("reminders", "r", "title") == ann.container.device.clockBits)
    try expectBenHas(["r|Hair|short|1", "s|Milk||NULL"])
  }

  @Test func anUpdateOfSeveralFieldsIsAnEditOfThoseThatDiffer() throws {
    try ann.execute("UPDATE reminders SET title = title, notes = 'long', dueDate = NULL")
    #expect(
      try ann.outbox() == ["save r:reminders: dueDate, notes", "save s:reminders: notes"])
    try expectBenHas(["r|Haircut|long|NULL", "s|Milk|long|NULL"])
  }

  @Test func everyRowThatATriggerOfTheAppSelectsAndInsertsIsCaptured() throws {
    try ann.execute(
      """
      CREATE TRIGGER copies AFTER UPDATE OF title ON lists BEGIN
        INSERT INTO reminders (id, title, dueDate)
        SELECT id || '2', title, dueDate FROM reminders
        WHERE dueDate IS DISTINCT FROM length(NEW.title)
        UNION ALL SELECT 'n', 'New', 2 WHERE NEW.title IS NOT DISTINCT FROM 'Home';
      END
      """)
    try ann.relaunch()
    try ann.execute("UPDATE lists SET title = 'Home'")
    #expect(
      try ann.outbox() == [
        "save l:lists: title", "save n:reminders: all", "save r2:reminders: all",
        "save s2:reminders: all",
      ])
    try expectBenHas([
      "n|New||2", "r|Haircut|short|1", "r2|Haircut||1", "s|Milk||NULL", "s2|Milk||NULL",
    ])
  }

  @Test func anUpdateThatChangesNothingIsNoEdit() throws {
    try ann.execute("UPDATE reminders SET title = title, notes = notes, dueDate = dueDate, id = id")
    #expect(try ann.outbox() == [])
    try fleet.expectExhausted()
  }

  @Test func twoEditsOfTwoFieldsHaveTheirOwnTimes() throws {
    let start = fleet.clock.now
    try ann.execute("UPDATE reminders SET title = 'Hair' WHERE id = 'r'")
    try ann.execute("UPDATE reminders SET notes = 'long' WHERE id = 'r'")
    let times = try ann.times("reminders", "r")
    #expect(times["title"] == start + 1)
    #expect(times["notes"] == start + 2)
    try expectBenHas(["r|Hair|long|1", "s|Milk||NULL"])
  }

  @Test func anEditTakenBackIsAnEditNonetheless() throws {
    try ann.execute("UPDATE reminders SET title = 'Hair' WHERE id = 'r'")
    try ann.execute("UPDATE reminders SET title = 'Haircut' WHERE id = 'r'")
    #expect(try ann.outbox() == ["save r:reminders: title"])
    #expect(try ann.times("reminders", "r")["title"] == fleet.clock.now)
    try expectBenHas(["r|Haircut|short|1", "s|Milk||NULL"])
  }

  @Test func aTextAndANumberThatLookAlikeDiffer() throws {
    let schema = Schema(
      sql: "CREATE TABLE things (id TEXT PRIMARY KEY NOT NULL, value)", tables: ["things"])
    let fleet = try Fleet(schema: schema)
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO things VALUES ('t', 1)")
    try fleet.settle()
    try ann.execute("UPDATE things SET value = '1'")
    #expect(try ann.outbox() == ["save t:things: value"])
    try fleet.settle()
    #expect(try ben.rows("SELECT typeof(value) FROM things") == ["text"])
    try fleet.expectExhausted()
  }

  @Test(arguments: ["x'00'", "0.5", "9223372036854775807", "1e308", "9e999", "'ü'", "''", "x''"])
  func everyKindOfValueArrives(value: String) throws {
    let schema = Schema(
      sql: "CREATE TABLE things (id TEXT PRIMARY KEY NOT NULL, value)", tables: ["things"])
    let fleet = try Fleet(schema: schema)
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO things VALUES ('t', \(value))")
    try fleet.settle()
    #expect(
      try ben.rows("SELECT value = \(value), typeof(value) = typeof(\(value)) FROM things") == [
        "1|1"
      ])
    try fleet.expectExhausted()
  }

  // MARK: - Upserts and conflict clauses

  @Test func anUpsertIsAnEditOfWhatItUpdates() throws {
    try ann.execute(
      """
      INSERT INTO reminders (id, title, notes) VALUES ('r', 'Hair', 'long')
      ON CONFLICT (id) DO UPDATE SET title = excluded.title
      """)
    #expect(try ann.outbox() == ["save r:reminders: title"])
    try expectBenHas(["r|Hair|short|1", "s|Milk||NULL"])
  }

  @Test func anUpsertThatDoesNothingIsNoEdit() throws {
    try ann.execute(
      "INSERT INTO reminders (id, title) VALUES ('r', 'Hair') ON CONFLICT (id) DO NOTHING")
    #expect(try ann.outbox() == [])
    try fleet.expectExhausted()
  }

  @Test func anInsertOrReplaceIsAnEditOfTheFieldsThatDiffer() throws {
    let life = try ann.times("reminders", "r")["life"]
    try ann.execute(
      """
      INSERT OR REPLACE INTO reminders (id, title, notes, dueDate, listID)
      VALUES ('r', 'Haircut', 'long', 1, 'l')
      """)
    #expect(try ann.outbox() == ["save r:reminders: notes"])
    #expect(try ann.times("reminders", "r")["life"] == life)
    try expectBenHas(["r|Haircut|long|1", "s|Milk||NULL"])
  }

  @Test func aReplaceByAnEqualRowIsNoEdit() throws {
    try ann.execute("REPLACE INTO reminders SELECT * FROM reminders WHERE id = 'r'")
    #expect(try ann.outbox() == [])
    try fleet.expectExhausted()
  }

  @Test func aReplaceThatLeavesColumnsToTheirDefaultsEditsThem() throws {
    try ann.execute("REPLACE INTO reminders (id, title) VALUES ('r', 'Haircut')")
    #expect(try ann.outbox() == ["save r:reminders: dueDate, listID, notes"])
    try expectBenHas(["r|Haircut||NULL", "s|Milk||NULL"])
  }

  @Test func aReplaceWithNullInAColumnThatHasADefaultIsAnEditOnlyIfTheDefaultDiffers() throws {
    try ann.execute("REPLACE INTO reminders VALUES ('s', 'Milk', NULL, NULL, NULL, 'l')")
    #expect(try ann.outbox() == [])
    try fleet.expectExhausted()
  }

  @Test func aReplaceOfARowThatIsNotThereIsAnInsert() throws {
    try ann.execute("REPLACE INTO reminders (id, title) VALUES ('n', 'New')")
    #expect(try ann.outbox() == ["save n:reminders: all"])
    try expectBenHas(["n|New||NULL", "r|Haircut|short|1", "s|Milk||NULL"])
  }

  @Test func aReplacedParentTakesItsChildrenAlongAsSQLiteDoes() throws {
    try ann.execute("REPLACE INTO lists (id, title) VALUES ('l', 'Family')")
    #expect(
      try ann.outbox() == ["save l:lists: title", "delete r:reminders", "delete s:reminders"])
    try expectBenHas(["l|Family"], "SELECT id, title FROM lists")
    #expect(try ben.rows("SELECT * FROM reminders") == [])
  }

  @Test func anInsertOrIgnoreOfARowThatIsThereIsNoEdit() throws {
    try ann.execute("INSERT OR IGNORE INTO reminders (id, title) VALUES ('r', 'Hair')")
    #expect(try ann.outbox() == [])
    try fleet.expectExhausted()
  }

  @Test func whatAnIgnoredInsertWouldHaveChangedIsNoPartOfAReplaceAfterIt() throws {
    try ann.write { db in
      try db.execute(
        sql: """
          INSERT OR IGNORE INTO reminders (id, title) VALUES ('r', 'Hair');
          REPLACE INTO reminders VALUES ('r', 'Haircut', 'long', 1, NULL, 'l');
          """)
    }
    #expect(try ann.outbox() == ["save r:reminders: notes"])
    try expectBenHas(["r|Haircut|long|1", "s|Milk||NULL"])
  }

  @Test func anInsertOrIgnoreOfARowThatIsNotThereIsAnInsert() throws {
    try ann.execute("INSERT OR IGNORE INTO reminders (id, title) VALUES ('n', 'New')")
    #expect(try ann.outbox() == ["save n:reminders: all"])
    try expectBenHas(["n|New||NULL", "r|Haircut|short|1", "s|Milk||NULL"])
  }

  @Test func aReplaceOfARowThatIsOnlyAKeyIsNoEdit() throws {
    let schema = Schema(
      sql: "CREATE TABLE words (word TEXT PRIMARY KEY NOT NULL)", tables: ["words"])
    let fleet = try Fleet(schema: schema)
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO words VALUES ('one')")
    try fleet.settle()
    #expect(try ben.rows("SELECT * FROM words") == ["one"])
    try ann.execute("REPLACE INTO words VALUES ('one')")
    #expect(try ann.outbox() == [])
    try fleet.expectExhausted()
  }

  @Test func anUpdateFromAnotherTableIsAnEditOfWhatDiffers() throws {
    try ann.execute(
      """
      UPDATE reminders SET title = lists.title || ' ' || reminders.title, priority = NULL
      FROM lists WHERE lists.id = reminders.listID AND reminders.id = 'r'
      """)
    #expect(try ann.outbox() == ["save r:reminders: title"])
    try expectBenHas(["r|Personal Haircut|short|1", "s|Milk||NULL"])
  }

  @Test func whatAnAppsOwnTriggerWritesIsAnEditToo() throws {
    for device in [ann, ben] {
      try device.execute(
        """
        CREATE TRIGGER shout AFTER UPDATE OF title ON reminders
        WHEN NOT \(SyncEngine.isSynchronizingChanges)
        BEGIN UPDATE reminders SET notes = upper(NEW.title) WHERE id = NEW.id; END
        """)
    }
    try ann.execute("UPDATE reminders SET title = 'Hair' WHERE id = 'r'")
    #expect(try ann.outbox() == ["save r:reminders: notes, title"])
    try expectBenHas(["r|Hair|HAIR|1", "s|Milk||NULL"])
  }
}
