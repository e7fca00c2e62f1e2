import Foundation
import RemindersTestSupport
import Testing

private let bucket = ProcessInfo.processInfo.environment["S3_TEST_URL"]

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

    @Test(.enabled(if: bucket != nil, "S3_TEST_URL names no bucket (make test-s3)"))
    func `an edit crosses by a bucket`() async throws {
      let address = try #require(bucket).replacing("?", with: "/\(UUID().uuidString)?")
      var variables = ["REMINDERS_CLOUD": address]
      for key in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
        variables[key] = ProcessInfo.processInfo.environment[key]
      }
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
