import Foundation
import GRDB
import RemindersCoreTestSupport
import RemindersTestSupport
import SQLiteSync
import SQLiteSyncCloud
import Testing

@testable import RemindersCore

/// Devices of one person that announce, snooze and complete while they are offline.
@Suite struct AnnouncementSyncTests {
  private final class Device {
    let database: AppDatabase
    let clock = ManualClock()
    private let directory: TemporaryDirectory
    let engine: SyncEngine

    init(_ schema: SchemaVersion, _ store: MemoryStore, account: String = "ann") throws {
      directory = try TemporaryDirectory()
      let clock = clock
      database = try AppDatabase.migrated(in: directory.url, schema: schema, now: { clock.now })
      engine = try SyncEngine(
        for: database.writer, tables: schema.synchronizedTables,
        privateTables: schema.privateTables,
        cloud: CloudContainer(
          store: store, account: try #require(AccountID(name: account)),
          device: try database.fetch(SyncQuery()).device, app: "tests"),
        startImmediately: false)
    }

    @discardableResult
    func sync() async throws -> Bool { try await engine.syncAndSettle(database) }

    var schedule: AnnouncementSchedule {
      get throws {
        try database.fetch(AnnouncementQuery(rules: .standard, time: berlin(clock.now)))
      }
    }

    /// Announces what is due; says what that was.
    func announce() async throws -> [String] {
      try await database.announce(try schedule.due(at: clock.now)).map(\.title)
    }

    func rows(_ table: String) throws -> [String] {
      try database.read { db in
        try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY id").map { "\($0)" }
      }
    }
  }

  private let store = MemoryStore()

  private func settle(_ devices: [Device]) async throws {
    try await untilQuiet(devices) { try await $0.sync() }
  }

  private static let orders: [[Int]] = [
    [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0],
  ]

  /// Adds a reminder on the first device, and brings it to all.
  private func begin(_ devices: [Device]) async throws -> Reminder.ID {
    let id = try await devices[0].database.addReminder(
      ReminderDraft(
        title: "Bins", due: .moment(saturday.addingTimeInterval(600)),
        alarms: [.whenDue, .offset(seconds: -300)],
        recurrence: try Recurrence.parse("every+ day", in: berlin()))
    ).id
    try await settle(devices)
    for device in devices { device.clock.advance(by: 600) }
    return id
  }

  @Test func `undo of what was added leaves what another device edited since`() async throws {
    let devices = try [Device(.current, store), Device(.current, store)]
    let drafts = ["Bins", "Milk"].map { ReminderDraft(title: $0, tags: [$0.lowercased()]) }
    let added = try await devices[0].database.addReminders(drafts)
    try await settle(devices)
    devices[1].clock.advance(by: 60)
    _ = try await devices[1].database.editReminders([added.ids[0]], [.set(\.notes, "blue ones")])
    try await settle(devices)
    _ = try await devices[0].database.undo(added.undo)
    #expect(try devices[0].database.fetch(ReminderQuery(added.ids[0]))?.tags == ["bins"])
    #expect(try devices[0].database.fetch(ReminderQuery(added.ids[1])) == nil)
    // Nothing is left to take back.
    #expect(try await devices[0].database.undo(added.undo).isEmpty)
    try await settle(devices)
    #expect(try devices[1].database.fetch(ReminderQuery(added.ids[0]))?.notes == "blue ones")
    #expect(try devices[1].rows("reminders").count == 1)
  }

  @Test(arguments: orders, orders)
  func `three devices that announce offline agree, and none announces it again`(
    announcing: [Int], syncing: [Int]
  ) async throws {
    let devices = try (0..<3).map { _ in try Device(.current, store) }
    _ = try await begin(devices)
    for (place, index) in announcing.enumerated() where place < 2 {
      devices[index].clock.advance(by: Double(place * 60))
      #expect(try await devices[index].announce() == ["Bins"])
    }
    for index in syncing { try await devices[index].sync() }
    try await settle(devices)
    for device in devices {
      #expect(try await device.announce() == [])
      #expect(try device.rows("reminderNotices") == devices[0].rows("reminderNotices"))
      #expect(try device.rows("reminderNotices").count == 2)
      #expect(try device.database.fetch(SyncQuery()).counts == SyncCounts())
    }
  }

