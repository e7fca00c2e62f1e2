import RemindersTestSupport
import SQLiteSync
import Testing

@testable import RemindersCore

/// Parts that devices add and move while they are offline.
extension SeriesSyncTests {
  /// The first device moves the parent, the second adds a part to it, in either order.
  @Test(arguments: [[0, 1], [1, 0]], [[0, 1], [1, 0]])
  func `a part that is added while its parent is moved follows it`(
    acting: [Int], syncing: [Int]
  ) async throws {
    let devices = try devices([.current, .current, .current])
    let (trip, work) = try await tripAndList(devices)
    for (minutes, index) in acting.enumerated() {
      devices[index].clock.advance(by: Double(60 + minutes * 600))
      if index == 0 {
        _ = try await devices[0].database.editReminders([trip], [.set(\.listID, work)])
      } else {
        _ = try await devices[1].database.addReminder(
          ReminderDraft(title: "Bag", parentID: trip))
      }
    }
    for index in syncing { try await devices[index].sync() }
    try await settle(devices)
    for device in devices {
      #expect(try device.places() == ["Bag in Trip in Work", "Trip in Work"])
      #expect(try device.database.fetch(SyncQuery()).counts == SyncCounts())
    }
  }

  @Test func `what followed its parent goes back with it`() async throws {
    let devices = try devices([.current, .current])
    let (trip, work) = try await tripAndList(devices)
    let move = try await devices[0].database.editReminders([trip], [.set(\.listID, work)])
    devices[1].clock.advance(by: 60)
    _ = try await devices[1].database.addReminder(ReminderDraft(title: "Bag", parentID: trip))
    try await settle(devices)
    for device in devices { device.clock.advance(by: 60) }
    let undone = try await devices[0].database.undo(move)
    try await settle(devices)
    for device in devices {
      #expect(try device.places() == ["Bag in Trip in Personal", "Trip in Personal"])
    }
    _ = try await devices[0].database.undo(undone)
    try await settle(devices)
    for device in devices {
      #expect(try device.places() == ["Bag in Trip in Work", "Trip in Work"])
    }
  }

  @Test func `a part that was elsewhere before its parent came is left there by the undo`()
    async throws
  {
    let devices = try devices([.current])
    let (trip, work) = try await tripAndList(devices)
    let database = devices[0].database
    let bag = try await database.addReminder(ReminderDraft(title: "Bag", parentID: trip)).id
    _ = try await database.editReminders([bag], [.set(\.listID, work)])
    try await settle(devices)
    devices[0].clock.advance(by: 60)
    let move = try await database.editReminders([trip], [.set(\.listID, work)])
    #expect(try devices[0].places() == ["Bag in Trip in Work", "Trip in Work"])
    _ = try await database.undo(move)
    #expect(try devices[0].places() == ["Bag in Work", "Trip in Personal"])
  }

  @Test func `a part that somebody has moved alone stays where it is`() async throws {
    let devices = try devices([.current, .current])
    let (trip, work) = try await tripAndList(devices)
    let bag = try await devices[1].database.addReminder(
      ReminderDraft(title: "Bag", parentID: trip)
    ).id
    try await settle(devices)
    _ = try await devices[0].database.editReminders([trip], [.set(\.listID, work)])
    let other = try await devices[1].database.addList(title: "Other").id
    devices[1].clock.advance(by: 60)
    _ = try await devices[1].database.editReminders([bag], [.set(\.listID, other)])
    try await settle(devices)
    for device in devices {
      #expect(try device.places() == ["Bag in Other", "Trip in Work"])
    }
  }

  @Test func `a part that was moved back alone stays there, also when it was deleted meanwhile`()
    async throws
  {
    let devices = try devices([.current, .current])
    let (trip, work) = try await tripAndList(devices)
    let database = devices[1].database
    let bag = try await database.addReminder(ReminderDraft(title: "Bag", parentID: trip)).id
    let first = try #require(try database.details(of: bag)).list.id
    try await settle(devices)
    _ = try await devices[0].database.editReminders([trip], [.set(\.listID, work)])
    try await settle(devices)
    devices[1].clock.advance(by: 600)
    _ = try await database.editReminders([bag], [.set(\.listID, first)])
    _ = try await database.undo(database.deleteReminders([bag]))
    try await settle(devices)
    for device in devices {
      #expect(try device.database.details(of: bag)?.list.id == first)
    }
  }

  /// A reminder in the first list, and another list, on all devices.
  private func tripAndList(
    _ devices: [Device]
  ) async throws -> (trip: Reminder.ID, list: RemindersList.ID) {
    let trip = try await devices[0].database.addReminder(ReminderDraft(title: "Trip")).id
    let work = try await devices[0].database.addList(title: "Work").id
    try await settle(devices)
    return (trip, work)
  }
}

extension SeriesSyncTests.Device {
  /// Every reminder with what it is a part of and its list.
  fileprivate func places() throws -> [String] {
    try database.fetch(ReminderListQuery(.all, time: berlin())).rows.map { row in
      row.title + (row.parentTitle.map { " in \($0)" } ?? "") + " in \(row.list.title)"
    }.sorted()
  }
}
