import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// Zones of others that hold more than what is shared: whatever somebody puts there, it is ignored,
/// and nobody's rows change.
struct HostileZoneTests {
  private let family: Family
  private var ann: Device { family.ann }
  private var annToo: Device { family.annToo }
  private var ben: Device { family.ben }

  init() throws {
    family = try Family()
  }

  /// Ben shares his list with ann, and writes there what he likes.
  private func hostileOwner(_ permission: Share.Permission = .write) throws -> Stranger {
    let link = try family.shareOwn(permission)
    return try Stranger(family.fleet, account: Family.benID, zone: link.zone)
  }

  /// Ann shares her list with ben, who may write there.
  private func hostileParticipant() throws -> Stranger {
    let link = try family.share([Family.benID: .write])
    return try Stranger(family.fleet, account: Family.benID, zone: link.zone)
  }

  /// Rows of ann's own, by their names, in the list that she shares.
  @Test func whatIsIgnoredInAListDoesNotKeepItFromBeingDeleted() throws {
    let ben = try hostileParticipant()
    try ben.save("reminders", "memo", ["listID": .text("home")], parent: "home:lists")
    try ben.save("subtasks", "page", ["reminderID": .text("memo")], parent: "memo:reminders")
    try family.settle()
    #expect(try ann.database.readSnapshot { try StaleCopies(db: $0).heldCount() } == 2)
    try ann.execute("DELETE FROM lists WHERE id = 'home'")
    try family.settle()
    for device in [ann, annToo] {
      #expect(try device.counts() == SyncCounts())
      #expect(try device.tree() == Family.work)
      #expect(try device.rows("SELECT name FROM sync_zones") == ["default"])
    }
    try family.fleet.expectExhausted()
  }

  /// Somebody says in the log that a subtask hangs on one reminder, and in its fields that it hangs
  /// on another one, which is nowhere.
  @Test func whatWaitsForAnotherParentKeepsNoneFromMovingOrBeingDeleted() throws {
    let stranger = try Stranger(family.fleet, account: Family.annID)
    try stranger.save(
      "subtasks", "fat", ["reminderID": .text("nowhere")], parent: "milk:reminders")
    try stranger.save(
      "subtasks", "page", ["reminderID": .text("nowhere")], parent: "memo:reminders")
    try family.settle()
    try family.share([Family.benID: .write])
    try ann.execute("DELETE FROM reminders WHERE id = 'memo'")
    try family.settle()
    for device in [ann, annToo] {
      #expect(try device.counts().pending == 0)
      #expect(try device.rows("SELECT 1 FROM sync_leftovers") == [])
      #expect(try device.rows("SELECT id FROM reminders") == ["milk"])
    }
  }

  /// A zone is deleted while a device has a row there of which somebody has written another version
  /// that is kept aside.
  @Test func whatIsKeptAsideKeepsNoRowFromBeingSavedWhenItsZoneIsDeleted() throws {
    let link = try family.share([Family.benID: .write])
    let stranger = try Stranger(family.fleet, account: Family.benID, zone: link.zone)
    try stranger.save(
      "reminders", "milk", ["title": .text("Forged"), "listID": .text("nowhere")],
      parent: "home:lists")
    try family.settle()
    try ann.container.zone(link.zone).delete(reason: "a test")
    try annToo.sync()
    let new = try family.fleet.device(account: Family.annID)
    try new.sync()
    for device in [annToo, new] {
      #expect(try device.tree() == Family.home + Family.work)
      #expect(try device.counts() == SyncCounts())
    }
  }

  @Test func aZoneThatCannotBeReadKeepsNothingFromTheOthers() throws {
    let link = try family.shareOwn(.write)
    let layout = ZoneLayout(link.zone)
    try ben.execute("UPDATE reminders SET title = 'Jog' WHERE id = 'run'")
    try ben.sync()
    let names = try family.fleet.store.list(layout.log(epoch: 1), after: nil, limit: .max)
    let number = try #require(names.last.flatMap { ZoneLayout.number(inFileName: $0.name) })
    try ben.execute("UPDATE reminders SET title = 'Swim' WHERE id = 'run'")
    try ben.sync()
    try family.fleet.store.delete(layout.commit(number, epoch: 1))
    try ann.execute("UPDATE lists SET title = 'Our home' WHERE id = 'home'")
    #expect(throws: CloudError.self) { try ann.sync() }
    #expect(throws: CloudError.self) { try annToo.sync() }
    #expect(try annToo.rows("SELECT title FROM lists WHERE id = 'home'") == ["Our home"])
  }

