import Foundation
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// Every state that a power cut may leave after each system call of a publication, in the manner of
/// ALICE (Pillai et al., OSDI 2014): the calls are recorded, and what POSIX lets be lost is lost in
/// every combination.
@Suite struct CrashConsistencyTests {
  typealias Step = DirectoryStore.Step

  /// A state of the disk after a power cut.
  struct Remains: Hashable, CustomStringConvertible {
    enum Content: CaseIterable { case empty, half, whole }

    /// The call before which the power failed, counted from 0.
    let calls: Int
    let content: Content
    /// Which of the two names of the file are there.
    let isStaged: Bool
    let isPublished: Bool
    /// Whether the writer was told that it is done.
    let isAcknowledged: Bool

    var description: String {
      "after \(calls) calls: \(content), staged \(isStaged), published \(isPublished)"
    }
  }

  /// The states that may be found after any beginning of the calls.
  static func remains(of calls: [Step]) -> Set<Remains> {
    var states: Set<Remains> = []
    for count in 0...calls.count {
      let done = calls.prefix(count)
      guard done.contains(.create) else { continue }
      // What was written is there for certain once the file was synchronized.
      let contents: [Remains.Content] =
        done.contains(.synchronize)
        ? [.whole]
        : done.contains(.write)
          ? [.empty, .half, .whole]
          : [.empty]
      // A directory that was not synchronized since may have its change or not. That of the stage
      // never is.
      let published: [Bool] =
        done.contains(.synchronizeDirectory)
        ? [true] : done.contains(.link) ? [true, false] : [false]
      for content in contents {
        for isPublished in published {
          for isStaged in [true, false] {
            states.insert(
              Remains(
                calls: count, content: content, isStaged: isStaged, isPublished: isPublished,
                isAcknowledged: done.contains(.synchronizeDirectory)))
          }
        }
      }
    }
    return states
  }

  /// The calls with which the store publishes, as it makes them.
  private func recordedCalls() throws -> [Step] {
    let directory = try TemporaryDirectory()
    let calls = Mutex<[Step]>([])
    let recording = DirectoryStore(directory: directory.url) { step throws(PosixError) in
      calls.withLock { $0.append(step) }
    }
    let key = ZoneLayout(ZoneID(name: "test", owner: CloudFixture.ann)).commit(1, epoch: 1)
    #expect(recording.createIfAbsent(key, Data([1])).isCreated)
    return calls.withLock { $0 }
  }

  /// A cloud with two commits, and a device that has made them and a third that was cut short.
  private func cloud(with remains: Remains, in directory: TemporaryDirectory) throws -> CloudFixture
  {
    let cloud = try CloudFixture(over: DirectoryStore(directory: directory.url))
    try cloud.log.create()
    try cloud.device.save("a", "1")
    try cloud.device.save("b", "1")
    let file = try thirdCommit(of: cloud, in: directory)
    let bytes =
      switch remains.content {
      case .empty: Data()
      case .half: file.prefix(file.count / 2)
      case .whole: file
      }
    let key = cloud.log.layout.commit(3, epoch: 1)
    if remains.isPublished { try cloud.put(bytes, at: key) }
    if remains.isStaged {
      try cloud.put(bytes, at: StoreKey(cloud.log.layout.stage, listed: .leftover("cut-short")))
    }
    return cloud
  }

  /// The bytes of the commit that was under way: those of a twin that was not cut short.
  private func thirdCommit(of cloud: CloudFixture, in directory: TemporaryDirectory) throws -> Data
  {
    let key = cloud.log.layout.commit(3, epoch: 1)
    let twin = try cloud.other(1)
    try twin.device.fetch()
    try twin.device.save("c", "1")
    let bytes = try #require(try cloud.store.read(key, limit: CloudLimits.readBytes))
    try cloud.store.delete(key)
    return bytes
  }

  /// Opens what is left with a reader and with writers: nothing acknowledged is lost, nobody is
  /// stopped, and the change that was under way is there once.
  private func objection(to remains: Remains) throws -> String? {
    let directory = try TemporaryDirectory()
    let cloud = try cloud(with: remains, in: directory)
    let reader = try cloud.other(2)
    try reader.device.fetch()
    if reader.device.voided > 0 { return "a torn commit is visible" }
    if remains.isAcknowledged, reader.device.records["c"] == nil { return "a commit is lost" }

    let other = try cloud.other(3)
    try other.device.save("d", "1")
    // The device that was cut short does not know how far it came.
    try cloud.device.fetch()
    if cloud.device.records["c"] == nil { try cloud.device.save("c", "1") }
    try reader.device.fetch()
    try other.device.fetch()
    let fresh = try cloud.other(4)
    try fresh.device.fetch()
    for device in [cloud.device, reader.device, other.device]
    where
      device.copies != fresh.device.copies || device.token != fresh.device.token
    {
      return "two devices differ"
    }
    let names = Set(fresh.device.records.keys)
    return names == ["a", "b", "c", "d"] ? nil : "the records are \(names.sorted())"
  }

  @Test func everyStateThatAPowerCutMayLeaveHeals() throws {
    let states = Self.remains(of: try recordedCalls())
    #expect(states.count >= 18)
    for state in states {
      #expect(try objection(to: state) == nil, "\(state)")
    }
  }

  @Test func theStepsArePublishedInTheOrderOfTheFormat() throws {
    #expect(
      try recordedCalls()
        == [.create, .write, .synchronize, .link, .synchronizeDirectory, .unlink])
  }

  @Test(arguments: [Step.synchronize, .synchronizeDirectory])
  func aPublicationThatDoesNotSynchronizeIsFound(missing: Step) throws {
    var calls = try recordedCalls()
    // It says that it is done all the same.
    if missing == .synchronize {
      calls.removeAll { $0 == missing }
    }
    let states = Self.remains(of: calls).map { state in
      missing == .synchronize || state.calls < 5
        ? state
        : Remains(
          calls: state.calls, content: state.content, isStaged: state.isStaged,
          isPublished: false, isAcknowledged: true)
    }
    #expect(try states.contains { try objection(to: $0) != nil })
  }
}
