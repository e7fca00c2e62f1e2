import Foundation
import SQLiteSyncCloud
import Synchronization

/// A store that fails as told: the decorator with which every physical failure is expressed.
public final class FaultyStore: ObjectStore {
  /// A call to the store beneath.
  public struct Call: Hashable, Sendable, CustomStringConvertible {
    /// Which of the store's functions.
    public enum Kind: Hashable, Sendable {
      case read, create, list, delete, barrier
    }

    /// Its number, from 1.
    public let number: Int
    /// What the call was.
    public let kind: Kind
    /// The path of the object or the prefix.
    public let path: String

    /// As the trace prints it.
    public var description: String { "\(number) \(kind) \(path)" }
  }

  /// What goes wrong with a call.
  public enum Fault: Sendable {
    /// The process dies before the call; every later one fails too, until `restart`.
    case crashBefore
    /// The process dies after the call was carried out, before its answer arrives.
    case crashAfter
    /// The call is not carried out and says so.
    case failure(CloudError)
    /// The call is carried out, and its answer is lost.
    case unknownDone
    /// The call is not carried out, and its answer is lost.
    case unknownNotDone
    /// The call is carried out twice, and the second answer arrives.
    case repeated
    /// A read or a listing from before the object was there.
    case stale
    /// A create whose answer is lost, and which the server carries out that many calls later.
    case later(calls: Int)
    /// A listing that does not show yet what `isListed` says of the paths.
    case lateList(isListed: @Sendable (String) -> Bool)
  }

  private struct State {
    var count = 0
    var isDown = false
    /// What the server has got and will carry out, whatever becomes of the process.
    var late: [(due: Int, create: @Sendable () -> Void)] = []
    var plan: @Sendable (Call) -> Fault? = { _ in nil }
  }

  private let base: any ObjectStore
  private let state = Mutex(State())

  /// A store over another that fails when `plan` says so.
  public init(
    _ base: any ObjectStore, plan: @escaping @Sendable (Call) -> Fault? = { _ in nil }
  ) {
    self.base = base
    self.plan(plan)
  }

  /// What the caller of a store sees of a process that died.
  public static let crash = CloudError(.networkUnavailable, "The process is dead.")
  /// What is answered when an answer is lost.
  public static let lost = CloudError(.networkUnavailable, "The answer is lost.")

  /// Whether the process is dead.
  public var isDown: Bool { state.withLock(\.isDown) }

  /// Lets the process die now: every later call fails, until `restart`.
  public func die() {
    state.withLock { $0.isDown = true }
  }

  /// The number of calls so far.
  public var callCount: Int { state.withLock(\.count) }

  /// Decides from now on what goes wrong.
  ///
  /// It may use other stores meanwhile: another device acts.
  public func plan(_ plan: @escaping @Sendable (Call) -> Fault?) {
    state.withLock { $0.plan = plan }
  }

  /// Starts the process again; its plan stays.
  public func revive() {
    state.withLock { $0.isDown = false }
  }

  /// Starts the process again, with no more faults, and counts from 0.
  public func restart() {
    state.withLock { $0 = State() }
  }

  /// Lets the server carry out now what it has got.
  public func landLate() { land(until: .max) }

  private func land(until count: Int) {
    let due = state.withLock { state in
      defer { state.late.removeAll { $0.due <= count } }
      return state.late.filter { $0.due <= count }
    }
    for late in due { late.create() }
  }

  /// See `ObjectStore.read`.
  public func read(_ key: StoreKey, limit: Int) throws -> Data? {
    try call(.read, "\(key)", stale: nil) { try base.read(key, limit: limit) }
  }

  /// See `ObjectStore.object`.
  public func object(_ key: StoreKey, limit: Int) throws -> StoredObject? {
    try call(.read, "\(key)", stale: nil) { try base.object(key, limit: limit) }
  }

  /// See `ObjectStore.createIfAbsent`.
  public func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome {
    do {
      return try call(.create, "\(key)", stale: .exists) { [base] in
        base.createIfAbsent(key, bytes)
      } later: { [base] in
        _ = base.createIfAbsent(key, bytes)
      }
    } catch let error as CloudError where error == Self.lost || error == Self.crash {
      return .unknown(error)
    } catch {
      return .failed(error as? CloudError ?? Self.crash)
    }
  }

