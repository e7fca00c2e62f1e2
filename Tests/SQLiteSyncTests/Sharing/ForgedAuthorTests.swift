import GRDB
import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// Three Unix users share a cloud, and ben writes into its files under the names of others: where a
/// commit's author is not who owns its file, nobody's permissions, rows or edits change.
struct ForgedAuthorTests {
  private let users: [AccountID: UserStore]
  private let family: Family
  private var ann: Device { family.ann }
  private var annToo: Device { family.annToo }
  private var ben: Device { family.ben }
  private var cat: Device { family.cat }

  init() throws {
    let cloud = UserStore(MemoryStore(), user: "1")
    users = [
      Family.annID: cloud.seen(by: "1"), Family.benID: cloud.seen(by: "2"),
      Family.catID: cloud.seen(by: "3"),
    ]
    family = try Family(store: cloud, users: users)
  }

  /// Ben, who says to be somebody else.
  private func forger(
    as account: AccountID = Family.annID, in zone: ZoneID, device: Device? = nil
  ) throws -> Stranger {
    try Stranger(
      family.fleet, account: account, zone: zone, store: users[Family.benID],
      device: device?.container.device)
  }

  /// Has ann's share record changed by ben.
  private func forgeShare(in link: ShareLink, _ change: (inout Share) -> Void) throws {
    let forger = try forger(in: link.zone)
    let record = try #require(try forger.record(Share.recordName))
    var share = try #require(Share(record))
    change(&share)
    try forger.save(share.record(over: record) { _ in forger.now })
  }

  /// What a share lets whom do: somebody who was never invited is as good as removed.
  private func permissions(_ share: Share?) -> [Share.Permission] {
    guard let share else { return [] }
    return [Family.annID, Family.benID, Family.catID].map(share.permission) + [
      share.publicPermission
    ]
  }

  private func shareInCloud(_ link: ShareLink) throws -> Share? {
    try Stranger(family.fleet, account: Family.annID, zone: link.zone).record(Share.recordName)
      .flatMap { Share($0) }
  }

  @Test func forgedShareRecordLetsNobodyIn() throws {
    let link = try family.share([Family.benID: .write])
    let before = try shareInCloud(link)
    try forgeShare(in: link) { share in
      share.publicPermission = .write
      share.participants[Family.catID] = .init(permission: .write)
    }
    try family.settle()
    #expect(try permissions(shareInCloud(link)) == permissions(before))
    for device in [ann, annToo] {
      let zone = try device.rows("SELECT id FROM sync_zones WHERE id <> 1").compactMap(Int64.init)
      let id = try #require(zone.first)
      let share = try device.database.read { try ZoneShare(of: id, in: $0) }
      #expect(permissions(share?.share) == permissions(before))
      #expect(permissions(share?.shareInCloud) == permissions(before))
    }
    #expect(throws: (any Error).self) { try cat.synchronizer.accept(link) }
    #expect(try cat.tree().isEmpty)
  }

  @Test func deviceThatHasNeverReadTheShareSaysAgainWhatItsOwnerSaid() throws {
    let link = try family.share([Family.benID: .write])
    let before = try shareInCloud(link)
    try forgeShare(in: link) { $0.publicPermission = .write }
    let new = try family.fleet.device(store: users[Family.annID], account: Family.annID)
    try new.sync()
    #expect(try permissions(shareInCloud(link)) == permissions(before))
  }

  @Test func forgedRemovalEndsNoShare() throws {
    let link = try family.share([Family.benID: .write, Family.catID: .write])
    try cat.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try forgeShare(in: link) { share in
      share.participants[Family.catID] = .init(permission: .none, state: .gone)
    }
    // Before ann says again that cat takes part.
    try? cat.sync()
    #expect(try cat.tree().contains("Home > Oat milk"))
    try family.settle()
    #expect(try ann.tree().contains("Home > Oat milk"))
  }

  @Test func recordInNameOfOwnerPullsNoPrivateRow() throws {
    let link = try family.share([Family.benID: .write])
    let before = try ann.contents()
    try forger(in: link.zone).save(
      "reminders", "memo", ["title": .text("Come"), "listID": .text("home")],
      parent: "home:lists")
    try family.settle()
    for device in [ann, annToo] {
      #expect(try device.contents() == before)
      #expect(try !device.shared().contains { $0.contains("memo") })
    }
  }

