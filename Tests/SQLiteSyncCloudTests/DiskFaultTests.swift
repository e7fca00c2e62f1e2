import Foundation
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// A disk that is full, broken, read-only or away: the error is said, nothing is lost, and when it
/// is well again all is sent.
@Suite struct DiskFaultTests {
  static let errors: [(number: Int32, code: CloudError.Code)] = [
    (ENOSPC, .quotaExceeded), (EDQUOT, .quotaExceeded), (EFBIG, .quotaExceeded),
    (EIO, .networkUnavailable), (ESTALE, .networkUnavailable), (EMFILE, .networkUnavailable),
    (EACCES, .permissionFailure), (EROFS, .permissionFailure),
  ]

  @Test(arguments: errors, DirectoryStore.Step.allCases)
  func aSystemCallThatFailsIsReportedAndNothingIsLost(
    error: (number: Int32, code: CloudError.Code), step: DirectoryStore.Step
  ) throws {
    let directory = try TemporaryDirectory()
    let isBroken = Atomic(false)
    let store = DirectoryStore(directory: directory.url) { taken throws(PosixError) in
      if taken == step, isBroken.load(ordering: .relaxed) {
        throw PosixError(number: error.number)
      }
    }
    let cloud = try CloudFixture(over: store)
    try cloud.log.create()
    try cloud.device.save("a", "1")
    let before = cloud.device.copies

    isBroken.store(true, ordering: .relaxed)
    do {
      try cloud.device.save("b", "1")
    } catch let failure as CloudError {
      #expect(failure.code == error.code)
      #expect(failure.hint != nil)
      #expect(failure.reason.contains(PosixError(number: error.number).text))
      #expect(cloud.device.copies == before)
    }
    try cloud.device.fetch()  // What is there can be read.

    isBroken.store(false, ordering: .relaxed)
    try cloud.device.fetch()
    if cloud.device.records["b"] == nil { try cloud.device.save("b", "1") }
    let fresh = try cloud.other(2)
    try fresh.device.fetch()
    #expect(Set(fresh.device.records.keys) == ["a", "b"])
    #expect(fresh.device.copies == cloud.device.copies)
    #expect(fresh.device.token?.sequence == 2)
  }

  @Test func aDirectoryThatVanishesAndReturnsIsGoneOnWith() throws {
    let directory = try TemporaryDirectory()
    let cloud = try CloudFixture(over: DirectoryStore(directory: directory.url))
    try cloud.log.create()
    try cloud.device.save("a", "1")
    let before = cloud.device.copies
    let away = directory.url.appendingPathExtension("away")
    for isMountPointLeft in [false, true] {
      try FileManager.default.moveItem(at: directory.url, to: away)
      if isMountPointLeft {
        try FileManager.default.createDirectory(
          at: directory.url, withIntermediateDirectories: false)
      }
      for work in [{ try cloud.device.save("b", "1") }, { try cloud.device.fetch() }]
        as [() throws -> Any]
      {
        let error = #expect(throws: CloudError.self) { _ = try work() }
        #expect(error?.code == .accountTemporarilyUnavailable)
      }
      #expect(cloud.device.copies == before)
      if isMountPointLeft {
        // Nothing was put where the disk was.
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).isEmpty)
        try FileManager.default.removeItem(at: directory.url)
      }
      try FileManager.default.moveItem(at: away, to: directory.url)
    }
    try cloud.device.save("b", "1")
    #expect(cloud.device.records.count == 2)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can mount a small disk"))
  func aFullDiskAndOneThatBecameReadOnlySayWhatTheyAre() throws {
    let directory = try TemporaryDirectory()
    guard try mount("-t", "tmpfs", "-o", "size=256k", "tmpfs", directory.url.path) else {
      return  // A container without the right to mount.
    }
    defer { _ = try? run("/bin/umount", directory.url.path) }  // The test has said what failed.
    let cloud = try CloudFixture(over: DirectoryStore(directory: directory.url))
    try cloud.log.create()
    try cloud.device.save("a", "1")
    let filler = directory.url.appending(path: "filler")
    try Data().write(to: filler)
    let handle = try FileHandle(forWritingTo: filler)
    #expect(throws: (any Error).self) {
      while true { try handle.write(contentsOf: Data(count: 4_096)) }
    }
    try handle.close()
    let full = #expect(throws: CloudError.self) { try cloud.device.save("b", "1") }
    #expect(full?.code == .quotaExceeded)
    #expect(full?.reason.contains("No space left") == true)
    try cloud.device.fetch()
    try FileManager.default.removeItem(at: filler)
    try cloud.device.save("b", "1")

    #expect(try mount("-o", "remount,ro", directory.url.path))
    let refused = #expect(throws: CloudError.self) { try cloud.device.save("c", "1") }
    #expect(refused?.code == .permissionFailure)
    #expect(refused?.reason.contains("Read-only") == true)
    try cloud.other(2).device.fetch()
    #expect(try mount("-o", "remount,rw", directory.url.path))
    try cloud.device.save("c", "1")
    let fresh = try cloud.other(3)
    try fresh.device.fetch()
    #expect(Set(fresh.device.records.keys) == ["a", "b", "c"])
    #expect(fresh.device.copies == cloud.device.copies)
  }

  private func mount(_ arguments: String...) throws -> Bool {
    try run("/bin/mount", arguments) == 0
  }

  private func run(_ path: String, _ arguments: String...) throws -> Int32 {
    try run(path, arguments)
  }

  private func run(_ path: String, _ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
