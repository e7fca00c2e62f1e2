import Foundation
import Testing

/// Commands are undone by `undo`, which another process runs.
@Suite struct UndoTests {
  typealias Object = [String: Any]

  @Test func `a command can be undone by the next, and so on back`() throws {
    let program = try Program()
    let added: Object = try program.json(["add", "One", "--tag", "town", "--json"])
    let id = try #require(added["id"] as? String)
    try program.run("edit", id, "--title", "Two", "--untag", "town")
    try program.run("lists", "add", "Walks")
    let deleted: [Object] = try program.json(["delete", id, "-j"])
    #expect(deleted.map { $0["title"] as? String } == ["Two"])
    let undone: Object = try program.json(["undo", "--json"])
    #expect(undone["undone"] as? String == "Deleted “Two”")
    #expect(try program.run("list").output.contains("Two"))
    #expect(try program.run("undo").errors == "Undone: Added “Walks”\n")
    #expect(try program.run("undo").status == 0)
    #expect(try program.run("list").output.contains("One · #town"))
    #expect(try program.run("undo").status == 0)
    #expect(try program.run("list", "-c").output == "")
    #expect(try program.run("undo").status == 66)
  }

  @Test func `each of several commands at once can be undone`() throws {
    let program = try Program()
    let names = (1...12).map { "Task \($0)" }
    // Else one of them makes it, and may be the last to say so.
    try program.run("lists", "add", "Home")
    let all = try names.map { try program.start(["add", $0]) }
    for process in all {
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    let undone = try names.map { _ in try program.run("undo").errors }
    #expect(Set(undone) == Set(names.map { "Undone: Added “\($0)”\n" }))
    #expect(try program.run("list").output.isEmpty)
  }
}
