import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// Versions of records that are kept aside, since whoever wrote them has no say about them.
struct HeldVersionTests {
  private let family: Family

  init() throws {
    family = try Family()
  }

  @Test func versionThatIsTakenIsNotHeldAnyLonger() throws {
    try family.share([Family.benID: .read])
    // Another device of ben's has moved what it might write until then.
    try Stranger(family.fleet, account: Family.benID).save(
      "reminders", "milk", ["title": .text("Milk"), "listID": .text("own")], parent: "own:lists")
    try family.ben.sync()
    try family.ann.synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: .none], publicPermission: nil)
    try family.settle()
    #expect(try family.ben.tree().contains("Own > Milk"))
    #expect(try family.ben.rows("SELECT tag FROM sync_leftovers WHERE isHeld") == [])
    // While this device is away, the reminder moves on, and somebody else edits it there.
    let link = try family.benToo.synchronizer.share(
      table: "lists", key: "own", title: "Own", participants: [Family.catID: .write],
      publicPermission: .none)
    try family.fleet.settle(family.benToo, family.cat)
    try family.cat.synchronizer.accept(link)
    try family.cat.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    try family.fleet.settle(family.cat, family.benToo)
    try family.settle()
    #expect(try family.ben.tree() == family.benToo.tree())
    #expect(try family.ben.tree().contains("Own > Oat milk"))
  }

  @Test func versionThatHangsOnWhatIsNotInItsZoneDoesNotMoveWithTheRow() throws {
    let link = try family.share([Family.benID: .write])
    let stranger = try Stranger(family.fleet, account: Family.benID, zone: link.zone)
    try stranger.save(
      "reminders", "milk", ["title": .text("Forged"), "listID": .text("own")], parent: "home:lists")
    try family.ann.sync()
    try family.ann.synchronizer.unshare(table: "lists", key: "home")
    // Whatever is kept aside is tried again then.
    try family.ann.relaunch()
    try family.settle()
    for device in [family.ann, family.annToo] {
      #expect(try device.tree() == Family.home + Family.work)
      #expect(try device.counts().waiting == 0)
    }
  }
}
