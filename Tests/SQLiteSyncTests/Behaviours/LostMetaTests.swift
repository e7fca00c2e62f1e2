import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// The `meta` log of a zone is lost, with or without commits: what the devices have restores it.
struct LostMetaTests {
  private let fleet: Fleet
  private let ann: Device
  private let ben: Device
  private let layout: ZoneLayout

  init() throws {
    fleet = try Fleet()
    (ann, ben) = try fleet.pair()
    layout = ZoneLayout(ZoneID(name: "default", owner: fleet.account))
    for id in ["a", "b", "c"] {
      try ann.execute("INSERT INTO lists (id, title) VALUES (?, 'A list')", [id])
      try ann.sync()
    }
    try fleet.settle()
  }

  /// What is lost, in the default zone.
  enum Loss: CaseIterable {
    case firstEntry, firstEntryAndCommit, metaAndFirstCommit, metaAndCommits, emptyFirstEntry

    func happen(to layout: ZoneLayout, in store: any ObjectStore) throws {
      let commits = (1...3).map { layout.commit($0, epoch: 1) }
      let lost =
        switch self {
        case .firstEntry, .emptyFirstEntry: [StoreKey]()
        case .firstEntryAndCommit: [commits[1]]
        case .metaAndFirstCommit: [commits[0]]
        case .metaAndCommits: commits
        }
      for key in lost + [layout.metaEntry(1)] { try store.delete(key) }
      guard self == .emptyFirstEntry else { return }
      try store.delete(commits[1])
      try store.put(Data(), at: layout.metaEntry(1))
    }
  }

  private func findings(_ device: Device) throws -> [CheckFinding] {
    let (states, zones) = try device.database.readSnapshot {
      try (SyncEngine.cloudStates(of: $0), SyncEngine.followedZones(of: $0))
    }
    return try CloudCheck(device.container, holding: states, following: zones).run().findings
      .filter { $0.severity == .damage }
  }

  private func repair(_ device: Device) throws {
    for finding in try findings(device) { try CloudRepair(device.container).repair(finding) }
  }

  /// Expects that nobody lacks anything, and that a new device gets everything.
  private func expectWhole(_ titles: [String]) throws {
    try fleet.settle()
    let new = try fleet.device()
    try new.sync()
    for device in [ann, ben, new] {
      #expect(try device.rows("SELECT title FROM lists ORDER BY id") == titles)
      #expect(try device.counts() == SyncCounts())
      #expect(try findings(device) == [])
    }
  }

  @Test(arguments: Loss.allCases, [true, false])
  func devicesPutBackWhatWasLost(loss: Loss, annIsFirst: Bool) throws {
    try loss.happen(to: layout, in: fleet.store)
    try ann.execute("INSERT INTO lists (id, title) VALUES ('d', 'Of ann')")
    try ben.execute("INSERT INTO lists (id, title) VALUES ('e', 'Of ben')")
    try ben.execute("UPDATE lists SET title = 'Edited' WHERE id = 'b'")
    let found = try findings(ann)
    #expect(found.map(\.path) == ["\(layout.metaEntry(1))"])
    let advice = try #require(found.first?.advice)
    #expect(advice.contains("synchronization of \(fleet.account) makes"), "\(advice)")
    // As the advice says.
    try repair(annIsFirst ? ann : ben)
    for device in annIsFirst ? [ann, ben] : [ben, ann] { try device.sync() }
    try expectWhole(["A list", "Edited", "A list", "Of ann", "Of ben"])
  }

  /// An earlier version has begun it over the old log, of which a commit is missing.
  @Test(arguments: [Int64(1), 2]) func aZoneThatWasMadeOverAnOldLogIsReset(commit: Int64) throws {
    for key in [layout.metaEntry(1), layout.commit(commit, epoch: 1)] {
      try fleet.store.delete(key)
    }
    let entry = MetaEntry(
      origin: ann.container.zone(ZoneID(name: "default", owner: fleet.account)).origin(),
      number: 1, previous: nil, epoch: 1, kind: .zoneCreated(name: "default", needs: .init()))
    try fleet.store.put(entry.encoded, at: layout.metaEntry(1))
    try ben.execute("INSERT INTO lists (id, title) VALUES ('e', 'Of ben')")
    for device in [ann, ben] { #expect(throws: CloudError.self) { try device.sync() } }
    #expect(try findings(ann).contains(where: \.isRepairable))
    try repair(ann)
    try expectWhole(["A list", "A list", "A list", "Of ben"])
  }

  @Test func aLaterLogThanMetaKnowsOfIsPassedOver() throws {
    let zone = ann.container.zone(ZoneID(name: "default", owner: fleet.account))
    try zone.reset(reason: "a test")
    try fleet.settle()
    try ben.execute("INSERT INTO lists (id, title) VALUES ('e', 'Of ben')")
    try fleet.settle()
    for key in [layout.metaEntry(2), layout.commit(2, epoch: 1)] { try fleet.store.delete(key) }
    for device in [ann, ben] { #expect(throws: CloudError.self) { try device.sync() } }
    try repair(ann)
    try expectWhole(["A list", "A list", "A list", "Of ben"])
    #expect(try zone.manifest().epoch == 3)
  }

  @Test func theEntryIsPutBackFromACopyOfIt() throws {
    let key = layout.metaEntry(1)
    let bytes = try #require(try fleet.store.read(key, limit: .max))
    try fleet.store.delete(key)
    try fleet.store.put(bytes, at: layout.quarantine(key, bytes))
    try repair(ann)
    #expect(try fleet.store.read(key, limit: .max) == bytes)
    try expectWhole(["A list", "A list", "A list"])
  }
}

extension ObjectStore {
  fileprivate func put(_ bytes: Data, at key: StoreKey) throws {
    guard case .created = createIfAbsent(key, bytes) else {
      throw CloudError.damaged("\(key) is there.")
    }
  }
}
