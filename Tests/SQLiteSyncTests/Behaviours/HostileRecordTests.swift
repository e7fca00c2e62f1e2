import Foundation
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Records that the cloud's rules allow and no row of ours would make.
struct HostileRecordTests {
  struct Hostile: CustomTestStringConvertible, Sendable {
    let name: String
    let type: String
    var parent: String?
    var fields: [String: CloudValue] = [:]

    var testDescription: String { "\(name.prefix(40)) \(type) \(fields.keys.sorted())" }
  }

  static let records: [Hostile] = [
    Hostile(name: "x", type: "lists"), Hostile(name: ":lists", type: "lists"),
    Hostile(name: "x:", type: "lists"), Hostile(name: "x:lists", type: "reminders"),
    Hostile(name: "x:LISTS", type: "LISTS"),
    Hostile(name: "x:sqlite_master", type: "sqlite_master"),
    Hostile(name: "1:sync_state", type: "sync_state", fields: ["isApplying": .integer(1)]),
    Hostile(name: "x:lists\"; DROP TABLE lists; --", type: "lists\"; DROP TABLE lists; --"),
    Hostile(name: "'; DROP TABLE lists; --:lists", type: "lists"),
    Hostile(name: "\(String(repeating: "k", count: 249)):lists", type: "lists"),
    Hostile(name: "x:lists", type: "lists", fields: ["id": .text("l")]),
    Hostile(name: "x:lists", type: "lists", fields: ["rowid": .integer(1)]),
    Hostile(name: "x:lists", type: "lists", fields: ["__proto__": .text("x"), "\"": .null]),
    Hostile(name: "x:lists", type: "lists", fields: ["title = 'x' --": .text("x")]),
    Hostile(name: "x:lists", type: "lists", fields: ["title": .integer(.max)]),
    Hostile(name: "x:lists", type: "lists", fields: ["title": .bytes(Data([0xFF, 0]))]),
    Hostile(name: "x:lists", type: "lists", fields: ["title": .real(.infinity)]),
    Hostile(name: "x:lists", type: "lists", fields: ["title": .null]),
    Hostile(name: "x:lists", type: "lists", fields: ["color": .text("red")]),
    Hostile(name: "x:lists", type: "lists", fields: ["color": .real(0.5)]),
    Hostile(name: "x:lists", type: "lists", fields: ["title": .text("\u{1B}[2J\u{202E}\u{7}")]),
    Hostile(name: "L:lists", type: "lists", fields: ["TITLE": .text("x"), "ID": .text("l")]),
    Hostile(name: "R:reminders", type: "reminders", fields: ["LISTID": .text("l")]),
    Hostile(name: "BUS:tags", type: "tags"), Hostile(name: "l:LISTS", type: "lists"),
    Hostile(name: "x:reminders", type: "reminders", parent: "x:reminders"),
    Hostile(name: "x:reminders", type: "reminders", fields: ["listID": .text("nowhere")]),
    Hostile(name: "x:reminders", type: "reminders", fields: ["listID": .integer(7)]),
    Hostile(name: "l:covers", type: "covers", fields: ["listID": .text("other")]),
    Hostile(name: "car:tags", type: "tags", fields: ["title": .text("not a car")]),
    Hostile(name: "x:reminderTags", type: "reminderTags", fields: ["tagID": .text("nothing")]),
  ]

  @Test(arguments: records)
  func aHostileRecordHarmsNoRowAndStopsNothing(hostile: Hostile) throws {
    let fleet = try Fleet()
    let (ann, ben) = try fleet.pair()
    try ann.execute(
      """
      INSERT INTO lists (id, title) VALUES ('l', 'Personal');
      INSERT INTO reminders (id, title, listID) VALUES ('r', 'Haircut', 'l');
      INSERT INTO tags VALUES ('Bus');
      """)
    try fleet.settle()
    let stranger = try Stranger(fleet)
    fleet.clock.advance()
    let fields = hostile.fields.mapValues { CloudField($0, stranger.now) }
    try stranger.save(
      CloudRecord(
        name: hostile.name, type: hostile.type, parent: hostile.parent, life: stranger.now,
        fields: fields))
    try fleet.settle()
    for device in [ann, ben] {
      #expect(try device.rows("SELECT title FROM lists WHERE id = 'l'") == ["Personal"])
      #expect(
        try device.rows("SELECT title, listID FROM reminders WHERE id = 'r'") == ["Haircut|l"])
      #expect(try device.rows("SELECT title FROM tags WHERE title = 'Bus'") == ["Bus"])
      #expect(try device.rows("SELECT isApplying FROM sync_state") == ["0"])
    }
    try ben.execute("UPDATE reminders SET title = 'Shave' WHERE id = 'r'")
    try fleet.settle()
    #expect(try ann.rows("SELECT title FROM reminders WHERE id = 'r'") == ["Shave"])
    let late = try fleet.device()
    try fleet.settle()
    #expect(try ann.contents() == ben.contents())
    #expect(try late.contents() == ben.contents())
    for device in [ann, ben, late] {
      let findings = try device.database.read { try SyncEngine.check($0) }
      #expect(findings == [])
    }
  }
}
