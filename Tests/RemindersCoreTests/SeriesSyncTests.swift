import Foundation
import GRDB
import RemindersCoreTestSupport
import RemindersTestSupport
import SQLiteSync
import SQLiteSyncCloud
import Testing

@testable import RemindersCore

/// Devices that complete a reminder that comes again while they are offline.
@Suite struct SeriesSyncTests {
  /// One person's device with some version of the app.
  final class Device {
    let database: AppDatabase
    let clock = ManualClock()
    private let directory: TemporaryDirectory
    private let engine: SyncEngine

    init(
      _ schema: SchemaVersion, _ store: any ObjectStore, timeZone: TimeZone = .current,
      environment: CloudEnvironment = .live
    ) throws {
      directory = try TemporaryDirectory()
      let clock = clock
      database = try AppDatabase.migrated(
        in: directory.url, schema: schema, now: { clock.now }, timeZone: { timeZone })
      engine = try database.engine(
        for: CloudContainer(
          store: store, account: try #require(AccountID(name: "ann")),
          device: try database.fetch(SyncQuery()).device, app: "tests",
          environment: environment))
    }

    /// Fetches and sends, and settles nothing.
    func exchange() async throws { try await engine.syncChanges() }

    @discardableResult
    func sync() async throws -> Bool { try await engine.syncAndSettle(database) }

    /// Every reminder in a line.
    func lines() throws -> [String] {
      try database.fetch(ReminderListQuery(.all, showsCompleted: true, time: berlin())).rows.map {
        "\($0.due?.stored ?? "") \($0.status)"
      }
    }

    func complete(_ id: Reminder.ID, times: Int = 1) async throws {
      for _ in 1...times { _ = try await database.setDone(true, [id]) }
    }

    /// Sets a rule; nil for none any more.
    func repeats(_ id: Reminder.ID, _ rule: String?) async throws {
      let rule = try rule.flatMap { try Recurrence.parse($0, in: berlin()) }
      _ = try await database.editReminders([id], [.set(\.recurrence, rule)])
    }
  }

  private let store = MemoryStore()

  func devices(_ schemas: [SchemaVersion]) throws -> [Device] {
    try schemas.map { try Device($0, store) }
  }

  /// Adds a reminder on the first device, and brings it to all.
  func begin(
    _ rule: String, in list: RemindersList.ID? = nil, below parent: Reminder.ID? = nil,
    _ devices: [Device]
  ) async throws -> Reminder.ID {
    let id = try await devices[0].database.addReminder(
      ReminderDraft(
        title: "Bins", due: .day(try day("2026-11-21")), listID: list, tags: ["home"],
        recurrence: try Recurrence.parse(rule, in: berlin()), parentID: parent)
    ).id
    for device in devices { try await device.sync() }
    return id
  }

  /// Lets all have what the others have.
  func settle(_ devices: [Device]) async throws {
    try await untilQuiet(devices) { try await $0.sync() }
  }