  @Test func zoneOfForgerGetsNoListOfOthers() throws {
    let link = try family.shareOwn(.write)
    let before = try ann.contents()
    // In his own zone he may say what is shared.
    let own = try Stranger(family.fleet, account: Family.benID, zone: link.zone)
    let record = try #require(try own.record(Share.recordName))
    var share = try #require(Share(record))
    share.root = "work:lists"
    try own.save(share.record(over: record) { _ in own.now })
    try forger(in: link.zone).save("lists", "work", ["title": .text("Mine")])
    try family.settle()
    for device in [ann, annToo] {
      #expect(try device.rows("SELECT title FROM lists WHERE id = 'work'") == ["Work"])
      #expect(try device.contents()["subtasks"] == before["subtasks"])
    }
    #expect(
      try Stranger(family.fleet, account: Family.benID, zone: link.zone).names()
        .isDisjoint(with: ["memo:reminders", "page:subtasks"]))
  }

  @Test func checkpointVouchesForNobody() throws {
    let link = try family.share([Family.benID: .write])
    try forger(in: link.zone).save(
      "reminders", "memo", ["title": .text("Come"), "listID": .text("home")],
      parent: "home:lists")
    try family.settle()
    var policy = MaintenancePolicy.standard
    (policy.commits, policy.bytes, policy.keptCommits, policy.keptCommitAge) = (1, 0, 0, 0)
    let log = try #require(
      try ann.synchronizer.zones().first { $0.log.id == link.zone }?.log)
    #expect(try log.maintain(policy).checkpoint != nil)
    let late = try family.fleet.device(store: users[Family.annID], account: Family.annID)
    try family.settle()
    #expect(try late.tree() == ann.tree())
    #expect(try !late.shared().contains { $0.contains("memo") })
  }

  @Test func nobodyAcknowledgesEditsOfAnotherDevice() throws {
    let link = try family.share([Family.benID: .write])
    try ann.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try ann.synchronizer.foldEdits()
    let table = try #require(ann.synchronizer.tables["reminders"])
    let metadata = try ann.database.read {
      try MetadataStore(db: $0).record(tableID: table.id, key: "milk")
    }
    let clock = try #require(metadata).clock(of: "title")
    let forger = try forger(in: link.zone, device: ann)
    var record = try #require(try forger.record("milk:reminders"))
    record.fields["title"] = CloudField(.text("Sour milk"), clock)
    try forger.save(record)
    try family.settle()
    for device in [ann, annToo, ben] {
      #expect(try device.rows("SELECT title FROM reminders WHERE id = 'milk'") == ["Oat milk"])
    }
  }

  /// Somebody knows the name of a reminder before all devices of its owner have heard of it, and
  /// puts one of that name into a list that they share.
  @Test func recordOfAKnownNameReplacesNoPrivateRow() throws {
    let link = try family.share([Family.benID: .write])
    let stranger = try Stranger(family.fleet, account: Family.benID, zone: link.zone)
    try family.ann.execute("INSERT INTO reminders VALUES ('secret', 'Secret', 'work')")
    family.fleet.clock.advance()
    for title in ["Forged", "Forged again"] {
      try stranger.save(
        "reminders", "secret", ["title": .text(title), "listID": .text("home")],
        parent: "home:lists")
      // What hangs on it there is no part of the private row either.
      try stranger.save(
        "subtasks", "part", ["title": .text(title), "reminderID": .text("secret")],
        parent: "secret:reminders")
      try family.annToo.sync()
      try family.settle()
      for device in [family.ann, family.annToo] {
        #expect(try device.tree().contains("Work > Secret"))
        #expect(try !device.tree().contains { $0.hasPrefix("Work > Secret > ") })
        #expect(try !device.tree().contains("Home > \(title)"))
        #expect(try device.counts() == SyncCounts())
      }
      #expect(try !family.ben.tree().contains("Home > Secret"))
    }
  }
}
