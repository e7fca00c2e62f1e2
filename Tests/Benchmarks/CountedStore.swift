import Foundation
import SQLiteSyncCloud
import Synchronization

/// A store that counts what is asked of the one beneath.
final class CountedStore: ObjectStore {
  /// Calls, and the bytes of objects that went either way.
  struct Count {
    var reads = 0
    var creates = 0
    var others = 0
    var read = 0
    var written = 0
  }

  private let base: any ObjectStore
  private let counted = Mutex(Count())

  init(_ base: any ObjectStore) { self.base = base }

  /// What was counted since this was called last.
  func takeCount() -> Count {
    counted.withLock { count in
      defer { count = Count() }
      return count
    }
  }

  private func count(_ body: (inout Count) -> Void) { counted.withLock { body(&$0) } }

  func read(_ key: StoreKey, limit: Int) throws -> Data? {
    try object(key, limit: limit)?.bytes
  }

  func object(_ key: StoreKey, limit: Int) throws -> StoredObject? {
    try objects([key], limit: limit)[0]
  }

  func objects(_ keys: [StoreKey], limit: Int) throws -> [StoredObject?] {
    let found = try base.objects(keys, limit: limit)
    count { $0.reads += keys.count }
    count { $0.read += found.reduce(0) { $0 + ($1?.bytes.count ?? 0) } }
    return found
  }

  var readsAtOnce: Int { base.readsAtOnce }

  func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome {
    count { $0.creates += 1 }
    count { $0.written += bytes.count }
    return base.createIfAbsent(key, bytes)
  }

  func list(
    _ prefix: StorePrefix, after name: String?, limit: Int, where isWanted: (String) -> Bool
  ) throws -> [StoreEntry] {
    count { $0.others += 1 }
    return try base.list(prefix, after: name, limit: limit, where: isWanted)
  }

  func delete(_ key: StoreKey) throws {
    count { $0.others += 1 }
    try base.delete(key)
  }

  func barrier(_ prefix: StorePrefix) throws {
    count { $0.others += 1 }
    try base.barrier(prefix)
  }

  func now(in prefix: StorePrefix) throws -> Int64? { try base.now(in: prefix) }

  var users: (any StoreUsers)? { base.users }

  var sharingRefusal: CloudError? { base.sharingRefusal }

  func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch {
    base.watch(prefixes, onChange: onChange)
  }
}
