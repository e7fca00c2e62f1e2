import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSync

/// Parents and children that arrive apart, move, and go.
struct ForeignKeyTests {
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device
  private let stranger: Stranger

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
    stranger = try Stranger(fleet)
  }

  private func saveChild() throws {
    try stranger.save("reminders", "r", ["title": .text("Haircut"), "listID": .text("l")])
  }

  private func saveParent() throws {
    try stranger.save("lists", "l", ["title": .text("Personal")])
  }

  @Test(arguments: [true, false])
  func anEditBelowTwoDeletedRowsBringsBothBack(deleterSyncsFirst: Bool) throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO nodes VALUES ('a', 'A', NULL), ('b', 'B', 'a'), ('c', 'C', 'b')")
    try fleet.settle()
    try ann.execute("DELETE FROM nodes WHERE id = 'a'")
    try ben.execute("UPDATE nodes SET title = 'C!' WHERE id = 'c'")
    try deleterSyncsFirst ? fleet.settle(ann, ben) : fleet.settle(ben, ann)
    for device in [ann, ben] {
      #expect(try device.rows("SELECT title FROM nodes ORDER BY id") == ["A", "B", "C!"])
    }
    #expect(fleet.troubles.isSubset(of: [.waited]))
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test(arguments: [true, false])
  func whatIsMadeBelowARowThatMovedIntoADeletedOneBringsBothBack(deleterSyncsFirst: Bool) throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO nodes VALUES ('a', 'A', NULL), ('b', 'B', NULL)")
    try fleet.settle()
    try ben.execute("UPDATE nodes SET parentID = 'a' WHERE id = 'b'")
    try ann.execute("DELETE FROM nodes WHERE id = 'a'")
    try ann.execute("INSERT INTO nodes VALUES ('c', 'C', 'b')")
    try deleterSyncsFirst ? fleet.settle(ann, ben) : fleet.settle(ben, ann)
    for device in [ann, ben] {
      #expect(try device.strays() == [])
      #expect(
        try device.rows("SELECT title, parentID FROM nodes ORDER BY id")
          == ["A|NULL", "B|a", "C|b"])
    }
    try fleet.expectExhausted(after: fleet.troubles)
  }

  @Test func aChildWaitsForItsParentAndThenBothCanBeEdited() throws {
    try saveChild()
    try fleet.settle()
    #expect(try ann.rows("SELECT * FROM reminders") == [])
    #expect(try ann.counts().waiting == 1)
    try saveParent()
    try fleet.settle()
    #expect(try ann.rows("SELECT title, listID FROM reminders") == ["Haircut|l"])
    try ann.execute("UPDATE reminders SET title = 'Hair'")
    try ben.execute("UPDATE lists SET title = 'Family'")
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM reminders") == ["Hair"])
    #expect(try ann.rows("SELECT title FROM lists") == ["Family"])
    try fleet.expectExhausted(after: [.waited])
  }

  @Test func aWaitingChildThatComesAgainWithItsParentIsAppliedOnce() throws {
    try saveChild()
    try fleet.settle()
    try stranger.save("reminders", "r", ["title": .text("Hair"), "listID": .text("l")])
    try saveParent()
    try fleet.settle()
    #expect(try ann.rows("SELECT title, listID FROM reminders") == ["Hair|l"])
    try fleet.expectExhausted(after: [.waited])
  }

  @Test func aWaitingChildSurvivesARelaunch() throws {
    try saveChild()
    try fleet.settle()
    try ann.relaunch()
    #expect(try ann.counts().waiting == 1)
    try saveParent()
    try fleet.settle()
    #expect(try ann.rows("SELECT title, listID FROM reminders") == ["Haircut|l"])
    try fleet.expectExhausted(after: [.waited])
  }

  @Test func aWaitingGrandchildIsForgottenWhenItIsDeleted() throws {
    try saveParent()
    try stranger.save("nodes", "c", ["parentID": .text("b")])
    try fleet.settle()
    #expect(try ann.counts().waiting == 1)
    try stranger.delete("nodes", "b", andOf: "nodes", "c")
    try fleet.settle()
    #expect(try ann.rows("SELECT * FROM nodes") == [])
    try fleet.expectExhausted(after: [.waited])
  }

  @Test func aWholeLineOfWaitingRowsFollowsItsRoot() throws {
    for (key, parent) in [("d", "c"), ("c", "b"), ("b", "a")] {
      try stranger.save("nodes", key, ["parentID": .text(parent)])
      try fleet.settle()
    }
    #expect(try ann.counts().waiting == 3)
    try stranger.save("nodes", "a", ["parentID": .null])
    try fleet.settle()
    #expect(
      try ann.rows("SELECT id, parentID FROM nodes ORDER BY id") == ["a|NULL", "b|a", "c|b", "d|c"])
    try fleet.expectExhausted(after: [.waited])
  }

  @Test func aRowThatReferredToItselfArrives() throws {
    try ann.execute("INSERT INTO nodes VALUES ('n', 'Self', 'n')")
    try fleet.settle()
    #expect(try ben.rows("SELECT id, parentID FROM nodes") == ["n|n"])
    try ben.execute("DELETE FROM nodes")
    try fleet.settle()
    #expect(try ann.rows("SELECT * FROM nodes") == [])
    try fleet.expectExhausted()
  }

  @Test func rowsOfOneTableArriveInAnyOrderOfTheirKeys() throws {
    try ann.write { db in
      try db.execute(sql: "INSERT INTO nodes VALUES ('z', 'Root', NULL)")
      try db.execute(sql: "INSERT INTO nodes VALUES ('y', 'Child', 'z'), ('x', 'Grandchild', 'y')")
    }
    try ann.write { db in try db.execute(sql: "UPDATE nodes SET title = title || '!'") }
    try fleet.settle()
    #expect(try ben.rows("SELECT id FROM nodes ORDER BY id") == ["x", "y", "z"])
    #expect(try ben.counts().waiting == 0)
    #expect(try ben.rows("PRAGMA foreign_key_check") == [])
  }

  @Test func aMoveToAParentThatIsNotHereYetIsAppliedWhenItArrives() throws {
    try saveParent()
    try saveChild()
    try fleet.settle()
    try stranger.save("reminders", "r", ["title": .text("Haircut"), "listID": .text("m")])
    try fleet.settle()
    #expect(try ann.rows("SELECT listID FROM reminders") == ["l"])
    try stranger.save("lists", "m", ["title": .text("Moved")])
    try fleet.settle()
    #expect(try ann.rows("SELECT listID FROM reminders") == ["m"])
    try fleet.expectExhausted(after: [.waited])
  }

  @Test(arguments: MergeConflictTests.First.allCases)
  func ofTwoMovesTheLaterWins(first: MergeConflictTests.First) throws {
    try ann.execute("INSERT INTO lists (id) VALUES ('l'), ('m'), ('n')")
    try ann.execute("INSERT INTO reminders (id, listID) VALUES ('r', 'l')")
    try fleet.settle()
    try ben.execute("UPDATE reminders SET listID = 'm'")
    try ann.execute("UPDATE reminders SET listID = 'n'")
    try ben.send()
    try first == .fetch ? ann.fetch() : ann.send()
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT listID FROM reminders") == ["n"])
    }
    try fleet.expectExhausted(after: first.troubles)
  }

  @Test func aWaitingChildIsAppliedWhenItsParentIsMadeHere() throws {
    try stranger.save(
      "reminderTags", "rt", ["reminderID": .null, "tagID": .text("car")])
    try fleet.settle()
    #expect(try ann.counts().waiting == 1)
    try ann.execute("INSERT INTO tags VALUES ('car')")
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT id, tagID FROM reminderTags") == ["rt|car"])
    }
    try fleet.expectExhausted(after: [.waited])
  }

  @Test func manyDeletedParentsTakeTheirRowsAlongAndLeaveOthers() throws {
    try ann.write { db in
      for list in 0..<20 {
        try db.execute(sql: "INSERT INTO lists (id) VALUES (?)", arguments: ["l\(list)"])
        for item in 0..<10 {
          try db.execute(
            sql: "INSERT INTO reminders (id, listID) VALUES (?, ?)",
            arguments: ["r\(list)-\(item)", "l\(list)"])
        }
      }
    }
    try fleet.settle()
    #expect(try ben.rows("SELECT count(*) FROM reminders") == ["200"])
    try ann.execute("DELETE FROM lists WHERE id <> 'l7'")
    try fleet.settle()
    #expect(try ben.rows("SELECT count(*) FROM reminders") == ["10"])
    #expect(try stranger.names().count == 11)
    try fleet.expectExhausted()
  }

  @Test func fiveHundredWaitingChildrenAreAppliedWithTheirParent() throws {
    try stranger.save(
      "reminders", (0..<500).map { "r\($0)" }, ["title": .text("t"), "listID": .text("l")])
    try fleet.settle()
    #expect(try ann.counts().waiting == 500)
    try saveParent()
    try fleet.settle()
    #expect(try ann.rows("SELECT count(*) FROM reminders") == ["500"])
    try fleet.expectExhausted(after: [.waited])
  }

  @Test func aReferenceThatIsClearedWithItsParentIsKeptInTheHistory() throws {
    try ann.execute("INSERT INTO lists (id) VALUES ('l')")
    try ann.execute("INSERT INTO orphans (id, listID) VALUES ('o', 'l')")
    try fleet.settle(ann, ben)
    try ann.execute("DELETE FROM lists")
    try fleet.settle(ann, ben)
    #expect(try ben.rows("SELECT id, listID FROM orphans") == ["o|NULL"])
    #expect(
      try ben.rows("SELECT primaryKey, value FROM sync_history WHERE field = 'listID'") == ["o|l"])
    try fleet.expectExhausted()
  }

  /// Who deletes a row knows nothing of what another device made below it, and put elsewhere since.
  @Test(arguments: ["reminders", "orphans"], [true, false])
  func whatWasPutElsewhereBeforeItsParentWasDeletedStays(table: String, isReadFirst: Bool) throws {
    try ann.execute("INSERT INTO lists (id) VALUES ('l'), ('m')")
    try fleet.settle()
    try ann.execute("INSERT INTO \(table) (id, title, listID) VALUES ('r', 'Milk', 'l')")
    try ann.sync()
    fleet.clock.advance()
    try ann.execute("UPDATE \(table) SET listID = 'm'")
    fleet.clock.advance(milliseconds: 1000)
    try ben.execute("DELETE FROM lists WHERE id = 'l'")
    if isReadFirst { try ben.sync() } else { try ben.send() }
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT title, listID FROM \(table)") == ["Milk|m"])
      #expect(try device.rows("SELECT id FROM lists") == ["m"])
    }
    try fleet.expectExhausted(after: fleet.troubles)
  }

  /// The same where what is below it was edited last.
  @Test func whatIsBelowAnOrphanGoesWithIt() throws {
    try ann.execute("INSERT INTO nodes VALUES ('a', 'A', NULL)")
    try fleet.settle()
    try ann.execute("INSERT INTO nodes VALUES ('b', 'B', 'a'), ('c', 'C', 'b')")
    fleet.clock.advance(milliseconds: 10)
    try ann.execute("UPDATE nodes SET title = 'C!' WHERE id = 'c'")
    try ann.sync()
    let cat = try fleet.device()
    try cat.sync()
    fleet.clock.advance(milliseconds: 1000)
    try ben.execute("DELETE FROM nodes WHERE id = 'a'")
    try ben.sync()
    try fleet.settle()
    for device in fleet.devices {
      #expect(try device.rows("SELECT id FROM nodes") == [])
    }
    try fleet.expectExhausted()
  }

  // MARK: - Circles

  @Test func rowsThatReferToEachOtherReachANewcomer() throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO nodes (id) VALUES ('a'), ('b'), ('c')")
    try fleet.settle()
    // Neither makes a circle; together they do.
    try ann.execute("UPDATE nodes SET parentID = 'b' WHERE id = 'a'")
    try ben.execute("UPDATE nodes SET parentID = 'a' WHERE id = 'b'")
    try fleet.settle()
    let carl = try fleet.device()
    try fleet.settle()
    #expect(
      try carl.rows("SELECT id, parentID FROM nodes ORDER BY id") == ["a|b", "b|a", "c|NULL"])
    try carl.execute("DELETE FROM nodes WHERE id = 'a'")
    try fleet.settle()
    #expect(try ann.rows("SELECT id FROM nodes") == ["c"])
    try fleet.expectExhausted()
  }

  // The simulation's seed 20061: deleting b takes a with it, and c, before anybody came to c.
  @Test(arguments: [false, true])
  func allThatGoesWithACircleIsKept(isForgotten: Bool) throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO nodes (id, parentID) VALUES ('a', NULL), ('b', 'a'), ('c', 'a')")
    try ann.execute("UPDATE nodes SET parentID = 'b' WHERE id = 'a'")
    try fleet.settle()
    try ann.execute("DELETE FROM nodes WHERE id = 'a'")
    try fleet.compact(after: ann, forgettingDeletions: isForgotten)
    try fleet.settle()
    #expect(try ben.rows("SELECT id FROM nodes") == [])
    #expect(
      try ben.rows("SELECT primaryKey FROM sync_history ORDER BY primaryKey") == ["a", "b", "c"])
    try fleet.expectExhausted(haveTombstonesExpired: isForgotten)
  }

  @Test func aCircleWaitsForWhatElseItHangsOn() throws {
    let fleet = try Fleet(
      schema: Schema(
        sql: """
          CREATE TABLE lists (id TEXT PRIMARY KEY NOT NULL);
          CREATE TABLE nodes (
            id TEXT PRIMARY KEY NOT NULL,
            parentID TEXT REFERENCES nodes (id) ON DELETE CASCADE,
            listID TEXT REFERENCES lists (id) ON DELETE CASCADE);
          """, tables: ["lists", "nodes"]))
    let (ann, _) = try fleet.pair()
    let stranger = try Stranger(fleet)
    try stranger.save("nodes", "a", ["parentID": .text("b"), "listID": .null])
    try stranger.save("nodes", "b", ["parentID": .text("a"), "listID": .text("l")])
    try fleet.settle()
    #expect(try ann.counts().waiting == 2)
    try stranger.save("lists", "l")
    try fleet.settle()
    #expect(try ann.rows("SELECT id FROM nodes ORDER BY id") == ["a", "b"])
    try fleet.expectExhausted(after: [.waited])
  }

  @Test func aReferenceThatIsNoKeyIsRefusedAndHoldsUpNothingElse() throws {
    let fleet = try Fleet(
      schema: Schema(
        sql: """
          CREATE TABLE nodes (
            id TEXT PRIMARY KEY NOT NULL, parentID TEXT REFERENCES nodes (id) ON DELETE CASCADE)
          """, tables: ["nodes"]))
    let (ann, _) = try fleet.pair()
    let stranger = try Stranger(fleet)
    try stranger.save("nodes", "a", ["parentID": .bytes(Data([0xff]))])
    try stranger.save("nodes", "b", ["parentID": .integer(5)])
    try stranger.save("nodes", "c", ["parentID": .null])
    try fleet.settle()
    #expect(try ann.rows("SELECT id FROM nodes") == ["c"])
    #expect(try ann.counts().quarantined == 2)
  }

  @Test func aRowThatRefersToItselfWaitsForTheOther() throws {
    let fleet = try Fleet(
      schema: Schema(
        sql: """
          CREATE TABLE lists (id TEXT PRIMARY KEY NOT NULL) STRICT;
          CREATE TABLE items (
            id TEXT PRIMARY KEY NOT NULL, listID TEXT REFERENCES lists ON DELETE CASCADE) STRICT;
          CREATE TABLE steps (
            id TEXT PRIMARY KEY NOT NULL, itemID TEXT REFERENCES items ON DELETE CASCADE,
            firstID TEXT REFERENCES steps ON DELETE CASCADE) STRICT;
          """, tables: ["lists", "items", "steps"]))
    let (ann, _) = try fleet.pair()
    let stranger = try Stranger(fleet)
    try stranger.save("items", "i", ["listID": .text("l")])
    try stranger.save("steps", "s", ["itemID": .text("i"), "firstID": .text("s")])
    try fleet.settle()
    #expect(try ann.rows("SELECT id FROM steps") == [])
    try stranger.save("lists", "l", [:])
    try fleet.settle()
    #expect(try ann.rows("SELECT * FROM steps") == ["s|i|s"])
    try fleet.expectExhausted(after: [.waited])
  }
}
