import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// What is one's own and was moved into a share that is over by then: nobody has it there, so it is
/// where it was.
struct MovedIntoTheEndTests {
  private let family: Family
  private var ann: Device { family.ann }
  private var ben: Device { family.ben }

  init() throws {
    family = try Family()
    try family.share([Family.benID: .write])
  }

  enum End: CaseIterable {
    case unshared, refused, rootDeleted, leftElsewhere, leftHere
  }

  private func end(_ end: End) throws {
    switch end {
    case .unshared: try ann.synchronizer.unshare(table: "lists", key: "home")
    case .refused:
      try ann.synchronizer.setPermissions(
        table: "lists", key: "home", participants: [Family.benID: .none],
        publicPermission: Share.Permission.none)
    case .rootDeleted: try ann.execute("DELETE FROM lists WHERE id = 'home'")
    case .leftElsewhere:
      try family.benToo.synchronizer.leave(table: "lists", key: "home")
      try family.benToo.sync()
    case .leftHere: return
    }
    try ann.sync()
  }

  @Test(arguments: End.allCases)
  func itComesBack(how: End) throws {
    try end(how)
    let before = ben.events.count
    try ben.execute("UPDATE reminders SET listID = 'home' WHERE id = 'run'")
    try ben.execute("INSERT INTO subtasks VALUES ('socks', 'Socks', 'run')")
    if how == .leftHere { try ben.synchronizer.leave(table: "lists", key: "home") }
    try family.settle()
    for device in [ben, family.benToo] {
      #expect(try device.tree() == ["Own", "Own > Run", "Own > Run > Shoes", "Own > Run > Socks"])
    }
    #expect(try ann.tree() == (how == .rootDeleted ? [] : Family.home) + Family.work)
    let withdrawn = ben.events[before...].flatMap { event -> [SyncEvent.Record] in
      if case .withdrawn(let records) = event { records } else { [] }
    }
    #expect(withdrawn.contains(.init(type: "reminders", name: "run:reminders")))
    try family.fleet.expectExhausted(after: family.fleet.troubles)
  }

  /// The person moves something after the device has begun to let go of the zone.
  @Test func itComesBackAlsoWhenTheDeviceWasAway() throws {
    try ben.execute("UPDATE reminders SET listID = 'home' WHERE id = 'run'")
    try end(.unshared)
    try ben.execute("UPDATE subtasks SET title = 'Boots' WHERE id = 'shoes'")
    try ben.relaunch()
    try family.settle()
    for device in [ben, family.benToo] {
      #expect(try device.tree() == ["Own", "Own > Run", "Own > Run > Boots"])
    }
  }

  /// A device with an earlier version, which knows nothing of subtasks, moves a row there: nobody
  /// moved what hangs on it, which could only come along.
  @Test func whatHangsOnARowThatWentThereGoesIntoTheHistory() throws {
    let earlier = Schema(
      sql: Schema.family.sql, tables: Schema.family.tables.filter { $0 != "subtasks" },
      privateTables: Schema.family.privateTables)
    let old = try family.fleet.device(schema: earlier, account: Family.benID)
    try family.settle()
    try old.execute("UPDATE reminders SET listID = 'home' WHERE id = 'run'")
    try old.sync()
    try ben.fetch()
    try end(.unshared)
    try family.settle()
    let annsHome = Family.home + ["Home > Run"]
    #expect(try ann.tree() == annsHome + Family.work)
    for device in [ben, family.benToo] {
      #expect(try device.tree() == ["Own"])
      #expect(try device.counts() == SyncCounts())
      #expect(try device.strays() == [])
    }
    let lost = "SELECT v0 FROM sync_history WHERE primaryKey = 'shoes' AND field IS NULL"
    #expect(try ben.rows(lost) == ["Shoes"])
    // That it is not ben's any more is no deletion of ann's; and what hung on it is there again.
    try family.share([Family.benID: .write])
    let shared = annsHome + ["Home > Run > Shoes"]
    #expect(try ann.tree() == shared + Family.work)
    for device in [ben, family.benToo] { #expect(try device.tree() == shared + ["Own"]) }
  }
}