  /// See `ObjectStore.list`.
  public func list(
    _ prefix: StorePrefix, after name: String?, limit: Int, where isWanted: (String) -> Bool
  ) throws -> [StoreEntry] {
    var isListed: @Sendable (String) -> Bool = { _ in true }
    return try call(.list, "\(prefix)", stale: []) {
      try base.list(prefix, after: name, limit: limit) {
        isWanted($0) && isListed("\(prefix)/\($0)")
      }
    } hiding: {
      isListed = $0
    }
  }

  /// See `ObjectStore.delete`.
  public func delete(_ key: StoreKey) throws {
    try call(.delete, "\(key)", stale: ()) { try base.delete(key) }
  }

  /// See `ObjectStore.barrier`.
  public func barrier(_ prefix: StorePrefix) throws {
    try call(.barrier, "\(prefix)", stale: ()) { try base.barrier(prefix) }
  }

  /// Those of the store beneath, whom a dead process cannot ask either.
  public var users: (any StoreUsers)? { base.users.map { FaultyUsers(base: $0, store: self) } }

  /// See `ObjectStore.sharingRefusal`.
  public var sharingRefusal: CloudError? { base.sharingRefusal }

  /// See `ObjectStore.now`.
  public func now(in prefix: StorePrefix) throws -> Int64? {
    guard !isDown else { throw Self.crash }
    return try base.now(in: prefix)
  }

  /// See `ObjectStore.watch`.
  public func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch {
    base.watch(prefixes, onChange: onChange)
  }

  private func call<Result>(
    _ kind: Call.Kind, _ path: String, stale: Result, _ body: () throws -> Result,
    later: @escaping @Sendable () -> Void = {},
    hiding: (@escaping @Sendable (String) -> Bool) -> Void = { _ in }
  ) throws -> Result {
    let (call, plan) = try state.withLock { state in
      guard !state.isDown else { throw Self.crash }
      state.count += 1
      return (Call(number: state.count, kind: kind, path: path), state.plan)
    }
    land(until: call.number)
    switch plan(call) {
    case nil: return try body()
    case .lateList(let isListed):
      hiding(isListed)
      return try body()
    case .later(let calls):
      state.withLock { $0.late.append((call.number + calls, later)) }
      throw Self.lost
    case .failure(let error): throw error
    case .unknownNotDone: throw Self.lost
    case .stale: return stale
    case .repeated:
      _ = try body()
      return try body()
    case .crashBefore:
      state.withLock { $0.isDown = true }
      throw Self.crash
    case .unknownDone:
      _ = try body()
      throw Self.lost
    case .crashAfter:
      _ = try body()
      state.withLock { $0.isDown = true }
      throw Self.crash
    }
  }
}

/// The users of a faulty store: their permissions are neither set nor read by a process that is
/// dead.
///
/// No plan concerns these calls, so they are not counted.
private struct FaultyUsers: StoreUsers {
  let base: any StoreUsers
  let store: FaultyStore

  func owner(of prefix: StorePrefix) throws -> StoreUser? { try base.owner(of: prefix) }

  func user(of account: AccountID) throws -> StoreUser? { try base.user(of: account) }

  func account(of user: StoreUser) throws -> AccountID { try base.account(of: user) }

  func isAdministrator(_ user: StoreUser) -> Bool { base.isAdministrator(user) }

  func refusal(of account: AccountID) throws -> CloudError? { try base.refusal(of: account) }

  func allow(_ access: StoreAccess, in prefix: StorePrefix) throws {
    guard !store.isDown else { throw FaultyStore.crash }
    try base.allow(access, in: prefix)
  }

  func access(in prefix: StorePrefix) throws -> StoreAccess? {
    guard !store.isDown else { throw FaultyStore.crash }
    return try base.access(in: prefix)
  }

  func userRefusal(in prefix: StorePrefix) throws -> CloudError? {
    try base.userRefusal(in: prefix)
  }

  func canCreate(in prefix: StorePrefix) throws -> Bool { try base.canCreate(in: prefix) }
}
