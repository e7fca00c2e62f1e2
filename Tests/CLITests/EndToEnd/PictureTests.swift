import Foundation
import Testing

extension EndToEnd {
  /// Pictures above lists, in a real terminal with 256 colours.
  @Suite struct PictureTests {
    @Test func aCoverThatIsSetElsewhereAppearsAndGoesAgain() async throws {
      let desk = try Program()
      let laptop = Program(beside: desk, device: "laptop")
      try desk.run("lists", "add", "Walks")
      try desk.run("sync")
      let terminal = try await Tmux(desk)
      try await terminal.open()
      try await terminal.shows("Walks")
      let lake = URL(filePath: #filePath).appending(path: "../../../../Assets/lake.png")
        .standardized
      try laptop.run("sync")
      #expect(try laptop.run("lists", "cover", "Walks", lake.path).status == 0)
      try laptop.run("sync")
      try await terminal.shows("lake.png · PNG 960 × 480")
      try await terminal.shows("▀▀▀▀▀▀▀▀")
      try laptop.run("lists", "cover", "Walks", "--clear")
      try laptop.run("sync")
      try await terminal.showsNoMore("▀▀▀▀▀▀▀▀")
    }
  }
}