  @Test(arguments: orders, orders)
  func `snoozed and completed offline in any order, everyone agrees`(
    acting: [Int], syncing: [Int]
  ) async throws {
    // The third one is an app that knows nothing of alarms.
    let devices = try [.current, .current, .linksAndCovers].map { try Device($0, store) }
    let id = try await begin(devices)
    for (place, index) in acting.enumerated() {
      let device = devices[index]
      device.clock.advance(by: Double(1 + place * 60))
      switch index {
      case 0:
        _ = try await device.announce()
        _ = try await device.database.snooze(
          [id], until: device.clock.now.addingTimeInterval(3600))
      case 1:
        _ = try await device.announce()
        _ = try await device.database.snooze(
          [id], until: device.clock.now.addingTimeInterval(7200))
      default: _ = try await device.database.editReminders([id], [.set(\.isFlagged, true)])
      }
    }
    for index in syncing { try await devices[index].sync() }
    try await settle(devices)
    let until = try devices[0].schedule.next(after: devices[0].clock.now)
    let last = acting.filter { $0 < 2 }.last ?? 0
    let expected = try devices[last].schedule.next(after: devices[last].clock.now)
    for device in devices[0...1] {
      #expect(try device.schedule.next(after: device.clock.now) == until)
      #expect(until == expected, "the last one wins on all devices")
      #expect(try await device.announce() == [])
      #expect(try device.database.fetch(ReminderQuery(id))?.alarms.count == 2)
    }
    // The old app completes it: nothing is snoozed any more, and the next day has its own alarms.
    devices[2].clock.advance(by: 600)
    _ = try await devices[2].database.setDone(true, [id])
    try await settle(devices)
    for device in devices[0...1] {
      #expect(
        try device.schedule.next(after: device.clock.now)
          == saturday.addingTimeInterval(86_400 + 300))
      #expect(try device.database.fetch(SyncQuery()).counts == SyncCounts())
    }
  }

  @Test func `the same alarm that two devices add is one, and one that is removed is gone`()
    async throws
  {
    let devices = try (0..<2).map { _ in try Device(.current, store) }
    let id = try await devices[0].database.addReminder(
      ReminderDraft(title: "A", due: .moment(saturday))
    ).id
    try await settle(devices)
    let alarms = try Alarm.parseList("10m before, 1h before", isDue: true, in: berlin())
    for device in devices {
      _ = try await device.database.editReminders([id], [.set(\.alarms, alarms)])
    }
    try await settle(devices)
    #expect(try devices.map { try $0.rows("reminderAlarms").count } == [2, 2])
    devices[1].clock.advance(by: 60)
    _ = try await devices[1].database.editReminders([id], [.set(\.alarms, [alarms[0]])])
    try await settle(devices)
    devices[0].clock.advance(by: 120)
    _ = try await devices[0].database.editReminders([id], [.set(\.alarms, alarms)])
    try await settle(devices)
    for device in devices {
      let details = try #require(try device.database.fetch(ReminderQuery(id)))
      #expect(Set(details.alarms) == Set(alarms))
    }
  }

  @Test(arguments: [true, false], [[0, 1], [1, 0]])
  func `of never and another alarm that two devices set, the later one stays`(
    isNeverLater: Bool, syncing: [Int]
  ) async throws {
    let devices = try (0..<2).map { _ in try Device(.current, store) }
    let id = try await devices[0].database.addReminder(
      ReminderDraft(title: "A", due: .moment(saturday), alarms: [.offset(seconds: -600)])
    ).id
    try await settle(devices)
    let soon = Alarm.at(saturday.addingTimeInterval(60))
    let alarms: [Alarm] = isNeverLater ? [soon, .never] : [.never, soon]
    for (device, alarm) in zip(devices, alarms) {
      _ = try await device.database.editReminders([id], [.set(\.alarms, [alarm])])
      // Later is a millisecond later.
      let edited = Date().milliseconds
      while Date().milliseconds == edited {}
    }
    for index in syncing { try await devices[index].sync() }
    try await settle(devices)
    for device in devices {
      #expect(try device.database.fetch(ReminderQuery(id))?.alarms == [alarms[1]])
      #expect(try device.rows("reminderAlarms").count == 1)
      let query = OverdueRolloversQuery(time: berlin(device.clock.now))
      #expect(try device.database.fetch(query).isEmpty)
    }
  }

  @Test func `alarms travel with a shared list, and notices do not`() async throws {
    let ann = try Device(.current, store)
    let ben = try Device(.current, store, account: "ben")
    let list = try await ann.database.addList(title: "Family", color: 1).id
    let draft = ReminderDraft(
      title: "Bins", due: .moment(saturday.addingTimeInterval(600)), listID: list,
      alarms: [.offset(seconds: -300)])
    let id = try await ann.database.addReminder(draft).id
    try await ann.sync()
    try await ben.sync()
    // Sharing is for an engine that runs.
    for device in [ann, ben] { device.engine.start() }
    let link = try await ann.engine.share(
      table: "remindersLists", key: list, title: "Family",
      participants: [try #require(AccountID(name: "ben")): .read])
    try await ann.sync()
    try await ben.engine.acceptShare(link)
    for device in [ann, ben] { device.engine.stopAndWait() }
    try await settle([ann, ben])
    #expect(try ben.database.fetch(ReminderQuery(id))?.alarms == draft.alarms)
    for device in [ann, ben] { device.clock.advance(by: 600) }
    #expect(try await ann.announce() == ["Bins"])
    try await settle([ann, ben])
    #expect(try ben.rows("reminderNotices") == [], "each person is told")
    #expect(try await ben.announce() == ["Bins"])
    _ = try await ben.database.snooze([id], until: ben.clock.now.addingTimeInterval(600))
    try await settle([ann, ben])
    #expect(try ann.rows("reminderNotices").count == 1)
    #expect(try ben.rows("reminderNotices").count == 2)
    #expect(try ben.database.fetch(SyncQuery()).counts == SyncCounts())
    // Another device of ben's knows what the first one has told.
    let other = try Device(.current, store, account: "ben")
    other.clock.advance(by: 600)
    try await settle([ben, other])
    #expect(try await other.announce() == [])
    let snoozed = ben.clock.now.addingTimeInterval(600)
    #expect(try other.schedule.next(after: other.clock.now) == snoozed)
    // The list goes, and with it what was only about it.
    ben.engine.start()
    try await ben.engine.leaveShare(table: "remindersLists", key: list)
    ben.engine.stopAndWait()
    try await settle([ann, ben, other])
    #expect(try ben.rows("reminderNotices") == [] && other.rows("reminderNotices") == [])
    #expect(try ann.rows("reminderNotices").count == 1)
  }
}
