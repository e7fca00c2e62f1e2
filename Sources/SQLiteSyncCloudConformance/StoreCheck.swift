import Foundation
import SQLiteSyncCloud

/// One promise of a store, as something that can be tried.
///
/// Each check works in a zone with a new name, so all of them may run in the same place, at the
/// same time, and beside a cloud that is in use: they leave a few small objects behind.
///
///     for check in StoreCheck.all {
///       try check.run { try MyStore(path) }
///     }
public struct StoreCheck: Sendable, CustomStringConvertible {
  /// Makes a store; all that it makes are of the same place, as devices see it.
  public typealias Connect = @Sendable () throws -> any ObjectStore

  /// The promise.
  public let name: String
  let body: @Sendable (CheckedStore) throws -> Void

  /// The promise.
  public var description: String { name }

  /// Tries it.
  ///
  /// - Throws: `StoreFailure` when the store does something else than it promises, and whatever the
  ///   store throws.
  public func run(_ connect: @escaping Connect) throws {
    try body(CheckedStore(check: name, connect: connect))
  }

  /// All checks.
  public static let all = reading + listing + creating + users + using
}

/// A store that does not keep its promise.
public struct StoreFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Which promise.
  public let check: String
  /// What it did instead.
  public let reason: String

  /// Both.
  public var description: String { "\(check): \(reason)" }
}

/// What a check works with: stores of one place, and a zone of its own in it.
struct CheckedStore: Sendable {
  let check: String
  let connect: StoreCheck.Connect
  let places: CheckedPlaces
  let account: AccountID

  init(check: String, connect: @escaping StoreCheck.Connect) throws {
    guard let account = AccountID(name: "conformance") else {
      throw StoreFailure(check: check, reason: "There is no account for it.")
    }
    self.check = check
    self.connect = connect
    self.account = account
    places = CheckedPlaces(account: account)
  }

  func fail(_ reason: String) -> StoreFailure { StoreFailure(check: check, reason: reason) }

  func require(_ isKept: Bool, _ reason: @autoclosure () -> String) throws {
    guard isKept else { throw fail(reason()) }
  }

  func require<Value: Equatable>(_ found: Value, is wanted: Value, _ what: String) throws {
    guard found != wanted else { return }
    throw fail("\(what) is \(Self.short(found)), not \(Self.short(wanted)).")
  }

  private static func short(_ value: some Any) -> String {
    let text = "\(value)"
    return text.count > 200 ? text.prefix(200) + "…" : text
  }

  /// Creates an object that is not there.
  ///
  /// An outcome that is not known is not a breach: then the object itself tells.
  func create(_ key: StoreKey, _ bytes: Data, in store: any ObjectStore) throws {
    switch store.createIfAbsent(key, bytes) {
    case .created: break
    case .failed(let error): throw error
    case .exists: throw fail("\(key) is said to exist, and nobody has created it.")
    case .unknown(let error):
      guard try store.read(key, limit: bytes.count + 1) == bytes else { throw error }
    }
  }
}
