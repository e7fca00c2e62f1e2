import Cloud
import Foundation
import Synchronization

/// A store in memory that fails at random.
///
/// To be survived: an unreachable cloud, a full disk, a lost answer to a create that was done, and
/// one to a create that was not.
public final class FlakyStore: ObjectStore {
  private let base = MemoryStore()
  private let random: Mutex<SplitMix64>
  private let percent = Mutex(0)

  /// A store whose faults follow from `seed`.
  public init(seed: UInt64) {
    random = Mutex(SplitMix64(seed: seed ^ 0x5eed))
  }

  /// How many of a hundred calls fail.
  public var faultPercent: Int {
    get { percent.withLock { $0 } }
    set { percent.withLock { $0 = newValue } }
  }

  /// See `ObjectStore.read`.
  public func read(_ key: StoreKey, limit: Int) throws -> Data? {
    try fail("read")
    return base.read(key, limit: limit)
  }

  /// See `ObjectStore.createIfAbsent`.
  public func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome {
    guard isFault() else { return base.createIfAbsent(key, bytes) }
    let error = CloudError(.networkUnavailable, "The answer was lost.")
    switch random.withLock({ $0.next() }) % 3 {
    case 0: return .failed(CloudError(.quotaExceeded, "The disk is full."))
    case 1: return .unknown(error)
    default:
      return switch base.createIfAbsent(key, bytes) {
      case .created: .unknown(error)
      case let other: other
      }
    }
  }

  /// See `ObjectStore.list`.
  public func list(
    _ prefix: StorePrefix, after name: String?, limit: Int
  ) throws -> [StoreEntry] {
    try fail("list")
    return base.list(prefix, after: name, limit: limit)
  }

  /// See `ObjectStore.delete`.
  public func delete(_ key: StoreKey) throws {
    try fail("delete")
    base.delete(key)
  }

  /// See `ObjectStore.barrier`.
  public func barrier(_ prefix: StorePrefix) throws {
    try fail("barrier")
    base.barrier(prefix)
  }

  /// See `ObjectStore.watch`.
  public func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch {
    base.watch(prefixes, onChange: onChange)
  }

  private func isFault() -> Bool {
    let limit = UInt64(faultPercent)
    return limit > 0 && random.withLock { $0.next() } % 100 < limit
  }

  private func fail(_ call: String) throws {
    if isFault() { throw CloudError(.networkUnavailable, "The \(call) failed.") }
  }
}
