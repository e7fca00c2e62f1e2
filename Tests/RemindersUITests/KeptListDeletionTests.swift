import Foundation
import RemindersCore
import RemindersTestSupport
import Testing

@testable import RemindersUI

/// A deleted list comes back after a restart, and what is copied reaches a clipboard or says so.
@MainActor
struct KeptListDeletionTests {
  @Test func aDeletedListIsKeptUntilItIsBack() async throws {
    let driver = try await Driver()
    let titles = driver.titles
    try await driver.press("hd")
    #expect(driver.shows("Deleted “Personal” with"))
    let kept = try #require(
      try UIEnvironment(undoFile: driver.undoFile).readListDeletion(), "It is kept at once.")
    // Another app begins with it.
    var state = driver.app.state
    (state.undoSteps, state.redoSteps) = ([], [])
    _ = update(&state, .keptListDeletion(kept))
    #expect(state.press(.init(.character("u"))) == [.write(.undo(kept))])
    // What is done meanwhile is undone first; then the list.
    try await driver.press("<tab>")
    try await driver.press("u")
    try await driver.press("gl<enter>")
    #expect(driver.titles == titles)
    #expect(try UIEnvironment(undoFile: driver.undoFile).readListDeletion() == nil)
    try await driver.press("U")
    #expect(try UIEnvironment(undoFile: driver.undoFile).readListDeletion() != nil)
  }

  @Test func otherChangesAreNotKept() async throws {
    let driver = try await Driver()
    try await driver.press("fd")
    #expect(!FileManager.default.fileExists(atPath: driver.undoFile.path))
  }

  @Test(arguments: ["", "{}", "[1,2", "{\"label\":1}"])
  func whatIsNoStepSaysSo(text: String) throws {
    let directory = try TemporaryDirectory()
    let file = directory.url.appending(path: "app.json")
    try Data(text.utf8).write(to: file)
    #expect(throws: Problem.self) { try UIEnvironment(undoFile: file).readListDeletion() }
  }

  // MARK: - The clipboard

  @Test func whatNoClipboardTookIsSaid() async throws {
    let driver = try await Driver(hasClipboard: false)
    try await driver.press("y")
    #expect(driver.shows("This terminal may not have taken it. Install wl-clipboard or xclip"))
    let other = try await Driver(hasClipboard: false, hasDesktop: true)
    try await other.press("y")
    #expect(other.shows("Copied the title."))
    let third = try await Driver()
    try await third.press("y")
    #expect(third.shows("Copied the title.") && third.device.copied.count == 1)
  }

  @Test func theDesktopsProgramGetsTheText() async throws {
    let directory = try TemporaryDirectory()
    let program = directory.url.appending(path: "wl-copy")
    let copied = directory.url.appending(path: "copied")
    try Data("#!/bin/sh\ncat > '\(copied.path)'\n".utf8).write(to: program)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: program.path)
    let paths = ["PATH": directory.url.path + ":/bin:/usr/bin"]
    let clipboards = [(variable: "WAYLAND_DISPLAY", command: ["wl-copy"])]
    #expect(try await !ExternalPrograms.copy("Milk", paths, clipboards))
    let desktop = paths.merging(["WAYLAND_DISPLAY": "wayland-0"]) { $1 }
    #expect(try await ExternalPrograms.copy("Milk – Brot", desktop, clipboards))
    #expect(try String(contentsOf: copied, encoding: .utf8) == "Milk – Brot")
    try Data("#!/bin/sh\nexit 3\n".utf8).write(to: program)
    await #expect(throws: Problem.self) {
      try await ExternalPrograms.copy("Milk", desktop, clipboards)
    }
  }
}