  /// What all devices have when they have synchronized in this order.
  func expect(_ lines: [String], on devices: [Device], syncing: [Int]) async throws {
    for index in syncing { try await devices[index].sync() }
    try await settle(devices)
    for device in devices { #expect(try device.lines().sorted() == lines) }
  }

  private static let orders: [[Int]] = [
    [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0],
  ]

  @Test(arguments: orders, orders)
  func `three devices that complete it offline advance once`(
    completing: [Int], syncing: [Int]
  ) async throws {
    // The third one is an app that knows nothing of rules.
    let devices = try devices([.current, .current, .linksAndCovers])
    let id = try await begin("every+ week", devices)
    for (minutes, index) in completing.enumerated() {
      devices[index].clock.advance(by: Double(60 + minutes * 60))
      _ = try await devices[index].database.setDone(true, [id])
    }
    for index in syncing { try await devices[index].sync() }
    try await settle(devices)
    for device in devices {
      #expect(try device.lines() == ["2026-11-28 incomplete", "2026-11-21 completed"])
      #expect(try device.database.fetch(SyncQuery()).counts == SyncCounts())
    }
    let tags = try devices[1].database.fetch(ReminderListQuery(.completed, time: berlin())).rows[0]
      .tags
    #expect(tags == ["home"])
  }

  @Test(arguments: [[0, 1], [1, 0]], [[0, 1], [1, 0]])
  func `the grace periods of two devices end in one occurrence`(
    completing: [Int], syncing: [Int]
  ) async throws {
    let devices = try devices([.current, .current])
    let id = try await begin("every! 3 days", devices)
    for index in completing {
      devices[index].clock.advance(by: Double(60 + index * 60))
      _ = try await devices[index].database.toggleDone([id])
      devices[index].clock.advance(by: 5)
      try await devices[index].database.completeGrace([id])
    }
    for index in syncing { try await devices[index].sync() }
    try await settle(devices)
    for device in devices {
      #expect(try device.lines() == ["2026-11-24 incomplete", "2026-11-21 completed"])
    }
  }

  @Test(arguments: [[0, 1], [1, 0]], [[0, 1], [1, 0]])
  func `what is part of it moves once, and what both devices did of it stays once`(
    completing: [Int], syncing: [Int]
  ) async throws {
    let devices = try devices([.current, .current])
    let id = try await begin("every+ week", devices)
    let parts = try await devices[0].database.addReminders(
      ["Bag", "Map"].map { title in
        ReminderDraft(
          title: title, due: .day(try day("2026-11-20")), tags: ["pack"], parentID: id)
      }
    ).ids
    try await settle(devices)
    for index in completing {
      devices[index].clock.advance(by: Double(60 + index * 60))
      _ = try await devices[index].database.setDone(true, [parts[0], parts[index]])
      _ = try await devices[index].database.setDone(true, [id])
    }
    for index in syncing { try await devices[index].sync() }
    try await settle(devices)
    for device in devices {
      #expect(
        try device.lines().sorted() == [
          "2026-11-20 completed", "2026-11-20 completed", "2026-11-21 completed",
          "2026-11-27 incomplete", "2026-11-27 incomplete", "2026-11-28 incomplete",
        ])
      let done = try device.database.fetch(ReminderListQuery(.completed, time: berlin())).rows
      #expect(done.count { $0.parentTitle == "Bins" && $0.tags == ["pack"] } == 2)
      #expect(try device.database.fetch(SyncQuery()).counts == SyncCounts())
    }
  }

