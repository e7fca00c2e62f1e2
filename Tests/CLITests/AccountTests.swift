import Foundation
import SQLiteSyncCloud
import Testing

@Suite struct AccountTests {
  typealias Object = [String: Any]

  private let desk: Program
  private let laptop: Program

  init() throws {
    desk = try Program(account: nil)
    laptop = Program(beside: desk, device: "laptop")
  }

  /// A cloud in which ann has one reminder, sent by the desk.
  private func signedIn() throws {
    try desk.run("add", "Haircut")
    #expect(try desk.run("account", "sign-in", "ann").output == "Sent 2, fetched 0.\n")
  }

  /// Takes the cloud away for a while.
  private func withoutCloud<T>(_ body: () throws -> T) throws -> T {
    let elsewhere = desk.directory.appending(path: "elsewhere")
    try FileManager.default.moveItem(at: desk.cloudDirectory, to: elsewhere)
    let result = try body()
    try FileManager.default.moveItem(at: elsewhere, to: desk.cloudDirectory)
    return result
  }

  @Test func `the account is named once and remembered`() throws {
    try signedIn()
    try desk.run("add", "Milk")
    #expect(try desk.run("sync").output == "Sent 1, fetched 0.\n")
    #expect(try laptop.run("account", "sign-in", "ann").output == "Sent 0, fetched 3.\n")
    let account: Object = try desk.json(["account", "--json"])
    #expect(account["account"] as? String == "ann")
    #expect(account["lastAccount"] as? String == "ann")
    #expect(account["pending"] as? Int == 0)
    #expect(try desk.json(["status", "--json"], as: Object.self)["account"] as? String == "ann")
    #expect(try desk.run("account").lines[0] == "account      ann")
  }

