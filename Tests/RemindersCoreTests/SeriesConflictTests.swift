import Foundation
import GRDB
import RemindersTestSupport
import SQLiteSyncCloud
import Testing

@testable import RemindersCore

/// A series that devices moved, changed and completed while they knew nothing of each other.
@Suite struct SeriesConflictTests {
  private let fleet = SeriesSyncTests()

  private func edit(
    _ device: SeriesSyncTests.Device, _ id: Reminder.ID, _ edit: ReminderEdit
  ) async throws {
    device.clock.advance(by: 60)
    _ = try await device.database.editReminders([id], [edit])
  }

  private func complete(
    _ device: SeriesSyncTests.Device, _ id: Reminder.ID, after days: Double = 0
  ) async throws {
    device.clock.advance(by: 60 + days * 86_400)
    _ = try await device.database.setDone(true, [id])
  }

  private func lines(_ device: SeriesSyncTests.Device) throws -> [String] {
    try device.database.fetch(ReminderListQuery(.all, showsCompleted: true, time: berlin())).rows
      .map { "\($0.title) \($0.due?.stored ?? "no date") \($0.status)" }.sorted()
  }

  @Test(arguments: ["every week", "every day", "every+ week"], [[0, 1], [1, 0]])
  func `an occurrence that was moved onto the next day is not skipped`(
    rule: String, syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin(rule, devices)
    let next = try day(rule == "every day" ? "2026-11-22" : "2026-11-28")
    let days = Double(next.number - (try day("2026-11-21")).number)
    try await complete(devices[1], id)
    try await edit(devices[0], id, .set(\.due, .day(next)))
    try await complete(devices[1], id, after: days)
    devices[0].clock.advance(by: days * 86_400 + 300)
    try await complete(devices[0], id)
    for index in syncing { try await devices[index].sync() }
    try await fleet.settle(devices)
    let open = next.adding(days: Int(days))
    for device in devices {
      #expect(try lines(device).count { $0.hasSuffix("incomplete") } == 1)
      #expect(try device.database.fetch(ReminderQuery(id))?.due == .day(open))
    }
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `a day that is done is not to be done where somebody skips to it`(
    syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every day", devices)
    for _ in 1...2 { _ = try await devices[0].database.skip([id]) }
    try await complete(devices[0], id)
    // It is the 22nd: what is late is passed, up to the day that the other one has done.
    devices[1].clock.advance(by: 86_400)
    _ = try await devices[1].database.skip([id])
    #expect(try lines(devices[1]) == ["Bins 2026-11-23 incomplete"])
    for index in syncing { try await devices[index].sync() }
    try await fleet.settle(devices)
    for device in devices {
      #expect(try lines(device) == ["Bins 2026-11-23 completed", "Bins 2026-11-24 incomplete"])
    }
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `nor is one that another has done by a lower number`(syncing: [Int]) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every day", devices)
    _ = try await devices[0].database.skip([id])
    devices[1].clock.advance(by: 86_400)
    _ = try await devices[1].database.skip([id])
    try await complete(devices[1], id)
    devices[0].clock.advance(by: 86_400 + 600)
    _ = try await devices[0].database.skip([id])
    #expect(try lines(devices[0]) == ["Bins 2026-11-23 incomplete"])
    #expect(try lines(devices[1]) == ["Bins 2026-11-23 completed", "Bins 2026-11-24 incomplete"])
    for index in syncing { try await devices[index].sync() }
    try await fleet.settle(devices)
    for device in devices {
      #expect(try lines(device) == ["Bins 2026-11-23 completed", "Bins 2026-11-24 incomplete"])
    }
  }

  @Test func `the last one that is done stays where a device that knew of no end goes on`()
    async throws
  {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every day", devices)
    // Seed 152 of the simulation: the end meets what another has gone on to, and goes on again.
    try await edit(devices[1], id, .set(\.recurrence, nil))
    try await complete(devices[1], id)
    devices[0].clock.advance(by: 180)
    try await complete(devices[0], id)
    try await devices[0].sync()
    devices[1].clock.advance(by: 300)
    try await devices[1].sync()
    #expect(try lines(devices[1]) == ["Bins 2026-11-21 completed"])
    devices[0].clock.advance(by: 600)
    try await complete(devices[0], id)
    _ = try await devices[0].database.skip([id])
    try await fleet.settle(devices)
    for device in devices {
      #expect(try lines(device) == ["Bins 2026-11-21 completed", "Bins 2026-11-22 completed"])
    }
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `one that was done after an earlier one, as the last, is done with it`(
    syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every day", devices)
    try await complete(devices[0], id)
    try await edit(devices[0], id, .set(\.recurrence, nil))
    try await complete(devices[0], id)
    devices[1].clock.advance(by: 600)
    try await complete(devices[1], id)
    for index in syncing { try await devices[index].sync() }
    try await fleet.settle(devices)
    for device in devices {
      #expect(try lines(device) == ["Bins 2026-11-21 completed", "Bins 2026-11-22 completed"])
    }
  }

  @Test(arguments: [SchemaVersion.current, .linksAndCovers], [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
  func `an occurrence that is completed while its rule is changed is completed once`(
    schema: SchemaVersion, syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current, schema])
    let id = try await fleet.begin("every+ day", devices)
    try await complete(devices[0], id)
    devices[1].clock.advance(by: 120)
    try await edit(
      devices[1], id, .set(\.recurrence, try Recurrence.parse("every+ 2 days", in: berlin())))
    devices[2].clock.advance(by: 240)
    try await complete(devices[2], id)
    for index in syncing { try await devices[index].sync() }
    try await fleet.settle(devices)
    for device in devices {
      let lines = try lines(device)
      #expect(lines.count { $0 == "Bins 2026-11-21 completed" } == 1)
      #expect(lines.count == 2)
    }
  }

  @Test(arguments: [0, 1], [[0, 1], [1, 0]])
  func `what was done of a part belongs to its occurrence`(
    first: Int, syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every+ day", devices)
    let bath = try await devices[0].database.addReminder(
      ReminderDraft(title: "Bath", parentID: id)
    ).id
    try await fleet.settle(devices)
    devices[1 - first].clock.advance(by: 600)
    try await complete(devices[0], id)
    try await complete(devices[1], bath)
    for index in syncing { try await devices[index].sync() }
    try await fleet.settle(devices)
    for device in devices {
      #expect(
        try lines(device) == [
          "Bath no date completed", "Bath no date incomplete", "Bins 2026-11-21 completed",
          "Bins 2026-11-22 incomplete",
        ])
      #expect(try device.database.fetch(ReminderQuery(bath))?.status == .incomplete)
      let done = try device.database.fetch(ReminderListQuery(.completed, time: berlin())).rows
      #expect(done.first { $0.title == "Bath" }?.parentTitle == "Bins")
    }
  }

  @Test func `a part that is done after its series went on here is one of the next occurrence`()
    async throws
  {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every+ day", devices)
    let bath = try await devices[0].database.addReminder(
      ReminderDraft(title: "Bath", parentID: id)
    ).id
    try await complete(devices[0], id)
    try await fleet.settle(devices)
    try await complete(devices[1], bath)
    try await fleet.settle(devices)
    for device in devices {
      #expect(try device.database.fetch(ReminderQuery(bath))?.status == .completed)
    }
    // Opened again, nothing says any more for which it was done.
    _ = try await devices[1].database.setDone(false, [bath])
    try await fleet.settle(devices)
    #expect(try devices[0].database.fetch(ReminderQuery(bath))?.status == .incomplete)
    #expect(try lines(devices[0]).count == 3)
  }

  @Test func `an earlier app completes an occurrence that it has moved to an earlier day`()
    async throws
  {
    let devices = try fleet.devices([.current, .linksAndCovers])
    let id = try await fleet.begin("every+ week", devices)
    try await complete(devices[0], id)
    try await fleet.settle(devices)
    try await edit(devices[1], id, .set(\.due, .day(try day("2026-11-22"))))
    devices[1].clock.advance(by: 2 * 86_400)
    try await complete(devices[1], id)
    devices[0].clock.advance(by: 3 * 86_400)
    try await fleet.settle(devices)
    for device in devices {
      #expect(
        try lines(device) == [
          "Bins 2026-11-21 completed", "Bins 2026-11-22 completed", "Bins 2026-12-05 incomplete",
        ])
    }
  }

