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
