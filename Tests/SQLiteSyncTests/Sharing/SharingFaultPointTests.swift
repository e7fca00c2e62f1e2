import Foundation
import GRDB
import RemindersTestSupport
import Synchronization
import Testing

@testable import SQLiteSync
@testable import SQLiteSyncCloud

/// Each scenario of sharing with one fault, at its first call of the store, at its second, and so
/// on: once the person has tried again and everybody has synchronized, everything is as if nothing
/// had happened.
///
/// `make sharing-faults` tries every point; else a few are drawn, from SHARING_SEED=n (1 if unset).
struct SharingFaultPointTests {
  private static let environment = ProcessInfo.processInfo.environment
  /// How many faults of each scenario are drawn.
  private static let samples = 4

  @Test(arguments: SharingScenario.all)
  func nothingIsLeftHalfDoneWhereverAFaultStrikes(scenario: SharingScenario) throws {
    let undisturbed = try SharingRun(scenario)
    let calls = try undisturbed.perform()
    let expected = try undisturbed.outcome()
    for (fault, point) in points(in: calls) {
      let run = try SharingRun(scenario)
      guard try run.perform(fault, at: point) else { continue }
      #expect(try run.outcome() == expected, "\(fault) at \(point)")
    }
  }

  /// Where faults strike, given the calls of a performance without any.
  private func points(
    in calls: [FaultyStore.Call.Kind]
  ) -> [(fault: FaultPointTests.Fault, point: Int)] {
    let all = FaultPointTests.Fault.allCases.flatMap { fault in
      // Of commits nobody knows how many there are; there are fewer than calls.
      let count =
        fault.atCommit == nil ? calls.count { fault.strikes($0) } : min(calls.count, 12)
      return (0..<count).map { (fault, $0 + 1) }
    }
    guard Self.environment["SHARING_FAULTS"] == nil else { return all }
    let seed = Self.environment["SHARING_SEED"].flatMap(UInt64.init) ?? 1
    var random = SplitMix64(seed: seed)
    return Array(all.shuffled(using: &random).prefix(Self.samples))
  }
}

/// Something that one person does to what is shared, or that comes to one.
struct SharingScenario: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Whether ben does it; else it is ann, the owner.
  var isBens = false
  /// Whether ben takes part already.
  var isShared = true
  /// What happens before, without faults, to ann and ben.
  var before: @Sendable (Device, Device) throws -> Void = { _, _ in }
  /// What the person does, where the faults are; a sync follows.
  var act: @Sendable (Device) throws -> Void = { _ in }

  static let all = [
    SharingScenario(testDescription: "a list is shared", isShared: false) {
      _ = try $0.share([Family.benID: .write])
    },
    SharingScenario(testDescription: "a share is accepted", isBens: true, isShared: false) {
      ann, _ in
      _ = try ann.share([Family.benID: .write])
      try ann.sync()
    } act: { ben in
      guard let invitation = try ben.synchronizer.invitations().first else { return }
      try ben.synchronizer.accept(invitation.link)
    },
    SharingScenario(testDescription: "a participant writes", isBens: true) {
      try $0.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
      try $0.execute("INSERT OR IGNORE INTO reminders VALUES ('eggs', 'Eggs', 'home')")
    },
    SharingScenario(testDescription: "a permission is lowered") { _, ben in
      try ben.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
    } act: {
      try $0.permit(.read)
    },
    SharingScenario(testDescription: "unsent edits are taken back", isBens: true) { ann, ben in
      try ben.execute("UPDATE reminders SET title = 'Oat milk' WHERE id = 'milk'")
      try ben.execute("INSERT INTO reminders VALUES ('eggs', 'Eggs', 'home')")
      try ann.permit(.read)
      try ann.sync()
    },
    SharingScenario(testDescription: "somebody is removed") { try $0.permit(.none) },
    SharingScenario(testDescription: "one is removed", isBens: true) { ann, _ in
      try ann.permit(.none)
      try ann.sync()
    },
    SharingScenario(testDescription: "sharing is stopped") {
      try $0.synchronizer.unshare(table: "lists", key: "home")
    },
    SharingScenario(testDescription: "somebody leaves", isBens: true) {
      try $0.synchronizer.leave(table: "lists", key: "home")
    },
    SharingScenario(testDescription: "the owner deletes it") {
      try $0.execute("DELETE FROM lists WHERE id = 'home'")
    },
    SharingScenario(testDescription: "a subtree moves in") {
      try $0.execute("UPDATE reminders SET listID = 'home' WHERE id = 'memo'")
    },
    SharingScenario(testDescription: "a participant moves a subtree out", isBens: true) {
      try $0.execute("UPDATE reminders SET listID = 'own' WHERE id = 'milk'")
    },
  ]

  init(
    testDescription: String, isBens: Bool = false, isShared: Bool = true,
    before: @escaping @Sendable (Device, Device) throws -> Void = { _, _ in },
    act: @escaping @Sendable (Device) throws -> Void
  ) {
    self.testDescription = testDescription
    self.isBens = isBens
    self.isShared = isShared
    self.before = before
    self.act = act
  }

  init(
    testDescription: String, isBens: Bool,
    before: @escaping @Sendable (Device, Device) throws -> Void
  ) {
    self.init(testDescription: testDescription, isBens: isBens, before: before) { _ in }
  }
}

