import Foundation
import RemindersTestSupport
import SQLiteSyncCloudConformance
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// What the log relies on, of every store.
@Suite struct ObjectStoreTests {
  enum Kind: CaseIterable, Sendable {
    case directory, memory, faulty, sftp, s3, seaweed, postgres

    static var allCases: [Kind] {
      [.directory, .memory, .faulty] + (SFTPServer.isThere ? [.sftp] : [])
        + (MotoServer.port == nil ? [] : [.s3]) + (SeaweedServer.isThere ? [.seaweed] : [])
        + (PostgresServer.isThere ? [.postgres] : [])
    }
  }

  /// With a cloud in it: to make one takes longer than most checks, each of which works in a zone
  /// of its own.
  static let database = Result {
    let database = try PostgresServer.shared.get().database()
    _ = try CloudFixture(over: database.store(as: "ann"))
    return database
  }

  /// What connects to a place of that kind.
  ///
  /// - Parameter isNew: Whether there must be no cloud yet.
  static func connect(
    _ kind: Kind, to directory: TemporaryDirectory, isNew: Bool = false
  ) -> StoreCheck.Connect {
    let memory = MemoryStore()
    let bucket = Result {
      try kind == .seaweed ? S3Address(SeaweedServer.shared.get().address()) : nil
    }
    let database = Result {
      guard kind == .postgres else { return PostgresDatabase?.none }
      return try isNew ? PostgresServer.shared.get().database() : Self.database.get()
    }
    return {
      switch kind {
      case .directory: DirectoryStore(directory: directory.url)
      case .memory: memory
      case .faulty: FaultyStore(DirectoryStore(directory: directory.url))
      case .sftp: SFTPServer.store(of: directory)
      case .s3: try MotoServer.store(directory.url.lastPathComponent)
      // Only these kinds have one.
      case .seaweed: try bucket.get().map { S3Store($0, settings: MotoServer.settings) } ?? memory
      case .postgres: try database.get()?.store(as: "ann") ?? memory
      }
    }
  }

  private let layout = ZoneLayout(ZoneID(name: "watched", owner: CloudFixture.ann))

  @Test(arguments: Kind.allCases, StoreCheck.all)
  func everyPromiseIsKept(kind: Kind, check: StoreCheck) throws {
    let directory = try TemporaryDirectory()
    try check.run(Self.connect(kind, to: directory))
    withExtendedLifetime(directory) {}
  }

  @Test(arguments: Kind.allCases.filter { $0 != .faulty })
  func ofEightWritersOfAThousandObjectsOneCreatesEach(kind: Kind) throws {
    let directory = try TemporaryDirectory()
    // SeaweedFS lets who waits for an object ask again seconds later: a thousand take 40 minutes.
    let rounds = kind == .seaweed && !isThorough ? 10 : 1_000
    try StoreCheck.contention(writers: 8, rounds: rounds).run(Self.connect(kind, to: directory))
    withExtendedLifetime(directory) {}
  }

  /// A store that breaks one promise is found.
  @Test(arguments: BrokenStore.Breach.allCases)
  func aBreachIsFound(breach: BrokenStore.Breach) throws {
    let store = BrokenStore(breach)
    let broken = StoreCheck.all.filter { check in
      do {
        try check.run { store }
        return false
      } catch {
        return true
      }
    }
    #expect(!broken.isEmpty, "nothing is wrong with a store that \(breach)")
  }

  // The others are asked again and again instead.
  @Test(arguments: Kind.allCases.filter { ![.sftp, .s3, .seaweed].contains($0) })
  func aWatchTellsOfWhatIsCreatedEvenWhereNothingWasYet(kind: Kind) throws {
    let directory = try TemporaryDirectory()
    let store = try Self.connect(kind, to: directory)()
    let called = DispatchSemaphore(value: 0)
    let watch = store.watch([layout.meta, layout.log(epoch: 1)]) { called.signal() }
    for number in 1...3 as ClosedRange<Int64> {
      _ = store.createIfAbsent(layout.commit(number, epoch: 1), Data([1]))
      #expect(called.wait(timeout: .now() + 120) == .success)
      while called.wait(timeout: .now()) == .success {}
    }
    watch.cancel()
    withExtendedLifetime(directory) {}
  }
}

/// A store in memory that breaks one promise.
final class BrokenStore: ObjectStore {
  enum Breach: CaseIterable, Sendable {
    case replaces, forgets, listsBackwards, listsTooMuch, readsTooMuch, keepsDeleted, hasOtherClock
    case createsNothing, hidesDirectories, tellsNoOwners
  }

  private let base = MemoryStore()
  private let replaced = Mutex<[StoreKey: Data]>([:])
  private let breach: Breach

  init(_ breach: Breach) { self.breach = breach }

  private struct Nobody: UnguardedUsers {}
  var users: (any StoreUsers)? { breach == .tellsNoOwners ? Nobody() : nil }

  func read(_ key: StoreKey, limit: Int) -> Data? {
    let bytes = replaced.withLock { $0[key] } ?? base.read(key, limit: .max)
    return breach == .readsTooMuch ? bytes : bytes?.prefix(limit)
  }

  func createIfAbsent(_ key: StoreKey, _ bytes: Data) -> CreateOutcome {
    switch breach {
    case .createsNothing: return .created
    case .forgets where bytes.count > 1_000_000: return base.createIfAbsent(key, bytes.dropLast())
    default: break
    }
    let outcome = base.createIfAbsent(key, bytes)
    guard breach == .replaces, case .exists = outcome else { return outcome }
    replaced.withLock { $0[key] = bytes }
    return .created
  }

  func list(
    _ prefix: StorePrefix, after name: String?, limit: Int, where isWanted: (String) -> Bool
  ) -> [StoreEntry] {
    switch breach {
    case .listsBackwards:
      base.list(prefix, after: name, limit: limit, where: isWanted).reversed()
    case .listsTooMuch: base.list(prefix, after: nil, limit: limit, where: isWanted)
    case .hidesDirectories:
      base.list(prefix, after: name, limit: limit, where: isWanted).filter(\.isRegular)
    default: base.list(prefix, after: name, limit: limit, where: isWanted)
    }
  }

  func delete(_ key: StoreKey) { if breach != .keepsDeleted { base.delete(key) } }

  func barrier(_ prefix: StorePrefix) {}

  func now(in prefix: StorePrefix) -> Int64? { breach == .hasOtherClock ? 1_000 : nil }

  func watch(
    _ prefixes: [StorePrefix], onChange: @escaping @Sendable () -> Void
  ) -> StoreWatch {
    base.watch(prefixes, onChange: onChange)
  }
}

extension CreateOutcome {
  var isCreated: Bool {
    if case .created = self { true } else { false }
  }
}
