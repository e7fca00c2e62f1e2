import Foundation
import Testing

/// `reminders cloud copy`, as somebody uses it who gets a server.
@Suite struct CloudCopyTests {
  private let desk: Program
  private let old: String
  private let new: String

  init() throws {
    desk = try Program(account: nil)
    old = desk.directory.appending(path: "old").path
    new = desk.directory.appending(path: "new").path
  }

  private func run(_ arguments: String..., at place: String) throws -> Program.Result {
    try desk.run(arguments, environment: ["REMINDERS_CLOUD": place])
  }

  @Test func `a device goes on at the new place and fetches nothing again`() throws {
    #expect(try run("add", "Haircut", at: old).status == 0)
    #expect(try run("sync", at: old).output == "Sent 2, fetched 0.\n")
    let copied = try desk.run("cloud", "copy", old, new)
    #expect(copied.status == 0, "\(copied.errors)")
    #expect(copied.output.hasPrefix("Copied "))
    #expect(copied.output.hasSuffix("Give all devices the new place: REMINDERS_CLOUD='\(new)'.\n"))
    #expect(try run("sync", at: new).output == "Sent 0, fetched 0.\n")
    #expect(try run("add", "Milk", at: new).status == 0)
    #expect(try run("sync", at: new).output == "Sent 1, fetched 0.\n")
    #expect(try run("check", "--cloud", at: new).status == 0)
    let again = try desk.run("cloud", "copy", old, new, "--json")
    #expect(again.output.contains("\"copied\" : 0"), "\(again.output)")
  }

  @Test func `where the cloud is lost a device goes on at another`() throws {
    #expect(try run("add", "Haircut", at: old).status == 0)
    #expect(try run("sync", at: old).status == 0)
    try FileManager.default.removeItem(atPath: old)
    try FileManager.default.createDirectory(atPath: new, withIntermediateDirectories: false)
    let lost = try run("sync", at: new)
    #expect(lost.status != 0 && lost.errors.contains("reminders cloud change"), "\(lost.errors)")
    let asked = try run("cloud", "change", at: new)
    #expect(asked.status != 0 && asked.errors.contains("--yes"), "\(asked.errors)")
    let changed = try run("cloud", "change", "--yes", at: new)
    #expect(changed.output == "At \(new): sent 2, fetched 0.\n", "\(changed.errors)")
    #expect(try run("list", at: new).output.contains("Haircut"))
    #expect(try run("sync", at: new).output == "Sent 0, fetched 0.\n")
    #expect(try run("check", "--cloud", at: new).status == 0)
  }

  @Test func `what cannot be copied is said`() throws {
    let same = try desk.run("cloud", "copy", old, old)
    #expect(same.status == 64 && same.errors.contains("Both places are"))
    let inside = try desk.run("cloud", "copy", old, old + "/accounts")
    #expect(inside.status == 64 && inside.errors.contains("is in the other"))
    let nothing = try desk.run("cloud", "copy", old, new)
    #expect(nothing.status == 69 && nothing.errors.contains("There is no"), "\(nothing.errors)")
    let key = try desk.run("--cloud", "s3://ID:hidden@bucket", "list")
    #expect(key.status == 64 && !key.errors.contains("hidden"), "\(key.errors)")
    #expect(key.errors.contains("AWS_ACCESS_KEY_ID"))
  }
}
