import Foundation
import Glibc
import RemindersTestSupport
import Testing

extension EndToEnd {
  /// The disk of the cloud does not answer any more: nothing waits for it.
  @Suite(.enabled(if: DeadMount.isPossible, "Only the superuser can mount a FUSE file system."))
  struct DeadMountTests {
    private let program: Program

    init() throws {
      program = try Program()
      try program.run("add", "Haircut")
      #expect(try program.run("sync").status == 0)
    }

    @Test func theAppStartsOnItAndEndsAtOnce() async throws {
      let mount = try DeadMount(over: program.cloudDirectory)
      defer { mount.end() }
      let terminal = try await Tmux(program)
      try await terminal.open()
      try await terminal.add("Made on a dead disk")
      try await terminal.press("q")
      try await terminal.ends(with: 0)
      #expect(try program.run("list").output.contains("Made on a dead disk"))
    }

    @Test(arguments: [("q", 0), ("C-c", 0)] as [(String, Int32)])
    func theAppGoesOnWhenItDies(key: String, status: Int32) async throws {
      let terminal = try await Tmux(program)
      try await terminal.open()
      try await terminal.shows("in sync")
      let mount = try DeadMount(over: program.cloudDirectory)
      defer { mount.end() }
      try await terminal.add("Made on a dead disk")
      // It waits for an answer now.
      try await terminal.press("R")
      try await terminal.press(key)
      try await terminal.ends(with: status)
      #expect(try program.run("list").output.contains("Made on a dead disk"))
    }
  }
}

/// A FUSE file system whose program never answers: every call waits for ever.
///
/// See `fuse(4)`: whoever has opened the device and reads no request from it.
private struct DeadMount {
  private let device: Int32
  private let path: String

  /// Whether this user may mount one here.
  static let isPossible: Bool = {
    do {
      let directory = try TemporaryDirectory()
      try DeadMount(over: directory.url).end()
      return true
    } catch {
      return false
    }
  }()

  init(over directory: URL) throws {
    path = directory.path
    device = open("/dev/fuse", O_RDWR | O_CLOEXEC)
    guard device >= 0 else { throw POSIXError(.EACCES) }
    let options = "fd=\(device),rootmode=40000,user_id=0,group_id=0,allow_other"
    guard mount("dead", path, "fuse", 0, options) == 0 else {
      close(device)
      throw POSIXError(.EPERM)
    }
  }

  /// Takes it away; all who wait get an error.
  func end() {
    close(device)
    umount2(path, Int32(MNT_DETACH))
  }
}
