import Foundation
import Testing

extension EndToEnd {
  /// Signing in and out, at a terminal.
  @Suite struct SigningInTests {
    @Test func theAppSignsOutAndInWithoutARestart() async throws {
      let program = try Program(account: nil)
      try program.run("add", "Haircut")
      let terminal = try await Tmux(program)
      try await terminal.open("--account ann")
      try await terminal.shows("in sync · ann")
      let pictures = program.dataDirectory.appending(path: "images")
      try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
      try await terminal.press("@", "o", "y")
      try await terminal.shows("signed out, last ann")
      try await terminal.press("Escape")
      try await terminal.showsNoMore("Haircut")
      try await terminal.press("@", "i", "Enter")
      try await terminal.shows("in sync · ann")
      try await terminal.press("Escape")
      try await terminal.shows("Haircut")
      try await terminal.press("q")
      try await terminal.ends(with: 0)
      #expect(!FileManager.default.fileExists(atPath: pictures.path))
    }

    @Test func whatWouldBeLostIsNamedAndCanBeExportedFirst() async throws {
      let program = try Program(account: nil)
      try program.run("account", "sign-in", "ann")
      try program.run("add", "Haircut")
      try FileManager.default.moveItem(
        at: program.cloudDirectory, to: program.directory.appending(path: "elsewhere"))
      let terminal = try await Tmux(program)
      try await terminal.run("reminders account sign-out")
      try await terminal.shows("edited: Haircut")
      // What is typed before the question stands in a line above it, and the question keeps no line
      // for the answer.
      try await terminal.shows("e export everything first")
      try await terminal.press("n", "Enter")
      try await terminal.shows("Nothing was changed.")
      // The first question must be gone: an answer to it would reach the shell, not the second one.
      try await terminal.run("clear")
      try await terminal.showsNoMore("e export everything first")
      try await terminal.run("reminders account sign-out")
      try await terminal.shows("e export everything first")
      try await terminal.press("e", "Enter")
      try await terminal.shows("Signed out of ann.")
      let files = try FileManager.default.contentsOfDirectory(atPath: program.directory.path)
      #expect(files.contains { $0.hasPrefix("reminders-2") && $0.hasSuffix(".json") })
    }
  }
}
