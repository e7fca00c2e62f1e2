import Foundation
import RemindersTerminal
import Testing

@testable import RemindersUI

/// The pictures that the README begins with: frames of the program.
@MainActor
struct PicturesTests {
  /// A picture in Assets, and the keys that lead to it from the first list of the sample data.
  struct Scene: Sendable, CustomTestStringConvertible {
    let name: String
    let keys: String
    var testDescription: String { name }
  }

  nonisolated static let scenes: [Scene] = [
    Scene(name: "home", keys: ""),
    Scene(name: "add", keys: "aCall grandma fri 6pm #family !!"),
    Scene(name: "agenda", keys: "gA"),
    Scene(name: "search", keys: "/tag:health or ea<enter>"),
  ]

  private nonisolated static let mostBytes = 60_000

  /// `make pictures` writes the files instead.
  @Test(arguments: scenes)
  func aPictureIsWhatTheProgramShows(scene: Scene) async throws {
    let driver = try await Driver(100, 26, settings: Settings("set theme dark"))
    try await driver.press("aWater the plants every 3 days<enter>aBins every mon 8am<enter>gg")
    await driver.pass(seconds: 10)
    try await driver.press(scene.keys)
    let picture = try #require(driver.device.frame).svg
    #expect(picture.utf8.count < Self.mostBytes)
    let assets = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Assets").standardized
    let file = assets.appending(path: "\(scene.name).svg")
    if ProcessInfo.processInfo.environment["UPDATE_PICTURES"] == "1" {
      return try Data(picture.utf8).write(to: file)
    }
    let kept = try? String(contentsOf: file, encoding: .utf8)  // A new picture has no file yet.
    #expect(kept == picture, "`make pictures` draws \(file.lastPathComponent) anew.")
  }

  @Test func theReadmeShowsThem() throws {
    let file = URL(filePath: #filePath).appending(path: "../../../README.md").standardized
    let readme = try String(contentsOf: file, encoding: .utf8)
    for scene in Self.scenes { #expect(readme.contains("(Assets/\(scene.name).svg)")) }
  }
}