  /// Expects that ann's devices are as they were, but for `change`, and said what they ignored.
  private func expectIgnored(
    _ names: [String], _ hostile: (Stranger) throws -> Void, by stranger: Stranger,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try [ann, annToo].map { try $0.contents() }
    let events = [ann, annToo].map(\.events.count)
    try hostile(stranger)
    try family.settle()
    for (index, device) in [ann, annToo].enumerated() {
      #expect(try device.contents() == before[index], sourceLocation: sourceLocation)
      // What others put where it does not belong is no damage of this device.
      #expect(
        try device.database.readSnapshot(SyncEngine.check).filter { $0.severity == .damage } == [],
        sourceLocation: sourceLocation)
      let ignored = device.events[events[index]...].flatMap { event -> [SyncEvent.Ignored] in
        if case .ignoredRecords(let records) = event { records } else { [] }
      }
      #expect(ignored.map(\.record.name) == names, sourceLocation: sourceLocation)
      #expect(ignored.allSatisfy { $0.author == "ben" }, sourceLocation: sourceLocation)
    }
    try family.fleet.expectExhausted(sourceLocation: sourceLocation)
  }

  /// Expects that honest edits in the zone go on reaching everybody.
  private func expectZoneWorks(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try ben.execute("UPDATE reminders SET title = 'Jog' WHERE id = 'run'")
    try family.settle()
    for device in [ann, annToo, family.benToo] {
      #expect(
        try device.rows("SELECT title FROM reminders WHERE id = 'run'") == ["Jog"],
        sourceLocation: sourceLocation)
    }
    try family.fleet.expectExhausted(sourceLocation: sourceLocation)
  }

  @Test func aRowOfAPrivateTable() throws {
    let stranger = try hostileOwner()
    try expectIgnored(
      ["x:notes"], { try $0.save("notes", "x", ["listID": .text("home")]) }, by: stranger)
    try expectZoneWorks()
  }

  @Test func aRowOfTheEnginesOwn() throws {
    let stranger = try hostileOwner()
    let zone = ZoneID(name: "elsewhere", owner: Family.catID).path
    try expectIgnored(
      ["\(zone):sync_shares"], { try $0.save("sync_shares", zone, ["root": .text("x")]) },
      by: stranger)
    #expect(try ann.rows("SELECT count(*) FROM sync_shares") == ["1"])
    #expect(try ann.synchronizer.zones().count == 2)
    try expectZoneWorks()
  }

  @Test func aSecondRoot() throws {
    let stranger = try hostileOwner()
    try expectIgnored(
      ["x:lists"], { try $0.save("lists", "x", ["title": .text("X")]) }, by: stranger)
    try expectIgnored(
      ["x:lists", "y:reminders"],
      { stranger in
        try stranger.save("lists", "x", ["title": .text("XX")])
        try stranger.save("reminders", "y", ["listID": .text("x")], parent: "x:lists")
      }, by: stranger)
    try expectZoneWorks()
  }

  @Test(arguments: [Share.Permission.read, .write])
  func aTagOfWhichThereIsNoneYet(permission: Share.Permission) throws {
    let stranger = try hostileOwner(permission)
    try expectIgnored(
      ["daily:tags"], { try $0.save("tags", "daily", ["title": .text("Stolen")]) }, by: stranger)
    try ann.execute("INSERT INTO tags VALUES ('daily', 'Daily')")
    try family.settle()
    #expect(try annToo.rows("SELECT title FROM tags WHERE id = 'daily'") == ["Daily"])
    try expectIgnored(
      ["daily:tags"], { try $0.save("tags", "daily", ["title": .text("Again")]) }, by: stranger)
    try expectIgnored([], { try $0.delete("tags", "daily", at: $0.now) }, by: stranger)
    try expectZoneWorks()
  }

  @Test func aNameThatIsOnlyMentionedIsFree() throws {
    let stranger = try hostileOwner(.read)
    try expectIgnored(
      ["daily:tags", "x:reminders"],
      { stranger in
        try stranger.save("tags", "daily")
        try stranger.save("reminders", "x", ["listID": .text("daily")], parent: "daily:tags")
      }, by: stranger)
    try ann.execute("INSERT INTO tags VALUES ('daily', 'Daily')")
    try ann.execute("INSERT INTO lists VALUES ('daily', 'Daily')")
    try family.settle()
    #expect(try annToo.rows("SELECT title FROM lists WHERE id = 'daily'") == ["Daily"])
    #expect(try annToo.rows("SELECT id FROM reminders WHERE id = 'x'") == [])
  }

  @Test func aJoinOfTwoTables() throws {
    let stranger = try hostileOwner()
    try expectIgnored(
      ["x:reminderTags"],
      { stranger in
        try stranger.save(
          "reminderTags", "x", ["reminderID": .text("run"), "tagID": .text("weekly")],
          parent: "run:reminders")
      }, by: stranger)
    try expectZoneWorks()
  }

  @Test(arguments: [true, false])
  func aNewRowBelowARowThatIsNotShared(ofOwner: Bool) throws {
    let stranger = try ofOwner ? hostileOwner() : hostileParticipant()
    let root = ofOwner ? "own:lists" : "home:lists"
    try expectIgnored(
      ["x:reminders", "y:subtasks"],
      { stranger in
        try stranger.save("reminders", "x", ["listID": .text("work")])
        try stranger.save("subtasks", "y", ["reminderID": .text("memo")], parent: root)
      }, by: stranger)
  }

  @Test(arguments: [CloudValue.text("work"), .null])
  func aSharedRowThatIsHungElsewhere(list: CloudValue) throws {
    let stranger = try hostileOwner()
    try expectIgnored(
      ["run:reminders"],
      { stranger in
        try stranger.save("reminders", "run", ["title": .text("Stray"), "listID": list])
      }, by: stranger)
    // The next edit of somebody else puts it right.
    try ann.execute("UPDATE reminders SET title = 'Swim' WHERE id = 'run'")
    try family.settle()
    for device in [ann, annToo, ben] {
      #expect(try device.tree().contains("Own > Swim > Shoes"))
    }
    #expect(try ann.rows("SELECT * FROM sync_parked") == [])
  }

  @Test func aRowThatSomebodyElseShares() throws {
    let stranger = try hostileOwner()
    try family.cat.execute("INSERT INTO lists VALUES ('cats', 'Cats')")
    try family.cat.execute("INSERT INTO reminders VALUES ('feed', 'Feed', 'cats')")
    try family.settle()
    let link = try family.cat.synchronizer.share(
      table: "lists", key: "cats", title: "Cats", participants: [Family.annID: .write],
      publicPermission: .none)
    try family.settle()
    try ann.synchronizer.accept(link)
    try family.settle()
    try expectIgnored(
      ["cats:lists", "feed:reminders"],
      { stranger in
        try stranger.save("lists", "cats", ["title": .text("Dogs")])
        try stranger.save("reminders", "feed", ["listID": .text("own")], parent: "own:lists")
      }, by: stranger)
    try expectIgnored([], { try $0.delete("reminders", "feed", at: $0.now) }, by: stranger)
    #expect(try family.cat.tree() == ["Cats", "Cats > Feed"])
    try expectZoneWorks()
  }

  @Test func fieldsThatNobodyKnowsInEverySave() throws {
    let stranger = try hostileParticipant()
    let known = try #require(try stranger.record("milk:reminders"))
    for prefix in ["a", "b", "c"] {
      try stranger.save(known, with: 150, named: prefix)
      try family.settle()
    }
    try ann.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try family.settle()
    for device in [ann, annToo, ben, family.benToo] {
      #expect(try device.rows("SELECT title FROM reminders WHERE id = 'milk'") == ["Oat milk"])
    }
    try family.fleet.expectExhausted()
  }

  @Test func aRootThatIsARowOfMine() throws {
    let stranger = try hostileOwner()
    try expectIgnored(
      ["work:lists", "memo:reminders"],
      { stranger in
        let record = try #require(try stranger.record(Share.recordName))
        var share = try #require(Share(record))
        share.root = "work:lists"
        try stranger.save(share.record(over: record) { _ in stranger.now })
        try stranger.save("lists", "work", ["title": .text("Stolen")])
        try stranger.save("reminders", "memo", ["listID": .text("work")], parent: "work:lists")
      }, by: stranger)
  }

  @Test func aDeletionOfWhatIsStillToCome() throws {
    let stranger = try hostileOwner()
    let far = FieldClock(milliseconds: 4_000_000_000_000, device: 1)
    for table in ["lists", "reminders", "tags"] { try stranger.delete(table, "new", at: far) }
    try annToo.sync()
    try ann.execute("INSERT INTO lists VALUES ('new', 'New')")
    try ann.execute("INSERT INTO reminders VALUES ('new', 'New', 'new')")
    try ann.execute("INSERT INTO tags VALUES ('new', 'New')")
    try family.settle()
    for device in [ann, annToo] {
      #expect(try device.tree().contains("New > New"))
      #expect(try device.rows("SELECT title FROM tags WHERE id = 'new'") == ["New"])
    }
    try family.fleet.expectExhausted()
  }

  @Test func whatIsInTheZoneOfARowThatIsForgotten() throws {
    let stranger = try hostileOwner()
    try expectIgnored(
      ["memo:reminders"],
      { try $0.save("reminders", "memo", ["listID": .text("own")], parent: "own:lists") },
      by: stranger)
    try ann.execute("DELETE FROM reminders WHERE id = 'memo'")
    try family.settle()
    // Ann knows still which version the zone has: else a commit over it would seem void to her.
    try stranger.save(
      "reminders", "memo", ["title": .text("Given"), "listID": .text("own")], parent: "own:lists")
    try family.settle()
    for device in [ann, annToo] { #expect(try device.tree().contains("Own > Given")) }
    try expectZoneWorks()
  }
}
