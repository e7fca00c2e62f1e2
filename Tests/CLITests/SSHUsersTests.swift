import Foundation
import Testing

/// People who are different users of a machine that they reach by ssh: it keeps out who is not let
/// in.
@Suite(.enabled(if: SSHServer.isThere, Comment(rawValue: SSHServer.absence)))
struct SSHUsersTests {
  /// On the machine itself, by its path.
  private let annThere: Program
  private let benThere: Program
  private let carlaThere: Program
  private let ann: Program
  private let ben: Program

  init() throws {
    annThere = try Program(user: 4_001)
    benThere = try Program(user: 4_002, beside: annThere)
    carlaThere = try Program(user: 4_003, beside: annThere)
    ann = try Program(account: nil)
    ben = Program(beside: ann, device: "phone")
  }

  private func far(_ name: String, _ server: SSHServer) -> [String: String] {
    ["PATH": server.path, "REMINDERS_CLOUD": "ssh://\(name)@box\(annThere.cloudDirectory.path)"]
  }

  private func server(onlyFiles: Bool = false) throws -> SSHServer {
    try SSHServer(in: ann.makeDirectory("ssh"), onlyFiles: onlyFiles)
  }

  @Test func `a list is shared with a user of the server, and by path it is the same`() throws {
    let server = try server()
    let (asAnn, asBen) = (far("ann", server), far("ben", server))
    #expect(try benThere.run("sync").status == 0)
    #expect(try carlaThere.run("sync").status == 0)
    #expect(try ann.run("lists", "add", "Family", environment: asAnn).status == 0)
    #expect(try ann.run("add", "Pack", "--list", "Family", environment: asAnn).status == 0)
    #expect(try ann.run("sync", environment: asAnn).status == 0)
    let unknown = try ann.run("share", "Family", "--with", "nosuchuser", environment: asAnn)
    #expect(unknown.status == 66 && unknown.errors.contains("“nosuchuser”"), "\(unknown.errors)")
    let shared = try ann.run("share", "Family", "--with", "ben", environment: asAnn)
    #expect(shared.status == 0, "\(shared.errors)")
    let link = try #require((shared.output + shared.errors).firstMatch(of: /share:[^\s"]+/)).output
    let accepted = try ben.run("accept", String(link), environment: asBen)
    #expect(accepted.status == 0, "\(accepted.errors)")
    #expect(try ben.run("list", environment: asBen).output.contains("Pack · Family"))
    #expect(try ben.run("add", "Swim", "--list", "Family", environment: asBen).status == 0)
    #expect(try ben.run("sync", environment: asBen).status == 0)

    for program in [annThere, benThere] {
      #expect(try program.run("sync").status == 0)
      #expect(try program.run("list").output.contains("Swim · Family"))
      try expectPermissionsAsShared(program)
    }
    let zones = annThere.cloudDirectory.appending(path: "accounts/u4001/zones")
    let zone = try #require(
      FileManager.default.contentsOfDirectory(atPath: zones.path).first { $0.hasPrefix("share") })
    let log = zones.appending(path: "\(zone)/e1/log").path
    #expect(try can(4_002, "cat \(log)/*"))
    #expect(try !can(4_002, "rm -f \(log)/0000000000000001.json"))
    #expect(try !can(4_003, "ls \(log)"))

    try expectPermissionsAsShared(ann, asAnn)
    let removed = try ann.run(
      "share", "Family", "--with", "ben", "--permission", "none", environment: asAnn)
    #expect(removed.status == 0, "\(removed.errors)")
    #expect(try !can(4_002, "ls \(log)"))
    #expect(try ben.run("sync", environment: asBen).status == 0)
    #expect(try !ben.run("list", environment: asBen).output.contains("Pack"))
  }

  @Test func `where nothing can be run nobody can be let in, and it says why`() throws {
    let server = try server(onlyFiles: true)
    let asAnn = far("ann", server)
    #expect(try ann.run("lists", "add", "Family", environment: asAnn).status == 0)
    #expect(try ann.run("sync", environment: asAnn).status == 0)
    #expect(try annThere.run("sync").status == 0)
    #expect(try annThere.run("lists").output.contains("Family"))
    for name in ["ben", "u4002"] {
      let refused = try ann.run("share", "Family", "--with", name, environment: asAnn)
      #expect(refused.status == 77, "\(refused.errors)")
      #expect(refused.errors.contains("by commands on the server, which it does not run"))
    }
    #expect(try ann.run("shares", environment: asAnn).output == "")
    #expect(try ann.run("check", "--cloud", environment: asAnn).status == 0)
  }

  @Test func `nobody takes another's account`() throws {
    let asAnn = try far("ann", server())
    let taken = try ann.run("sync", "--account", "u4002", environment: asAnn)
    #expect(taken.status == 77, "\(taken.errors)")
    #expect(taken.errors.contains("Yours is u4001."))
    let accounts = annThere.cloudDirectory.appending(path: "accounts").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: accounts) == [])
    let own = try ann.run("sync", environment: asAnn)
    #expect(own.status == 0, "\(own.errors)")
    #expect(try ann.run("status", environment: asAnn).output.contains("u4001"))
  }

  /// Seen by ssh or by path: nobody may do anything else than the share says.
  private func expectPermissionsAsShared(
    _ program: Program, _ variables: [String: String] = [:]
  ) throws {
    let check = try program.run("check", "--cloud", environment: variables)
    #expect(check.status == 0, "\(check.output)")
    #expect(!check.output.contains("than the share says"), "\(check.output)")
  }
}