  @Test func `the device that is further takes the others along`() async throws {
    let devices = try devices([.current, .current])
    let id = try await begin("every+ week", devices)
    _ = try await devices[0].database.setDone(true, [id])
    _ = try await devices[0].database.setDone(true, [id])
    devices[1].clock.advance(by: 600)
    _ = try await devices[1].database.setDone(true, [id])
    try await settle(devices)
    for device in devices {
      #expect(
        try device.lines() == [
          "2026-12-05 incomplete", "2026-11-21 completed", "2026-11-28 completed",
        ])
    }
  }

  @Test func `an earlier app completes one occurrence after the other`() async throws {
    let devices = try devices([.current, .linksAndCovers])
    let id = try await begin("every+ day", devices)
    for _ in 1...3 {
      _ = try await devices[1].database.setDone(true, [id])
      try await settle(devices)
      for device in devices { device.clock.advance(by: 86_400) }
    }
    for device in devices {
      #expect(
        try device.lines() == [
          "2026-11-24 incomplete", "2026-11-21 completed", "2026-11-22 completed",
          "2026-11-23 completed",
        ])
    }
  }

  @Test func `undo on one device is undone on all`() async throws {
    let devices = try devices([.current, .current, .linksAndCovers])
    let id = try await begin("every+ week", devices)
    let done = try await devices[0].database.setDone(true, [id])
    try await settle(devices)
    devices[0].clock.advance(by: 60)
    _ = try await devices[0].database.undo(done)
    try await settle(devices)
    for device in devices { #expect(try device.lines() == ["2026-11-21 incomplete"]) }
  }

  @Test func `a rule waits for the app that knows it`() async throws {
    let devices = try devices([.current, .linksAndCovers])
    let id = try await begin("every+ week", devices)
    let refused = await #expect(throws: AppError.self) {
      try await devices[1].database.editReminders(
        [id], [.set(\.recurrence, Recurrence(.daily))])
    }
    #expect(refused?.kind == .invalidInput)
    _ = try await devices[1].database.editReminders([id], [.set(\.title, "Bins out")])
    try await settle(devices)
    let details = try #require(try devices[0].database.fetch(ReminderQuery(id)))
    #expect(details.title == "Bins out" && details.recurrence != nil)
  }

  @Test(arguments: [[0, 1], [1, 0]], [[0, 1], [1, 0]])
  func `a list that goes while a series in it is completed stays only for the later completion`(
    acting: [Int], syncing: [Int]
  ) async throws {
    let devices = try devices([.current, .current])
    let list = try await devices[0].database.addList(title: "Garden").id
    let id = try await begin("every+ week", in: list, devices)
    for (minutes, index) in acting.enumerated() {
      devices[index].clock.advance(by: Double(60 + minutes * 600))
      if index == 0 {
        _ = try await devices[index].database.setDone(true, [id])
      } else {
        _ = try await devices[index].database.deleteList(list)
      }
    }
    for index in syncing { try await devices[index].sync() }
    try await settle(devices)
    for device in devices {
      #expect(
        try device.lines()
          == (acting.last == 0 ? ["2026-11-28 incomplete", "2026-11-21 completed"] : []))
      #expect(try device.database.fetch(SyncQuery()).counts == SyncCounts())
    }
  }

  @Test(arguments: [[0, 1], [1, 0]], [[0, 1], [1, 0]])
  func `a parent that goes while a series below it is completed leaves the later completion`(
    acting: [Int], syncing: [Int]
  ) async throws {
    let devices = try devices([.current, .current])
    let trip = try await devices[0].database.addReminder(ReminderDraft(title: "Trip")).id
    let id = try await begin("every+ week", below: trip, devices)
    for (minutes, index) in acting.enumerated() {
      devices[index].clock.advance(by: Double(60 + minutes * 600))
      if index == 0 {
        _ = try await devices[index].database.setDone(true, [id])
      } else {
        _ = try await devices[index].database.deleteReminders([trip])
      }
    }
    for index in syncing { try await devices[index].sync() }
    try await settle(devices)
    let kept = try devices.map { try $0.lines() }
    #expect(kept[0] == kept[1])
    // The completed occurrence is a reminder of its own, of which whoever deleted knew nothing.
    #expect(kept[0].contains("2026-11-21 completed"))
    #expect(kept[0].contains("2026-11-28 incomplete") == (acting.last == 0))
    for device in devices {
      #expect(try device.database.fetch(SyncQuery()).counts == SyncCounts())
    }
  }

  @Test func `a subtask whose parent an earlier app deletes is an ordinary reminder`() async throws
  {
    let devices = try devices([.current, .linksAndCovers])
    let trip = try await devices[0].database.addReminder(ReminderDraft(title: "Trip")).id
    try await settle(devices)
    let bag = try await devices[0].database.addReminder(
      ReminderDraft(title: "Bag", parentID: trip)
    ).id
    _ = try await devices[1].database.deleteReminders([trip])
    try await settle(devices)
    for device in devices { #expect(try device.lines() == [" incomplete"]) }
    let details = try #require(try devices[0].database.fetch(ReminderQuery(bag)))
    #expect(details.parentTitle == nil && details.parentID == trip)
  }
}
