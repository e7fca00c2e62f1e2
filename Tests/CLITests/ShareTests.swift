import Foundation
import Testing

/// People who share lists, by the command line.
@Suite struct ShareTests {
  typealias Object = [String: Any]

  private let ann: Program
  private let ben: Program
  private let carla: Program

  init() throws {
    ann = try Program()
    ben = Program(beside: ann, device: "bens", account: "ben")
    carla = Program(beside: ann, device: "carlas", account: "carla")
    try ann.run("lists", "add", "Family")
    try ann.run("add", "Pack", "--list", "Family", "--tag", "holiday")
    // Only who has used the cloud can be invited.
    #expect(try ben.run("sync").status == 0)
  }

  /// Shares Family, and returns the link.
  private func share(_ options: String...) throws -> String {
    let share: Object = try ann.json(["share", "Family", "--json"] + options)
    return try #require(share["link"] as? String)
  }

  @Test func `what somebody moves away is told, and comes back beside theirs`() throws {
    try ben.run("accept", share("--with", "ben"))
    try ann.run("sync")
    let id = try #require(ben.json(["list", "--json"], as: [Object].self).first?["id"] as? String)
    try ben.run("lists", "add", "Mine")
    try ben.run("edit", id, "--list", "Mine")
    try ben.run("sync")
    try ann.run("edit", id, "--title", "Pack now")
    let told = try ann.run("sync")
    #expect(told.output.contains("1 taken back (see `reminders history`)"))
    #expect(try ann.run("list").output.isEmpty)
    #expect(
      try ann.run("history").lines.first?.contains("Pack now · reminder deleted · moved away")
        == true)
    #expect(try ann.run("restore", id).status == 0)
    #expect(try ann.run("list").output.contains("Pack now · #holiday · Family"))
    for program in [ann, ben] { try program.run("sync") }
    let titles = try ben.run("list").output
    #expect(titles.contains("Pack now · Family") && titles.contains("Pack · Mine"))
  }

  @Test func `an invited person accepts and both edit`() throws {
    try ann.run("lists", "add", "Private")
    try ann.run("add", "Secret", "--list", "Private")
    let shared: Object = try ann.json(["share", "Family", "--with", "ben", "--json"])
    #expect((shared["list"] as? Object)?["title"] as? String == "Family")
    #expect(shared["access"] as? String == "owner")
    let participants = try #require(shared["participants"] as? [[String: String]])
    #expect(participants == [["account": "ben", "permission": "write", "state": "invited"]])
    let waiting: Object = try ben.json(["shares", "--json"])
    let invitation = try #require((waiting["invitations"] as? [Object])?.first)
    #expect(invitation["from"] as? String == "ann")
    let link = try #require(invitation["link"] as? String)
    #expect(link == shared["link"] as? String)

    let accepted: Object = try ben.json(["accept", link, "--json"])
    #expect(accepted["owner"] as? String == "ann")
    #expect(accepted["access"] as? String == "write")
    #expect(try ben.run("list").output.contains("Pack · Family"))
    // Tags stay everybody's own, and so does all that was not shared.
    #expect(try !ben.run("list").output.contains("holiday"))
    #expect(try !ben.run("list").output.contains("Secret"))
    try ben.run("add", "Swim", "--list", "Family")
    try ben.run("sync")
    try ann.run("sync")
    #expect(try ann.run("list", "--list", "Family").lines.count == 2)
    let known: Object = try ann.json(["shares", "--json"])
    let share = try #require((known["shares"] as? [Object])?.first)
    let states = (share["participants"] as? [[String: String]])?.map { $0["state"] }
    #expect(states == ["accepted"])
    #expect(try ann.run("shares").lines.first == "“Family” · shared with ben")
    #expect(try ben.run("shares").lines.first == "“Family” · shared from ann")
  }

  @Test func `who declines is told of it no more, and who invites sees it`() throws {
    let link = try share("--with", "ben")
    #expect(try ben.run("shares").output.contains("reminders decline \(link)"))
    #expect(try ben.run("decline", link).errors == "Declined.\n")
    #expect(try ben.run("shares").output == "")
    #expect(try ben.run("decline", link).status == 1)
    #expect(try ben.run("decline", "Family").status == 64)
    try ann.run("sync")
    #expect(try !ann.run("shares").output.contains("ben"))
  }

  @Test func `what sharing sends is in the log`() throws {
    let lines = try ann.run("log").output.count
    try ann.run("share", "Family", "--with", "ben")
    let log = try ann.run("log").output.dropFirst(lines)
    #expect(log.contains("remindersLists"), "\(log)")
  }

  @Test func `who may only read is refused to write`() throws {
    let link = try share("--with", "ben", "--permission", "read")
    try ben.run("accept", link)
    let reminders: [Object] = try ben.json(["list", "--list", "Family", "--json"])
    let id = try #require(reminders.first?["id"] as? String)
    for arguments in [
      ["edit", id, "--title", "X"], ["done", id], ["delete", id], ["add", "X", "--list", "Family"],
      ["lists", "edit", "Family", "--title", "X"],
    ] {
      let result = try ben.run(arguments)
      #expect(result.status == 77, "\(arguments): \(result.errors)")
      #expect(result.errors.contains("shared to read, not to write"))
    }
    #expect(try ben.run("edit", id, "--tag", "mine").status == 0)
    #expect(try ben.run("shares").output.contains("shared from ann, read only"))
    #expect(try ann.run("share", "Family", "--with", "ben", "--permission", "write").status == 0)
    try ben.run("sync")
    #expect(try ben.run("edit", id, "--title", "Pack all").status == 0)
    try ben.run("sync")
    try ann.run("sync")
    #expect(try ann.run("list").output.contains("Pack all"))
  }

  @Test func `each of several people may do something else`() throws {
    _ = try share(
      "--with", "ben", "--permission", "write", "--with", "carla", "--permission", "read")
    let known: Object = try ann.json(["shares", "--json"])
    let share = try #require((known["shares"] as? [Object])?.first)
    let people = try #require(share["participants"] as? [[String: String]])
    #expect(people.map { $0["account"] } == ["ben", "carla"])
    #expect(people.map { $0["permission"] } == ["write", "read"])
  }

  @Test func `anyone with the link can accept what is public`() throws {
    let link = try share("--public", "read")
    #expect(try carla.run("accept", link).status == 0)
    #expect(try carla.run("list").output.contains("Pack"))
    #expect(try carla.run("add", "X", "--list", "Family").status == 77)
  }

  @Test func `what is said to be for nobody goes into a list of one's own`() throws {
    try ben.run("accept", share("--with", "ben"))
    let file = ben.directory.appending(path: "todo.txt")
    try Data("Imported\n".utf8).write(to: file)
    for arguments in [["add", "Secret"], ["import", file.path]] {
      #expect(try ben.run(arguments).status == 0)
    }
    // A list that was made later comes after the others.
    try carla.run("accept", share("--with", "carla"))
    try carla.run("lists", "add", "Mine")
    try carla.run("add", "Secret")
    for (person, list) in [(ben, "Personal"), (carla, "Mine")] {
      #expect(try person.run("list", "--list", list).output.contains("Secret"))
      try person.run("sync")
    }
    try ann.run("sync")
    let shown = try ann.run("list").output
    #expect(!shown.contains("Secret") && !shown.contains("Imported"))
  }

  @Test func `to delete somebody else's list is to leave it`() throws {
    try ben.run("accept", share("--with", "ben"))
    let result = try ben.run("lists", "delete", "Family")
    #expect(result.errors == "Left “Family”: ann keeps it\n")
    // Taken back, it would be a list of ben's own that looks as before.
    #expect(try ben.run("undo").errors.contains("nothing to undo"))
    #expect(try ben.run("lists").output == "")
    try ben.run("sync")
    try ann.run("sync")
    #expect(try ann.run("list").output.contains("Pack"))
  }

  @Test func `a list that was left stays its owner's`() throws {
    try ben.run("accept", share("--with", "ben"))
    #expect(try ben.run("leave", "Family").status == 0)
    #expect(try ben.run("lists").output == "")
    try ann.run("sync")
    #expect(try ann.run("list").output.contains("Pack"))
    #expect(try ann.run("leave", "Family").status != 0)
  }

  @Test func `who leaves has sent before what the others are to have`() throws {
    try ben.run("accept", share("--with", "ben"))
    try ben.run("add", "Tent", "--list", "Family")
    #expect(try ben.run("leave", "Family").errors == "Left “Family”.\n")
    try ann.run("sync")
    #expect(try ann.run("list").output.contains("Tent"))
  }

  @Test func `a list is left where the cloud is there, and deleted without what was not sent`()
    throws
  {
    try ben.run("accept", share("--with", "ben"))
    let shown = try ben.json(["list", "--json"], as: [Object].self)
    let pack = try #require(shown.first?["id"] as? String)
    try ben.run("add", "Tent", "--list", "Family")
    try ben.run("edit", pack, "--notes", "Socks")
    try ben.run("add", "Own")
    let away = ben.directory.appending(path: "away")
    try FileManager.default.moveItem(at: ben.cloudDirectory, to: away)
    #expect(try ben.run("leave", "Family").status == 69)
    #expect(try ben.run("list").output.contains("Tent"))
    let left = try ben.run("lists", "delete", "Family")
    #expect(left.errors == "Left “Family”: ann keeps it, without 2 unsent changes\n")
    try FileManager.default.moveItem(at: away, to: ben.cloudDirectory)
    #expect(try ben.run("sync").status == 0)
    let history = try ben.run("history").output
    #expect(history.contains("Tent") && history.contains("Socks"), "\(history)")
    try ann.run("sync")
    #expect(try !ann.run("list").output.contains("Tent"))
  }

  @Test(.enabled(if: SmallDisk.isPossible, "This user may not mount a disk."))
  func `who leaves is told what cannot be sent before, and has it in the history`() throws {
    let ann = try Program()
    let ben = Program(beside: ann, device: "bens", account: "ben")
    _ = try ann.makeDirectory("cloud")
    let disk = try SmallDisk(at: ann.cloudDirectory)
    try ann.run("lists", "add", "Family")
    try ben.run("sync")
    let share: Object = try ann.json(["share", "Family", "--with", "ben", "--json"])
    try ben.run("accept", #require(share["link"] as? String))
    try disk.fill()
    try ben.run("add", "Tent", "--list", "Family")
    let left = try ben.run("leave", "Family")
    let told = "Left “Family”. 1 unsent change is in `reminders history` for 30 days.\n"
    #expect(left.errors.hasPrefix(told), "\(left.errors)")
    #expect(left.status == 73, "the others are not told yet")
    #expect(try ben.run("history").output.contains("Tent"))
    try disk.clear()
    #expect(try ben.run("sync").status == 0)
    try ann.run("sync")
    #expect(try ann.run("list").output.isEmpty)
  }

  @Test
  func `a backup of a list that was left is one's own, and does not keep it from coming back`()
    throws
  {
    let link = try share("--with", "ben")
    try ben.run("accept", link)
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite")
    defer { unlink(file.path) }
    #expect(try ben.run("backup", file.path).status == 0)
    try ben.run("leave", "Family")
    for _ in 1...2 { #expect(try ben.run("restore-backup", file.path).status == 0) }
    #expect(try ben.run("list").output.components(separatedBy: "Pack").count == 2)
    #expect(try ben.run("sync").status == 0)
    #expect(try ben.run("accept", link).status == 0)
    #expect(try ben.run("list").output.components(separatedBy: "Pack").count == 3)
    #expect(try ben.run("sync").status == 0)
    try ann.run("sync")
    #expect(try ann.run("list").output.components(separatedBy: "Pack").count == 2)
    #expect(try ben.run("check").status == 0)
  }

  @Test func `an invitation that was taken back is not shown, and can be given again`() throws {
    _ = try share("--with", "ben")
    #expect(try ben.run("shares").output.contains("invitation from ann"))
    try ann.run("share", "Family", "--with", "ben", "--permission", "none")
    #expect(try ben.run("shares").output.isEmpty)
    _ = try share("--with", "ben")
    #expect(try ben.run("shares").output.contains("invitation from ann"))
  }

  @Test func `who accepts takes part at once, also before the owner knows`() throws {
    let accepted = try ben.run("accept", share("--with", "ben"))
    #expect(accepted.lines.contains("  ben: write"), "\(accepted.output)")
    #expect(try ben.run("shares").lines.contains("  ben: write"))
  }

  @Test func `a list that was taken back is named once`() throws {
    try ben.run("accept", share("--with", "ben"))
    try ann.run("unshare", "Family")
    let told = try ben.run("sync")
    #expect(told.status == 0 && told.errors == "ann no longer shares “Family” with you.\n")
    #expect(try ben.run("sync").errors.isEmpty)
  }

  @Test func `whom nobody knows yet is said when a list is shared`() throws {
    let shared = try ann.run("share", "Family", "--with", "dan")
    #expect(shared.status == 0)
    #expect(shared.errors.hasPrefix("Nobody called dan has used this cloud.\n"))
    let dan = Program(beside: ann, device: "dans", account: "dan")
    try dan.run("sync")
    #expect(try ann.run("sync").errors.isEmpty)
    #expect(try dan.run("shares").output.contains("invitation from ann"))
  }

  @Test func `what is not shared any more goes from the others`() throws {
    let link = try share("--with", "ben", "--with", "carla")
    try ben.run("accept", link)
    try carla.run("accept", link)
    #expect(try ann.run("share", "Family", "--with", "carla", "--permission", "none").status == 0)
    try carla.run("sync")
    #expect(try carla.run("lists").output == "")
    #expect(try ben.run("lists").output.contains("Family"))
    #expect(try ann.run("unshare", "Family").status == 0)
    try ben.run("sync")
    #expect(try ben.run("lists").output == "")
    #expect(try ann.run("list").output.contains("Pack"))
    #expect(try ann.run("shares").output == "")
  }

  @Test func `leaving and unsharing name the list in JSON`() throws {
    try ben.run("accept", share("--with", "ben"))
    let lists: [Object] = try ann.json(["lists", "--json"])
    let id = try #require(lists.first { $0["title"] as? String == "Family" }?["id"] as? String)
    let family = ["id": id, "title": "Family"] as NSDictionary
    #expect(try ben.json(["leave", "Family", "--json"], as: Object.self) as NSDictionary == family)
    #expect(try ann.json(["unshare", id, "--json"], as: Object.self) as NSDictionary == family)
    for (person, command) in [(ben, "leave"), (ann, "unshare")] {
      let refused = try person.run(command, "Family", "--json")
      #expect(refused.status != 0 && refused.output == "", "\(command)")
    }
  }

  @Test func `lists say whom they are shared with`() throws {
    try ben.run("accept", share("--with", "ben"))
    #expect(try ann.run("lists").output.contains("Family · 1 open · shared with ben"))
    #expect(try ben.run("lists").output.contains("Family · 1 open · shared from ann"))
    let result = try ben.run("share", "Family", "--with", "carla")
    #expect(result.status == 77)
    #expect(result.errors.contains("Somebody else shares"))
  }

  @Test func `signing out takes shared lists along and signing in brings them back`() throws {
    try ben.run("accept", share("--with", "ben", "--permission", "read"))
    #expect(try ben.run("account", "sign-out").status == 0)
    #expect(try ben.run("lists").output == "")
    #expect(try ben.run("shares").output == "")
    // What only ann may write is not here any more; what is, is nobody's.
    #expect(try ben.run("add", "Own").status == 0)
    try ann.run("sync")
    #expect(try ann.run("lists").output.contains("shared with ben"))
    #expect(try ben.run("account", "sign-in").status == 0)
    #expect(try ben.run("list").output.contains("Pack"))
    #expect(try ben.run("list").output.contains("Own"))
    #expect(try ben.run("add", "X", "--list", "Family").status == 77)
  }

  @Test func `what makes no sense is refused with a reason`() throws {
    for (arguments, status): ([String], Int32) in [
      (["share", "Nowhere"], 66), (["share", "Family", "--permission", "read"], 64),
      (
        [
          "share", "Family", "--with", "a", "--with", "b", "--with", "c", "--permission", "read",
          "--permission", "write",
        ], 64
      ),
      (["share", "Family", "--with", "No Such"], 64), (["accept", "nonsense"], 64),
      (["share", "Family", "--with", "ann"], 64), (["unshare", "Family"], 1),
      (["leave", "Family"], 1),
    ] {
      let result = try ann.run(arguments)
      #expect(result.status == status, "\(arguments): \(result.errors)")
      #expect(!result.errors.isEmpty)
    }
    #expect(try ann.run("unshare", "Family").errors.contains("“Family” is not shared."))
    let shares: Object = try ann.json(["shares", "--json"])
    #expect((shares["shares"] as? [Object])?.isEmpty == true)
  }
}
