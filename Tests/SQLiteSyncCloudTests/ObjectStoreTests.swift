import Foundation
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSyncCloud

/// What the log relies on, of every store.
@Suite struct ObjectStoreTests {
  enum Kind: CaseIterable, Sendable {
    case directory, memory, faulty, sftp, postgres

    static var allCases: [Kind] {
      [.directory, .memory, .faulty] + (SFTPServer.isThere ? [.sftp] : [])
        + (PostgresServer.isThere ? [.postgres] : [])
    }
  }

  /// A store and what keeps it alive.
  private func make(_ kind: Kind) throws -> (store: any ObjectStore, owner: AnyObject) {
    let directory = try TemporaryDirectory()
    return switch kind {
    case .directory: (DirectoryStore(directory: directory.url), directory)
    case .memory: (MemoryStore(), directory)
    case .faulty: (FaultyStore(DirectoryStore(directory: directory.url)), directory)
    case .sftp: (SFTPServer.store(of: directory), directory)
    case .postgres: (try PostgresServer.shared.get().database().store(as: "ann"), directory)
    }
  }

  private let layout = ZoneLayout(ZoneID(name: "test", owner: CloudFixture.ann))

  @Test(arguments: Kind.allCases)
  func anObjectIsReadAsItWasCreated(kind: Kind) throws {
    let (store, owner) = try make(kind)
    let key = layout.commit(1, epoch: 1)
    #expect(try store.read(key, limit: 100) == nil)
    #expect(store.createIfAbsent(key, Data("first".utf8)).isCreated)
    #expect(try store.read(key, limit: 100) == Data("first".utf8))
    #expect(try store.read(key, limit: 2) == Data("fi".utf8))
    #expect(try store.read(key, limit: 0) == Data())
    withExtendedLifetime(owner) {}
  }

  @Test(arguments: Kind.allCases)
  func anObjectIsCreatedOnce(kind: Kind) throws {
    let (store, owner) = try make(kind)
    let key = layout.commit(1, epoch: 1)
    #expect(store.createIfAbsent(key, Data("first".utf8)).isCreated)
    guard case .exists = store.createIfAbsent(key, Data("second".utf8)) else {
      Issue.record("created twice")
      return
    }
    #expect(try store.read(key, limit: 100) == Data("first".utf8))
    withExtendedLifetime(owner) {}
  }

  @Test(arguments: Kind.allCases)
  func aListingIsInTheOrderOfTheNamesAndInPages(kind: Kind) throws {
    let (store, owner) = try make(kind)
    for number: Int64 in [3, 1, 10, 2] {
      _ = store.createIfAbsent(layout.commit(number, epoch: 1), Data([1, 2, 3]))
    }
    let all = try store.list(layout.log(epoch: 1), after: nil, limit: 10)
    #expect(all.compactMap { ZoneLayout.number(inFileName: $0.name) } == [1, 2, 3, 10])
    #expect(all.allSatisfy { $0.byteCount == 3 && $0.isRegular && $0.modified > 0 })
    let page = try store.list(layout.log(epoch: 1), after: all[0].name, limit: 2)
    #expect(page == Array(all[1...2]))
    let wanted = try store.list(layout.log(epoch: 1), after: all[0].name, limit: 1) { name in
      ZoneLayout.number(inFileName: name) != 2
    }
    #expect(wanted == [all[2]])
    #expect(try store.list(layout.log(epoch: 2), after: nil, limit: 10).isEmpty)
    let directories = try store.list(CloudLayout.zones(of: CloudFixture.ann), after: nil, limit: 9)
    #expect(directories.map(\.name) == [layout.directory.last])
    withExtendedLifetime(owner) {}
  }

  @Test(arguments: Kind.allCases)
  func aDeletedObjectIsAbsentAndDeletingItAgainIsNothing(kind: Kind) throws {
    let (store, owner) = try make(kind)
    let key = layout.metaEntry(1)
    _ = store.createIfAbsent(key, Data())
    try store.delete(key)
    try store.delete(key)
    try store.delete(layout.commit(7, epoch: 7))
    #expect(try store.read(key, limit: 1) == nil)
    try store.barrier(key.prefix)
    try store.barrier(layout.assets(epoch: 3))
    withExtendedLifetime(owner) {}
  }

  // What is reached by SFTP is asked again and again instead.
  @Test(arguments: Kind.allCases.filter { $0 != .sftp })
  func aWatchTellsOfWhatIsCreatedEvenWhereNothingWasYet(kind: Kind) throws {
    let (store, owner) = try make(kind)
    let called = DispatchSemaphore(value: 0)
    let watch = store.watch([layout.meta, layout.log(epoch: 1)]) { called.signal() }
    for number in 1...3 as ClosedRange<Int64> {
      _ = store.createIfAbsent(layout.commit(number, epoch: 1), Data([1]))
      #expect(called.wait(timeout: .now() + 120) == .success)
      while called.wait(timeout: .now()) == .success {}
    }
    watch.cancel()
    withExtendedLifetime(owner) {}
  }

  @Test func eightThreadsThatCreateTheSameObjectsHaveOneWinnerEach() throws {
    let directory = try TemporaryDirectory()
    let names: Int64 = 60
    let wins = Mutex([Int64](repeating: 0, count: Int(names)))
    inThreads(8) { writer in
      let store = DirectoryStore(directory: directory.url)
      let bytes = Data(repeating: UInt8(writer), count: 3_000)
      for number in 1...names {
        if store.createIfAbsent(layout.commit(number, epoch: 1), bytes).isCreated {
          wins.withLock { $0[Int(number) - 1] += 1 }
        }
        let read = (try? store.read(layout.commit(number, epoch: 1), limit: 9_999)) ?? Data()
        #expect(read.count == 3_000 && Set(read).count == 1, "a torn read of \(number)")
      }
    }
    #expect(wins.withLock { $0 } == Array(repeating: 1, count: Int(names)))
  }
}

extension CreateOutcome {
  var isCreated: Bool {
    if case .created = self { true } else { false }
  }
}
