import Foundation
import Synchronization

/// A cloud in memory: what the tests and the demonstration run the production log over.
public final class MemoryStore: ObjectStore {
  private struct State {
    var objects: [StorePrefix: [String: Object]] = [:]
    var watches: [Int: Watch] = [:]
    var nextWatch = 0
  }

  private struct Object {
    let bytes: Data
    let modified: Int64
  }

  private struct Watch: Sendable {
    let prefixes: Set<StorePrefix>
    let onChange: @Sendable () -> Void
  }

  private let state = Mutex(State())
  private let now: @Sendable () -> Int64

  /// An empty store; `now` gives its objects their times.
  public init(now: @escaping @Sendable () -> Int64 = CloudEnvironment.live.now) {
    self.now = now
  }

  /// See `ObjectStore.read`.
  public func read(_ key: StoreKey, limit: Int) -> Data? {
    state.withLock { $0.objects[key.prefix]?[key.name]?.bytes.prefix(limit) }
  }

  /// See `ObjectStore.createIfAbsent`.
  public func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome {
    let object = Object(bytes: bytes, modified: now())
    let watches: [Watch]? = state.withLock { state in
      guard state.objects[key.prefix]?[key.name] == nil else { return nil }
      state.objects[key.prefix, default: [:]][key.name] = object
      return Array(state.watches.values)
    }
    guard let watches else { return .exists }
    for watch in watches where watch.prefixes.contains(key.prefix) {
      watch.onChange()
    }
    return .created
  }

  /// See `ObjectStore.list`.
  public func list(
    _ prefix: StorePrefix, after name: String?, limit: Int, where isWanted: (String) -> Bool
  ) -> [StoreEntry] {
    state.withLock { state in
      let objects = (state.objects[prefix] ?? [:]).map { name, object in
        StoreEntry(name: name, byteCount: Int64(object.bytes.count), modified: object.modified)
      }
      let directories = Set(
        state.objects.filter { !$0.value.isEmpty }.keys.compactMap { other in
          other.components.count > prefix.components.count
            && other.components.starts(with: prefix.components)
            ? other.components[prefix.components.count] : nil
        }
      ).map { StoreEntry(name: $0, byteCount: 0, modified: 0, kind: .directory) }
      return StoreEntry.page(
        of: (objects + directories).filter { isWanted($0.name) }, after: name, limit: limit)
    }
  }

  /// See `ObjectStore.delete`.
  public func delete(_ key: StoreKey) {
    state.withLock { state in
      state.objects[key.prefix]?[key.name] = nil
    }
  }

  /// See `ObjectStore.barrier`.
  public func barrier(_ prefix: StorePrefix) {}

  /// See `ObjectStore.now`.
  public func now(in prefix: StorePrefix) -> Int64? { now() }

  /// See `ObjectStore.watch`.
  public func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch {
    let number = state.withLock { state in
      state.nextWatch += 1
      state.watches[state.nextWatch] = Watch(prefixes: Set(prefixes), onChange: onChange)
      return state.nextWatch
    }
    return StoreWatch { [weak self] in
      self?.state.withLock { $0.watches[number] = nil }
    }
  }
}

extension StoreEntry {
  /// The first `limit` entries after a name, in byte order.
  static func page(of entries: [StoreEntry], after name: String?, limit: Int) -> [StoreEntry] {
    let later = entries.filter { entry in
      name.map { ExactString($0) < ExactString(entry.name) } ?? true
    }
    return Array(later.sorted { ExactString($0.name) < ExactString($1.name) }.prefix(limit))
  }
}
