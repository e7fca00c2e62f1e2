import Foundation
import Testing

extension EndToEnd {
  /// Two people at two terminals.
  @Suite struct SharingStoryTests {
    @Test func annSharesAListAndBenTakesPart() async throws {
      let program = try Program(account: "ann")
      let other = Program(beside: program, device: "bens", account: "ben")
      try program.run("add", "Pack")
      try other.run("sync")
      let (ann, ben) = (try await Tmux(program), try await Tmux(other))
      try await ann.open()
      try await ben.open()
      try await ann.shows("in sync · ann")
      try await ann.press("g", "l", "p", "a")
      try await ann.type("ben")
      try await ann.press("Enter")
      try await ann.shows("Invited ben.")
      try await ben.shows("ann invites you to")
      try await ben.press("P")
      try await ben.shows("from ann")
      try await ben.press("Enter")
      try await ben.shows("Accepted.")
      try await ben.shows("Pack")
      try await ann.shows("accepted")
      // He may write, until she says otherwise.
      try await ben.press("g", "l", "Enter", "f")
      try await ben.shows("⚑")
      // Not before his edit has come: it would be taken back, and he would be told.
      try await ann.press("Escape")
      try await ann.shows("⚑")
      try await ann.press("p")
      try await ann.shows("accepted")
      try await ann.press("w")
      try await ann.shows("ben may read.")
      try await ben.shows("&ann")
      try await ben.shows("shared from ann, read only")
      try await ben.press("f")
      try await ben.shows("shared by ann to read, not to write")
      try await ann.press("x", "y")
      try await ann.shows("Stopped sharing.")
      try await ben.showsNoMore("Pack")
      for terminal in [ann, ben] {
        try await terminal.press("q")
        try await terminal.ends(with: 0)
      }
    }
  }
}
