import Foundation

/// placeholder until the real one a few minutes later
public final class DirectoryStore: ObjectStore {
  public init(directory: URL) {}
  public func read(_ key: StoreKey, limit: Int) throws -> Data? { throw CloudError.unavailable("") }
  public func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome { .exists }
  public func list(_ prefix: StorePrefix, after name: String?, limit: Int) -> [StoreEntry] { [] }
  public func delete(_ key: StoreKey) {}
  public func barrier(_ prefix: StorePrefix) {}
  public func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch { StoreWatch {} }
}
