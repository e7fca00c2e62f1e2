import Foundation
import Testing

extension EndToEnd {
  /// The demos: two devices, or two people, in one terminal.
  @Suite struct DemoTests {
    /// A terminal wide enough for two, whose demo has a tmux server of its own.
    private let terminal: Tmux
    /// Where the demo puts its data.
    private let directory: URL

    init() async throws {
      let program = try Program(account: nil)
      directory = try program.makeDirectory("demo")
      terminal = try await Tmux(
        program, columns: 200, rows: 40,
        environment: ["TMUX_TMPDIR": directory.path, "TMPDIR": directory.path])
    }

    /// Names of the directories with the data of demos.
    private func demos() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: directory.path)
        .filter { $0.hasPrefix("reminders-demo-") }
    }

    @Test func twoDevicesAreSideBySide() async throws {
      try await terminal.run("reminders demo")
      try await terminal.shows("Two devices, one cloud.")
      try await terminal.shows("two devices in sync") { lines in
        lines[0].components(separatedBy: "in sync · ann").count == 3
      }
      try await terminal.press("a")
      try await terminal.type("Bread")
      try await terminal.press("Enter")
      try await terminal.shows("Bread on both sides") { lines in
        // Groceries say Bread, too.
        lines.joined().components(separatedBy: "○     Bread").count == 3
      }
      try await quitBoth()
    }

    @Test func twoPeopleShareAList() async throws {
      try await terminal.run("reminders demo --sharing")
      try await terminal.shows("P accepts Family")
      try await terminal.shows("&ben")
      try await terminal.shows("in sync · 1 invitation · ben")
      try await terminal.press("P")
      try await terminal.shows("from ann")
      try await terminal.press("Enter")
      try await terminal.shows("&ann")
      try await quitBoth()
    }

    private func quitBoth() async throws {
      #expect(try demos().count == 1)
      try await terminal.press("q")
      try await terminal.shows("one side") { lines in !lines[0].contains("│") }
      try await terminal.press("q")
      try await terminal.ends(with: 0)
      #expect(try demos() == [], "its data goes when it ends")
    }
  }
}
