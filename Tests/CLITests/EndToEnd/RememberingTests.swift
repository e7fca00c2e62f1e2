import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// What a person decided is so the next time.
  @Suite struct RememberingTests {
    @Test func howAListIsShownIsRemembered() async throws {
      let program = try Program()
      try program.run("seed")
      // Without its picture, all of the list has room on the screen.
      try program.run("lists", "cover", "Personal", "--clear")
      let terminal = try await Tmux(program)
      try await terminal.open()
      try await terminal.press(".")
      try await terminal.shows("●     Long walk")
      try await terminal.press("q")
      try await terminal.ends(with: 0)
      try await terminal.open()
      try await terminal.shows("●     Long walk")
    }

    @Test func theConfigurationDecidesOnSignsAndKeys() async throws {
      let program = try Program()
      try program.run("add", "Haircut", "--flag")
      try Data("set ascii yes\nbind zz quit\nset colour blue\n".utf8)
        .write(to: program.dataDirectory.appending(path: "config"))
      let terminal = try await Tmux(program)
      try await terminal.run("app")
      try await terminal.shows("config line 3: There is no setting")
      let lines = try await terminal.shows("Haircut")
      #expect(lines.allSatisfy { $0.allSatisfy(\.isASCII) })
      try await terminal.press("z", "z")
      try await terminal.ends(with: 0)
    }

    @Test func aSignalReadsTheConfigurationAgain() async throws {
      let program = try Program()
      try program.run("add", "Haircut")
      let terminal = try await Tmux(program)
      try await terminal.open()
      try await terminal.shows("▸ ○     Haircut")
      try Data("set ascii yes\n".utf8).write(to: program.dataDirectory.appending(path: "config"))
      try await terminal.signal(SIGUSR1)
      try await terminal.shows("> [ ]     Haircut")
      try await terminal.shows("Configuration reloaded.")
    }

    @Test func whatWasDoneIsThereAfterAKillAndTheTerminalWorks() async throws {
      let program = try Program()
      try program.run("add", "Haircut")
      let terminal = try await Tmux(program)
      try await terminal.open()
      try await terminal.press("Space")
      try await terminal.shows("◐     Haircut")
      try await terminal.signal(9)
      // Nobody can tidy up after this signal: the shell writes over what was on the screen.
      try await terminal.shows("[137]")
      #expect(try program.run("list").output.contains("[~] Haircut"))
      try await terminal.open()
      try await terminal.add("Shave")
      try await terminal.press("q")
      try await terminal.ends(with: 0)
    }
  }
}