  /// Each is the second one on its device.
  @Test(arguments: [[0, 1], [1, 0]])
  func `days that two devices complete by one number are both done`(
    syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every! 3 days", devices)
    try await devices[0].complete(id, times: 2)
    devices[1].clock.advance(by: 86_400)
    try await devices[1].complete(id, times: 2)
    let done = ["21", "24", "25"].map { "2026-11-\($0) completed" }
    try await fleet.expect(done + ["2026-11-28 incomplete"], on: devices, syncing: syncing)
    // What got another number can be deleted, and has the tags.
    let rows = try devices[0].database.fetch(ReminderListQuery(.completed, time: berlin())).rows
    #expect(rows.allSatisfy { $0.tags == ["home"] })
    let kept = DueDate.day(try day("2026-11-24"))
    let copy = try #require(rows.first { $0.due == kept }).id
    devices[0].clock.advance(by: 600)
    _ = try await devices[0].database.deleteReminders([copy])
    try await devices[1].complete(id)
    try await fleet.expect(
      ["21", "25", "28"].map { "2026-11-\($0) completed" } + ["2026-12-01 incomplete"],
      on: devices, syncing: syncing)
  }

  /// Both numbers say the 23rd then, which each device has completed by another one.
  @Test(arguments: [[0, 1], [1, 0]])
  func `each day is done once where devices meet in several numbers`(
    syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every day", devices)
    try await devices[0].complete(id, times: 2)
    devices[1].clock.advance(by: 86_400)
    try await devices[1].complete(id, times: 3)
    devices[0].clock.advance(by: 86_400 + 600)
    try await devices[0].complete(id)
    try await fleet.expect(
      ["21", "22", "23", "24"].map { "2026-11-\($0) completed" } + ["2026-11-25 incomplete"],
      on: devices, syncing: syncing)
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `parts are those of the day that stays where devices meet in several numbers`(
    syncing: [Int]
  ) async throws {
    let devices = try fleet.devices([.current, .current])
    let id = try await fleet.begin("every day", devices)
    let bag = try await devices[0].database.addReminder(
      ReminderDraft(title: "Bag", parentID: id)
    ).id
    try await fleet.settle(devices)
    // Each day with its part.
    func complete(_ device: SeriesSyncTests.Device, times: Int) async throws {
      for _ in 1...times {
        try await device.complete(bag)
        try await device.complete(id)
      }
    }
    try await complete(devices[0], times: 2)
    devices[1].clock.advance(by: 86_400)
    try await complete(devices[1], times: 3)
    devices[0].clock.advance(by: 86_400 + 600)
    try await complete(devices[0], times: 1)
    for index in syncing { try await devices[index].sync() }
    try await fleet.settle(devices)
    for device in devices {
      let days = try await device.database.writer.read { db in
        try String.fetchAll(
          db,
          sql: """
            SELECT coalesce(day.dueDate, 'gone')
            FROM reminders part LEFT JOIN reminders day ON day.id = part.parentID
            WHERE part.title = 'Bag' AND part.status = 2 ORDER BY 1
            """)
      }
      // A day that came back from the history has none: its number was another day's.
      #expect(days == ["2026-11-21", "2026-11-23"])
    }
  }
}
