import Foundation
import RemindersTestSupport
import SQLiteSyncCloudConformance
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// Many writers of one log: each number has one winner, and nobody starves.
@Suite struct ContentionTests {
  enum Kind: CaseIterable, Sendable {
    case memory, directory
  }

  /// How often a writer lost before it won, at worst.
  private final class Patience: Sendable {
    private let state = Mutex((losses: 0, worst: 0))

    var worst: Int { state.withLock { $0.worst } }

    func lost() {
      state.withLock { state in
        state.losses += 1
        state.worst = max(state.worst, state.losses)
      }
    }

    func won() {
      state.withLock { $0.losses = 0 }
    }
  }

  @Test(
    arguments: zip(
      [UInt64.max, 0], [[1, 3, 7, 15, 31, 63, 127, 255, 255], [0, 0, 0, 0, 0, 0, 0, 0, 0]]))
  func theWaitAfterALostRaceIsDrawnFromARangeThatGrows(random: UInt64, waits: [Int64]) throws {
    let seen = Mutex<[Int64]>([])
    var environment = CloudEnvironment.live
    environment.random = { random }
    environment.pause = { milliseconds in seen.withLock { $0.append(milliseconds) } }
    var contention = Contention(environment: environment)
    for _ in waits { try contention.lost(CloudLayout.cloudFile) }
    #expect(seen.withLock { $0 } == waits)
  }

  @Test(arguments: zip(Kind.allCases, [300, 25]))
  func eightWritersCommitEverythingOnceAndNobodyStarves(kind: Kind, count: Int) throws {
    let directory = try TemporaryDirectory()
    let store: any ObjectStore =
      kind == .memory ? MemoryStore() : DirectoryStore(directory: directory.url)
    let cloud = try CloudFixture(over: store)
    try cloud.log.create()
    let patience = (0..<8).map { _ in Patience() }
    inThreads(8) { number in
      do {
        try Self.write(count, number: number, over: store, patience: patience[number])
      } catch {
        Issue.record(error)
      }
    }
    try cloud.device.fetch()
    #expect(cloud.device.voided == 0)
    #expect(cloud.device.token?.sequence == Int64(8 * count))
    #expect(cloud.device.records.count == 8 * count)
    // A thousand would be reported as a failure.
    #expect(patience.map(\.worst).max() ?? 0 < 200)
  }

  private static func write(
    _ count: Int, number: Int, over store: any ObjectStore, patience: Patience
  ) throws {
    var environment = CloudEnvironment.live
    environment.pause = { milliseconds in
      patience.lost()
      CloudEnvironment.live.pause(milliseconds)
    }
    let container = CloudContainer(
      store: store, account: CloudFixture.ann, device: UUID(UInt64(100 + number)), app: "test",
      environment: environment)
    try container.open()
    let device = Device(container.zone(ZoneID(name: "test", owner: CloudFixture.ann)))
    for commit in 1...count {
      try device.save("\(number) \(commit)", "")
      patience.won()
    }
  }
}
