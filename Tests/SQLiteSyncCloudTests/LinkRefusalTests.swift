import Foundation
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// Mounts that cannot link from one directory to another, or give a lost race another name.
@Suite struct LinkRefusalTests {
  private let directory: TemporaryDirectory
  private let refusals: Refusals
  private let cloud: CloudFixture

  /// Which links are refused, once the cloud is there.
  private final class Refusals: Sendable {
    /// What is done about a link: the number with which it is refused, or nothing.
    private let answer = Mutex<(@Sendable () -> Int32?)?>(nil)

    func begin(_ answer: @escaping @Sendable () -> Int32?) {
      self.answer.withLock { $0 = answer }
    }

    func end() { answer.withLock { $0 = nil } }

    func take(_ step: DirectoryStore.Step) throws(PosixError) {
      guard step == .link, let number = answer.withLock({ $0 })?() else { return }
      throw PosixError(number: number)
    }
  }

  init() throws {
    directory = try TemporaryDirectory()
    let refusals = Refusals()
    self.refusals = refusals
    let store = DirectoryStore(directory: directory.url) { step throws(PosixError) in
      try refusals.take(step)
    }
    cloud = try CloudFixture(over: store)
    try cloud.log.create()
  }

  private func commit(_ number: Int64) -> StoreKey {
    cloud.log.layout.commit(number, epoch: 1)
  }

  private func names(_ prefix: StorePrefix) throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      atPath: directory.url.appending(path: "\(prefix)").path
    ).sorted()
  }

  @Test(arguments: [EXDEV, EPERM, ENOTSUP, EMLINK])
  func whereTheStageIsTooFarAwayAFileIsWrittenBesideItsName(number: Int32) throws {
    // A link from the stage is one while nothing lies beside the commits.
    let log = directory.url.appending(path: "\(cloud.log.layout.log(epoch: 1))").path
    refusals.begin {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: log)) ?? []  // New: none.
      return names.contains { $0.hasPrefix(".") } ? nil : number
    }
    for name in ["a", "b"] { try cloud.device.save(name, "1") }
    refusals.end()
    let fresh = try cloud.other()
    try fresh.device.fetch()
    #expect(Set(fresh.device.records.keys) == ["a", "b"])
    #expect(try names(cloud.log.layout.log(epoch: 1)) == [commit(1).name, commit(2).name])
    #expect(try names(cloud.log.layout.stage).isEmpty)
  }

  @Test func aRefusalThatHidesALostRaceIsALostRace() throws {
    let url = directory.url.appending(path: "\(commit(1))")
    try cloud.device.save("a", "1")
    try FileManager.default.removeItem(at: url)
    refusals.begin {
      // Somebody was faster.
      FileManager.default.createFile(atPath: url.path, contents: Data("theirs".utf8)) ? EPERM : EIO
    }
    guard case .exists = cloud.store.createIfAbsent(commit(1), Data("ours".utf8)) else {
      Issue.record("taken for ours, or for a failure")
      return
    }
    #expect(try Data(contentsOf: url) == Data("theirs".utf8))
  }

  @Test func whatIsRefusedAlsoBesideItsNameIsReportedAndDoneOnceLater() throws {
    refusals.begin { EPERM }
    #expect(throws: CloudError.self) { try cloud.device.save("a", "1") }
    #expect(try names(cloud.log.layout.log(epoch: 1)).isEmpty)
    #expect(try names(cloud.log.layout.stage).isEmpty)
    refusals.end()
    try cloud.device.save("a", "1")
    let fresh = try cloud.other()
    try fresh.device.fetch()
    #expect(fresh.device.token?.sequence == 1 && fresh.device.records.count == 1)
  }
}
