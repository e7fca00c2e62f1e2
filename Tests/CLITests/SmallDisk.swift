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
    guard try Self.run("mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", place.path) == 0 else {
      throw CocoaError(.fileWriteNoPermission)
    }
    self.place = place
  }

  deinit { _ = try? Self.run("umount", "--lazy", place.path) }  // Or it stays until the next start.

  /// Takes what is left of it.
  func fill() throws {
    #expect(try Self.run("sh", "-c", "cat /dev/zero > '\(place.path)/filler'") != 0)
  }

  /// Gives that back.
  func clear() throws {
    try FileManager.default.removeItem(at: place.appending(path: "filler"))
  }

  private static func run(_ command: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
