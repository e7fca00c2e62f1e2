import Foundation
import Glibc
import SQLiteSyncCloud
import Testing

/// People who are different Unix users: the operating system keeps out who is not let in.
@Suite(.enabled(if: geteuid() == 0, "Only the superuser can become other users."))
struct UnixUsersTests {
  static let (annID, benID, carlaID) = (UInt32(4_001), UInt32(4_002), UInt32(4_003))

  let ann: Program
  let ben: Program
  private let carla: Program

  init() throws {
    ann = try Program(user: Self.annID)
    ben = try Program(user: Self.benID, beside: ann)
    carla = try Program(user: Self.carlaID, beside: ann)
    #expect(try ann.run("lists", "add", "Family").status == 0)
    #expect(try ann.run("add", "Pack", "--list", "Family").status == 0)
    for program in [ann, ben, carla] { #expect(try program.run("sync").status == 0) }
  }

  /// Ann shares with ben, who accepts his invitation.
  func share(_ permission: String) throws {
    try #require(
      ann.run("share", "Family", "--with", "u4002", "--permission", permission).status == 0)
    let waiting: [String: Any] = try ben.json(["shares", "--json"])
    let invitation = try #require((waiting["invitations"] as? [[String: Any]])?.first)
    let link = try #require(invitation["link"] as? String)
    try #require(ben.run("accept", link).status == 0)
    #expect(try ben.run("list").output.contains("Pack · Family"))
  }

