import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// Messages that do not arrive: whoever sends them goes on with everything else.
struct MailTests {
  private let store = FaultyStore(MemoryStore())
  private let family: Family
  private var ann: Device { family.ann }
  private var ben: Device { family.ben }

  init() throws {
    family = try Family(store: store)
  }

  /// Lets nobody drop anything into an inbox, or everybody again.
  private func refuseMail(to account: AccountID?) {
    let inbox = account.map { "\(CloudLayout.inbox(of: $0))/" }
    let refusal = CloudError(.permissionFailure, "The inbox is closed.")
    store.plan { call in
      guard let inbox, call.kind == .create, call.path.hasPrefix(inbox) else { return nil }
      return .failure(refusal)
    }
  }

  private func state(of account: AccountID) throws -> Share.Participant.State? {
    try ann.database.readSnapshot(SyncShare.all).first?.participants[account]?.state
  }

  @Test func whoLeavesSomebodyWhoIsGoneHasLeft() throws {
    try family.share([Family.benID: .write])
    try store.delete(CloudLayout.accountFile(Family.annID))
    try ben.synchronizer.leave(table: "lists", key: "home")
    try ben.sync()
    #expect(try ben.tree() == Family.own)
    try ben.sync()
    #expect(try ben.rows("SELECT name FROM sync_zones") == ["default"])
    #expect(try ben.counts() == SyncCounts())
    #expect(ben.troubles == [])
  }

  @Test func aDepartureThatIsRefusedHoldsUpNothingAndIsSentTheNextTime() throws {
    try family.share([Family.benID: .write])
    try family.shareOwn(.read)
    refuseMail(to: Family.annID)
    try ben.synchronizer.leave(table: "lists", key: "home")
    try ben.synchronizer.unshare(table: "lists", key: "own")
    try family.settle()
    #expect(ben.troubles == [.failed])
    #expect(try ben.container.zones().map(\.name) == ["default"])
    #expect(try ben.counts().pending == 1)
    #expect(try state(of: Family.benID) == .accepted)

    refuseMail(to: nil)
    try family.settle()
    #expect(try state(of: Family.benID) == .left)
    try family.fleet.expectExhausted(after: [.failed])
  }

  @Test func anAcceptanceThatIsRefusedIsSentTheNextTime() throws {
    let link = try ann.share([Family.benID: .write])
    try family.settle()
    refuseMail(to: Family.annID)
    try ben.synchronizer.accept(link)
    #expect(try ben.tree() == Family.home + Family.own)
    #expect(ben.troubles == [.failed])
    #expect(try state(of: Family.benID) == .invited)

    refuseMail(to: nil)
    try family.settle()
    #expect(try state(of: Family.benID) == .accepted)
    try family.fleet.expectExhausted(after: [.failed])
  }

  @Test func whoRefusesHisInvitationKeepsItFromNobodyElse() throws {
    refuseMail(to: Family.benID)
    _ = try ann.share([Family.benID: .read, Family.catID: .read])
    try family.settle()
    #expect(ann.troubles == [.failed])
    #expect(try ben.synchronizer.invitations().isEmpty)
    #expect(try family.cat.synchronizer.invitations().map(\.title) == ["Home"])

    refuseMail(to: nil)
    try family.settle()
    #expect(try ben.synchronizer.invitations().map(\.title) == ["Home"])
    #expect(try family.cat.synchronizer.invitations().count == 1)
    try family.fleet.expectExhausted(after: [.failed])
  }
}
