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
        "sent", "fetched", "conflicts", "withdrawn", "pending", "waiting", "quarantined",
        "notSynchronized", "ignored", "ended", "errors",
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

  @Test func `what the status counts before the first sync is what that sends`() throws {
    let desk = try Program()
    try desk.run("add", "Milk", "--tag", "shop")
    try desk.run("add", "Bread")
    let status: [String: Any] = try desk.json(["status", "--json"])
    let pending = try #require(status["pending"] as? Int)
    #expect(pending > 2)
    #expect(try desk.run("sync").output == "Sent \(pending), fetched 0.\n")
    #expect(try desk.run("status").output.contains("pending      0"))
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

  @Test func `what cannot be sent is counted and ends sync and check with 1`() throws {
    let desk = try Program()
    try desk.run("add", "Haircut")
    try desk.sql("UPDATE reminders SET notes = CAST(x'FF' AS TEXT)")
    let result = try desk.run("sync")
    #expect(result.status == 1)
    #expect(result.output.contains("1 cannot be sent"))
    let again = try desk.run("sync", "--json")
    #expect(again.status == 1)
    #expect(again.errors.isEmpty, "the document says it")
    let document = try #require(try Program.json(again.output) as? Object)
    #expect(document["notSynchronized"] as? Int == 1)
    #expect(try desk.run("status").lines.contains { $0.hasPrefix("cannot be sent 1") })
    let check = try desk.run("check")
    #expect(check.status == 1)
    #expect(check.output.contains("notes holds NUL, or is not UTF-8"))
  }

  @Test func `edits that a suspended process keeps from being sent end sync with 1`() throws {
    let desk = try Program()
    try desk.run("add", "Haircut")
    try desk.run("sync")
    let watching = try desk.start(["sync", "--watch"])
    defer {
      kill(watching.processIdentifier, SIGKILL)
      watching.waitUntilExit()
    }
    // It has begun when it is in the way of others.
    while try !desk.run("sync").errors.contains("Another reminders process") {}
    kill(watching.processIdentifier, SIGSTOP)
    // Not while it writes: then nobody could add anything.
    while desk.isLocked {
      kill(watching.processIdentifier, SIGCONT)
      while desk.isLocked {}
      kill(watching.processIdentifier, SIGSTOP)
    }
    try desk.run("add", "Milk")
    let result = try desk.run("sync")
    #expect(result.status == 1)
    #expect(result.output == "Sent 0, fetched 0, 1 pending.\n")
    #expect(result.errors.contains("1 edit is not sent"))
    #expect(result.errors.contains("suspended"))
    let again = try desk.run("sync", "--json")
    #expect(again.status == 1)
    let document = try #require(try Program.json(again.output) as? Object)
    #expect((document["errors"] as? [String])?.last?.contains("1 edit is not sent") == true)
    kill(watching.processIdentifier, SIGCONT)
    while try desk.run("sync").status != 0 {}
  }

  @Test func `another account is refused`() throws {
    let desk = try Program()
    try desk.run("sync")
    let result = try desk.run("sync", "--account", "ben")
    #expect(result.status == 77)
    #expect(result.errors.contains("ann"))
  }
}
