import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// What a device keeps beside its rows may be more than the cloud takes.
struct BeyondLimitsTests {
  private struct Lists: TableRecord { static let databaseTableName = "lists" }

  private let fleet: Fleet
  private let ann: Device
  private let ben: Device

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Home')")
    try ann.execute("INSERT INTO covers (listID, image) VALUES ('l', randomblob(10000))")
    try fleet.settle()
  }

  @Test func aColumnIsAddedToARowWithALargeImage() throws {
    let addCaption: (Database) throws -> Void = {
      try $0.execute(sql: "ALTER TABLE covers ADD COLUMN caption TEXT")
    }
    try ben.relaunch(migrate: addCaption)
    try ben.execute("UPDATE covers SET caption = 'Us'")
    try fleet.settle()
    let image = try ann.rows("SELECT hex(image) FROM covers")
    try ann.relaunch(migrate: addCaption)
    #expect(try ann.rows("SELECT caption FROM covers") == ["Us"])
    #expect(try ann.rows("SELECT hex(image) FROM covers") == image)
    try fleet.settle()
    try fleet.expectExhausted()
  }

  @Test func aColumnWithATextThatIsTooLongToBeSentIsTakenOutAndComesBack() throws {
    try ann.execute("UPDATE lists SET title = replace(hex(zeroblob(600000)), '0', 'x')")
    try ann.relaunch { db in
      try SyncEngine.forget(db, table: Lists.self, columns: ["title"])
      try db.execute(sql: "ALTER TABLE lists DROP COLUMN title")
    }
    try ben.execute("UPDATE lists SET color = 1")
    try fleet.settle(ben, ann)
    #expect(try ann.rows("SELECT color FROM lists") == ["1"])
    try ann.relaunch { db in
      try db.execute(
        sql: "ALTER TABLE lists ADD title TEXT NOT NULL ON CONFLICT REPLACE DEFAULT ''")
    }
    #expect(try ann.rows("SELECT length(title) FROM lists") == ["1200000"])
  }

  @Test func fieldsThatNobodyKnowsDoNotAddUpToMoreThanARecordHas() throws {
    let stranger = try Stranger(fleet)
    let known = try #require(try stranger.record("l:lists"))
    for prefix in ["a", "b"] {
      try stranger.save(known, with: 150, named: prefix)
      try fleet.settle()
    }
    try ann.execute("UPDATE lists SET title = 'House'")
    try fleet.settle()
    #expect(try ben.rows("SELECT title FROM lists") == ["House"])
    let fields = try #require(try stranger.record("l:lists")).fields
    #expect(fields.count == CloudLimits.fieldsPerRecord)
    #expect((0..<150).allSatisfy { fields["b\($0)"] != nil })
    try fleet.expectExhausted()
  }
}
