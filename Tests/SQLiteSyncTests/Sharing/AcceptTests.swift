import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// A link is looked at before it is followed: what is gone, or cannot be read, is never begun.
struct AcceptTests {
  private let memory = MemoryStore()
  private let bens: FaultyStore
  private let family: Family
  private let link: ShareLink

  init() throws {
    bens = FaultyStore(memory)
    family = try Family(store: memory, users: [Family.benID: bens])
    link = try family.share([Family.benID: .write], accepting: [])
  }

  private var zone: ZoneLayout { ZoneLayout(link.zone) }

  /// Expects that ben gets an error and nothing of what the link leads to, not even a word of it.
  private func expectNothingFollowed<Failure: Error>(
    _ type: Failure.Type, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Failure {
    let ben = family.ben
    let before = ben.events.count
    let error = try #require(throws: type, sourceLocation: sourceLocation) {
      try ben.synchronizer.accept(link)
    }
    #expect(try ben.rows("SELECT name FROM sync_zones") == ["default"])
    #expect(try ben.rows("SELECT * FROM sync_shares") == [])
    let isFollowed = ben.events.dropFirst(before).contains {
      if case .fetchedDatabaseChanges(_, _, .followed) = $0 { true } else { false }
    }
    #expect(!isFollowed, sourceLocation: sourceLocation)
    #expect(try ben.tree() == Family.own)
    return error
  }

  @Test func whatIsNotSharedAnyMoreSaysSo() throws {
    try family.ann.synchronizer.unshare(table: "lists", key: "home")
    try family.settle()
    let error = try expectNothingFollowed(SyncError.self)
    #expect(error.reason == .notShared && error.message.contains("is not there any more"))
  }

  @Test func aListThatWasDeletedSaysSo() throws {
    let ann = family.ann
    let zone = try #require(try ann.synchronizer.zones().first { $0.log.id == link.zone })
    try ann.execute("DELETE FROM lists WHERE id = 'home'")
    // Only that, and not yet the end of the share.
    try ann.synchronizer.foldEdits()
    try ann.synchronizer.sendOnce(to: zone)
    let error = try expectNothingFollowed(SyncError.self)
    #expect(error.reason == .notShared && error.message.contains("“Home” was deleted"))
  }

  @Test func aLogThatCannotBeReadSaysSo() throws {
    try family.ann.execute("UPDATE lists SET title = 'House' WHERE id = 'home'")
    try family.settle()
    let commits = try memory.list(zone.log(epoch: 1), after: nil, limit: .max)
    memory.delete(StoreKey(zone.log(epoch: 1), listed: commits[0]))
    #expect(try expectNothingFollowed(CloudError.self).code == .internalError)
  }

  @Test func aCloudThatGoesAwayMeanwhileBeginsNothing() throws {
    let directory = zone.log(epoch: 1).description
    bens.plan { $0.path.hasPrefix(directory) ? .failure(FaultyStore.lost) : nil }
    #expect(try expectNothingFollowed(CloudError.self) == FaultyStore.lost)
    bens.plan { _ in nil }
    try family.ben.synchronizer.accept(link)
    try family.settle()
    #expect(try family.ben.tree() == Family.home + Family.own)
  }

  @Test func whoIsNotInvitedIsToldAndFollowsNothing() throws {
    try family.ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: .none], publicPermission: nil)
    try family.settle()
    let error = try expectNothingFollowed(SyncError.self)
    #expect(error.reason == .notShared && error.message.contains("does not share this with you"))
  }
}
