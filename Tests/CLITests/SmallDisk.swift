import Foundation
import RemindersTestSupport
import Testing

/// A disk of 200 kB.
struct SmallDisk: ~Copyable {
  let place: URL

  /// Whether this user may mount one here.
  static let isPossible: Bool = {
    guard let directory = try? TemporaryDirectory() else { return false }  // It is no test.
    return (try? SmallDisk(at: directory.url)) != nil
  }()

  init(at place: URL) throws {
    let code = try exitCode(of: "mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", place.path)
    guard code == 0 else { throw CocoaError(.fileWriteNoPermission) }
    self.place = place
  }

  // Left mounted, it only stays until the next start.
  deinit { _ = try? exitCode(of: "umount", "--lazy", place.path) }

  /// Takes what is left of it.
  func fill() throws {
    #expect(try exitCode(of: "sh", "-c", "cat /dev/zero > '\(place.path)/filler'") != 0)
  }

  /// Gives that back.
  func clear() throws {
    try FileManager.default.removeItem(at: place.appending(path: "filler"))
  }
}
