import Foundation
import Testing

@Suite struct SyncTests {
  typealias Object = [String: Any]

  @Test func `two devices merge what both changed`() throws {
    let desk = try Program()
    let laptop = Program(beside: desk, device: "laptop")
    let added: Object = try desk.json(["add", "Haircut", "--json"])
    let id = try #require(added["id"] as? String)
    #expect(try desk.run("sync").output == "Sent 2, fetched 0.\n")
    let first: Object = try laptop.json(["sync", "--json"])
    #expect(
      Set(first.keys) == [
        "sent", "fetched", "conflicts", "pending", "waiting", "quarantined", "notSynchronized",
        "errors",
      ])
    #expect(first["fetched"] as? Int == 2)

    try desk.run("edit", id, "--title", "Barber")
    try laptop.run("edit", id, "--due", "2026-12-25")
    #expect(try desk.json(["status", "--json"], as: Object.self)["pending"] as? Int == 1)
    try desk.run("sync")
    #expect(try laptop.json(["sync", "--json"], as: Object.self)["conflicts"] as? Int == 1)
    try desk.run("sync")
    for device in [desk, laptop] {
      let shown: Object = try device.json(["show", id, "--json"])
      #expect(shown["title"] as? String == "Barber")
      #expect(shown["dueDate"] as? String == "2026-12-25")
    }
    #expect(try desk.json(["status", "--json"], as: Object.self)["pending"] as? Int == 0)
  }

  @Test func `the log keeps what every sync told`() throws {
    let desk = try Program()
    #expect(try desk.run("log").output == "")
    try desk.run("add", "Haircut")
    try desk.run("sync")
    let log = try desk.run("log").output
    for fact in ["signIn", "willFetchChanges", "sentRecordZoneChanges", ":reminders"] {
      #expect(log.contains(fact))
    }
  }

  @Test func `a cloud that was there before and is gone is not made anew`() throws {
    let desk = try Program()
    try desk.run("add", "Haircut")
    try desk.run("sync")
    try FileManager.default.removeItem(at: desk.cloudDirectory)
    let result = try desk.run("sync")
    #expect(result.status == 69)
    #expect(result.errors.contains("reminders:"))
    #expect(!FileManager.default.fileExists(atPath: desk.cloudDirectory.path))
  }

  @Test func `another account is refused`() throws {
    let desk = try Program()
    try desk.run("sync")
    let result = try desk.run("sync", "--account", "ben")
    #expect(result.status == 77)
    #expect(result.errors.contains("ann"))
  }
}
