import Foundation
import GRDB
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// A device that was away while the log was folded and its beginning deleted.
struct FullFetchTests {
  private let store: FaultyStore
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    store = FaultyStore(MemoryStore())
    fleet = try Fleet(store: store)
    (ann, ben) = try fleet.pair()
    try ann.write { db in
      try db.execute(
        sql: """
          INSERT INTO lists (id, title) VALUES ('l', 'Personal'), ('m', 'Work');
          INSERT INTO reminders (id, title, listID)
          VALUES ('r', 'Milk', 'l'), ('s', 'Eggs', 'l'), ('t', 'Report', 'm');
          """)
    }
    try fleet.settle()
  }

  // MARK: - The tombstones are still there

  @Test func whatHappenedMeanwhileIsMergedWithWhatWasNotSent() throws {
    try ben.execute("UPDATE reminders SET notes = 'Oat' WHERE id = 'r'")
    try ben.execute("INSERT INTO reminders (id, title, listID) VALUES ('u', 'Salt', 'l')")
    try ann.execute("UPDATE reminders SET title = 'Milk!', priority = 1 WHERE id = 'r'")
    try ann.execute("DELETE FROM reminders WHERE id = 's'")
    try ann.execute("INSERT INTO lists (id, title) VALUES ('n', 'New')")
    try fleet.compact(after: ann)
    try fleet.settle()
    #expect(ben.zoneChanges == [.expired])
    #expect(ann.zoneChanges == [])
    for device in [ann, ben] {
      #expect(
        try device.rows("SELECT id, title, notes, priority FROM reminders ORDER BY id") == [
          "r|Milk!|Oat|1", "t|Report||NULL", "u|Salt||NULL",
        ])
      #expect(try device.rows("SELECT id FROM lists ORDER BY id") == ["l", "m", "n"])
    }
    try fleet.expectExhausted()
  }

  @Test func onlyWhatChangedIsToldAsFetched() throws {
    try ann.execute("UPDATE reminders SET title = 'Milk!' WHERE id = 'r'")
    try fleet.compact(after: ann)
    let before = ben.events.count
    try ben.sync()
    let modified = ben.events[before...].flatMap { event -> [String] in
      guard case .fetchedRecordZoneChanges(let modified, _, _) = event else { return [] }
      return modified.map(\.name)
    }
    #expect(modified == ["r:reminders"])
    #expect(ben.synchronizer.sentCount == 0)
    try fleet.settle()
    try fleet.expectExhausted()
  }

  @Test func anOlderEditLosesAndIsKeptInTheHistory() throws {
    try ben.execute("UPDATE reminders SET title = 'Bread' WHERE id = 'r'")
    try ann.execute("UPDATE reminders SET title = 'Butter' WHERE id = 'r'")
    try fleet.compact(after: ann)
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM reminders WHERE id = 'r'") == ["Butter"])
    #expect(
      try ben.rows("SELECT value FROM sync_history WHERE field = 'title' AND clock <> 0")
        == ["Bread"])
    try fleet.expectExhausted()
  }

  @Test func anEditLaterThanTheDeletionSurvivesIt() throws {
    try ann.execute("DELETE FROM lists WHERE id = 'l'")
    try fleet.compact(after: ann)
    try ben.execute("UPDATE reminders SET title = 'Milk!' WHERE id = 'r'")
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT id FROM reminders ORDER BY id") == ["r", "t"])
      #expect(try device.rows("SELECT id FROM lists ORDER BY id") == ["l", "m"])
    }
    try fleet.expectExhausted()
  }

  @Test(arguments: [true, false])
  func aListDeletedHereComesBackWithAReminderMadeLaterThere(sendsFirst: Bool) throws {
    try ben.execute("DELETE FROM lists WHERE id = 'l'")
    try ann.execute("INSERT INTO reminders (id, title, listID) VALUES ('u', 'Salt', 'l')")
    try fleet.compact(after: ann)
    if sendsFirst { try ben.send() } else { try ben.fetch() }
    #expect(try ben.rows("SELECT title FROM lists WHERE id = 'l'") == ["Personal"])
    try fleet.settle()
    #expect(try ann.rows("SELECT id FROM reminders ORDER BY id") == ["t", "u"])
    try fleet.expectExhausted()
  }

  // MARK: - The tombstones are gone

  @Test func whatIsNotMentionedWasDeletedAndGoesIntoTheHistory() throws {
    try ann.execute("DELETE FROM lists WHERE id = 'l'")
    try fleet.compact(after: ann, forgettingDeletions: true)
    try ben.sync()
    #expect(try ben.rows("SELECT id FROM reminders") == ["t"])
    #expect(try ben.rows("SELECT id FROM lists") == ["m"])
    #expect(
      try ben.rows("SELECT primaryKey FROM sync_history ORDER BY primaryKey") == ["l", "r", "s"])
    #expect(
      ben.events.contains { event in
        guard case .fetchedRecordZoneChanges(_, let deleted, _) = event else { return false }
        return Set(deleted.map(\.name)) == ["l:lists", "r:reminders", "s:reminders"]
      })
    try fleet.settle()
    try fleet.expectExhausted(haveTombstonesExpired: true)
  }

  @Test func whatIsNotMentionedCanBeRestoredWhole() throws {
    try ann.execute("DELETE FROM lists WHERE id = 'l'")
    try fleet.compact(after: ann, forgettingDeletions: true)
    try ben.sync()
    let restored = try ben.write { db in
      let entry = try #require(try SyncHistory.deletedRows(db, of: "lists").first)
      #expect(!entry.winner.isHere)
      return try SyncHistory.restore(entry.id, in: db)
    }
    #expect(restored.rows.map(\.key).sorted() == ["l", "r", "s"])
    try fleet.settle()
    #expect(try ann.rows("SELECT id FROM reminders ORDER BY id") == ["r", "s", "t"])
  }

  @Test func anUnsentEditSurvivesWithWhatItHangsOn() throws {
    try ben.execute("UPDATE reminders SET title = 'Milk!' WHERE id = 'r'")
    try ann.execute("DELETE FROM lists")
    try fleet.compact(after: ann, forgettingDeletions: true)
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT id, title FROM lists") == ["l|Personal"])
      #expect(try device.rows("SELECT id, title FROM reminders") == ["r|Milk!"])
    }
    #expect(
      try ben.rows("SELECT primaryKey FROM sync_history WHERE field IS NULL ORDER BY primaryKey")
        == ["m", "s", "t"])
    try fleet.expectExhausted(haveTombstonesExpired: true)
  }

  @Test func aRowThatWasNeverSentSurvivesWithWhatItHangsOn() throws {
    try ben.execute("INSERT INTO reminders (id, listID) VALUES ('u', 'l')")
    try ben.execute("INSERT INTO orphans (id, listID) VALUES ('o', 'm')")
    try ann.execute("DELETE FROM lists")
    try fleet.compact(after: ann, forgettingDeletions: true)
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT id FROM lists ORDER BY id") == ["l", "m"])
      #expect(try device.rows("SELECT id FROM reminders") == ["u"])
      #expect(try device.rows("SELECT listID FROM orphans") == ["m"])
    }
    try fleet.expectExhausted(haveTombstonesExpired: true)
  }

  @Test func aDeletionOfWhatIsGoneAlreadyIsDropped() throws {
    try ben.execute("DELETE FROM reminders WHERE id = 'r'")
    try ann.execute("DELETE FROM lists WHERE id = 'l'")
    try fleet.compact(after: ann, forgettingDeletions: true)
    try fleet.settle()
    #expect(ben.synchronizer.sentCount == 0)
    try fleet.expectExhausted(haveTombstonesExpired: true)
  }

  @Test func aRowMadeAgainAfterwardsIsANewOneForEverybody() throws {
    try ann.execute("DELETE FROM lists WHERE id = 'l'")
    try fleet.compact(after: ann, forgettingDeletions: true)
    try ben.sync()
    try ben.execute("INSERT INTO lists (id, title) VALUES ('l', 'Again')")
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM lists WHERE id = 'l'") == ["Again"])
    try fleet.expectExhausted(haveTombstonesExpired: true)
  }

  @Test func rowsThatReferToEachOtherInACircleGoTogether() throws {
    try ann.execute("INSERT INTO nodes (id) VALUES ('a'), ('b'), ('c')")
    try ann.execute("UPDATE nodes SET parentID = CASE id WHEN 'a' THEN 'b' ELSE 'a' END")
    try fleet.settle()
    try ann.execute("DELETE FROM nodes")
    try fleet.compact(after: ann, forgettingDeletions: true)
    try fleet.settle()
    #expect(try ben.rows("SELECT id FROM nodes") == [])
    #expect(
      try ben.rows("SELECT primaryKey FROM sync_history ORDER BY primaryKey") == ["a", "b", "c"])
    try fleet.expectExhausted(haveTombstonesExpired: true)
  }

  @Test func rowsInACircleAreDeletedByATombstoneToo() throws {
    try ann.execute("INSERT INTO nodes (id) VALUES ('a'), ('b')")
    try ann.execute("UPDATE nodes SET parentID = CASE id WHEN 'a' THEN 'b' ELSE 'a' END")
    try fleet.settle()
    try ann.execute("DELETE FROM nodes WHERE id = 'a'")
    try fleet.settle()
    #expect(try ben.rows("SELECT id FROM nodes") == [])
    #expect(try ben.rows("SELECT primaryKey FROM sync_history ORDER BY primaryKey") == ["a", "b"])
    try fleet.expectExhausted()
  }

  // MARK: - Many pages, many devices

  /// Enough for several parts of a checkpoint and several pages of commits after it.
  private func fillPages() throws {
    for number in 0..<9 {
      try ann.execute(
        "INSERT INTO lists (id, title) VALUES (?, ?)",
        ["p\(number)", String(repeating: "x", count: 400_000)])
      try ann.sync()
    }
    try ann.execute("DELETE FROM lists WHERE id = 'l'")
    try fleet.compact(after: ann, forgettingDeletions: true)
    for number in 0..<150 {
      try ann.execute("UPDATE lists SET color = ? WHERE id = 'p0'", [number])
      try ann.sync()
    }
  }

  @Test func aFullFetchThatStopsAfterEachPageGoesOnWhereItWas() throws {
    try ben.execute("INSERT INTO lists (id, title) VALUES ('n', 'Mine')")
    try fillPages()
    var pages = 0
    while try ben.zoneChanges.isEmpty || !ben.isWhole() {
      pages += 1
      // Asked before each page: one is let through.
      let asked = Mutex(0)
      ben.synchronizer.shouldStop = {
        asked.withLock {
          $0 += 1; return $0 > 2
        }
      }
      try ben.sync()
      try ben.relaunch()
    }
    #expect(pages > 3)
    #expect(ben.zoneChanges == [.expired])
    try fleet.settle()
    #expect(try ben.rows("SELECT color FROM lists WHERE id = 'p0'") == ["149"])
    #expect(try ben.rows("SELECT id FROM reminders") == ["t"])
    try fleet.expectExhausted(haveTombstonesExpired: true)
  }

  // The simulation's seed 38996.
  @Test func aFirstFetchThatBeganBeforeTheLogWasFoldedIsBegunAgain() throws {
    for title in ["A", "B"] {
      try ann.execute("UPDATE lists SET title = ?", [title]); try ann.sync()
    }
    var policy = MaintenancePolicy.eager
    policy.keptCommits = 1
    for _ in 1...2 { _ = try ann.zone.maintain(policy) }
    // Until it looks for what comes after the beginning, it is shown the zone as it was before.
    let hasLooked = Mutex(false)
    store.plan { call in
      guard call.kind == .read else { return nil }
      if call.path.hasSuffix("/log/0000000000000003.json") { hasLooked.withLock { $0 = true } }
      let isOld = hasLooked.withLock { !$0 }
      return isOld && call.path.hasSuffix("/meta/0000000000000002.json") ? .stale : nil
    }
    let carl = try fleet.device()
    try carl.sync()
    #expect(hasLooked.withLock { $0 })
    #expect(try carl.rows("SELECT title FROM lists") == ["B", "B"])
    try fleet.settle()
    try fleet.expectExhausted()
  }

  @Test func aProcessThatDiesAtAnyCallOfAFullFetchLosesNothing() throws {
    var call = 0
    var isDone = false
    while !isDone {
      call += 1
      let test = try FullFetchTests()
      isDone = try test.dieAtCall(call)
    }
    #expect(call > 12)
  }

  /// Returns whether the process lived.
  private func dieAtCall(_ number: Int) throws -> Bool {
    try ben.execute("UPDATE reminders SET title = 'Milk!' WHERE id = 'r'")
    try ann.execute("DELETE FROM reminders WHERE id = 's'")
    try fleet.compact(after: ann, forgettingDeletions: true)
    let count = Mutex(0)
    store.plan { _ in
      count.withLock { count in
        count += 1
        return count == number ? (number.isMultiple(of: 2) ? .crashAfter : .crashBefore) : nil
      }
    }
    // It may have been done before the call that dies.
    do { try ben.sync() } catch { #expect(error is CloudError) }
    let hasLived = count.withLock { $0 < number }
    store.restart()
    try ben.relaunch()
    try fleet.settle()
    #expect(try ann.rows("SELECT id, title FROM reminders") == ["r|Milk!", "t|Report"])
    try fleet.expectExhausted(haveTombstonesExpired: true)
    return hasLived
  }

  @Test func ofThreeDevicesThoseThatWereAwayAgreeInTheEnd() throws {
    let carl = try fleet.device()
    try fleet.settle()
    try ben.execute("UPDATE reminders SET title = 'Milk by ben' WHERE id = 'r'")
    try carl.execute("UPDATE reminders SET notes = 'by carl' WHERE id = 'r'")
    try carl.execute("DELETE FROM lists WHERE id = 'm'")
    try ann.execute("DELETE FROM lists WHERE id = 'l'")
    try fleet.compact(after: ann, forgettingDeletions: true)
    try ben.sync()
    try fleet.compact(after: ben, forgettingDeletions: true)
    try fleet.settle()
    for device in fleet.devices {
      #expect(try device.rows("SELECT id FROM lists") == ["l"])
      #expect(
        try device.rows("SELECT id, title, notes FROM reminders") == ["r|Milk by ben|by carl"])
    }
    #expect(carl.zoneChanges == [.expired])
    try fleet.expectExhausted(haveTombstonesExpired: true)
  }

  @Test func aWaitingRecordThatIsNotMentionedIsForgotten() throws {
    let stranger = try Stranger(fleet)
    try stranger.save("reminderTags", "rt", ["reminderID": .text("gone"), "tagID": .null])
    try ben.sync()
    #expect(try ben.counts().waiting == 1)
    try stranger.delete("reminderTags", "rt", andOf: "reminderTags")
    try fleet.compact(after: ann, forgettingDeletions: true)
    try fleet.settle()
    try fleet.expectExhausted(after: [.waited], haveTombstonesExpired: true)
  }
}
