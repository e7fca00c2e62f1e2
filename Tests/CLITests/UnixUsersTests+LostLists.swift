import Foundation
import Testing

/// Access control lists that are lost or changed, and such as close what was shared.
extension UnixUsersTests {
  /// What puts them back is the lists of before, or their owner.
  @Test(
    arguments: ["setfacl -R -b", "chmod -R g=", "chown -R 0"],
    ["setfacl --restore=lists", "sync", "check --cloud --repair"])
  func `access lists that are lost end no share`(loss: String, remedy: String) throws {
    try share("write")
    try ben.run("add", "Swim", "--list", "Family")
    let lists = ann.directory.appending(path: "lists").path
    let account = ann.cloudDirectory.appending(path: "accounts/u4001").path
    #expect(try can(0, "getfacl -pR \(account) > \(lists)"))
    #expect(try can(0, "\(loss) \(account)"))
    let refused = try ben.run("sync")
    #expect(refused.status == 1)
    #expect(try ben.run("check", "--cloud").status == 1)
    #expect(try ben.run("list").output.contains("Swim · Family"))
    if loss.hasPrefix("chown") {
      #expect(refused.errors.contains("accounts/u4001 belongs to root, not to u4001."))
      #expect(try can(0, "chown -R 4001 \(account)"))
    } else {
      #expect(refused.errors.contains("its zone has lost what lets others in"))
      #expect(try ann.run("check", "--cloud").output.contains("u4002 may do less here than"))
    }
    if remedy.hasPrefix("setfacl") {
      #expect(try can(0, "setfacl --restore=\(lists)"))
    } else {
      try ann.run(remedy.split(separator: " ").map(String.init), environment: [:])
    }
    #expect(try !ann.run("check", "--cloud").output.contains("than the share says"))
    for program in [ben, ann] { #expect(try program.run("sync").status == 0) }
    #expect(try ann.run("list").output.contains("Swim · Family"))
  }

  @Test func `whom nobody lets in any more may leave`() throws {
    try share("write")
    #expect(try can(Self.annID, "setfacl -b \(zone("share_").path)"))
    #expect(try ben.run("sync").status == 1)
    #expect(try ben.run("leave", "Family").status == 0)
    #expect(try !ben.run("lists").output.contains("Family"))
    #expect(try ben.run("sync").status == 0)
  }

  @Test func `a list that is closed to everybody is closed to whom it was shared with`() throws {
    try share("read")
    try ann.run("share", "Family", "--public", "read")
    try ann.run("share", "Family", "--public", "none")
    #expect(try ben.run("sync").status == 0)
    #expect(try ben.run("list").output.contains("Pack"))
    try ann.run("share", "Family", "--with", "u4002", "--permission", "none")
    #expect(try ben.run("sync").status == 0)
    #expect(try !ben.run("list").output.contains("Pack"))
  }
}
