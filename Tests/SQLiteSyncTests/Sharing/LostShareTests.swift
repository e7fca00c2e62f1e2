import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// A zone whose share record is gone: no version of this program writes that, but others may.
struct LostShareTests {
  @Test func deletionInZoneWithoutShareIsSentOnce() throws {
    let family = try Family()
    let link = try family.share([Family.benID: .write])
    let stranger = try Stranger(family.fleet, account: Family.annID, zone: link.zone)
    try stranger.delete("cloud.share", "share", at: stranger.now)
    try family.ann.sync()
    try family.ann.execute("DELETE FROM lists WHERE id = 'home'")
    var steps = 0
    family.ann.synchronizer.shouldStop = {
      steps += 1
      return steps > 1_000
    }
    for _ in 0..<3 { try family.ann.sync() }
    #expect(steps <= 1_000, "It goes on for ever.")
    #expect(try family.ann.counts().pending == 0)
    #expect(try family.ann.tree() == Family.work)
  }

  @Test func nothingIsPutIntoZoneWhoseShareNobodyHasSent() throws {
    let family = try Family()
    // Another device of hers began to share the list, and signed out before it had sent the share.
    let zone = ZoneID(name: "share-0", owner: Family.annID)
    try family.annToo.execute(
      "INSERT INTO sync_shares VALUES ('\(zone.path)', 'home:lists')")
    try family.fleet.settle()
    try family.ann.execute("UPDATE lists SET title = 'House' WHERE id = 'home'")
    try family.fleet.settle()
    let house = ["House", "House > Milk", "House > Milk > 3.5 %"]
    #expect(try family.annToo.tree() == house + Family.work)
    try family.share([Family.benID: .write])
    #expect(try family.ben.tree() == house + Family.own)
    try family.fleet.expectExhausted()
  }
}
