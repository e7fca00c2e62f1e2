import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Cloud

/// Mounts that cannot link from one directory to another, or give a lost race another name.
@Suite struct LinkRefusalTests {
  private let directory: TemporaryDirectory
  private let refusals: Refusals
  private let cloud: CloudFixture

  /// Which links are refused, once the cloud is there.
  private final class Refusals: Sendable {
    /// What is done about a link, and with which number it is refused.
    typealias Answer = @Sendable (_ count: Int) -> Int32?

    private let state = Mutex<(count: Int, answer: Answer?)>((0, nil))

    func begin(_ answer: @escaping Answer) { state.withLock { $0 = (0, answer) } }
    func end() { state.withLock { $0.answer = nil } }

    func take(_ step: DirectoryStore.Step) throws(PosixError) {
      guard step == .link else { return }
      let answer = state.withLock { state -> (() -> Int32?)? in
        guard let answer = state.answer else { return nil }
        state.count += 1
        let count = state.count
        return { answer(count) }
      }
      if let number = answer?() { throw PosixError(number: number) }
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
    // The first link of each file is the one from the stage.
    refusals.begin { $0 % 2 == 1 ? number : nil }
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
    refusals.begin { _ in
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
    refusals.begin { _ in EPERM }
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
