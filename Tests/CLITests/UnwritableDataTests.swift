import Foundation
import Glibc
import RemindersTestSupport
import Testing

/// Data beside which nothing can be written, not even what SQLite's connections share: what is
/// there is read, and nothing says that it was saved.
struct UnwritableDataTests {
  private static let readers = [
    ["list"], ["search", "eggs"], ["export"], ["status"], ["history"], ["stats"], ["lists"],
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
    guard let disk = try mountDisk(below: program, size: "2m") else { return }
    defer { _ = try? run("/bin/umount", disk.path) }  // The test has said what failed.
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
    guard let disk = try mountDisk(below: program, size: "9m") else { return }
    defer { _ = try? run("/bin/umount", disk.path) }  // The test has said what failed.
    try program.run("add", "Eggs")
    #expect(try run("/bin/mount", "-o", "remount,ro", disk.path) == 0)
    try expectReadable(program)
    let refused = try program.run("add", "Milk")
    #expect(refused.status == 73 && refused.errors.contains("cannot be written"))
    #expect(try run("/bin/mount", "-o", "remount,rw", disk.path) == 0)
    #expect(try program.run("add", "Milk").status == 0)
  }

  /// A disk of its own for the data; nil in a container without the right to mount.
  private func mountDisk(below program: Program, size: String) throws -> URL? {
    let disk = try program.makeDirectory(program.dataDirectory.lastPathComponent)
    let status = try run("/bin/mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", disk.path)
    return status == 0 ? disk : nil
  }

  private func run(_ executable: String, _ arguments: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: executable)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
