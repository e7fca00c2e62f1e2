import SQLiteSync
import Testing

@testable import RemindersCore

/// Completions that are taken back after others have gone on with what they changed.
extension SeriesSyncTests {
  @Test(arguments: [[0, 1], [1, 0]])
  func `undo of a completion keeps what another device has done of a part`(
    syncing: [Int]
  ) async throws {
    let devices = try devices([.current, .current])
    let (id, part) = try await beginWithPart(devices, tags: ["pack"])
    let done = try await devices[0].database.setDone(true, [id])
    devices[1].clock.advance(by: 60)
    _ = try await devices[1].database.setDone(true, [part])
    for index in syncing { try await devices[index].sync() }
    try await settle(devices)
    let after = ["2026-11-28 incomplete", "2026-11-21 completed", " incomplete", " completed"]
    for device in devices { #expect(try device.lines().sorted() == after.sorted()) }
    devices[0].clock.advance(by: 120)
    let undone = try await devices[0].database.undo(done)
    #expect(done.textWhenUndone(by: undone) == "Undone: Completed “Bins”")
    try await settle(devices)
    for device in devices {
      #expect(try device.lines().sorted() == [" completed", "2026-11-21 incomplete"])
      #expect(try device.database.fetch(ReminderQuery(part))?.parentTitle == "Bins")
      #expect(try device.database.fetch(ReminderQuery(part))?.completedAt != nil)
      #expect(try device.database.fetch(SyncQuery()).counts == SyncCounts())
    }
    devices[0].clock.advance(by: 60)
    _ = try await devices[0].database.undo(undone)
    try await settle(devices)
    for device in devices { #expect(try device.lines().sorted() == after.sorted()) }
  }

  /// Nothing of theirs is to be lost.
  @Test func `undo of a completion leaves a completed part that somebody has edited`()
    async throws
  {
    let devices = try devices([.current, .current])
    let (id, part) = try await beginWithPart(devices)
    let done = try await devices[0].database.setDone(true, [id])
    devices[1].clock.advance(by: 60)
    _ = try await devices[1].database.setDone(true, [part])
    try await settle(devices)
    let rows = try devices[1].database.fetch(ReminderListQuery(.completed, time: berlin())).rows
    let copy = try #require(rows.first { $0.title == "Bag" })
    devices[1].clock.advance(by: 60)
    _ = try await devices[1].database.editReminders([copy.id], [.set(\.notes, "by train")])
    try await settle(devices)
    #expect(try await devices[0].database.undo(done).isEmpty)
    #expect(try devices[0].database.fetch(ReminderQuery(copy.id))?.notes == "by train")
  }

  @Test func `undo of a completion leaves what was done for the next occurrence`() async throws {
    let devices = try devices([.current, .current])
    let (id, part) = try await beginWithPart(devices)
    _ = try await devices[0].database.setDone(true, [part])
    let done = try await devices[0].database.setDone(true, [id])
    try await settle(devices)
    devices[1].clock.advance(by: 60)
    _ = try await devices[1].database.setDone(true, [part])
    try await settle(devices)
    devices[0].clock.advance(by: 120)
    #expect(try await !devices[0].database.undo(done).isEmpty)
    try await settle(devices)
    for device in devices {
      #expect(try device.lines().sorted() == [" completed", "2026-11-21 incomplete"])
    }
  }

  /// Both may make the completed part before they know of each other.
  @Test func `undo of a completion keeps a part that both devices have settled`() async throws {
    let devices = try devices([.current, .current, .current])
    let (id, part) = try await beginWithPart(devices)
    let done = try await devices[0].database.setDone(true, [id])
    devices[1].clock.advance(by: 60)
    _ = try await devices[1].database.setDone(true, [part])
    for device in devices.prefix(2) { try await device.exchange() }
    try await devices[0].exchange()
    for device in devices.prefix(2) {
      device.clock.advance(by: 60)
      try await device.database.rollOver()
    }
    try await settle(devices)
    devices[0].clock.advance(by: 120)
    #expect(try await !devices[0].database.undo(done).isEmpty)
    try await settle(devices)
    for device in devices {
      #expect(try device.lines().sorted() == [" completed", "2026-11-21 incomplete"])
    }
  }

  /// A series with a part, which all devices have.
  private func beginWithPart(
    _ devices: [Device], tags: [String] = []
  ) async throws -> (id: Reminder.ID, part: Reminder.ID) {
    let id = try await begin("every+ week", devices)
    let part = try await devices[0].database.addReminder(
      ReminderDraft(title: "Bag", tags: tags, parentID: id)
    ).id
    try await settle(devices)
    return (id, part)
  }
}
