import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// However the app ends, the terminal is as it was and what was done is kept.
  @Suite struct LeavingTests {
    @Test(arguments: [["q"], ["C-c"]])
    func quittingGivesTheTerminalBack(keys: [String]) async throws {
      let terminal = try await opened()
      for key in keys { try await terminal.press(key) }
      try await isAsItWas(terminal, status: 0)
    }

    @Test(
      arguments: [(SIGTERM, 143), (SIGHUP, 129), (SIGINT, 130), (SIGQUIT, 131)] as [(Int32, Int32)])
    func aSignalGivesTheTerminalBackAndIsTheStatus(signal: Int32, status: Int32) async throws {
      let terminal = try await opened()
      try await terminal.signal(signal)
      try await isAsItWas(terminal, status: status)
    }

    @Test(
      arguments: [(SIGILL, 132), (SIGTRAP, 133), (SIGABRT, 134), (SIGSEGV, 139)] as [(Int32, Int32)]
    )
    func aCrashGivesTheTerminalBackAndSaysWhy(signal: Int32, status: Int32) async throws {
      let terminal = try await opened()
      // What Swift writes before it traps.
      let errors = try FileHandle(forWritingTo: try await terminal.errorFile())
      try errors.seekToEnd()
      try errors.write(contentsOf: Data("Fatal error: made up\n".utf8))
      try await terminal.signal(signal)
      let lines = try await isAsItWas(terminal, status: status)
      #expect(lines.contains { $0.contains("Fatal error: made up") })
    }

    @Test func whatWasDoneBeforeTheTerminalGoesAwayIsSaved() async throws {
      let terminal = try await opened()
      try await terminal.press("Space", "a")
      try await terminal.shows("Enter add")
      try await terminal.type("Last words")
      try await terminal.press("Enter")
      try await terminal.showsNoMore("Enter add")
      try await terminal.signal(SIGHUP)
      try await terminal.ends(with: 129)
      let list = try terminal.program.run("list", "--completed").output
      #expect(list.contains("[ ] Last words"))
      #expect(list.contains("[x] Haircut"), "its grace period ends with the app")
    }

    @Test func ctrlZGoesToTheShellAndFgComesBack() async throws {
      let terminal = try await opened()
      try await terminal.press("C-z")
      try await terminal.shows("Stopped")
      #expect(try await terminal.facts(Self.modes) == Self.modesOfShell)
      try await terminal.run("fg")
      try await terminal.shows("○     Haircut")
      try await terminal.press("f")
      try await terminal.shows("⚑")
      try await terminal.press("q")
      try await isAsItWas(terminal, status: 0)
    }

    @Test func inTheBackgroundItStopsAgainAndLeavesTheTerminalToTheShell() async throws {
      let terminal = try await opened()
      try await terminal.press("C-z")
      try await terminal.shows("Stopped")
      try await terminal.run("clear; bg")
      try await terminal.run(
        "for i in {1..5000}; do jobs -l > jobs; grep output jobs && break; done")
      let lines = try await terminal.ends(with: 0)
      #expect(lines.contains { $0.contains("Stopped (tty output)") })
      #expect(!lines.contains { $0.contains("SMART LISTS") })
      #expect(try await terminal.facts(Self.modes) == Self.modesOfShell)
      try await terminal.run("fg")
      try await terminal.shows("○     Haircut")
      try await terminal.press("q")
      try await isAsItWas(terminal, status: 0)
    }

    @Test func whoeverIsContinuedInTheBackgroundToBeEndedEnds() async throws {
      let terminal = try await opened()
      try await terminal.press("C-z")
      try await terminal.shows("Stopped")
      try await terminal.signal(SIGHUP)
      try await terminal.signal(SIGCONT)
      try await terminal.run("wait %1")
      try await terminal.ends(with: 129)
    }

    @Test func aPasteWithoutMarksIsNotTakenForKeys() async throws {
      let terminal = try await opened()
      try await terminal.type((1...300).map { "A quick word, number \($0)\n" }.joined())
      try await terminal.shows("Add 300 reminders?")
      try await terminal.press("C-c")
      try await terminal.showsNoMore("Add 300 reminders?")
      try await terminal.press("C-c")
      try await isAsItWas(terminal, status: 0)
    }

    @Test func ctrlZWorksInAFormAndKeepsWhatIsTyped() async throws {
      let terminal = try await opened()
      try await terminal.press("e")
      try await terminal.shows("Edit reminder")
      try await terminal.type(" and beard")
      try await terminal.shows("Haircut and beard")
      try await terminal.press("C-z")
      try await terminal.shows("Stopped")
      try await terminal.run("fg")
      try await terminal.shows("Haircut and beard")
    }

    @Test func aTerminalThatIsTooSmallSaysSoAndKeepsEverything() async throws {
      let terminal = try await opened()
      try await terminal.press("a")
      try await terminal.shows("Enter add")
      try await terminal.type("Plumber")
      try await terminal.shows("Plumber")
      try await terminal.resize(columns: 20, rows: 5)
      let small = try await terminal.shows("needs 30×8")
      #expect(small.filter { !$0.isEmpty }.count == 1)
      try await terminal.resize(columns: 80, rows: 24)
      try await terminal.shows("Plumber")
      try await terminal.press("Enter")
      try await terminal.shows("○     Plumber")
    }

    @Test func aTerminalThatIsTooSmallFromTheStartCanBeLeft() async throws {
      let terminal = try await Tmux(try Program(), columns: 20, rows: 5)
      try await terminal.run("app")
      try await terminal.shows("needs 30×8")
      try await terminal.press("q")
      try await terminal.ends(with: 0)
    }

    private static let modes = "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_flag}"
    private static let modesOfShell = "0 1 0 0"

    /// A terminal in which the app shows a reminder, its modes noted before.
    private func opened() async throws -> Tmux {
      let terminal = try await Tmux(try Program())
      try await terminal.run("stty -a > before")
      try await terminal.ends(with: 0)
      try await terminal.open()
      try await terminal.add("Haircut")
      return terminal
    }

    /// Waits for the shell, and checks that nothing of the app is left but its data.
    @discardableResult
    private func isAsItWas(_ terminal: Tmux, status: Int32) async throws -> [String] {
      let lines = try await terminal.ends(with: status)
      #expect(!lines.contains { $0.contains("SMART LISTS") })
      #expect(try await terminal.facts(Self.modes) == Self.modesOfShell)
      try await terminal.run("stty -a > after; cmp before after")
      try await terminal.ends(with: 0)
      #expect(try terminal.program.run("list").output.contains("Haircut"))
      return lines
    }
  }
}