/// One performance of a scenario, with or without a fault.
private final class SharingRun {
  private let scenario: SharingScenario
  private let fleet: Fleet
  private let store: FaultyStore
  private let commits: CommitCrash
  private let ann: Device
  private let ben: Device
  private var actor: Device { scenario.isBens ? ben : ann }

  init(_ scenario: SharingScenario) throws {
    self.scenario = scenario
    let clock = TestClock()
    fleet = try Fleet(
      store: MemoryStore(now: { clock.now }), schema: .family, clock: clock)
    store = FaultyStore(fleet.store)
    commits = CommitCrash(of: store)
    ann = try fleet.device(store: scenario.isBens ? nil : store, account: Family.annID)
    ben = try fleet.device(store: scenario.isBens ? store : nil, account: Family.benID)
    try begin()
    try scenario.before(ann, ben)
    actor.database.add(transactionObserver: commits, extent: .databaseLifetime)
    store.restart()
  }

  private func begin() throws {
    try ann.write { try $0.execute(sql: Family.annsRows) }
    try ben.execute("INSERT INTO lists VALUES ('own', 'Own')")
    try settle()
    guard scenario.isShared else { return }
    let link = try ann.share([Family.benID: .write])
    try settle()
    try ben.synchronizer.accept(link)
    try settle()
  }

  private func settle() throws {
    for device in [ann, ben, ann, ben] { try device.sync() }
  }

  /// Performs without a fault, and returns the calls of the store.
  func perform() throws -> [FaultyStore.Call.Kind] {
    let calls = Mutex<[FaultyStore.Call.Kind]>([])
    store.plan { call in
      calls.withLock { $0.append(call.kind) }
      return nil
    }
    try act()
    store.restart()
    return calls.withLock { $0 }
  }

  private func act() throws {
    try scenario.act(actor)
    try actor.sync()
  }

  /// Performs with a fault at the call or commit of this number; false when there is none.
  func perform(_ fault: FaultPointTests.Fault, at number: Int) throws -> Bool {
    let (happened, hasDied) = try fault.strike(store, commits, at: number) {
      try tolerating { try act() }
    }
    if hasDied { try actor.relaunch() }
    // Whoever was told that it did not work tries again; it may have been done.
    try tolerating { try scenario.act(actor) }
    return happened
  }

  private func tolerating(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch is CloudError {
      // The fault, as the engine reports it.
    } catch let error as SyncError
      where [.notShared, .unknownRow, .notSentYet].contains(error.reason)
    {
      // It is done.
    }
  }

  /// What is everywhere once the process runs again and the cloud works.
  func outcome() throws -> [String: [String]] {
    fleet.clock.advance(milliseconds: 2 * SendFailures.holdMilliseconds)
    for _ in 0..<2 { try settle() }
    for device in [ann, ben] {
      let cloud = try CloudImage(cloud: device.synchronizer.zones().map(\.log), without: [:])
      #expect(try CloudImage(of: device).differences(from: cloud) == nil)
      #expect(try device.counts() == SyncCounts())
      #expect(try device.unsettled() == [])
      #expect(try device.strays() == [])
      #expect(try device.rows("PRAGMA foreign_key_check") == [])
    }
    let participants = try ann.database.readSnapshot(SyncShare.all).flatMap { share in
      share.participants.map { "\($0.key) \($0.value.permission) \($0.value.state)" }
    }
    return try [
      "ann": ann.tree() + ann.shared(), "ben": ben.tree() + ben.shared(),
      "participants": participants, "covers": ann.rows("SELECT length(image) FROM covers"),
      "zones": ann.container.zones().map { String($0.name.prefix(5)) },
    ]
  }
}

extension Device {
  /// Changes what ben may do with the list "Home".
  fileprivate func permit(_ permission: Share.Permission) throws {
    try synchronizer.setPermissions(
      table: "lists", key: "home", participants: [Family.benID: permission],
      publicPermission: nil)
  }
}
