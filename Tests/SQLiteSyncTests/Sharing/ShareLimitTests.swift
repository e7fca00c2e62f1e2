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
