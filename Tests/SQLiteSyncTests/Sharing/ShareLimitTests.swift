import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// A share is one record of its zone: what that cannot hold is refused before it holds up anything.
struct ShareLimitTests {
  private let family: Family
  private var ann: Device { family.ann }

  init() throws { family = try Family() }

  private static func people(_ count: Int) throws -> [AccountID] {
    try (0..<count).map { try #require(AccountID(name: "guest\($0)")) }
  }

  private func setPermissions(_ participants: [AccountID: Share.Permission]) throws {
    try ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: participants, publicPermission: nil)
  }

  /// Expects that nothing is held up, whatever was in the way of an invitation.
  private func expectGoingOn(after troubles: Set<Trouble> = []) throws {
    try ann.execute("INSERT INTO lists VALUES ('new', 'New')")
    try family.settle()
    #expect(try family.annToo.rows("SELECT title FROM lists WHERE id = 'new'") == ["New"])
    try family.fleet.expectExhausted(after: troubles)
  }

  @Test func aTitleThatNoRecordCanHoldIsRefused() throws {
    for title in ["a\0b", String(repeating: "a", count: CloudLimits.titleBytes + 1)] {
      let error = #expect(throws: SyncError.self) {
        _ = try ann.share([Family.benID: .read], title: title)
      }
      #expect(error?.reason == .invalidShare)
    }
    try expectGoingOn()
  }

  @Test func aLongTitleReachesWhoIsInvited() throws {
    let title = String(repeating: "\u{1}", count: CloudLimits.titleBytes)
    _ = try ann.share([Family.benID: .read], title: title)
    try family.settle()
    #expect(try family.ben.synchronizer.invitations().map(\.title) == [title])
  }

  @Test func peopleWhomTheRecordCannotNameAreRefused() throws {
    let people = try Self.people(CloudLimits.participants + 1)
    let all = Dictionary(uniqueKeysWithValues: people.map { ($0, Share.Permission.read) })
    #expect(throws: SyncError.self) { _ = try ann.share(all) }
    _ = try ann.share(all.filter { $0.key != people[0] })
    let error = #expect(throws: SyncError.self) { try setPermissions([people[0]: .read]) }
    #expect(error?.reason == .invalidShare)
    try expectGoingOn(after: [.failed])
  }

  @Test func whoAcceptsALinkBeyondThoseReadsAllTheSame() throws {
    let link = try ann.share(publicly: .read)
    try setPermissions(
      Dictionary(
        uniqueKeysWithValues: Self.people(CloudLimits.participants).map { ($0, .read) }))
    try family.settle()
    try family.cat.synchronizer.accept(link)
    try family.settle()
    #expect(try family.cat.tree() == Family.home)
    try expectGoingOn(after: [.failed])
  }

  // MARK: - What an earlier version has written

  /// Edits the share as something did that asked nobody.
  private func edit(_ change: (inout Share) -> Void) throws {
    try ann.write { db in
      let id = try #require(try SharedZones(db: db).followed().first)
      var share = try #require(try ZoneShare(of: id, in: db))
      share.edit(now: family.fleet.clock.now, device: ann.container.device.clockBits, change)
      try share.save(in: db)
    }
  }

  @Test(arguments: [true, false]) func aTitleThatNoRecordCanHoldIsMended(isSent: Bool) throws {
    _ = try ann.share([Family.benID: .read])
    if isSent { try family.settle() }
    try edit { $0.title = "Our\0 home" + String(repeating: "!", count: 1 << 20) }
    try family.settle()
    let titles = try family.ann.database.readSnapshot(SyncShare.all).map(\.title)
    #expect(titles.first?.hasPrefix("Our home!") == true)
    #expect(titles.first?.utf8.count == CloudLimits.titleBytes)
    #expect(try family.annToo.database.readSnapshot(SyncShare.all).map(\.title) == titles)
    try expectGoingOn()
  }

  @Test(arguments: [true, false]) func aShareThatCannotBeSentHoldsUpNothingElse(
    isSent: Bool
  ) throws {
    if isSent {
      try family.share([Family.benID: .read])
    } else {
      _ = try ann.share()
    }
    let people = try Self.people(CloudLimits.participants + 1)
    try edit { share in
      for account in people { share.participants[account] = .init(permission: .read) }
    }
    try ann.execute("INSERT INTO lists VALUES ('news', 'News')")
    try ann.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    _ = try ann.synchronizer.share(
      table: "lists", key: "work", title: "Work", participants: [Family.catID: .read],
      publicPermission: .none)
    for _ in 0..<2 {
      let error = #expect(throws: CloudError.self) { try ann.sync() }
      #expect(error?.reason.contains("Home") == true)
      #expect(error?.hint?.contains("remove people") == true)
    }
    #expect(ann.synchronizer.zoneFailures.error?.code == .invalidArguments)
    // A scheduled round leaves it alone for a while, and is no failure.
    try ann.synchronizer.syncDueChanges()
    for device in [family.annToo, family.ben, family.cat] { try device.sync() }
    #expect(try family.annToo.rows("SELECT title FROM lists WHERE id = 'news'") == ["News"])
    #expect(try family.cat.synchronizer.invitations().map(\.title) == ["Work"])
    let milk = "SELECT title FROM reminders WHERE id = 'milk'"
    #expect(try family.ben.rows(milk) == (isSent ? ["Oat milk"] : []))
    // Until somebody who was not let in yet is taken out.
    let extra = people.prefix(isSent ? 2 : 1)
    try setPermissions(Dictionary(uniqueKeysWithValues: extra.map { ($0, .none) }))
    try family.settle()
    #expect(try family.annToo.rows(milk) == ["Oat milk"])
    let shares = try family.annToo.database.readSnapshot(SyncShare.all)
    #expect(shares.first { $0.title == "Home" }?.participants.count == CloudLimits.participants)
    try expectGoingOn()
  }

  // MARK: - Shutting out

  /// Lets ben and cat come by a link, and fills the rest of the share.
  private func fill(beforeBen: Int) throws {
    let link = try ann.share(publicly: .read)
    let people = try Self.people(CloudLimits.participants)
    try setPermissions(
      Dictionary(uniqueKeysWithValues: people.prefix(beforeBen).map { ($0, .read) }))
    try family.settle()
    for guest in [family.ben, family.cat] {
      try guest.synchronizer.accept(link)
      try family.settle()
    }
  }

  @Test func whoCameByTheLinkGivesRoomToShutOutAnother() throws {
    try fill(beforeBen: CloudLimits.participants - 1)
    try setPermissions([Family.catID: .none])
    try family.settle()
    #expect(try family.cat.tree() == [])
    #expect(try family.ben.tree().contains("Home"))
    for device in [ann, family.annToo] {
      let people = try device.database.readSnapshot(SyncShare.all).first?.participants ?? [:]
      #expect(people.count == CloudLimits.participants)
      #expect(people[Family.catID]?.state == .gone && people[Family.benID] == nil)
    }
    try expectGoingOn(after: [.failed])
  }

  @Test func amongPeopleWhoAreAllInvitedTheLinkIsTakenBack() throws {
    try fill(beforeBen: CloudLimits.participants)
    let error = #expect(throws: SyncError.self) { try setPermissions([Family.catID: .none]) }
    #expect(error?.hint?.contains("take that permission back") == true)
    try ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.catID: .none],
      publicPermission: Share.Permission.none)
    try family.settle()
    #expect(try family.cat.tree() == [])
    try expectGoingOn(after: [.failed])
  }

  @Test func aShareThatIsTooFullLetsPeopleBeShutOut() throws {
    try family.share([Family.benID: .read])
    let people = try Self.people(CloudLimits.participants)
    try edit { share in
      for account in people { share.participants[account] = .init(permission: .read) }
    }
    try setPermissions([Family.benID: .none])
    let named = try ann.database.readSnapshot(SyncShare.all).first?.participants ?? [:]
    #expect(named[Family.benID]?.state == .gone)
  }

  @Test func whoIsLetInByAPermissionIsInvited() throws {
    _ = try ann.share([Family.benID: .read])
    try family.settle()
    try setPermissions([Family.catID: .read, Family.annID: .read])
    try family.settle()
    #expect(try family.cat.synchronizer.invitations().map(\.title) == ["Home"])
    let people = try ann.database.readSnapshot(SyncShare.all).first?.participants.keys
    #expect(people.map(Set.init) == [Family.benID, Family.catID])
  }
}
