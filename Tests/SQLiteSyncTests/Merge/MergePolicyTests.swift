import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Edits of columns with a merge policy that did not know of each other, on real devices.
struct MergePolicyTests {
  static let schema = Schema(
    sql: """
      CREATE TABLE counters (
        id TEXT PRIMARY KEY NOT NULL,
        value INTEGER NOT NULL DEFAULT 0 CHECK (value <= 100),
        peak REAL,
        tags TEXT,
        notes TEXT,
        initials TEXT,
        name TEXT
      ) STRICT
      """, tables: ["counters"])

  /// What both changed of two texts, one after the other.
  static let initials = MergePolicy.custom("initials") { base, mine, theirs in
    guard base != nil, let mine = String.fromDatabaseValue(mine) else { return nil }
    return (mine + (String.fromDatabaseValue(theirs) ?? "")).databaseValue
  }

  static let policies: [String: [String: MergePolicy]] = [
    "counters": [
      "value": .counter, "peak": .max, "tags": .union, "notes": .text, "initials": initials,
    ]
  ]

  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet(schema: Self.schema) { $0.mergePolicies = Self.policies }
    (ann, ben) = try fleet.pair()
    try ann.execute(
      """
      INSERT INTO counters VALUES ('c', 5, 1.5, '["a","b"]', 'one\ntwo\nthree', 'x', 'Visits')
      """)
    try fleet.settle()
  }

  private func set(_ column: String, of device: Device, to value: any DatabaseValueConvertible)
    throws
  {
    try device.execute("UPDATE counters SET \(column) = ?", [value])
  }

  private func expect(_ column: String, _ value: String, troubles: Set<Trouble> = []) throws {
    try fleet.settle()
    for device in fleet.devices {
      #expect(try device.rows("SELECT \(column) FROM counters") == [value])
      #expect(try device.rows("SELECT * FROM sync_bases") == [])
    }
    try fleet.expectExhausted(after: troubles)
  }

  @Test(arguments: MergeConflictTests.First.allCases, [true, false])
  func incrementsOfBothCount(first: MergeConflictTests.First, annEditsFirst: Bool) throws {
    if annEditsFirst { try ann.execute("UPDATE counters SET value = value + 2") }
    try ben.execute("UPDATE counters SET value = value + 10")
    if !annEditsFirst { try ann.execute("UPDATE counters SET value = value + 2") }
    try ben.send()
    if first == .send { try ann.send() }
    try expect("value", "17", troubles: first.troubles)
  }

  @Test func severalEditsBeforeSendingCountOnce() throws {
    for _ in 0..<3 {
      try ann.execute("UPDATE counters SET value = value + 1")
      try ann.synchronizer.foldEdits()
    }
    try ann.relaunch()
    try ann.execute("UPDATE counters SET value = value - 7")
    try ben.execute("UPDATE counters SET value = value + 10")
    try ben.sync()
    try ann.execute("UPDATE counters SET value = value + 20")
    try expect("value", "31")
  }

  @Test func equalIncrementsBothCount() throws {
    for device in [ann, ben] { try device.execute("UPDATE counters SET value = value + 1") }
    try ben.sync()
    try expect("value", "7")
  }

  @Test func incrementsOfThreeDevicesCount() throws {
    let eve = try fleet.device()
    try eve.sync()
    for device in fleet.devices { try device.execute("UPDATE counters SET value = value + 1") }
    try ann.sync()
    try ben.fetch()
    try ben.execute("UPDATE counters SET value = value + 10")
    try eve.sync()
    try ben.execute("UPDATE counters SET value = value + 1")
    try expect("value", "19")
  }

  @Test func whatNobodyElseEditedIsSetAsItIs() throws {
    try set("value", of: ann, to: 50)
    try set("peak", of: ann, to: 0.5)
    try expect("value || ' ' || peak", "50|0.5".replacing("|", with: " "))
  }

  @Test func theGreaterNumberStays() throws {
    try set("peak", of: ann, to: 9.5)
    try set("peak", of: ben, to: 7.25)
    try ben.sync()
    try expect("peak", "9.5")
    try set("peak", of: ben, to: 11)
    try set("peak", of: ann, to: 10)
    try ben.sync()
    try expect("peak", "11.0")
  }

  @Test func elementsOfBothAreInTheArray() throws {
    try set("tags", of: ann, to: #"["b", "mine"]"#)
    try set("tags", of: ben, to: #"["a","b","theirs"]"#)
    try ben.sync()
    try expect("tags", #"["b","theirs","mine"]"#)
  }

  @Test func linesOfBothAreInTheText() throws {
    try set("notes", of: ann, to: "one\ntwo\nthree!\nfour")
    try set("notes", of: ben, to: "zero\none\ntwo\nthree")
    try ben.sync()
    try expect("notes", "zero\none\ntwo\nthree!\nfour")
    try set("notes", of: ann, to: "mine")
    try set("notes", of: ben, to: "theirs")
    try ben.sync()
    try expect("notes", "theirs\nmine")
  }

  @Test func aFunctionOfTheAppMerges() throws {
    try set("initials", of: ann, to: "A")
    try set("initials", of: ben, to: "B")
    try ben.sync()
    try expect("initials", "AB")
  }

  @Test func ofNullTheLaterEditWins() throws {
    try set("peak", of: ann, to: 9.5)
    try ben.execute("UPDATE counters SET peak = NULL, tags = 'no array'")
    try set("tags", of: ann, to: "[1]")
    try ben.sync()
    try expect("peak, tags", "NULL|[1]")
  }

  @Test func aColumnWithoutPolicyGoesToTheLaterEdit() throws {
    try set("name", of: ann, to: "Earlier")
    try set("name", of: ben, to: "Later")
    try ben.sync()
    try expect("name", "Later")
  }

  @Test func theHistorySaysWhatWasMerged() throws {
    try ann.execute("UPDATE counters SET value = 7, name = 'Earlier'")
    try ben.execute("UPDATE counters SET value = 15, name = 'Later'")
    try ben.sync()
    try ann.sync()
    let entries = try ann.database.read {
      try SyncHistory.entries($0, of: "counters", onlyConflicts: true)
    }
    let merged = entries.filter(\.isMerged)
    #expect(
      merged.map(\.loss) == [.value(column: "value", lost: 7.databaseValue, kept: 17.databaseValue)]
    )
    #expect(merged.allSatisfy { $0.isConflict && $0.winner.isHere && $0.loser?.isHere == true })
    #expect(entries.contains { !$0.isMerged && $0.isConflict })
    #expect(
      ann.events.contains { event in
        guard case .merged(let merges) = event else { return false }
        return merges.contains { $0.theirs.contains("value") && $0.mine.contains("value") }
      })
  }

  @Test func aRowThatBothMadeCountsFromZero() throws {
    for device in [ann, ben] {
      try device.execute("INSERT INTO counters (id, value, tags) VALUES ('new', 1, '[1]')")
      try device.synchronizer.foldEdits()
      try device.execute("UPDATE counters SET value = value + 1 WHERE id = 'new'")
    }
    try ben.execute("UPDATE counters SET tags = '[2]' WHERE id = 'new'")
    try ben.sync()
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT value, tags FROM counters WHERE id = 'new'") == ["4|[2,1]"])
    }
    try fleet.expectExhausted()
  }

  @Test func manyRowsThatBothMadeAtOnceCountFromZero() throws {
    for device in [ann, ben] {
      try device.write { db in
        for number in 0..<100 {
          try db.execute(
            sql: "INSERT INTO counters (id, value) VALUES (?, 3)", arguments: ["\(number)"])
        }
      }
    }
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT DISTINCT value FROM counters WHERE id <> 'c'") == ["6"])
      #expect(try device.rows("SELECT * FROM sync_bases") == [])
    }
    try fleet.expectExhausted()
  }

  /// Nobody knows what rows are made of that were there before: they may be copies of each other.
  @Test func rowsThatWereThereBeforeAreNotAdded() throws {
    let fleet = try Fleet(schema: Self.schema) { $0.mergePolicies = Self.policies }
    let devices = try (0..<2).map { _ in
      try fleet.device {
        try $0.execute(sql: "INSERT INTO counters (id, value) VALUES ('c', 10)")
      }
    }
    try devices[0].execute("UPDATE counters SET value = 11")
    try devices[1].synchronizer.foldEdits()
    try devices[1].execute("UPDATE counters SET value = 12")
    try fleet.settle()
    for device in devices { #expect(try device.rows("SELECT value FROM counters") == ["12"]) }
    try devices[0].execute("UPDATE counters SET value = value + 1")
    try devices[1].execute("UPDATE counters SET value = value + 1")
    try fleet.settle()
    for device in devices { #expect(try device.rows("SELECT value FROM counters") == ["14"]) }
    try fleet.expectExhausted()
  }

  /// A row that is made anew is not what others have counted in.
  @Test func aRowMadeAnewIsNotAddedTo() throws {
    try ann.execute("DELETE FROM counters")
    try ann.execute("INSERT INTO counters (id, value) VALUES ('c', 1)")
    try ben.execute("UPDATE counters SET value = 20")
    try ben.sync()
    try expect("value", "20")
    try ben.execute("UPDATE counters SET value = 30")
    try ann.execute("DELETE FROM counters")
    try ann.synchronizer.foldEdits()
    try ann.execute("INSERT INTO counters (id, value) VALUES ('c', 2)")
    try ben.sync()
    try expect("value", "2")
  }

  @Test(arguments: [
    "INSERT OR REPLACE INTO counters (id, value) VALUES ('c', 8)",
    "INSERT INTO counters (id, value) VALUES ('c', 8) ON CONFLICT DO UPDATE SET value = 8",
    "UPDATE OR REPLACE counters SET value = 8",
  ])
  func aReplacedRowIsAnEditOfIt(sql: String) throws {
    try ann.execute("UPDATE counters SET value = 6")
    try ann.execute(sql)
    try ben.execute("UPDATE counters SET value = 15")
    try ben.sync()
    try expect("value", "18")
  }

  @Test func anInsertThatIsIgnoredLeavesNoBase() throws {
    try ann.execute("INSERT OR IGNORE INTO counters (id, value) VALUES ('c', 8)")
    try ann.sync()
    try ben.execute("UPDATE counters SET value = 15")
    try fleet.settle()
    try ann.execute("UPDATE counters SET value = 16")
    try ben.execute("UPDATE counters SET value = 17")
    try ben.sync()
    try expect("value", "18")
  }

  @Test func anIncrementOutlivesADeletion() throws {
    let eve = try fleet.device()
    try eve.sync()
    try ben.execute("DELETE FROM counters")
    for device in [ann, eve] { try device.execute("UPDATE counters SET value = value + 1") }
    try ben.sync()
    try ann.sync()
    try expect("value", "7")
  }

  /// A value that the table refuses is not merged; what is kept aside is not merged twice.
  @Test func aValueThatTheTableRefusesIsNotMerged() throws {
    try ann.execute("UPDATE counters SET value = value + 60")
    try ben.execute("UPDATE counters SET value = value + 70")
    try ben.sync()
    try expect("value", "75")
  }

  @Test func theOtherColumnsOfARowAreMergedAllTheSame() throws {
    try ann.execute(
      """
      UPDATE counters SET value = value + 60, tags = '["a","b","A"]',
        notes = 'zero\ntwo\nthree'
      """)
    try ben.execute(
      """
      UPDATE counters SET value = value + 70, tags = '["a","b","B"]',
        notes = 'one\ntwo\nfour'
      """)
    try ben.sync()
    try expect(
      "value || tags || replace(notes, char(10), ' ')", #"75["a","b","B","A"]zero two four"#)
  }

  @Test func anEditOlderThanThePolicyGoesToTheLaterOne() throws {
    let fleet = try Fleet(schema: Self.schema)
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO counters (id, value) VALUES ('c', 5)")
    try fleet.settle()
    try ann.execute("UPDATE counters SET value = 6")
    let later = try Fleet(store: fleet.store, schema: Self.schema, clock: fleet.clock) {
      $0.mergePolicies = Self.policies
    }
    let new = try later.device(copying: ann)
    try new.execute("UPDATE counters SET value = 7")
    try ben.execute("UPDATE counters SET value = 15")
    try ben.sync()
    try new.sync()
    try ben.sync()
    #expect(try new.rows("SELECT value FROM counters") == ["15"])
    #expect(try ben.rows("SELECT value FROM counters") == ["15"])
    try new.execute("UPDATE counters SET value = 17")
    try ben.execute("UPDATE counters SET value = 25")
    try ben.sync()
    try new.sync()
    #expect(try new.rows("SELECT value FROM counters") == ["27"])
  }
}
