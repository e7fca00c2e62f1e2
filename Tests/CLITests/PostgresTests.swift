import Foundation
import RemindersTestSupport
import Testing

/// A cloud in a database: Debian's own PostgreSQL.
@Suite(.enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.absence)))
struct PostgresTests {
  private let desk: Program
  private let laptop: Program
  private let server: PostgresServer

  init() throws {
    desk = try Program(account: nil)
    laptop = Program(beside: desk, device: "laptop")
    server = try PostgresServer.shared.get()
  }

  private func cloud(_ database: PostgresDatabase, as role: String = "ann") -> [String: String] {
    ["REMINDERS_CLOUD": database.address(as: role)]
  }

  @Test func `a database is set up once or more, and two devices have the same cloud`() throws {
    let database = try server.emptyDatabase()
    let far = cloud(database)
    #expect(try desk.run("add", "Haircut", environment: far).status == 0)
    let early = try desk.run("sync", environment: far)
    #expect(early.status == 69)
    #expect(early.errors.contains("is not set up as a cloud"), "\(early.errors)")
    #expect(early.errors.contains("sets it up (reminders cloud init ADDRESS)"), "\(early.errors)")
    for _ in 1...2 {
      let made = try desk.run("cloud", "init", database.address(as: "admin"))
      #expect(made.status == 0, "\(made.errors)")
    }
    let sent = try desk.run("sync", environment: far)
    #expect(sent.output == "Sent 2, fetched 0.\n", "\(sent.errors)")
    #expect(try laptop.run("sync", environment: far).output == "Sent 0, fetched 2.\n")
    #expect(try laptop.run("list", environment: far).output.contains("Haircut"))
    let check = try laptop.run("check", "--cloud", database.address(as: "ann"), "--repair")
    #expect(check.status == 0, "\(check.output)\(check.errors)")
    #expect(try laptop.run("account", environment: far).output.contains("ann"))
  }

  @Test func `setting a database up makes the roles that are not there`() throws {
    let database = try server.emptyDatabase()
    let role = "r\(UUID().uuidString.lowercased().prefix(12))"
    let place = database.address(as: "admin")
    for _ in 1...2 {
      let made = try desk.run("cloud", "init", place, "--role", role, "--role", "ann")
      #expect(made.status == 0, "\(made.errors)")
      #expect(made.errors.contains("There is a role \(role)."), "\(made.errors)")
    }
    #expect(try desk.run("add", "Haircut", environment: cloud(database, as: role)).status == 0)
    let sent = try desk.run("sync", environment: cloud(database, as: role))
    #expect(sent.output == "Sent 2, fetched 0.\n", "\(sent.errors)")
    let wrong = try desk.run("cloud", "init", place, "--role", "Müller")
    #expect(wrong.status == 64 && wrong.errors.contains("“Müller”"), "\(wrong.errors)")
    let refused = try desk.run("cloud", "init", database.address(as: "ann"), "--role", "eve")
    #expect(refused.status == 77, "\(refused.errors)")
  }

  @Test func `a list that is shared with a role is the other's, and nobody else's`() throws {
    let database = try server.database()
    let ben = Program(beside: desk, device: "ben")
    let cat = Program(beside: desk, device: "cat")
    let (asAnn, asBen, asCat) = (
      cloud(database), cloud(database, as: "ben"), cloud(database, as: "cat")
    )
    for (person, variables) in [(ben, asBen), (cat, asCat)] {
      #expect(try person.run("sync", environment: variables).status == 0)
    }
    _ = try desk.run("lists", "add", "Party", environment: asAnn)
    _ = try desk.run("add", "Balloons", "--list", "Party", environment: asAnn)
    #expect(try desk.run("sync", environment: asAnn).status == 0)
    let shared = try desk.run("share", "Party", "--with", "ben", environment: asAnn)
    #expect(shared.status == 0, "\(shared.errors)")
    let link = try #require((shared.output + shared.errors).firstMatch(of: /share:[^\s"]+/)).output
    #expect(try ben.run("sync", environment: asBen).status == 0)
    let accepted = try ben.run("accept", String(link), environment: asBen)
    #expect(accepted.status == 0, "\(accepted.output)\(accepted.errors)")
    #expect(try ben.run("list", "--list", "Party", environment: asBen).output.contains("Balloons"))
    _ = try ben.run("add", "Cake", "--list", "Party", environment: asBen)
    #expect(try ben.run("sync", environment: asBen).status == 0)
    #expect(try desk.run("sync", environment: asAnn).status == 0)
    #expect(try desk.run("list", "--list", "Party", environment: asAnn).output.contains("Cake"))
    let unknown = try desk.run("share", "Party", "--with", "nosuchuser", environment: asAnn)
    #expect(unknown.status == 66 && unknown.errors.contains("“nosuchuser”"), "\(unknown.errors)")
    // An invitation that was taken back, to what cannot be opened any more.
    try desk.run("share", "Party", "--with", "cat", environment: asAnn)
    #expect(try cat.run("shares", environment: asCat).output.contains("invitation from ann"))
    try desk.run("share", "Party", "--with", "cat", "--permission", "none", environment: asAnn)
    #expect(try cat.run("shares", environment: asCat).output.isEmpty)
    #expect(try cat.run("sync", environment: asCat).output == "Sent 0, fetched 0.\n")
    let check = try desk.run("check", "--cloud", environment: asAnn)
    #expect(check.status == 0, "\(check.output)")
  }

