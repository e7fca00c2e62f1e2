import Foundation
import Testing

@Suite struct HistoryTests {
  typealias Object = [String: Any]
  let desk: Program
  let laptop: Program
  let id: String

  init() throws {
    desk = try Program()
    laptop = Program(beside: desk, device: "laptop")
    let added: Object = try desk.json(["add", "Haircut", "--tag", "town", "--json"])
    id = try #require(added["id"] as? String)
    try sync()
  }

  private func sync() throws {
    for device in [desk, laptop, desk] { try device.run("sync") }
  }

  @Test func `what was deleted here is restored by its id`() throws {
    try desk.run("delete", id)
    let history: [Object] = try desk.json(["history", "--json"])
    #expect(history.compactMap { $0["event"] as? String }.contains("deleted"))
    let restored = try desk.run("restore", String(id.prefix(8)))
    #expect(restored.status == 0)
    #expect(restored.output == "")
    #expect(restored.errors == "Restored “Haircut”\n")
    let shown: Object = try desk.json(["show", id, "--json"])
    #expect(shown["tags"] as? [String] == ["town"])
    #expect(try desk.run("restore", id).status == 66)
  }

  @Test func `what was deleted elsewhere comes back on both devices`() throws {
    try laptop.run("lists", "delete", "Personal")
    try sync()
    #expect(try desk.run("list").output == "")
    let line = try #require(try desk.run("history").lines.first { $0.contains("list deleted") })
    #expect(line.contains("Personal"))
    let entries: [Object] = try desk.json(["history", "--json"])
    let list = try #require(entries.first { $0["kind"] as? String == "list" })
    #expect(try desk.run("restore", "--entry", "\(try #require(list["entry"]))").status == 0)
    try sync()
    #expect(try laptop.run("list").lines.count == 1)
  }

  @Test func `a value that was overwritten is shown and restored`() throws {
    try laptop.run("edit", id, "--title", "Barber")
    try sync()
    let entries: [Object] = try desk.json(["history", id, "--json"])
    let entry = try #require(entries.first)
    #expect(
      Set(entry.keys) == [
        "entry", "kind", "id", "title", "event", "field", "lost", "kept", "lostBy", "wonBy",
        "isConflict",
      ])
    #expect(entry["lost"] as? String == "Haircut" && entry["kept"] as? String == "Barber")
    #expect((entry["wonBy"] as? Object)?["isHere"] as? Bool == false)
    #expect((entry["wonBy"] as? Object)?["account"] as? String == "ann")
    #expect((entry["wonBy"] as? Object)?["deviceName"] as? String == "laptop")
    #expect(try desk.run("history", id).output.contains("title “Barber”, not “Haircut”"))
    #expect(try desk.run("history", id).output.contains("ann, laptop"))
    let shown = try desk.run("show", id).output
    #expect(shown.contains("history") && shown.contains("lost “Haircut” of here"))
    #expect(try desk.run("restore", "--entry", "\(try #require(entry["entry"]))").status == 0)
    try sync()
    let barber: Object = try laptop.json(["show", id, "--json"])
    #expect(barber["title"] as? String == "Haircut")
    let fields = try #require(barber["fields"] as? [Object])
    let title = try #require(fields.first { $0["field"] as? String == "title" })
    #expect((title["setBy"] as? Object)?["isHere"] as? Bool == false)
    #expect((barber["history"] as? [Object])?.isEmpty == false)
  }

  /// Tags go and come with their reminder, and what was completed here is no loss.
  @Test func `an entry that no history shows cannot be restored`() throws {
    try desk.run("done", id)
    try desk.run("delete", id)
    let entries: [Object] = try desk.json(["history", "--json"])
    let shown = Set(entries.compactMap { $0["entry"] as? Int })
    let highest = try #require(shown.max())
    let hidden = (1...highest + 3).filter { !shown.contains($0) }
    #expect(hidden.count > 3)
    for number in hidden {
      let result = try desk.run("restore", "--entry", "\(number)")
      #expect(result.status == 66, "\(number): \(result.errors)")
      #expect(result.errors.contains("There is no entry \(number) in the history."))
    }
    #expect(try desk.run("list", "--all").output.isEmpty)
  }

  @Test func `an entry beside an id is one of the history of that id`() throws {
    try laptop.run("edit", id, "--title", "Barber")
    try sync()
    let other: Object = try desk.json(["add", "Milk", "--json"])
    let milk = try #require(other["id"] as? String)
    let entries: [Object] = try desk.json(["history", id, "--json"])
    let entry = "\(try #require(entries.first?["entry"] as? Int))"
    let refused = try desk.run("restore", milk, "--entry", entry)
    #expect(refused.status == 66)
    #expect(refused.errors.contains("There is no entry \(entry) in the history of “\(milk)”."))
    #expect(refused.errors.contains("`reminders history` shows"))
    let title = { try (desk.json(["show", id, "--json"]) as Object)["title"] as? String }
    #expect(try title() == "Barber")
    #expect(try desk.run("restore", id, "--entry", entry).status == 0)
    #expect(try title() == "Haircut")
    // Now it is so already.
    let again = try desk.run("restore", id, "--entry", entry, "--json")
    #expect(again.status == 0 && again.errors == "Nothing to change.\n")
    #expect(try Program.json(again.output) as? [String: NSNull] == ["restored": NSNull()])
  }

  @Test func `the history of a deleted reminder is still there`() throws {
    try desk.run("delete", id)
    #expect(try desk.run("history", String(id.prefix(4))).output.contains("reminder deleted"))
  }

  @Test(
    arguments: [
      (["restore"], 64), (["restore", "abc"], 66), (["restore", "abcd"], 66),
      (["restore", "--entry", "x"], 64), (["restore", "--entry", "4711"], 66),
      (["history", "abcd"], 66), (["history", "ab"], 64),
    ] as [([String], Int32)])
  func `bad input has its exit code`(arguments: [String], status: Int32) throws {
    let result = try desk.run(arguments)
    #expect(result.status == status, "\(result.errors)")
    #expect(result.output.isEmpty && !result.errors.isEmpty)
  }
}
