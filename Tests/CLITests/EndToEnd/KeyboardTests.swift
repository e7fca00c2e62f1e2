import Foundation
import Testing

extension EndToEnd {
  /// Keys, the clipboard and the editor, as a real terminal has them.
  @Suite struct KeyboardTests {
    @Test func theKeysOfTerminalsAndShellsReachTheApp() async throws {
      let terminal = try await opened()
      try await terminal.press("e")
      try await terminal.shows("Edit reminder")
      // Where flow control is on, the first stops the output and the second lets it go on.
      try await terminal.press("C-q", "C-v")
      try await terminal.type(" and beard")
      try await terminal.press("C-s")
      try await terminal.shows("○     Haircut and beard")
      try await terminal.showsNoMore("Edit reminder")
      try await terminal.press("q")
      try await terminal.ends(with: 0)
    }

    @Test func escapeIsAKeyAndTheBeginningOfOthers() async throws {
      let terminal = try await opened()
      try await terminal.press("a")
      try await terminal.shows("Enter add")
      // At once, as one key sends them, and then by hand.
      try await terminal.type("Buy milk\u{1B}[D\u{1B}[Dx")
      try await terminal.shows("Buy mixlk")
      try await terminal.press("Escape")
      try await terminal.showsNoMore("Enter add")
      #expect(try terminal.program.run("list").lines.count == 1)
    }

    @Test func whatIsCopiedIsInTheClipboardOfTheTerminal() async throws {
      let terminal = try await opened()
      try await terminal.takeClipboard()
      try await terminal.press("y")
      try await terminal.shows("Copied the title.")
      #expect(try await terminal.clipboard() == ["Haircut"])
    }

    @Test func theEditorHasTheTerminalAndGivesBackTheNotes() async throws {
      let program = try Program()
      let directory = try program.makeDirectory("editor")
      let editor = directory.appending(path: "editor")
      // It draws on the screen, reads a key, and changes the text.
      let script = """
        #!/bin/sh
        stty -a | grep -q ' icanon' && printf 'in the editor '
        read key
        printf 'from %s' "$key" >> "$1"
        """
      try Data(script.utf8).write(to: editor)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: editor.path)
      let terminal = try await Tmux(program, environment: ["VISUAL": "", "EDITOR": editor.path])
      try await terminal.open()
      try await terminal.add("Haircut")
      try await terminal.press("e", "Tab", "C-e")
      try await terminal.shows("in the editor")
      try await terminal.type("there")
      try await terminal.press("Enter")
      try await terminal.shows("from there")
      try await terminal.press("C-s")
      try await terminal.showsNoMore("Edit reminder")
      try await terminal.shows("from there")
      try await terminal.press("q")
      try await terminal.ends(with: 0)
    }

    private func opened() async throws -> Tmux {
      let terminal = try await Tmux(try Program())
      try await terminal.open()
      try await terminal.add("Haircut")
      return terminal
    }
  }
}
