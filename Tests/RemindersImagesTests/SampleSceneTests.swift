import Foundation
import Testing

@testable import RemindersImages

struct SampleSceneTests {
  /// `make covers` writes the files instead.
  @Test(arguments: SampleScene.allCases)
  func theFilesInAssetsAreTheseScenes(scene: SampleScene) throws {
    let file = URL(filePath: #filePath).appending(path: "../../../Assets/\(scene.fileName)")
      .standardized
    if ProcessInfo.processInfo.environment["UPDATE_COVERS"] == "1" {
      try scene.png().write(to: file)
      return
    }
    // Pixels and not bytes: another zlib may pack them otherwise.
    let kept = try Data(contentsOf: file)
    let whole = PixelSize(width: 960, height: 480)
    #expect(try Picture(of: kept, in: whole, .whole) == Picture(of: scene.png(), in: whole, .whole))
    #expect(kept.count < 100_000)
  }
}
