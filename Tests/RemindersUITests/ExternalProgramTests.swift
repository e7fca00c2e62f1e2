import Foundation
import RemindersCore
import RemindersTestSupport
import Testing

@testable import RemindersUI

struct ExternalProgramTests {
  @Test(
    arguments: [
      ([:], "vi"), (["EDITOR": "ed"], "ed"), (["EDITOR": "ed", "VISUAL": "nano -w"], "nano -w"),
      (["EDITOR": "ed", "VISUAL": ""], "ed"), (["EDITOR": "", "VISUAL": " "], "vi"),
    ] as [([String: String], String)])
  func theEditorIsWhatIsSetAndNotEmpty(environment: [String: String], editor: String) {
    #expect(ExternalPrograms.editor(environment) == editor)
  }

  @Test func theEditorChangesTheTextInAFileThatOnlyThePersonCanRead() async throws {
    let directory = try TemporaryDirectory()
    let facts = directory.url.appending(path: "facts")
    let editor = "sh -c 'stat -c \"%a %n\" \"$1\" >\"\(facts.path)\"; echo Milk >>\"$1\"' sh"
    let edited = try await ExternalPrograms.edit("Bread\n", with: editor)
    #expect(edited == "Bread\nMilk")
    let words = try String(contentsOf: facts, encoding: .utf8).split(whereSeparator: \.isWhitespace)
    #expect(words.first == "600")
    let file = try #require(words.last)
    #expect(!FileManager.default.fileExists(atPath: String(file)), "it is gone afterwards")
  }

  @Test func whatAnEditorWritesIsWhatCanBeStored() async throws {
    func edited(_ script: String) async throws -> String {
      try await ExternalPrograms.edit("", with: "sh -c '\(script) >\"$1\"' sh")
    }
    #expect(try await edited("printf \"li\\0ne2\"") == "li\u{FFFD}ne2")
    let problem = await #expect(throws: Problem.self) {
      try await edited("head -c 2000000 /dev/zero | tr \"\\0\" x")
    }
    let words = try #require(problem?.hint).split(separator: " ")
    let file = URL(filePath: String(try #require(words.last)))
    defer { unlink(file.path) }
    #expect(try Data(contentsOf: file).count == 2_000_000, "nothing is lost")
  }

  @Test func anEditorThatFailsIsNamed() async throws {
    let error = await #expect(throws: Problem.self) {
      try await ExternalPrograms.edit("", with: "false")
    }
    #expect(error?.description.contains("“false”") == true)
  }

  @Test(arguments: ["exit 1", "kill -9 $$", "printf '\\377' >>\"$1\""])
  func whatWasWrittenWithAnEditorThatFailsStaysInAFileThatIsNamed(end: String) async throws {
    let script = "sh -c 'echo Milk >>\"$1\"; \(end.replacing("'", with: "'\\''"))' sh"
    let problem = await #expect(throws: Problem.self) {
      try await ExternalPrograms.edit("Bread\n", with: script)
    }
    let hint = try #require(problem?.hint)
    let file = URL(filePath: String(try #require(hint.split(separator: " ").last)))
    defer { unlink(file.path) }
    let left = try Data(contentsOf: file)
    #expect(String(decoding: left, as: UTF8.self).hasPrefix("Bread\nMilk\n"))
  }

  @Test(arguments: ["exit 1", "rm \"$1\""])
  func anEditorThatFailsWithoutAWordLeavesNothingBehind(end: String) async throws {
    let directory = try TemporaryDirectory()
    let facts = directory.url.appending(path: "facts")
    await #expect(throws: (any Error).self) {
      try await ExternalPrograms.edit(
        "Bread", with: "sh -c 'echo \"$1\" >\"\(facts.path)\"; \(end)' sh")
    }
    let file = try String(contentsOf: facts, encoding: .utf8).dropLast()
    #expect(!FileManager.default.fileExists(atPath: String(file)))
  }

  @Test(arguments: [
    ("rm \"$1\"", "The editor left no file; the notes stay as they were."),
    ("rm \"$1\"; mkfifo \"$1\"", "What the editor left cannot be read"),
    ("rm \"$1\"; mkdir \"$1\"", "It is a directory."),
  ])
  func anEditorThatLeavesNoTextSaysSoInWords(script: String, words: String) async throws {
    let problem = await #expect(throws: Problem.self) {
      try await ExternalPrograms.edit("Bread", with: "sh -c '\(script)' sh")
    }
    #expect(problem?.description.contains(words) == true)
  }

  @Test func whatTheSystemRefusesIsSaidInWords() throws {
    let error = #expect(throws: (any Error).self) {
      try FileManager.default.removeItem(atPath: "/proc/nope/file")
    }
    let problem = Problem(try #require(error))
    #expect(!problem.reason.contains("Domain=") && !problem.reason.contains("Code="))
    #expect(problem.reason.contains("No such file"), "\(problem.reason)")
  }

  @Test(arguments: ["http://a", "https://example.org/a?b#c", "HTTPS://x", "mailto:ann@example.org"])
  func linksToTheWebAndToPeopleAreOpened(link: String) {
    #expect(ExternalPrograms.isLink(link))
  }

  @Test(arguments: [
    "-h", "--help", "file:///etc/passwd", "/etc/passwd", "~/x", "x.desktop", "javascript:1",
    "ssh://host", "http:", "http://", "https:/x", "mailto:", " http://a", "http://a b",
    "http://a\n-x", "http://a\u{202E}", "data:text/html,x", "vscode://x", "://", "smb://host/x",
  ])
  func nothingElseIsHandedToAnotherProgram(link: String) async throws {
    let problem = await #expect(throws: Problem.self) { try await ExternalPrograms.openURL(link) }
    #expect(problem?.hint?.contains(link.printable) == true, "the link is shown")
  }
}
