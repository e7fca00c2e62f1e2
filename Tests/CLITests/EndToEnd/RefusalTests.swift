import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// Where the app cannot be, it says why, what to do, and leaves the screen alone.
  @Suite struct RefusalTests {
    @Test func aDumbTerminalIsRefusedWithAHint() async throws {
      let terminal = try await Tmux(try Program(), environment: ["TERM": "dumb"])
      try await terminal.run("app")
      let lines = try await terminal.ends(with: 1)
      #expect(lines.contains { $0.contains("reminders: This terminal cannot show a screen") })
      #expect(lines.contains { $0.contains("try reminders list") })
    }

    @Test func anUnknownTerminalIsRefusedWithAHint() async throws {
      let terminal = try await Tmux(try Program(), environment: ["TERM": "teapot"])
      try await terminal.run("app")
      let lines = try await terminal.ends(with: 1)
      #expect(lines.contains { $0.contains("teapot") })
    }

    @Test func keysComeFromTheTerminalWhenTheInputIsAPipe() async throws {
      let terminal = try await Tmux(try Program())
      try await terminal.run("echo qqq | app")
      try await terminal.shows("? help")
      try await terminal.add("Haircut")
      try await terminal.press("q")
      try await terminal.ends(with: 0)
    }

    @Test func withoutATerminalForKeysItSaysSo() async throws {
      let terminal = try await Tmux(try Program())
      try await terminal.run("setsid -w app < /dev/null")
      let lines = try await terminal.ends(with: 1)
      #expect(lines.contains { $0.contains("Keys cannot be read") })
    }

    @Test func intoAPipeTheOpenRemindersArePrinted() async throws {
      let terminal = try await Tmux(try Program())
      try await terminal.run("app add Haircut > /dev/null; app | cat")
      let lines = try await terminal.ends(with: 0)
      #expect(lines.contains { $0.hasSuffix("[ ] Haircut · Personal") })
    }

    @Test func aFileThatIsNoDatabaseIsRefusedAndKept() async throws {
      let program = try Program()
      let terminal = try await Tmux(program)
      let text = String(repeating: "no database ", count: 1000)
      try FileManager.default.createDirectory(
        at: program.dataDirectory, withIntermediateDirectories: true)
      let file = program.dataDirectory.appending(path: "reminders.sqlite")
      try Data(text.utf8).write(to: file)
      try await terminal.run("app")
      let lines = try await terminal.ends(with: 1)
      // The name of the file may take up more than a line.
      #expect(lines.joined().contains("not a database"))
      #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can mount a disk to be read only"))
    func dataThatCanOnlyBeReadIsShown() async throws {
      let program = try Program()
      guard let disk = try program.mountDisk(size: "9m") else { return }
      defer { program.unmount(disk) }
      try program.run("add", "Haircut")
      try program.remount(disk, "ro")
      let terminal = try await Tmux(program)
      try await terminal.run("app")
      try await terminal.shows("○     Haircut")
      try await terminal.shows("read only")
      try await terminal.shows("Check that you may write it")
      try await terminal.press("j")
      try await terminal.showsNoMore("Check that you may write it")
      try await terminal.press("f")
      try await terminal.shows("Check that you may write it")
      try await terminal.press("q")
      try await terminal.ends(with: 0)
    }

    /// A program that writes for long has the data to itself.
    @Test func itWaitsForAnotherProgramThatWrites() async throws {
      let program = try Program()
      try program.run("add", "Haircut")
      let terminal = try await Tmux(program)
      let (shell, input, output) = (Process(), Pipe(), Pipe())
      shell.executableURL = URL(filePath: "/usr/bin/sqlite3")
      shell.arguments = [program.dataDirectory.appending(path: "reminders.sqlite").path]
      (shell.standardInput, shell.standardOutput) = (input, output)
      try shell.run()
      let lock = "BEGIN IMMEDIATE; SELECT 'writing';\n"
      try input.fileHandleForWriting.write(contentsOf: Data(lock.utf8))
      #expect(output.fileHandleForReading.availableData == Data("writing\n".utf8))
      try await terminal.run("app")
      try await terminal.shows("Waiting")
      try input.fileHandleForWriting.close()
      shell.waitUntilExit()
      try await terminal.shows("○     Haircut")
      try await terminal.press("q")
      try await terminal.ends(with: 0)
    }

    @Test func anUnknownOptionIsNamed() async throws {
      let terminal = try await Tmux(try Program())
      try await terminal.run("app --frobnicate")
      let lines = try await terminal.ends(with: 64)
      #expect(lines.contains { $0.contains("--frobnicate") })
    }

    @Test func aCloudThatIsNotThereOrReadOnlyIsNamedAndTheAppGoesOn() async throws {
      let program = try Program(isOrdinary: true)
      try program.run("add", "First")
      try program.run("sync")
      // The screen may break a line anywhere.
      for (unsent, mode, shown, reason, status) in [
        (1, 0o000, "There is no directory", "can be read", 69),
        (2, 0o555, "The owner of the directory can allow it.", "Permission denied", 77),
      ] as [(Int, Int, String, String, Int32)] {
        try setMode(mode, ofDirectoriesIn: program.cloudDirectory)
        let terminal = try await Tmux(program)
        try await terminal.open()
        // What was added is said only until the error is, which stays.
        try await terminal.press("a")
        try await terminal.type("Haircut")
        try await terminal.press("Enter")
        try await terminal.shows("⇡ \(unsent) to send · ✗ sync error")
        try await terminal.press("S")
        try await terminal.shows(shown)
        try await terminal.press("q")
        try await terminal.ends(with: 0)
        let result = try program.run("sync")
        #expect(result.status == status)
        #expect(result.errors.contains(reason))
        #expect(result.errors.split(separator: "\n").count == 2, "a reason and a hint")
        try setMode(0o755, ofDirectoriesIn: program.cloudDirectory)
      }
      #expect(try program.run("sync").output == "Sent 2, fetched 0.\n")
    }

    private func setMode(_ mode: Int, ofDirectoriesIn root: URL) throws {
      let inside = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String }
      let all = [root] + (inside ?? []).map { root.appending(path: $0) }
      for url in all where try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
      }
    }

    @Test func watchingIsEndedByCtrlCAndBySignals() async throws {
      let terminal = try await Tmux(try Program())
      try await terminal.run("app sync --watch")
      try await terminal.shows("  start")
      try await terminal.press("C-c")
      try await terminal.ends(with: 130)
      try await terminal.run("app sync --watch")
      try await terminal.shows("a second start") { lines in
        lines.count { $0.hasSuffix("  start") } == 2
      }
      try await terminal.signal(15)
      try await terminal.ends(with: 143)
    }
  }
}