  @Test func `a cloud of Unix users goes into a database, each number to its role`() throws {
    let database = try server.database()
    let old = desk.directory.appending(path: "old").path
    let (here, there) = (["REMINDERS_CLOUD": old], cloud(database))
    let (place, number) = (database.address(as: "ann"), getuid())
    #expect(try desk.run("add", "Haircut", environment: here).status == 0)
    #expect(try desk.run("sync", environment: here).output == "Sent 2, fetched 0.\n")
    let refused = try desk.run("cloud", "copy", old, place)
    #expect(refused.status != 0, "\(refused.output)")
    #expect(refused.errors.contains("cloud init '\(place)' --user \(number)="), "\(refused.errors)")

    let give = ["cloud", "init", database.address(as: "admin"), "--user"]
    for _ in 1...2 {
      let given = try desk.run(give + ["\(number)=ann"])
      #expect(given.status == 0 && given.errors.contains("The account u\(number) is that of the"))
    }
    let taken = try desk.run(give + ["\(number)=ben"])
    #expect(taken.status != 0 && taken.errors.contains("that of the role ann"), "\(taken.errors)")
    #expect(try desk.run(give + ["ann"]).status == 64)
    #expect(try desk.run("cloud", "init", old, "--user", "\(number)=ann").status == 64)

    let copied = try desk.run("cloud", "copy", old, place)
    #expect(copied.status == 0, "\(copied.errors)")
    #expect(copied.output.hasSuffix("new place: REMINDERS_CLOUD='\(place)'.\n"))
    #expect(try desk.run("sync", environment: there).output == "Sent 0, fetched 0.\n")
    #expect(try laptop.run("sync", environment: there).output == "Sent 0, fetched 2.\n")
    // People know her by the name of the role.
    let (ben, asBen) = (Program(beside: desk, device: "ben"), cloud(database, as: "ben"))
    _ = try ben.run("lists", "add", "Party", environment: asBen)
    #expect(try ben.run("sync", environment: asBen).status == 0)
    let shared = try ben.run("share", "Party", "--with", "ann", environment: asBen)
    #expect(shared.status == 0, "\(shared.errors)")
    #expect(try desk.run("shares", environment: there).output.contains("invitation from ben"))
  }

  @Test func `a password is never shown`() throws {
    let address = "postgres://locked:sesame@/missing?host=\(server.directory)"
    #expect(try desk.run("--cloud", address, "add", "Haircut").status == 0)
    for command in [["status"], ["status", "--json"], ["sync"], ["log"], ["account"], ["check"]] {
      let run = try desk.run(["--cloud", address] + command)
      #expect(!(run.output + run.errors).contains("sesame"), "\(command)")
    }
    for file in try FileManager.default.subpathsOfDirectory(atPath: desk.directory.path) {
      let bytes = FileManager.default.contents(
        atPath: desk.directory.appending(path: file).path)
      #expect(bytes?.range(of: Data("sesame".utf8)) == nil, "\(file)")
    }
    let refused = try desk.run("--cloud", "postgres://locked:ses/ame@host/c", "list")
    #expect(refused.status == 64 && !refused.errors.contains("ses"))
  }

  @Test func `what no retry can help is no outage`() throws {
    let base = "@/base?host=\(server.directory)"
    for (address, status) in [
      ("postgres://ann\(base)&port=99999", 64), ("postgres://ann\(base)&sslmode=bogus", 64),
      ("postgres://ann\(base)&nonsense=1", 64), ("postgres://locked\(base)", 77),
      ("postgres://locked:wrong\(base)", 77), ("postgres://eve\(base)", 77),
    ] as [(String, Int32)] {
      let run = try desk.run("--cloud", address, "sync")
      #expect(run.status == status && !run.errors.contains("tried again"), "\(run.errors)")
    }
  }

  @Test func `what is no database is not set up`() throws {
    let machine = try desk.run("cloud", "init", "ssh://ann@box/srv/cloud")
    #expect(machine.status == 64 && machine.errors.contains("when it is first used"))
    let refused = try desk.run("cloud", "init", "postgres://ann@/base?host=/nowhere")
    #expect(refused.status == 69 && refused.errors.contains("No such file"), "\(refused.errors)")
  }
}
