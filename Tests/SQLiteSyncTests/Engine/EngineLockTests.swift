import Foundation
import GRDB
import TestSupport
import Testing

@testable import Cloud
@testable import SQLiteSync

/// One engine per database, however its path is spelled.
@Suite(.timeLimit(.minutes(10)))
struct EngineLockTests {
  private let cloud: TemporaryDirectory
  private let station: Station

  init() throws {
    cloud = try TemporaryDirectory()
    station = try Station(cloud: cloud)
  }

  /// Other spellings of the path of the station's database.
  private func spellings() throws -> [String] {
    let file = URL(fileURLWithPath: station.path)
    let directory = file.deletingLastPathComponent()
    let link = directory.appendingPathComponent("link.sqlite")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    let elsewhere = directory.appendingPathComponent("elsewhere")
    try FileManager.default.createSymbolicLink(at: elsewhere, withDestinationURL: directory)
    let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
    let up = String(repeating: "../", count: depth)
    return [
      "file://\(station.path)", "\(directory.path)/./\(file.lastPathComponent)", link.path,
      "\(elsewhere.path)/\(file.lastPathComponent)", up + station.path.dropFirst(),
    ]
  }

  @Test func everySpellingOfAPathIsTheSameDatabase() async throws {
    let first = try station.engine(starts: true)
    await first.waitUntilIdle()
    for spelling in try spellings() {
      let second = try station.engine(
        over: DatabaseQueue(path: spelling, configuration: .synchronized))
      let error = await #expect(throws: SyncError.self) { try await second.syncChanges() }
      #expect(error?.reason == .runsElsewhere, "\(spelling)")
    }
    first.stopAndWait()
    try await station.engine(
      over: DatabaseQueue(path: "file://\(station.path)", configuration: .synchronized)
    ).syncChanges()
  }

  @Test func twoEnginesOfOneProcessShareNoDatabaseInMemory() async throws {
    let database = try DatabaseQueue(configuration: .synchronized)
    try await database.write { try $0.execute(sql: Schema.reminders.sql) }
    let first = try station.engine(over: database, starts: true)
    await first.waitUntilIdle()
    let second = try station.engine(over: database)
    let error = await #expect(throws: SyncError.self) { try await second.syncChanges() }
    #expect(error?.reason == .runsElsewhere)
  }

  @Test func databaseWithTwoNamesIsRefused() async throws {
    try FileManager.default.linkItem(atPath: station.path, toPath: station.path + "-other")
    let engine = try station.engine()
    let error = await #expect(throws: SyncError.self) { try await engine.syncChanges() }
    #expect(error?.reason == .stopped)
    #expect(error?.message.contains("2 names") == true)
    try FileManager.default.removeItem(atPath: station.path + "-other")
    try await engine.syncChanges()
  }
}

/// What happens all the same when two programs work for one device.
struct VoidCommitTests {
  private let fleet: Fleet
  private let store: FaultyStore
  private let device: Device
  private let other: Device

  init() throws {
    store = FaultyStore(MemoryStore())
    fleet = try Fleet(store: store)
    device = try fleet.device()
    other = try fleet.device()
  }

  @Test func whatFollowsOnAnotherStateIsNotTakenForSent() throws {
    try device.execute("INSERT INTO lists (id, title) VALUES ('a', 'A')")
    let twin = try Synchronizer(
      database: device.database, tables: device.tables, privateTables: [],
      container: device.container, configuration: SyncConfiguration())
    // The twin sends everything while this one is about to.
    device.synchronizer.emit = { event in
      guard case .nextRecordZoneChangeBatch = event else { return }
      do { try twin.syncChanges() } catch { Issue.record(error) }
    }
    let error = #expect(throws: SyncError.self) { try device.sync() }
    #expect(error?.reason == .runsElsewhere)
    try fleet.settle()
    #expect(try other.rows("SELECT title FROM lists") == ["A"])
    #expect(try device.counts() == SyncCounts())
  }

  @Test func ownCommitThatDoesNotCountIsShownAndSentAgain() throws {
    try device.execute("INSERT INTO lists (id, title) VALUES ('a', 'A')")
    try fleet.settle()
    // Taken for sent here, and in no commit that counts.
    try device.execute("UPDATE lists SET title = 'B'")
    try device.synchronizer.foldEdits()
    try device.database.write { try $0.execute(sql: "DELETE FROM sync_pending") }
    let zone = device.container.zone(ZoneID(name: "default", owner: fleet.account))
    let token = try #require(
      try device.synchronizer.position(in: device.synchronizer.zones()[0]).token)
    let origin = zone.origin()
    let void = Commit.file(
      header: Commit(
        origin: origin, zone: "default", epoch: token.epoch, sequence: token.sequence + 1,
        previous: token.hash, operations: []),
      lines: [
        Commit.line(
          .delete(
            Tombstone(name: "a:lists", type: "lists", clock: .zero),
            base: ChangeTag(epoch: 1, sequence: 99, index: 0)))
      ])
    _ = try Stranger(fleet).putNextCommit(void)
    try fleet.settle()
    #expect(try other.rows("SELECT title FROM lists") == ["B"])
    #expect(
      device.events.contains {
        if case .failed(let message, _) = $0 { message.contains("does not count") } else { false }
      })
    let fetches = device.events.filter { if case .failed = $0 { true } else { false } }.count
    try fleet.settle()
    #expect(device.events.filter { if case .failed = $0 { true } else { false } }.count == fetches)
  }

  @Test func cloudWhoseFileWasMadeAnewIsTheSame() throws {
    try device.execute("INSERT INTO lists (id, title) VALUES ('a', 'A')")
    try fleet.settle()
    try store.delete(CloudLayout.cloudFile)
    _ = store.createIfAbsent(CloudLayout.cloudFile, CloudFile(id: "made anew").encoded)
    for device in [device, other] { try device.relaunch() }
    try device.execute("UPDATE lists SET title = 'B'")
    try fleet.settle()
    #expect(try other.rows("SELECT title FROM lists") == ["B"])
    #expect(try device.database.read(SyncAccount.init).cloud == "made anew")
  }

  @Test func unsentEditOfRecordInDamagedCommitIsSent() throws {
    try device.execute("INSERT INTO lists (id, title) VALUES ('a', 'A')")
    try fleet.settle()
    try device.execute("INSERT INTO lists (id, title) VALUES ('b', 'B')")
    try fleet.settle()
    let zone = ZoneLayout(ZoneID(name: "default", owner: fleet.account))
    try device.execute("UPDATE lists SET title = 'B' WHERE id = 'a'")
    try other.execute("UPDATE lists SET title = 'C' WHERE id = 'a'")
    try other.sync()
    // The version that both have seen is in the first commit.
    let key = zone.commit(1, epoch: 1)
    try store.delete(key)
    _ = store.createIfAbsent(key, Data("damaged".utf8))
    try device.sync()
    try fleet.settle()
    #expect(try device.contents() == other.contents())
    #expect(try device.counts() == SyncCounts())
  }
}
