import Foundation
import RemindersTestSupport
import Testing

extension EndToEnd {
  /// Two devices of one person, each in a terminal of its own, whose cloud is somewhere else.
  @Suite struct StoreTerminalsTests {
    private let desk: Program
    private let laptop: Program

    init() throws {
      desk = try Program(account: nil)
      laptop = Program(beside: desk, device: "laptop")
    }

    @Test(.enabled(if: SSHServer.isThere, Comment(rawValue: SSHServer.absence)))
    func `an edit crosses by ssh`() async throws {
      let server = try SSHServer(in: desk.makeDirectory("ssh"))
      // Where the user there may make it.
      let cloud = "/tmp/reminders-ssh-\(UUID().uuidString)"
      defer { try? FileManager.default.removeItem(atPath: cloud) }
      try await expectToCross(
        over: ["PATH": server.path, "REMINDERS_CLOUD": "ssh://ann@box\(cloud)"])
    }

    @Test(.enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.absence)))
    func `an edit crosses by PostgreSQL`() async throws {
      let database = try PostgresServer.shared.get().database()
      try await expectToCross(over: ["REMINDERS_CLOUD": database.address(as: "ann")])
    }

    @Test(.enabled(if: SeaweedServer.isThere, Comment(rawValue: SeaweedServer.absence)))
    func `an edit crosses by a bucket`() async throws {
      var variables = SeaweedServer.variables
      variables["REMINDERS_CLOUD"] = try SeaweedServer.shared.get().address()
      try await expectToCross(over: variables)
    }

    private func expectToCross(over variables: [String: String]) async throws {
      let here = try await Tmux(desk, environment: variables)
      let there = try await Tmux(laptop, environment: variables)
      for terminal in [here, there] {
        try await terminal.open()
        try await terminal.shows("✓ in sync")
      }
      try await here.add("Haircut")
      try await there.shows("○     Haircut")
      try await there.press("f")
      try await here.shows("⚑")
    }
  }
}