  @Test func `signing in and out say in JSON what came of it`() throws {
    try desk.run("add", "Haircut")
    let signedIn: Object = try desk.json(["account", "sign-in", "ann", "--json"])
    #expect(
      signedIn as NSDictionary == ["account": "ann", "sent": 2, "fetched": 0] as NSDictionary)
    try desk.run("add", "Milk")
    let signedOut: Object = try withoutCloud {
      let refused = try desk.run("account", "sign-out", "--json")
      #expect(refused.status == 1 && refused.output == "")
      return try desk.json(["account", "sign-out", "--yes", "--json"])
    }
    #expect(signedOut as NSDictionary == ["account": "ann", "discarded": 1] as NSDictionary)
    let again: Object = try desk.json(["account", "sign-out", "--json"])
    #expect(again as NSDictionary == ["account": NSNull(), "discarded": 0] as NSDictionary)
  }

  @Test func `other devices are called as they call themselves`() throws {
    try signedIn()
    try laptop.run("account", "sign-in", "ann")
    try laptop.run("add", "Milk")
    for device in [laptop, desk] { try device.run("sync") }
    let account: Object = try desk.json(["account", "--json"])
    #expect(account["otherDevices"] as? [String] == ["laptop"])
    let others = try desk.run("account").lines.first { $0.hasPrefix("others") }
    #expect(others?.hasSuffix(" laptop") == true)
  }

  @Test func `an account that is named beside the data is refused`() throws {
    try signedIn()
    for arguments in [["list"], ["sync"], ["add", "Milk"]] {
      let result = try desk.run(arguments + ["--account", "ben"])
      #expect(result.status == 77)
      #expect(result.errors.contains("belongs to the account ann, not to ben"))
    }
    #expect(try desk.run("list", environment: ["REMINDERS_ACCOUNT": "ben"]).status == 77)
    #expect(try desk.run("list", "--account", "ann").status == 0)
  }

  @Test func `without a name it is the Unix user's account`() throws {
    try desk.run("add", "Haircut")
    try desk.run("sync")
    let account: Object = try desk.json(["account", "--json"])
    #expect(account["account"] as? String == AccountID(userID: getuid()).displayName)
    #expect(try desk.run("account", "sign-in", "u\(getuid())").status == 0)
    let result = try desk.run("account", "sign-in", "u\(getuid() + 1)")
    #expect(result.status == 77)
    #expect(result.errors.contains("another user"))
    #expect(try desk.run("account", "sign-in", "No Such").status == 64)
  }

  @Test func `signing out takes everything away and signing in brings it back`() throws {
    try signedIn()
    let pictures = desk.dataDirectory.appending(path: "images")
    try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
    let result = try desk.run("account", "sign-out")
    #expect(result.status == 0, "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: pictures.path))
    #expect(try desk.run("list").output == "")
    let account: Object = try desk.json(["account", "--json"])
    #expect(account["account"] is NSNull)
    #expect(account["lastAccount"] as? String == "ann")
    #expect(try desk.run("account", "sign-out").errors == "Nobody is signed in.\n")
    #expect(try desk.run("account", "sign-in").output == "Sent 0, fetched 2.\n")
    #expect(try desk.run("list").output.contains("Haircut"))
  }

  @Test func `while nobody is signed in nothing is sent and everything works`() throws {
    try signedIn()
    try desk.run("account", "sign-out")
    #expect(try desk.run("add", "Milk").status == 0)
    for arguments in [["sync"], ["sync", "--watch"], ["sync", "--account", "ann"]] {
      let result = try desk.run(arguments)
      #expect(result.status == 77)
      #expect(result.errors.contains("reminders account sign-in"))
    }
    try laptop.run("account", "sign-in", "ann")
    #expect(try !laptop.run("list").output.contains("Milk"))
    #expect(try desk.run("account", "sign-in").status == 0)
    try laptop.run("sync")
    #expect(try laptop.run("list").output.contains("Milk"))
  }

  @Test func `edits that were not sent are sent before signing out`() throws {
    try signedIn()
    try desk.run("add", "Milk")
    #expect(try desk.run("account", "sign-out").status == 0)
    try laptop.run("account", "sign-in", "ann")
    #expect(try laptop.run("list").output.contains("Milk"))
  }

  @Test func `edits that cannot be sent are named and not lost without a yes`() throws {
    try signedIn()
    try desk.run("add", "Milk")
    let file = desk.directory.appending(path: "everything.json")
    try withoutCloud { () throws in
      let refused = try desk.run("account", "sign-out")
      #expect(refused.status == 1)
      #expect(refused.errors.contains("1 edit is not in the cloud yet."))
      #expect(refused.errors.contains("--yes"))
      #expect(try desk.run("list").output.contains("Milk"))
      let result = try desk.run("account", "sign-out", "--yes", "--export", file.path)
      #expect(result.status == 0, "\(result.errors)")
      #expect(try desk.run("list").output == "")
    }
    let export = try #require(
      try Program.json(String(contentsOf: file, encoding: .utf8)) as? Object)
    let reminders = try #require(export["reminders"] as? [Object])
    #expect(reminders.compactMap { $0["title"] as? String } == ["Haircut", "Milk"])
    #expect((export["unsent"] as? [Object])?.count == 1)
    try desk.run("account", "sign-in")
    #expect(try !desk.run("list").output.contains("Milk"))
  }

  /// What becomes of a cloud that everything was sent to.
  enum Absence: CaseIterable {
    case missing, empty, another
    /// This device needs the lost commit no more, and a new one could read nothing.
    case damaged
  }

  @Test(arguments: Absence.allCases)
  func `without its cloud nobody signs out unless they say so`(absence: Absence) throws {
    try signedIn()
    try desk.run("add", "Milk")
    try desk.run("sync")
    if absence != .damaged { try FileManager.default.removeItem(at: desk.cloudDirectory) }
    switch absence {
    case .missing: break
    case .damaged:
      let cloud = desk.cloudDirectory
      let first = try FileManager.default.subpathsOfDirectory(atPath: cloud.path)
        .first { $0.hasSuffix("e1/log/0000000000000001.json") }
      try FileManager.default.removeItem(at: cloud.appending(path: #require(first)))
    case .empty:
      try FileManager.default.createDirectory(
        at: desk.cloudDirectory, withIntermediateDirectories: false)
    case .another:
      try laptop.run("add", "Elsewhere")
      try laptop.run("account", "sign-in", "ben")
    }
    let refused = try desk.run("account", "sign-out")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("may be the last copy"), "\(refused.errors)")
    #expect(refused.errors.contains("--export FILE") && refused.errors.contains("--yes"))
    #expect(try desk.run("list").output.contains("Haircut"))
    let result = try desk.run("account", "sign-out", "--yes")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try desk.run("list").output == "")
    guard absence == .another else { return }
    // As the error says, it can sign in to that one now.
    #expect(try desk.run("account", "sign-in", "ben").status == 0)
    #expect(try desk.run("list").output.contains("Elsewhere"))
  }

  @Test func `what was written in between goes to another account only after a yes`() throws {
    try signedIn()
    try desk.run("account", "sign-out")
    try desk.run("add", "Milk")
    let result = try desk.run("account", "sign-in", "ben")
    #expect(result.status == 1)
    #expect(result.errors.contains("since ann signed out"))
    #expect(try desk.json(["account", "--json"], as: Object.self)["account"] is NSNull)
    #expect(try desk.run("account", "sign-in", "ben", "--yes").output == "Sent 2, fetched 0.\n")
    #expect(try !desk.run("list").output.contains("Haircut"))
  }

  @Test func `switching accounts never mixes them`() throws {
    try signedIn()
    #expect(try desk.run("account", "sign-in", "ben").status == 77)
    try desk.run("account", "sign-out")
    #expect(try desk.run("account", "sign-in", "ben").output == "Sent 0, fetched 0.\n")
    try desk.run("add", "Bread")
    try desk.run("account", "sign-out")
    try desk.run("account", "sign-in", "ann")
    #expect(try desk.run("list").lines.count == 1)
    #expect(try desk.run("list").output.contains("Haircut"))
  }

  @Test func `a cloud that is not there signs nobody in and out of nothing`() throws {
    try signedIn()
    try desk.run("account", "sign-out")
    try withoutCloud { () throws in
      #expect(try desk.run("account", "sign-in").status == 69)
      #expect(!FileManager.default.fileExists(atPath: desk.cloudDirectory.path))
    }
    #expect(try desk.run("account", "sign-in").status == 0)
  }

  @Test func `nobody signs out while another process keeps the device in sync`() throws {
    try signedIn()
    let watching = try desk.start(["sync", "--watch"])
    defer {
      watching.terminate()
      watching.waitUntilExit()
    }
    // It has begun when it is in the way of others.
    while try !desk.run("sync").errors.contains("Another reminders process") {}
    let result = try desk.run("account", "sign-out")
    #expect(result.status == 1)
    #expect(result.errors.contains("end it first"))
    #expect(try desk.run("list").output.contains("Haircut"))
  }

  @Test func `who never signs in keeps everything on this device`() throws {
    try desk.run("add", "Haircut")
    #expect(try desk.run("account", "sign-out").status == 0)
    #expect(try desk.run("sync").status == 77)
    #expect(try desk.run("list").output.contains("Haircut"))
    #expect(try desk.run("account", "sign-in", "ann").output == "Sent 2, fetched 0.\n")
  }

  @Test func `everything is exported as JSON`() throws {
    let program = try Program()
    try program.run("seed")
    let export: Object = try program.json(["export"])
    #expect(export["version"] as? Int == 1)
    let lists = try #require(export["lists"] as? [Object])
    #expect(lists.map { $0["title"] as? String } == ["Personal", "Family", "Business"])
    let cover = try #require(lists[0]["coverImage"] as? String)
    #expect(Data(base64Encoded: cover)?.starts(with: [0xFF, 0xD8]) == true)
    let reminders = try #require(export["reminders"] as? [Object])
    #expect(reminders.contains { $0["status"] as? String == "completed" })
    #expect((export["tags"] as? [String])?.isEmpty == false)
    let old = Program(beside: program, device: "old")
    #expect(try old.run("--schema", "1", "export").status == 0)
    #expect(try program.run("export", "--format", "xml").status == 64)
  }
}
