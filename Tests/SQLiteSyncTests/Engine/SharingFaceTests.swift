import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import SQLiteSync

/// Sharing as an app that uses the library asks for it: two people, each with a whole engine.
@Suite(.timeLimit(.minutes(10)))
struct SharingFaceTests {
  private let cloud: TemporaryDirectory
  private let ann: Station
  private let ben: Station
  private let annEngine: SyncEngine
  private let benEngine: SyncEngine
  private let annID: AccountID
  private let benID: AccountID

  init() async throws {
    cloud = try TemporaryDirectory()
    ann = try Station(cloud: cloud)
    ben = try Station(cloud: cloud)
    annID = try #require(AccountID(name: "ann"))
    benID = try #require(AccountID(name: "ben"))
    try ann.execute("INSERT INTO lists (id, title) VALUES ('l', 'Family')")
    annEngine = try ann.engine(starts: true)
    benEngine = try ben.engine(account: "ben", starts: true)
    await annEngine.waitUntilIdle()
    await benEngine.waitUntilIdle()
  }

  @discardableResult
  private func share(_ permission: Share.Permission) async throws -> ShareLink {
    let link = try await annEngine.share(
      table: "lists", key: "l", title: "Family", participants: [benID: permission])
    try await annEngine.syncChanges()
    return link
  }

  private func shares(_ station: Station) throws -> [SyncShare] {
    try station.database.read(SyncShare.all)
  }

  @Test func anInvitationIsFoundAcceptedAndSeenByBoth() async throws {
    let link = try await share(.write)
    #expect(try await annEngine.link(table: "lists", key: "l") == link)
    let invitations = try await benEngine.invitations()
    #expect(
      invitations == [ShareInvitation(link: link, sender: annID, title: "Family")])
    try await benEngine.acceptShare(link)
    #expect(try ben.titles() == ["Family"])
    #expect(try await benEngine.invitations() == [])
    try await benEngine.syncChanges()
    try await annEngine.syncChanges()
    #expect(
      try shares(ann).first?.participants == [benID: .init(permission: .write, state: .accepted)])
    #expect(try shares(ben).first?.access == .write)
    #expect(try shares(ben).first?.owner == annID)
  }

  private func metadata(of key: String, in table: String, on station: Station) throws
    -> SyncMetadata
  {
    try #require(
      station.database.read { try SyncMetadata.fetchOne($0, id: .init(of: key, in: table)) })
  }

  @Test func metadataTellWhatIsSharedAndWhatEachMayDo() async throws {
    try ann.execute(
      """
      INSERT INTO reminders (id, title, listID) VALUES ('r', 'Milk', 'l');
      INSERT INTO lists (id, title) VALUES ('m', 'Mine');
      """)
    try await benEngine.acceptShare(share(.read))
    try await annEngine.syncChanges()
    try await benEngine.syncChanges()
    for (station, permission) in [(ann, SyncShare.Access.owner), (ben, .read)] {
      let list = try metadata(of: "l", in: "lists", on: station)
      #expect(list.isShared && list.permission == permission && list.zone?.owner == annID)
      #expect(list.share?.title == "Family" && list.share?.root == list.recordName)
      #expect(
        list.share?.participants == [benID: .init(permission: .read, state: .accepted)])
      // It is shared with the list, and is not what is shared.
      let reminder = try metadata(of: "r", in: "reminders", on: station)
      #expect(!reminder.isShared && reminder.parent == list.id)
      #expect(reminder.share == list.share && reminder.permission == permission)
    }
    try ben.execute("INSERT INTO lists (id, title) VALUES ('b', 'Ben''s')")
    try await benEngine.syncChanges()
    for (key, station) in [("m", ann), ("b", ben)] {
      let own = try metadata(of: key, in: "lists", on: station)
      #expect(!own.isShared && own.share == nil && own.permission == .owner)
    }
    try await annEngine.unshare(table: "lists", key: "l")
    try await annEngine.syncChanges()
    let list = try metadata(of: "l", in: "lists", on: ann)
    #expect(!list.isShared && list.share == nil && list.permission == .owner)
  }

  @Test func permissionsAreChangedAndSharingEnds() async throws {
    try await benEngine.acceptShare(share(.write))
    try await annEngine.setPermissions(table: "lists", key: "l", participants: [benID: .read])
    try await annEngine.syncChanges()
    try await benEngine.syncChanges()
    #expect(throws: (any Error).self) { try ben.execute("UPDATE lists SET title = 'Mine'") }
    try await annEngine.unshare(table: "lists", key: "l")
    try await annEngine.syncChanges()
    try await benEngine.syncChanges()
    #expect(try ben.titles() == [])
    #expect(try ann.titles() == ["Family"])
    #expect(try shares(ann) == [])
  }

  @Test func whoLeavesKeepsNothingAndTheOwnerEverything() async throws {
    try await benEngine.acceptShare(share(.read))
    try await benEngine.leaveShare(table: "lists", key: "l")
    #expect(try ben.titles() == [])
    try await benEngine.syncChanges()
    try await annEngine.syncChanges()
    #expect(try shares(ann).first?.participants[benID]?.state == .left)
    #expect(try ann.titles() == ["Family"])
  }

  @Test func anEngineThatDoesNotRunSharesByHand() async throws {
    annEngine.stopAndWait()
    benEngine.stopAndWait()
    let link = try await share(.read)
    #expect(try await benEngine.invitations().map(\.link) == [link])
    try await benEngine.acceptShare(link)
    #expect(try ben.titles() == ["Family"])
    #expect(!annEngine.isRunning && !benEngine.isRunning)
  }

  @Test func whatCannotBeSharedIsRefusedWithAReason() async throws {
    for (table, key, reason): (String, String, SyncError.Reason) in [
      ("drafts", "l", .unknownTable), ("lists", "nowhere", .unknownRow),
    ] {
      let error = await #expect(throws: SyncError.self) {
        try await annEngine.share(table: table, key: key, title: "")
      }
      #expect(error?.reason == reason)
      #expect(error?.hint?.isEmpty == false)
    }
    let error = await #expect(throws: SyncError.self) {
      try await annEngine.unshare(table: "lists", key: "l")
    }
    #expect(error?.reason == .notShared)
  }
}
