import Foundation
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// What is asked of a store: over a distance each request is a way there and back.
@Suite struct RequestCountTests {
  private let calls = Calls()
  private let cloud: CloudFixture

  /// A zone with one commit, whose device knows all of it.
  init() throws {
    let calls = calls
    cloud = try CloudFixture(over: FaultyStore(MemoryStore()) { calls.note($0) })
    try cloud.log.create()
    try cloud.device.save("1", "one")
    calls.reset()
  }

  /// The last entry of `meta` and the token's commit, which must still be the same; whether either
  /// is followed by another one, or by one that lost its base; and `meta` again, where a collector
  /// says what it has taken away meanwhile.
  private static let look = [
    "CLOUD.json", "meta/1", "meta/2", "log/1", "log/2", "log/3", "log/4", "meta/2",
  ]

  @Test func aLookReadsNothingTwiceThatItDoesNotHaveTo() throws {
    try cloud.device.fetch()
    #expect(calls.names(.read) == Self.look)
    #expect(calls.names(.create).isEmpty && calls.names(.list).isEmpty)
  }

  @Test func aCommitReadsWhatALookDoes() throws {
    try cloud.device.save("2", "two")
    #expect(calls.names(.read) == Self.look)
    #expect(calls.names(.create) == ["log/2"] && calls.names(.list).isEmpty)
  }

  @Test func aCloudThatIsThereIsOpenedByReadingItsTwoFiles() throws {
    try cloud.container.open()
    #expect(calls.names(.read) == ["CLOUD.json", "account.json"])
    #expect(calls.names(.create).isEmpty && calls.names(.list).isEmpty)
  }
}

/// The calls of a store, in their order.
private final class Calls: Sendable {
  private let all = Mutex<[FaultyStore.Call]>([])

  func note(_ call: FaultyStore.Call) -> FaultyStore.Fault? {
    all.withLock { $0.append(call) }
    return nil
  }

  func reset() { all.withLock { $0 = [] } }

  /// The objects of calls, without the zeros of their numbers.
  func names(_ kind: FaultyStore.Call.Kind) -> [String] {
    all.withLock(\.self).filter { $0.kind == kind }.map { call in
      let parts = call.path.split(separator: "/").suffix(2).map(String.init)
      guard let name = parts.last, let number = ZoneLayout.number(inFileName: name) else {
        return parts.last ?? ""
      }
      return "\(parts[0])/\(number)"
    }
  }
}
