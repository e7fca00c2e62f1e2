import Foundation
import Glibc
import RemindersTestSupport
import Testing

/// Data beside which nothing can be written, not even what SQLite's connections share: what is
/// there is read, and nothing says that it was saved.
struct UnwritableDataTests {
  private static let readers = [
    ["list"], ["search", "eggs"], ["export"], ["status"], ["history"], ["stats"], ["lists"],
    ["agenda"], ["tags"], ["searches"], ["account"], ["check"],
  ]

  private func expectReadable(_ program: Program) throws {
    for arguments in Self.readers {
      let result = try program.run(arguments)
      #expect(result.status == 0, "\(arguments): \(result.errors)")
    }
    #expect(try program.run("list").output.contains("Eggs"))
  }

  @Test func `a directory that belongs to somebody else is read`() throws {
    let program = try Program(isOrdinary: true)
    try program.run("add", "Eggs")
    let path = program.dataDirectory.path
    #expect(chmod(path, 0o500) == 0)
    defer { chmod(path, 0o700) }
    try expectReadable(program)
    let refused = try program.run("add", "Milk")
    #expect(refused.status == 73 && refused.errors.contains("cannot be written"))
    #expect(chmod(path, 0o700) == 0)
    #expect(try program.run("add", "Milk").status == 0)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can mount a small disk"))
  func `a full disk is read`() throws {
    let program = try Program()
    guard let disk = try program.mountDisk(size: "2m") else { return }
    defer { program.unmount(disk) }
    try program.run("add", "Eggs")
    let filler = disk.appending(path: "filler")
    try Data().write(to: filler)
    let handle = try FileHandle(forWritingTo: filler)
    #expect(throws: (any Error).self) {
      while true { try handle.write(contentsOf: Data(count: 4_096)) }
    }
    try handle.close()
    try expectReadable(program)
    let refused = try program.run("add", "Milk")
    #expect(refused.status == 73 && refused.errors.contains("The disk is full"))
    try FileManager.default.removeItem(at: filler)
    #expect(try program.run("add", "Milk").status == 0)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can mount a disk to be read only"))
  func `a disk that is mounted to be read only is read`() throws {
    let program = try Program()
    guard let disk = try program.mountDisk(size: "9m") else { return }
    defer { program.unmount(disk) }
    try program.run("add", "Eggs")
    try program.remount(disk, "ro")
    try expectReadable(program)
    let refused = try program.run("add", "Milk")
    #expect(refused.status == 73 && refused.errors.contains("cannot be written"))
    try program.remount(disk, "rw")
    #expect(try program.run("add", "Milk").status == 0)
  }
}

extension Program {
  /// A disk of its own for the data; nil in a container without the right to mount.
  func mountDisk(size: String) throws -> URL? {
    let disk = try makeDirectory(dataDirectory.lastPathComponent)
    let options = ["-t", "tmpfs", "-o", "size=\(size)", "tmpfs"]
    return try exitCode(of: ["mount"] + options + [disk.path]) == 0 ? disk : nil
  }

  /// Lets a disk be read only, or be written again.
  func remount(_ disk: URL, _ option: String) throws {
    #expect(try exitCode(of: "mount", "-o", "remount,\(option)", disk.path) == 0)
  }

  func unmount(_ disk: URL) {
    _ = try? exitCode(of: "umount", disk.path)  // The test has said what failed.
  }
}