  /// The directories of ann's zones whose names begin so.
  func zone(_ prefix: String) throws -> URL {
    let zones = ann.cloudDirectory.appending(path: "accounts/u4001/zones")
    return try #require(
      FileManager.default.contentsOfDirectory(at: zones, includingPropertiesForKeys: nil)
        .first { $0.lastPathComponent.hasPrefix(prefix) })
  }

  @Test func `whom a list is shared with writes into it and nobody else reads it`() throws {
    try share("write")
    try ben.run("add", "Swim", "--list", "Family")
    #expect(try ben.run("sync").status == 0)
    #expect(try ann.run("sync").status == 0)
    #expect(try ann.run("list").output.contains("Swim · Family"))
    let shared = try zone("share_").path
    #expect(try can(Self.benID, "cat \(shared)/e1/log/*"))
    #expect(try !can(Self.benID, "rm -f \(shared)/e1/log/0000000000000001.json"))
    #expect(try !can(Self.benID, "touch \(shared)/meta/0000000000000009.json"))
    #expect(try !can(Self.carlaID, "ls \(shared)"))
    #expect(try !can(Self.carlaID, "cat \(shared)/e1/log/0000000000000001.json"))
    let own = try zone("default").path
    for user in [Self.benID, Self.carlaID] { #expect(try !can(user, "ls \(own)")) }
  }

  @Test func `who may only read cannot write to the directory either`() throws {
    try share("read")
    #expect(try ben.run("add", "Swim", "--list", "Family").status == 77)
    let shared = try zone("share_").path
    #expect(try can(Self.benID, "cat \(shared)/e1/log/*"))
    for directory in ["e1/log", "e1/assets", "stage", "meta"] {
      #expect(try !can(Self.benID, "touch \(shared)/\(directory)/x"))
    }
  }

  @Test func `who is removed cannot read any more`() throws {
    try share("write")
    let shared = try zone("share_").path
    try ann.run("share", "Family", "--with", "u4002", "--permission", "none")
    #expect(try !can(Self.benID, "ls \(shared)"))
    #expect(try ben.run("sync").status == 0)
    #expect(try !ben.run("list").output.contains("Pack"))
    #expect(try ann.run("list").output.contains("Pack · Family"))
  }

  @Test func `who is removed cannot read a list either that is open to everybody`() throws {
    try share("write")
    let shared = try zone("share_").path
    try ann.run("share", "Family", "--public", "read")
    #expect(try can(Self.carlaID, "cat \(shared)/e1/log/*"))
    try ann.run("share", "Family", "--with", "u4002", "--permission", "none")
    #expect(try !can(Self.benID, "ls \(shared)"))
    #expect(try !can(Self.benID, "cat \(shared)/e1/log/0000000000000001.json"))
    #expect(try can(Self.carlaID, "cat \(shared)/e1/log/*"))
    #expect(try ben.run("sync").status == 0)
    #expect(try !ben.run("list").output.contains("Pack"))
    #expect(try !ann.run("check", "--cloud").output.contains("than the share says"))
  }

  @Test func `a directory that somebody else made for an account is told of and not used`() throws {
    let made = ann.cloudDirectory.appending(path: "accounts/u4004")
    #expect(try can(Self.carlaID, "mkdir -m 777 \(made.path)"))
    let dan = try Program(user: 4_004, beside: ann)
    let refused = try dan.run("sync")
    #expect(refused.status == 77)
    #expect(refused.errors.contains("accounts/u4004 belongs to u4003, not to u4004."))
    let check = try dan.run("check", "--cloud")
    #expect(check.status == 1)
    #expect(check.output.contains("It belongs to u4003: u4004 cannot use the cloud."))
    // Others see it, too, and why they cannot invite him.
    #expect(try ann.run("check", "--cloud").output.contains("It belongs to u4003"))
    try ann.run("lists", "add", "Party")
    try ann.run("share", "Party", "--with", "u4004")
    let sync = try ann.run("sync")
    #expect(sync.errors.contains("accounts/u4004 belongs to u4003"), "\(sync.output)\(sync.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: made.path).isEmpty)
    #expect(try can(Self.carlaID, "rmdir \(made.path)"))
    #expect(try dan.run("sync").status == 0)
  }

  @Test func `a directory that its administrator has set up is nobody's to take away`() throws {
    let place = ann.directory.appending(path: "srv/cloud")
    // As root, who runs the tests.
    let administrator = try Program(account: nil)
    for _ in 1...2 {
      let result = try administrator.run("cloud", "init", place.path)
      #expect(result.status == 0, "\(result.errors)")
    }
    let there = ["REMINDERS_CLOUD": place.path]
    for user in [UInt32(4_004), 4_005] {
      let program = try Program(user: user, beside: ann)
      let sync = try program.run(["sync"], environment: there)
      #expect(sync.status == 0, "\(sync.errors)")
      let check = try program.run(["check", "--cloud"], environment: there)
      #expect(check.status == 0 && !check.output.contains("It belongs to"), "\(check.output)")
    }
    for name in ["CLOUD.json", "accounts"] {
      #expect(
        try !can(Self.benID, "rm -rf \(place.path)/\(name) || mv \(place.path)/\(name) /tmp/x"))
      #expect(FileManager.default.fileExists(atPath: place.appending(path: name).path))
    }
    #expect(try ben.run("cloud", "init", place.path).status == 77)
    let other = ann.directory.appending(path: "srv/other").path
    #expect(mkdir(other, 0o755) == 0 && symlink("/tmp", other + "/accounts") == 0)
    #expect(try administrator.run("cloud", "init", other).status == 77)
  }

  @Test func `whose directory others can move away is said`() throws {
    let accounts = ann.cloudDirectory.appending(path: "accounts").path
    let warning = "who can move everybody's data away"
    #expect(try !ann.run("check", "--cloud").output.contains(warning), "it is her own")
    #expect(try ben.run("check", "--cloud").output.contains(warning))
    #expect(chown(accounts, 0, 0) == 0 && chmod(accounts, 0o1777) == 0)
    #expect(try !ben.run("check", "--cloud").output.contains(warning))
    #expect(try !can(Self.annID, "mv \(accounts)/u4002 \(accounts)/x"))
    for program in [ann, ben] { #expect(try program.run("sync").status == 0) }
  }

  @Test func `thousands of files in an inbox hide no invitation`() throws {
    let inbox = ben.cloudDirectory.appending(path: "accounts/u4002/inbox").path
    let names = "$(seq -f '%064.0f-00000000' 1 3000)"
    #expect(try can(Self.carlaID, "cd \(inbox) && touch \(names)"))
    try share("write")
    let left = try FileManager.default.contentsOfDirectory(atPath: inbox)
    #expect(left.isEmpty)
  }

  /// The zone that ann shares, as a program of whoever's sees it that says to be ann's.
  private func sharedLog() throws -> ZoneLog {
    let meta = try zone("share_").appending(path: "meta/0000000000000001.json")
    let entry = try String(contentsOf: meta, encoding: .utf8)
    let name = try #require(entry.firstMatch(of: #/"name":"([^"]+)"/#)).output.1
    let container = CloudContainer(
      directory: ann.cloudDirectory, account: AccountID(userID: Self.annID), device: UUID(),
      app: "forger")
    try container.open()
    return container.zone(ZoneID(name: String(name), owner: container.account))
  }

  /// Puts a commit in ann's name into what she shares with ben; the file is his.
  private func forge(_ change: (CloudRecord) throws -> CloudRecord) throws {
    let log = try sharedLog()
    let nothing = ServerView(record: { _ in nil }, children: { _ in [] })
    let changes = try log.changes(after: nil, view: nothing)
    let share = try #require(changes.copies.first { $0.name == Share.recordName })
    guard case .record(let record) = share.content else { return }
    let result = try log.modify(
      [.save(try change(record), base: share.tag)], after: nil, view: nothing, atomically: true)
    try #require(result.failures.isEmpty)
    let directory = try zone("share_").appending(path: "e1/log").path
    let file = try #require(try FileManager.default.contentsOfDirectory(atPath: directory).max())
    try FileManager.default.setAttributes(
      [.ownerAccountID: Self.benID], ofItemAtPath: directory + "/" + file)
  }

  @Test func `who says to be the owner lets nobody in`() throws {
    try share("write")
    let shared = try zone("share_").path
    try forge { record in
      var share = try #require(Share(record))
      share.publicPermission = .write
      share.participants[AccountID(userID: Self.carlaID)] = .init(permission: .write)
      return share.record(over: record) { clock in
        FieldClock(milliseconds: clock.milliseconds + 1_000, device: 7)
      }
    }
    for program in [ann, ben, ann] { #expect(try program.run("sync").status == 0) }
    #expect(try !can(Self.carlaID, "ls \(shared)"))
    #expect(try !can(Self.carlaID, "cat \(shared)/e1/log/0000000000000001.json"))
    let people: [String: Any] = try ann.json(["shares", "--json"])
    #expect(!"\(people)".contains("u4003"))
    try ben.run("add", "Swim", "--list", "Family")
    for program in [ben, ann] { #expect(try program.run("sync").status == 0) }
    #expect(try ann.run("list").output.contains("Swim · Family"))
  }

  @Test func `a file that may not be read ends no share`() throws {
    try share("write")
    try ben.run("add", "Swim", "--list", "Family")
    #expect(try ben.run("sync").status == 0)
    let directory = try zone("share_").appending(path: "e1/log").path
    let file = try #require(try FileManager.default.contentsOfDirectory(atPath: directory).max())
    #expect(try can(Self.benID, "chmod 000 \(directory)/\(file)"))
    let refused = try ann.run("sync")
    #expect(refused.status != 0)
    #expect(
      refused.errors.contains("may not be read") || refused.output.contains("may not be read"))
    #expect(try ann.run("lists").output.contains("Family"))
    #expect(try can(Self.benID, "chmod 444 \(directory)/\(file)"))
    #expect(try ann.run("sync").status == 0)
    #expect(try ann.run("list").output.contains("Swim · Family"))
  }

  @Test func `an inbox takes messages and shows nothing`() throws {
    let inbox = ann.cloudDirectory.appending(path: "accounts/u4001/inbox").path
    #expect(try can(Self.benID, "touch \(inbox)/x"))
    #expect(try !can(Self.benID, "ls \(inbox)"))
    #expect(try !can(Self.carlaID, "rm -f \(inbox)/x"))
  }

  @Test func `nobody takes another's account`() throws {
    let taken = try ben.run("sync", "--account", "u4001")
    #expect(taken.status != 0)
    #expect(try ann.run("sync").status == 0)
  }

  /// Users that every Debian has.
  @Test func `users are called by their login names`() throws {
    let daemon = try Program(user: 1)
    let bin = try Program(user: 2, beside: daemon)
    try daemon.run("lists", "add", "Family")
    for program in [daemon, bin] { #expect(try program.run("sync").status == 0) }
    let account: [String: Any] = try bin.json(["account", "--json"])
    #expect(account["account"] as? String == "bin")
    let shared: [String: Any] = try daemon.json(["share", "Family", "--with", "bin", "--json"])
    let people = shared["participants"] as? [[String: String]]
    #expect(people?.map { $0["account"] } == ["bin"])
    let waiting: [String: Any] = try bin.json(["shares", "--json"])
    let invitation = try #require((waiting["invitations"] as? [[String: Any]])?.first)
    #expect(invitation["from"] as? String == "daemon")
    let link = try #require(invitation["link"] as? String)
    #expect(try bin.run("accept", link).status == 0)
    #expect(try bin.run("lists").output.contains("Family · 0 open · shared from daemon"))
    #expect(try bin.run("status", "--account", "bin").status == 0)
    #expect(try bin.run("status", "--account", "u2").status == 0)
    #expect(try bin.run("status", "--account", "u1").status == 77)
    #expect(
      try daemon.run("share", "Family", "--with", "u2", "--permission", "none").status == 0)
    #expect(try bin.run("sync").status == 0)
    #expect(try bin.run("lists").output == "")
  }

  @Test(arguments: ["e1/log", "stage"])
  func `check fails where nothing can be sent`(directory: String) throws {
    let log = try zone("default").path + "/" + directory
    #expect(try can(Self.annID, "chmod u-w \(log)"))
    try ann.run("add", "Milk")
    #expect(try ann.run("sync").status == 77)
    let check = try ann.run("check", "--cloud")
    #expect(check.status == 1)
    #expect(check.output.contains("Nothing can be written there"))
    #expect(try can(Self.annID, "chmod u+w \(log)"))
    #expect(try ann.run("check", "--cloud").status == 0)
    #expect(try ann.run("sync").status == 0)
  }

  @Test func `check tells when others were let in`() throws {
    try share("write")
    let shared = try zone("share_").path
    #expect(try !ann.run("check", "--cloud").output.contains("than the share says"))
    #expect(try can(Self.annID, "chmod 0755 \(shared)/e1/log"))
    #expect(
      try ann.run("check", "--cloud").output
        .contains("everybody may do other things here than the share says"))
  }

  /// Whatever keeps ben from synchronizing what ann shares with him, his check says it, though he
  /// may not look what else she has.
  @Test(arguments: ["chmod 000 FILE", "rm -f FILE; mkdir FILE", "echo x > FILE", "rm -f FILE"])
  func `check finds what is wrong with a list of others`(damage: String) throws {
    try share("write")
    #expect(try ben.run("check", "--cloud").status == 0)
    let log = try zone("share_").appending(path: "e1/log")
    let names = try FileManager.default.contentsOfDirectory(atPath: log.path).sorted()
    // He has read all of it, so a later one is lost to him.
    try ann.run("add", "Swim", "--list", "Family")
    try ann.run("sync")
    let later = try FileManager.default.contentsOfDirectory(atPath: log.path).sorted()
    let name = try #require(later.first { !names.contains($0) })
    let file = log.appending(path: name).path
    #expect(try can(Self.annID, "chmod u+w \(file); " + damage.replacing("FILE", with: file)))
    try ann.run("add", "Run", "--list", "Family")
    let sync = try ben.run("sync")
    let check = try ben.run("check", "--cloud")
    #expect(sync.status == 0 || check.status == 1, "\(damage): \(sync.output)\(sync.errors)")
    if damage.hasPrefix("chmod") {
      #expect(sync.status != 0)
      #expect(check.output.contains("may not be read"))
    }
  }

  @Test func `what a repair has put aside is not damage to those who may not look there`() throws {
    try share("write")
    let shared = try zone("share_").path
    #expect(try can(Self.benID, "mkdir \(shared)/e1/log/0000000000000099.json"))
    #expect(try ann.run("check", "--cloud", "--repair").status == 0)
    #expect(try can(Self.annID, "ls \(shared)/quarantine"))
    #expect(try !can(Self.benID, "ls \(shared)/quarantine"))
    #expect(try ben.run("sync").status == 0)
    let check = try ben.run("check", "--cloud")
    #expect(check.status == 0, "\(check.output)")
  }

  @Test(arguments: ["touch", "ln -s /nowhere", "mkfifo"])
  func `whoever is in the place of an account's directory is named`(make: String) throws {
    let dora = try Program(user: 4_004, beside: ann)
    let place = ann.cloudDirectory.appending(path: "accounts/u4004").path
    #expect(try can(Self.benID, "\(make) \(place)"))
    let sync = try dora.run("sync")
    #expect(sync.status == 77)
    #expect(sync.errors.contains("belongs to u4002, not to u4004"))
    let check = try dora.run("check", "--cloud")
    #expect(check.status == 1)
    #expect(check.output.contains("u4002 made it"))
    #expect(try ann.run("check", "--cloud").output.contains("u4004 cannot use the cloud"))
  }

  /// Junk of any kind is no message, and is gone when its owner looks for invitations.
  @Test func `an inbox gets rid of directories`() throws {
    let inbox = ann.cloudDirectory.appending(path: "accounts/u4001/inbox").path
    let name = String(repeating: "a", count: 64) + "-0000000"
    #expect(
      try can(
        Self.benID,
        "cd \(inbox) && for i in 1 2 3; do mkdir \(name)$i; done; mkdir \(name)4 \(name)4/full"))
    try ann.run("shares")
    let left = try FileManager.default.contentsOfDirectory(atPath: inbox)
    #expect(left.count == 1 && left[0].contains(".aside-"))
    #expect(try ann.run("shares").status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: inbox) == left)
  }

  /// Only the directory of the share itself says who takes part.
  @Test(arguments: ["e1/log", "e1", "meta"])
  func `a directory that may not be read ends no share`(directory: String) throws {
    try share("write")
    let place = try zone("share_").path + "/" + directory
    try ben.run("add", "Swim", "--list", "Family")
    #expect(try can(Self.annID, "chmod 000 \(place)"))
    let refused = try ben.run("sync")
    #expect(refused.status != 0)
    #expect(refused.errors.contains("may not be read"))
    #expect(try ben.run("check", "--cloud").status == 1)
    #expect(try ben.run("list").output.contains("Swim · Family"))
    #expect(try can(Self.annID, "chmod 770 \(place)"))
    #expect(try ann.run("sync").status == 0)
    #expect(try ben.run("sync").status == 0)
    #expect(try ann.run("sync").status == 0)
    #expect(try ann.run("list").output.contains("Swim · Family"))
  }
}
